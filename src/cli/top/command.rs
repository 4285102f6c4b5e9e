//! The command that plans a reset of a group, as one would type it.

use super::super::ConfigArgs;
use crate::report::shell_word;

/// What begins the command, for groups of every cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PlanCommand {
    /// How the cluster is reached, as it was typed for `top`; empty where that says nothing about the way to Kafka.
    reached: String,
}

impl PlanCommand {
    /// For whoever came the way of these arguments.
    pub(super) fn new(args: &ConfigArgs) -> Self {
        use std::os::unix::ffi::OsStrExt as _;

        let reached = match (&args.config, &args.brokers) {
            (Some(file), _) => option(" --config", file.as_os_str().as_bytes()),
            (None, Some(brokers)) => option(" --brokers", brokers.as_bytes()),
            (None, None) => String::new(),
        };
        Self { reached }
    }

    /// The command for a group. It changes nothing as it stands: whoever runs it puts a target in the place of `--to-current`.
    pub(super) fn of(&self, cluster: &str, group: &[u8]) -> String {
        format!(
            "tidemark reset plan{}{}{} --committed --to-current --output table",
            self.reached,
            option(" --cluster", cluster.as_bytes()),
            option(" --group", group)
        )
    }
}

/// An option and its value: joined where the value would be taken for another option.
fn option(name: &str, value: &[u8]) -> String {
    let joint = if value.starts_with(b"-") { '=' } else { ' ' };
    format!("{name}{joint}{}", shell_word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_reaches_the_cluster_the_same_way() {
        let from = |config: Option<&str>, brokers: Option<&str>| {
            PlanCommand::new(&ConfigArgs {
                config: config.map(Into::into),
                brokers: brokers.map(Into::into),
                verbose: 0,
            })
        };
        let rest = "--committed --to-current --output table";
        assert_eq!(
            from(None, None).of("main", b"orders"),
            format!("tidemark reset plan --cluster main --group orders {rest}")
        );
        assert_eq!(
            from(Some("my file.yaml"), None).of("main", b"-x"),
            format!("tidemark reset plan --config 'my file.yaml' --cluster main --group=-x {rest}")
        );
        assert_eq!(
            from(None, Some("kafka:9092")).of("main", b"a b"),
            format!("tidemark reset plan --brokers kafka:9092 --cluster main --group 'a b' {rest}")
        );
    }
}
