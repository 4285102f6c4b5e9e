//! What is seen of a reset that takes a while, and what waiting leaves behind.

use super::super::progress::Progress;
use super::super::progress::Shown;
use super::*;
use crate::reset::fake::World;

fn join(world: &mut World) {
    world.group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
}

fn events(bench: &Bench) -> Vec<String> {
    let text = fs::read_to_string(bench.log()).expect("a log");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines
        .map(|line| line["event"].as_str().expect("text").to_owned())
        .collect()
}

#[tokio::test]
async fn waiting_records_nothing_but_the_attempt_that_is_made_either_way() {
    for endpoint in [false, true] {
        let bench = Bench::new();
        let way = if endpoint {
            bench.endpoint().await
        } else {
            bench.kafka()
        };
        let file = bench.planned_file(&way, &["--committed", "--to-earliest"]).await;
        let file = file.to_str().expect("text");
        join(&mut bench.cluster.world());
        let line = ["execute", file, "--confirm", "g", "--wait", "200ms"];
        let (status, _, err) = bench.run(&way, false, &line).await;
        assert_eq!(status, ExitStatus::Refused, "{err}");
        assert_eq!(events(&bench), ["plan", "execute"], "however often it was looked at");
        assert_eq!(err.matches("waiting: group_active").count(), 1, "{err}");
    }
}

#[tokio::test]
async fn a_group_that_empties_while_it_is_waited_for_is_reset_either_way() {
    for endpoint in [false, true] {
        let bench = Bench::new();
        let way = if endpoint {
            bench.endpoint().await
        } else {
            bench.kafka()
        };
        let file = bench.planned_file(&way, &["--committed", "--to-earliest"]).await;
        join(&mut bench.cluster.world());
        // The plan looked once, the waiting looks first when somebody is there, and after that nobody is.
        bench.cluster.change(Step::Group, 3, |world| world.empty_group("g"));
        let line = [
            "execute",
            file.to_str().expect("text"),
            "--confirm",
            "g",
            "--wait",
            "1500ms",
        ];
        let (status, _, err) = bench.run(&way, false, &line).await;
        assert_eq!(status, ExitStatus::Done, "{err}");
        assert_eq!(events(&bench), ["plan", "intent", "outcome"]);
        assert!(err.contains("waiting: group_active: "), "{err}");
        assert_eq!(bench.committed(), [0, 5, 10]);
    }
}

#[tokio::test]
async fn with_more_to_be_told_every_stage_is_a_line() {
    let bench = Bench::new();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let way = bench.kafka();
    let file = bench.planned_file(&way, &["--committed", "--to-earliest"]).await;
    let Typed::Reset(ResetCommand::Execute(args)) =
        Typed::try_parse_from(["t", "reset", "execute", file.to_str().expect("text"), "--confirm", "g"])
            .expect("usage")
    else {
        panic!("another command")
    };
    let planned = read_plan(&args).expect("a plan");
    let at = Place {
        cluster: "main".to_owned(),
        group: GroupId::from("g"),
    };
    let mut console = Console::new(&mut out, Box::new(&mut err), false, TimeZone::UTC).verbose(1);
    execute(&args, planned, &at, &way, &mut console).await.expect("written");
    drop(console);
    let said = String::from_utf8(err).expect("text");
    let mut lines = said.lines();
    for expected in [
        "asking who is in the group",
        "reading the commits",
        "reading about 1 topic",
        "reading where the logs of 3 partitions begin and end",
        "writing to 3 partitions",
        "reading the commits back",
    ] {
        let line = format!("tidemark: {expected}");
        assert!(lines.any(|said| said == line), "{expected}, in this order: {said}");
    }
}

#[tokio::test]
async fn on_a_terminal_one_line_is_written_over_and_gone_at_the_end() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console::new(&mut out, Box::new(&mut err), true, TimeZone::UTC);
    assert_eq!(console.progress(), Shown::Line);
    let slow = tokio::time::sleep(Duration::from_millis(700));
    shown(slow, Progress::new(Shown::Line, None, "waiting for h:1"), &mut console).await;
    // What is done at once leaves nothing.
    shown(async {}, Progress::new(Shown::Line, None, "nothing"), &mut console).await;
    drop(console);
    let said = String::from_utf8(err).expect("text");
    assert_eq!(said, "\r\u{1b}[Ktidemark: waiting for h:1 … 0 s\r\u{1b}[K");
}

#[tokio::test]
async fn nobody_who_reads_it_later_is_bothered_with_progress() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console::new(&mut out, Box::new(&mut err), false, TimeZone::UTC);
    let slow = tokio::time::sleep(Duration::from_millis(600));
    shown(slow, Progress::new(console.progress(), None, "waiting"), &mut console).await;
    drop(console);
    assert_eq!(err, b"");
}
