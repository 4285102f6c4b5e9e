//! What of another configuration can be taken while the process runs.

use crate::config::Config;

/// The wanted configuration as far as it can be in force now, and the keys that wait for a restart.
pub(super) fn effective(now: &Config, mut wanted: Config) -> (Config, Vec<&'static str>) {
    let mut waiting = Vec::new();
    keep(&mut wanted.listen, &now.listen, "listen", &mut waiting);
    let grace = &mut wanted.shutdown_grace;
    keep(grace, &now.shutdown_grace, "shutdown_grace", &mut waiting);
    keep(&mut wanted.log.format, &now.log.format, "log.format", &mut waiting);
    match (&mut wanted.admin, &now.admin) {
        (Some(new), Some(old)) => {
            keep(&mut new.listen, &old.listen, "admin.listen", &mut waiting);
            keep(&mut new.audit_log, &old.audit_log, "admin.audit_log", &mut waiting);
            let reason = &mut new.require_reason;
            keep(reason, &old.require_reason, "admin.require_reason", &mut waiting);
        }
        (None, None) => {}
        (gone @ None, Some(old)) => {
            // The listener stays until the restart, but whom nothing names any more has no business there.
            let mut nobody = old.clone();
            nobody.allow.clear();
            nobody.tokens.clear();
            *gone = Some(nobody);
            waiting.push("admin");
        }
        (new @ Some(_), None) => {
            *new = None;
            waiting.push("admin");
        }
    }
    (wanted, waiting)
}

fn keep<T: PartialEq + Clone>(wanted: &mut T, now: &T, key: &'static str, waiting: &mut Vec<&'static str>) {
    if wanted != now {
        wanted.clone_from(now);
        waiting.push(key);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Admin;
    use crate::config::AdminToken;
    use crate::config::Source;
    use crate::config::load;

    fn config() -> Config {
        let loaded = load(&Source::Brokers("kafka:9092".to_owned()), &[], []);
        loaded.expect("a configuration").config
    }

    fn admin() -> Admin {
        Admin {
            listen: "127.0.0.1:9641".parse().expect("an address"),
            tokens: vec![AdminToken {
                name: "on-call".to_owned(),
                file: "token".into(),
            }],
            allow: Vec::new(),
            audit_log: "audit.jsonl".into(),
            require_reason: false,
            tls: None,
        }
    }

    #[test]
    fn what_waits_for_a_restart_is_named_and_all_else_is_taken() {
        let now = config();
        let mut wanted = now.clone();
        wanted.listen = "127.0.0.1:1".parse().expect("an address");
        wanted.shutdown_grace = Duration::from_secs(1);
        wanted.poll_interval = Duration::from_secs(1);
        let (taken, waiting) = effective(&now, wanted);
        assert_eq!(waiting, ["listen", "shutdown_grace"]);
        assert_eq!((taken.listen, taken.shutdown_grace), (now.listen, now.shutdown_grace));
        assert_eq!(taken.poll_interval, Duration::from_secs(1));
    }

    #[test]
    fn a_listener_that_is_no_longer_wanted_lets_nobody_in() {
        let mut now = config();
        now.admin = Some(admin());
        let (taken, waiting) = effective(&now, config());
        assert_eq!(waiting, ["admin"]);
        assert_eq!(taken.admin.map(|admin| admin.tokens), Some(Vec::new()));
    }

    #[test]
    fn a_listener_that_is_new_waits() {
        let mut wanted = config();
        wanted.admin = Some(admin());
        let (taken, waiting) = effective(&config(), wanted);
        assert_eq!((taken.admin, waiting), (None, vec!["admin"]));
    }

    #[test]
    fn what_is_the_same_waits_for_nothing() {
        let mut now = config();
        now.admin = Some(admin());
        assert_eq!(effective(&now, now.clone()), (now, Vec::new()));
    }
}
