//! `tidemark top`, typed at and looked at in a terminal, and read as lines.

use std::fs;
use std::path::Path;
use std::process::Command;

use tidemark::clock::Clock;
use tidemark::model::GroupType;
use tidemark::sim::Cluster;
use tidemark::sim::Model;
use tidemark::sim::story;

use crate::sim::running::Running;
use crate::support::BINARY;
use crate::support::Demo;
use crate::support::Tmux;
use crate::support::cli;
use crate::support::until;

/// Starts `top` with these arguments in the terminal's shell. Before it, what is on the screen and how the terminal is set are noted in
/// the folder, and the process id of `top`.
fn start(tmux: &Tmux, folder: &Path, arguments: &str) {
    let folder = folder.display();
    tmux.type_text(&format!(
        "clear; echo was here before; stty -a >{folder}/before; sh -c 'echo $$ >{folder}/pid; exec {BINARY} top {arguments}'; echo ended $?\n"
    ));
    tmux.wait_for("the screen of top", |screen| screen.contains("tidemark top ·"));
}

/// Holds that the terminal is as it was before [`start`].
fn restored(tmux: &Tmux, folder: &Path) {
    let screen = tmux.wait_for("the end of top", |screen| screen.contains("ended 0"));
    assert!(
        screen.contains("was here before") && !screen.contains("tidemark top ·"),
        "{screen}"
    );
    assert_eq!(
        (tmux.variable("alternate_on"), tmux.variable("cursor_flag")),
        ("0".into(), "1".into())
    );
    tmux.type_text(&format!(
        "stty -a >{f}/part; mv {f}/part {f}/after\n",
        f = folder.display()
    ));
    until("the settings of the terminal", || folder.join("after").exists());
    let settings = |name| {
        let text = fs::read_to_string(folder.join(name)).expect("a file");
        // The first line has the size, which a test may have changed.
        text.split_once('\n').expect("lines").1.to_owned()
    };
    assert_eq!(settings("before"), settings("after"));
}

/// The rows of a list: what follows the line of titles, up to an empty line.
fn rows(screen: &str) -> Vec<&str> {
    let rows = screen.lines().skip_while(|line| !line.contains("STATUS")).skip(1);
    rows.take_while(|line| !line.trim().is_empty()).collect()
}

/// The screen as if it were one line: where lines break depends on the width.
fn flat(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first word of each row, without the mark.
fn names(screen: &str) -> Vec<&str> {
    let names = rows(screen).into_iter().map(|row| row.trim_start_matches(['>', ' ']));
    names.filter_map(|row| row.split_whitespace().next()).collect()
}

fn marked(screen: &str) -> &str {
    let mut rows = rows(screen).into_iter();
    rows.find_map(|row| row.strip_prefix("> ")).unwrap_or_default()
}

fn folder() -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix("tidemark-top-")
        .tempdir()
        .expect("a folder")
}

