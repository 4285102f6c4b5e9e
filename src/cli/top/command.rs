//! The command that plans a reset of a group, as one would type it.

use super::super::ConfigArgs;
use crate::report::printable;

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
    format!("{name}{joint}{}", word(value))
}

/// Bytes as one word of a shell: as they are where nothing in them means something to it, and never what steers a terminal.
fn word(bytes: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.,/:@%+".contains(byte);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && bytes.iter().all(plain) => text.to_owned(),
        Ok(text) if printable(text) == text => format!("'{}'", text.replace('\'', "'\\''")),
        _ => spelt_out(bytes),
    }
}

/// In octal, of which a shell takes three digits and no more.
fn spelt_out(bytes: &[u8]) -> String {
    let spelt = bytes.iter().map(|byte| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        other => format!("\\{other:03o}"),
    });
    format!("$'{}'", spelt.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_of_a_shell_whatever_it_holds() {
        for (bytes, shown) in [
            (&b"orders-1"[..], "orders-1"),
            (b"", "''"),
            (b"a b; rm -rf ~", "'a b; rm -rf ~'"),
            (b"it's $HOME", "'it'\\''s $HOME'"),
            ("消费".as_bytes(), "'消费'"),
            (b"a\n1'\\", "$'a\\0121\\'\\\\'"),
            (b"a\xff", "$'a\\377'"),
            (b"\x1b]52;c;x\x07", "$'\\033]52;c;x\\007'"),
            ("\u{202e}x".as_bytes(), "$'\\342\\200\\256x'"),
        ] {
            assert_eq!(word(bytes), shown);
        }
    }

    /// The shell's own reading is the judge.
    #[test]
    fn a_shell_reads_the_very_bytes() {
        let nasty: Vec<u8> = (1..=255).collect();
        let script = format!("printf %s {}", word(&nasty));
        let Ok(read) = std::process::Command::new("bash").args(["-c", &script]).output() else {
            panic!("bash starts");
        };
        assert_eq!(read.stdout, nasty);
    }

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
