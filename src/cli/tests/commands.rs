//! The commands that are wired in.

use super::*;

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
    Alone::<PlanArgs>::command().debug_assert();
    Alone::<ExecuteArgs>::command().debug_assert();
    Alone::<ExportArgs>::command().debug_assert();
    Alone::<LagArgs>::command().debug_assert();
    Alone::<DemoArgs>::command().debug_assert();
}

#[test]
fn help_and_version_are_done_and_go_to_stdout() {
    for line in [
        &["--help"][..],
        &["serve", "--help"],
        &["check-config", "-h"],
        &["--version"],
    ] {
        let (status, out) = tidemark(line, &[]);
        assert_eq!(status, ExitStatus::Done, "{line:?}");
        assert!(out.contains("tidemark"), "{out}");
    }
}

#[test]
fn wrong_usage_is_64() {
    let wrong: [&[&str]; 6] = [
        &[],
        &["--no-such-flag"],
        &["no-such-command"],
        &["serve", "now"],
        &["check-config", "--listen", "x"],
        &["serve", "-c"],
    ];
    for line in wrong {
        assert_eq!(tidemark(line, &[]).0, ExitStatus::Usage, "{line:?}");
    }
}

#[test]
fn a_file_and_brokers_exclude_each_other_on_both_sides_of_the_command() {
    let both: [&[&str]; 3] = [
        &["check-config", "-c", "f", "--brokers", "a:1"],
        &["-c", "f", "check-config", "--brokers", "a:1"],
        &["--brokers", "a:1", "--config", "f", "check-config"],
    ];
    for line in both {
        assert_eq!(tidemark(line, &[]).0, ExitStatus::Usage, "{line:?}");
    }
    for line in [
        ["check-config", "--brokers", "a:1"],
        ["--brokers", "a:1", "check-config"],
    ] {
        assert_eq!(tidemark(&line, &[]).0, ExitStatus::Done, "{line:?}");
    }
}

#[test]
fn check_config_says_what_is_there_after_what_is_doubtful() {
    let plain = tidemark(&["check-config", "--brokers", "a:1"], &[]);
    assert_eq!(
        plain,
        (ExitStatus::Done, "ok: 1 cluster (main), no resets\n".to_owned())
    );
    let doubtful = tidemark(
        &["check-config", "--brokers", "a:1"],
        &[("TIDEMARK__POLL_INTERVAL", "10m")],
    );
    assert_eq!(
        doubtful.1,
        "warning: status_window_max: is shorter than status_cycles polls: statuses are judged by fewer readings\n\
         ok: 1 cluster (main), no resets\n"
    );
}

#[test]
fn a_wrong_configuration_is_64_for_every_command_that_loads_one() {
    for command in ["serve", "check-config", "print-config"] {
        let (status, told) = tidemark(&[command, "--brokers", "nowhere"], &[]);
        assert_eq!(status, ExitStatus::Usage, "{command}");
        assert!(
            told.contains("clusters[0].bootstrap_servers (from --brokers)"),
            "{told}"
        );
    }
}

#[test]
fn print_config_prints_what_the_environment_said_and_no_secret() {
    let environment = [
        ("TIDEMARK__CLUSTERS__0__SASL__MECHANISM", "PLAIN"),
        ("TIDEMARK__CLUSTERS__0__SASL__USERNAME", "watcher"),
        ("TIDEMARK__CLUSTERS__0__SASL__PASSWORD", SECRET),
    ];
    let (status, out) = tidemark(&["print-config", "--brokers", "a:1"], &environment);
    assert_eq!(status, ExitStatus::Done);
    assert!(
        out.contains("username: \"watcher\"") && out.contains("password: \"***\""),
        "{out}"
    );
    assert!(!out.contains(SECRET));
}

#[test]
fn no_error_holds_a_secret() {
    let environment = [
        ("TIDEMARK__CLUSTERS__0__SASL__MECHANISM", SECRET),
        ("TIDEMARK__CLUSTERS__0__SASL__PASSWORD", SECRET),
        ("TIDEMARK__CLUSTERS__0__SASL__PASSWORD_FILE", SECRET),
        ("TIDEMARK__ADMIN__TOKEN", SECRET),
        ("TIDEMARK__LISTEN", SECRET),
    ];
    let (status, told) = tidemark(&["check-config", "--brokers", "a:1"], &environment);
    assert_eq!(status, ExitStatus::Usage);
    assert!(!told.contains(SECRET), "{told}");
}

#[test]
fn flags_of_serve_stand_for_keys() {
    let args: ServeArgs = parsed(&["--listen", "[::1]:1", "--poll-interval", "1s"]).unwrap();
    let keys: Vec<_> = args.flags().into_iter().map(|flag| (flag.key, flag.value)).collect();
    assert_eq!(
        keys,
        [("listen", "[::1]:1".to_owned()), ("poll_interval", "1s".to_owned())]
    );
    assert_eq!(ServeArgs::default().flags(), []);
}

#[test]
fn a_statuss_number_is_what_scripts_rely_on() {
    let all = [
        ExitStatus::Done,
        ExitStatus::Failed,
        ExitStatus::Refused,
        ExitStatus::Usage,
    ];
    assert_eq!(all.map(ExitStatus::code), [0, 1, 2, 64]);
}