#[test]
fn the_groups_of_the_demo_are_sorted_filtered_opened_and_left_as_keys_say() {
    let demo = Demo::start(&[]);
    let Some(tmux) = Tmux::start(100, 30) else { return };
    let folder = folder();
    start(&tmux, folder.path(), &format!("--url {} --every 1s", demo.url("")));
    tmux.wait_for("the stalled group first", |screen| {
        marked(screen).starts_with("payments ") && marked(screen).contains(" stalled ")
    });

    tmux.type_text("s");
    tmux.wait_for("the order by lag", |screen| screen.contains("by lag"));
    tmux.type_text("ss");
    let by_name = tmux.wait_for("the order by name", |screen| screen.contains("by name"));
    assert!(names(&by_name).len() >= 10 && names(&by_name).is_sorted(), "{by_name}");
    tmux.type_text("s");
    tmux.wait_for("the order by status", |screen| {
        screen.contains("by status") && marked(screen).starts_with("payments ")
    });

    tmux.type_text("d");
    let hidden = tmux.wait_for("no dormant group", |screen| screen.contains("dormant hidden"));
    assert!(!names(&hidden).contains(&"old-dashboard"), "{hidden}");
    tmux.type_text("d");
    tmux.wait_for("the dormant group", |screen| names(screen).contains(&"old-dashboard"));

    tmux.type_text("/PAYm");
    tmux.wait_for("only the groups of the filter", |screen| {
        names(screen) == ["payments"] && screen.contains("/PAYm")
    });
    tmux.press("Enter");
    tmux.wait_for("the filter in the title", |screen| screen.contains("only PAYm"));
    tmux.press("Enter");
    let opened = tmux.wait_for("the partitions", |screen| {
        screen.contains("payments · cluster main") && marked(screen).contains("stalled")
    });
    for title in ["TOPIC", "PART", "COMMITTED", "END", "LAG", "TIME", "OWNER", "STATUS"] {
        assert!(opened.contains(title), "{title}: {opened}");
    }
    assert!(
        rows(&opened).len() > 1 && flat(&opened).contains("no commit moved for"),
        "{opened}"
    );
    tmux.type_text("jj");
    tmux.wait_for("another partition", |screen| {
        rows(screen).iter().skip(1).any(|row| row.starts_with("> "))
    });
    tmux.press("Escape");
    tmux.wait_for("the overview", |screen| names(screen) == ["payments"]);

    tmux.type_text("y");
    let command = "tidemark reset plan --cluster main --group payments --committed --to-current --output table";
    tmux.wait_for("the command", |screen| screen.contains(command));
    until("the command in the clipboard", || {
        tmux.clipboard().as_deref() == Some(command)
    });
    tmux.press("Escape");
    tmux.wait_for("every group", |screen| names(screen).len() >= 10);

    tmux.resize(40, 12);
    let narrow = tmux.wait_for("the narrow screen", |screen| {
        screen.contains("STATUS") && !screen.contains("MEMBERS") && marked(screen).starts_with("payments")
    });
    assert!(narrow.lines().count() <= 12 && narrow.contains("q quit"), "{narrow}");
    tmux.press("End");
    tmux.wait_for("the last row", |screen| {
        rows(screen).iter().any(|row| row.starts_with("> ")) && !marked(screen).starts_with("payments")
    });
    tmux.resize(120, 40);
    tmux.wait_for("the wide screen", |screen| {
        screen.contains("MEMBERS") && names(screen).len() >= 10
    });

    tmux.type_text("q");
    restored(&tmux, folder.path());
}

#[test]
fn the_terminal_is_given_back_on_a_signal() {
    let demo = Demo::start(&[]);
    let Some(tmux) = Tmux::start(80, 24) else { return };
    for signal in ["TERM", "INT", "HUP"] {
        let folder = folder();
        start(&tmux, folder.path(), &format!("--url {}", demo.url("")));
        tmux.wait_for("the groups", |screen| names(screen).contains(&"payments"));
        let pid = fs::read_to_string(folder.path().join("pid")).expect("a file");
        let sent = Command::new("kill").args([&format!("-{signal}"), pid.trim()]).status();
        assert!(sent.expect("kill starts").success(), "{signal}");
        restored(&tmux, folder.path());
    }
}

#[test]
fn an_exporter_that_goes_is_told_and_its_last_figures_stay_until_it_comes_back() {
    let mut demo = Demo::start(&[]);
    let Some(tmux) = Tmux::start(80, 24) else { return };
    let folder = folder();
    start(&tmux, folder.path(), &format!("--url {} --every 1s", demo.url("")));
    tmux.wait_for("the groups", |screen| names(screen).contains(&"payments"));
    demo.kill();
    let screen = tmux.wait_for("the trouble", |screen| screen.contains("! 127.0.0.1:"));
    assert!(screen.contains("payments"), "{screen}");
    let read_at = |screen: &str| screen.split_once("read ").map(|(_, at)| at[..8].to_owned());
    let last = read_at(&screen).expect("the time of the last figures");

    demo.revive();
    let screen = tmux.wait_for("new figures", |screen| {
        !screen.contains("! ") && read_at(screen).is_some_and(|at| at != last)
    });
    assert!(names(&screen).contains(&"payments"), "{screen}");
    tmux.press("C-c");
    restored(&tmux, folder.path());
}

