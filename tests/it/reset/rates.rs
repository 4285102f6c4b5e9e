//! How long a replay takes, told by a tidemark that has watched the group, and by one that has not.

use std::fs;
use std::process::Output;
use std::time::Duration;

use serde_json::Value;
use tidemark::app::App;
use tidemark::clock::Clock;
use tidemark::config::Source;
use tidemark::config::load;
use tidemark::model::UnixMillis;
use tokio::sync::oneshot;

use super::world::Desk;
use super::world::GROUP;
use super::world::TOPIC;
use super::world::cluster_by;
use crate::support::http;
use crate::support::until;

const POLL: Duration = Duration::from_secs(15);
/// Records that the group reads between two polls.
const STEP: i64 = 5;
const POLLS: i64 = 12;

fn planned(run: &Output) -> Value {
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_watched_the_group_knows_how_fast_it_read_and_who_has_not_how_fast_was_written() {
    let clock = Clock::stepped(UnixMillis(1_769_846_400_000));
    let cluster = cluster_by(&clock);
    let desk = Desk::new(&cluster);
    let config = fs::read_to_string(desk.path("tidemark.yaml")).expect("a file");
    fs::write(desk.path("watching.yaml"), config.replace("\"1s\"", "\"15s\"")).expect("a file");
    let config = load(&Source::File(desk.path("watching.yaml")), &[], Vec::new()).expect("a configuration");
    let app = App::build(&config.config, clock.clone()).await.expect("ports");
    let (scrape, admin) = (app.address(), app.admin_address().expect("an admin listener"));
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(app.run(async {
        let _ = stopped.await;
    }));
    let cycles = || {
        let answer = http::get(scrape, "/api/v1/clusters", &[]).ok()?;
        let document: Value = serde_json::from_slice(&answer.body).ok()?;
        document["clusters"][0]["cycles_total"]["ok"].as_i64()
    };
    until("the first cycle", || cycles() >= Some(1));
    for step in 1..=POLLS {
        cluster.edit(|model| model.commit(GROUP, TOPIC, 0, 100 + step * STEP));
        clock.step(POLL);
        until("the next cycle", || cycles() > Some(step));
    }

    let admin = format!("http://{admin}");
    let token = desk.path("admin.token");
    let line = [
        "reset",
        "plan",
        "--group",
        GROUP,
        "--topic",
        "payments:0",
        "--to-earliest",
    ];
    let through = [
        "--cluster",
        "main",
        "--admin",
        &admin,
        "--token-file",
        token.to_str().expect("text"),
    ];
    let run = desk
        .command("tidemark")
        .args(line)
        .args(through)
        .output()
        .expect("it runs");
    let replay = &planned(&run)["replay"];
    assert_eq!(replay["rate"]["of"], "group");
    let of = |key: &str| replay["rate"][key].as_i64().expect("a number");
    // The step in which it was first seen is none in which it was seen reading.
    assert_eq!((of("records"), of("seconds")), (POLLS * STEP, POLLS * 15));
    assert_eq!(replay["rate"]["until"], "2026-01-31T08:03:00.000Z");
    assert_eq!(replay["seconds"], (100 + POLLS * STEP) * 3);

    // Straight on Kafka nobody has watched. Records came one in 72 seconds, the last of them when this cluster began; the command has a clock
    // of its own, by which that is long ago.
    let run = desk.command("tidemark").args(line).output().expect("it runs");
    let replay = &planned(&run)["replay"];
    assert_eq!((&replay["seconds"], &replay["rate"]), (&Value::Null, &Value::Null));
    let why = replay["unknown"].as_str().expect("a reason");
    assert!(
        why.starts_with("nothing was written to these partitions in the last day"),
        "{why}"
    );
    let _ = stop.send(());
    running.await.expect("no panic").expect("it ends well");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_written_lately_is_a_rate() {
    let clock = Clock::system();
    let cluster = cluster_by(&clock);
    let desk = Desk::new(&cluster);
    let line = ["reset", "plan", "--group", GROUP, "--topic", TOPIC, "--to-earliest"];
    let run = desk.command("tidemark").args(line).output().expect("it runs");
    let replay = &planned(&run)["replay"];
    assert_eq!(replay["rate"]["of"], "partitions", "{replay}");
    assert_eq!(replay["rate"]["seconds"], 3_600);
    // 200 records in four hours on each of three partitions; the hour is counted from when the command runs.
    let records = replay["rate"]["records"].as_i64().expect("a number");
    assert!((144..=150).contains(&records), "{records}");
    assert_eq!(replay["seconds"].as_i64(), Some((330 * 3_600 + records - 1) / records));

    let run = desk
        .command("tidemark")
        .args(line)
        .args(["--output", "table"])
        .output()
        .expect("it runs");
    let table = String::from_utf8_lossy(&run.stdout);
    let sentence = "Replays 330 records in 3 partitions, about 2 h ";
    assert!(
        table.contains(sentence) && table.contains("The recent rate: to these partitions were written 1"),
        "{table}"
    );
}