/// The title of a window and whatever else a name might order: a terminal that obeyed would show it.
#[test]
fn no_name_of_kafka_steers_the_terminal_and_kafka_is_asked_straight() {
    let evil = "evil\x1b]0;owned\x07\x1b[2J\nname";
    let cluster = Running::new(|| {
        let clock = Clock::system();
        let mut model = Model::new(1, 7);
        model.set_now(clock.now().wall.0);
        model.create_topic("orders", 2);
        model.append("orders", 0, 10).expect("the topic was made");
        for group in [evil, "steady"] {
            model.create_group(group, GroupType::Classic);
            model.commit(group, "orders", 0, 4);
        }
        Cluster::start(model, clock)
    });
    let Some(tmux) = Tmux::start(100, 24) else { return };
    let (folder, title) = (folder(), tmux.variable("pane_title"));
    start(
        &tmux,
        folder.path(),
        &format!("--brokers {} --every 1s", cluster.bootstrap()),
    );
    let shown = r"evil\u{1b}]0;owned\u{7}\u{1b}[2J\nname";
    let screen = tmux.wait_for("the groups", |screen| names(screen).len() == 2);
    assert!(screen.contains(shown) && screen.contains("steady"), "{screen}");
    tmux.press("Enter");
    tmux.wait_for("the partitions", |screen| {
        screen.contains(shown) && marked(screen).starts_with("orders") && screen.contains("lag 6")
    });
    tmux.type_text("y");
    let spelt = r"$'evil\033]0;owned\007\033[2J\012name'";
    tmux.wait_for("the command", |screen| flat(screen).contains(spelt));
    until("the command in the clipboard", || {
        tmux.clipboard().is_some_and(|command| {
            command.starts_with(&format!("tidemark reset plan --brokers {}", cluster.bootstrap()))
                && command.contains(spelt)
        })
    });
    assert_eq!(tmux.variable("pane_title"), title);
    tmux.type_text("q");
    restored(&tmux, folder.path());
}

#[test]
fn without_a_terminal_there_are_lines() {
    let cluster = Running::new(|| story::start(None, Clock::system(), 1));
    let run = cli(&["top", "--brokers", &cluster.bootstrap(), "--once"]);
    let printed = String::from_utf8(run.stdout).expect("UTF-8");
    assert!(printed.contains(" groups: ") && !printed.contains('\x1b'), "{printed}");
    for story in story::all() {
        assert!(names(&printed).contains(&story.group), "{}: {printed}", story.group);
    }

    let folder = folder();
    let out = folder.path().join("out");
    // The shell becomes the program, so that the pid is the program's.
    let script = format!(
        "exec {BINARY} top --brokers {} --every 1s >{} 2>/dev/null",
        cluster.bootstrap(),
        out.display()
    );
    let mut child = Command::new("sh").args(["-c", &script]).spawn().expect("sh starts");
    until("two refreshes", || {
        let printed = fs::read_to_string(&out).unwrap_or_default();
        printed.matches(" groups: ").count() >= 2
    });
    let sent = Command::new("kill").arg(child.id().to_string()).status();
    assert!(sent.expect("kill starts").success());
    assert!(child.wait().expect("a child").success());
}

#[test]
fn lines_end_when_nobody_reads_them_any_more() {
    let demo = Demo::start(&[]);
    let script = format!("{BINARY} top --url {} --every 1s | head -n 2", demo.url(""));
    let run = Command::new("sh").args(["-c", &script]).output().expect("sh starts");
    let printed = String::from_utf8(run.stdout).expect("UTF-8");
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(printed.lines().count(), 2, "{printed}{said}");
    assert!(printed.contains(" groups: "), "{printed}{said}");
}

#[test]
fn nobody_at_the_address_is_a_failure() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let run = cli(&["top", "--once", "--url", &format!("http://{free}")]);
    assert_eq!(run.status.code(), Some(1));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.contains(&free.to_string()) && said.contains("refused"), "{said}");
}
