use serde_json::json;

use super::*;
use crate::reset::fake::offset as at;

/// Topic, partition, from, to, replayed, skipped.
type Figures = (&'static str, i32, Option<i64>, Option<i64>, Option<u64>, Option<u64>);

fn planned(rows: &[Figures]) -> Planned {
    let rows: Vec<_> = rows
        .iter()
        .map(|(topic, partition, from, to, replayed, skipped)| Row {
            topic: (*topic).to_owned(),
            partition: *partition,
            start: at(0),
            end: at(1_000_000_000),
            from: from.map(at),
            to: to.map(at),
            replayed: *replayed,
            skipped: *skipped,
        })
        .collect();
    let plan = json!({
        "plan": {"cluster": "main", "group": "it's", "created": "2026-01-31T08:00:00.000Z", "reason": "bad\ndeploy", "topics": [], "partitions": rows},
        "fingerprint": "", "warnings": ["careful"], "blocked": {"error": "group_active", "message": "group is active"},
        "replay": {"seconds": 7_800, "rate": {"of": "group", "records": 15_846_153, "seconds": 300, "until": "2026-01-31T07:50:00.000Z"}},
    });
    serde_json::from_value(plan).expect("a plan")
}

fn asked(to: &serde_json::Value) -> Asked {
    serde_json::from_value(json!({"scope": "committed", "to": to})).expect("a request")
}

fn zone() -> TimeZone {
    TimeZone::fixed(jiff::tz::offset(1))
}

#[test]
fn a_plan_says_in_one_sentence_what_it_would_do() {
    let planned = planned(&[
        ("orders", 0, Some(412_000_000), Some(0), Some(412_000_000), Some(0)),
        ("orders", 11, Some(5), Some(10), Some(0), Some(5)),
        ("a", 0, None, Some(7), None, None),
    ]);
    assert_eq!(
        plan(&planned, &asked(&json!({"ago": "2h"})), &zone()),
        "Plan for group \"it's\" of cluster \"main\", made 2026-01-31T08:00:00.000Z (2026-01-31 09:00:00 +01)\n\
         To the first record from 2026-01-31T06:00:00.000Z (2026-01-31 07:00:00 +01) on\n\
         Reason: bad\\ndeploy\n\
         \n\
         TOPIC   PARTITION  START         END       FROM  TO   REPLAYED  SKIPPED\n\
         orders          0      0  1000000000  412000000   0  412000000        0\n\
         orders         11      0  1000000000          5  10          0        5\n\
         a               0      0  1000000000          -   7          -        -\n\
         \n\
         Replays 412,000,000 records in 1 partition, about 2 h 10 min at the recent rate; skips 5 in 1 partition; 1 partition without a \
         commit before or after, of which that cannot be told.\n\
         The recent rate: the group, all its topics together, read 15,846,153 records in the 5 min until 2026-01-31T07:50:00.000Z \
         (2026-01-31 08:50:00 +01).\n\
         Warning: careful\n\
         Not now: group_active: group is active\n\
         Nothing was changed. To carry it out within the hour: tidemark reset execute PLAN.json --confirm 'it'\\''s'\n"
    );
}

#[test]
fn a_date_is_shown_in_utc_and_local_time_and_other_targets_have_none() {
    let planned = planned(&[("t", 0, Some(1), Some(0), Some(1), Some(0))]);
    let text = plan(
        &planned,
        &asked(&json!({"datetime": "2026-01-31T01:00:00+03:00"})),
        &zone(),
    );
    assert!(
        text.contains("\nTo the first record from 2026-01-30T22:00:00.000Z (2026-01-30 23:00:00 +01) on\n"),
        "{text}"
    );
    assert!(!plan(&planned, &asked(&json!("earliest")), &zone()).contains("To the first record"));
}

#[test]
fn sums_are_exact_beyond_64_bits() {
    let rows = planned(&[
        ("t", 0, Some(1), Some(0), Some(u64::MAX), Some(0)),
        ("t", 1, Some(1), Some(0), Some(1), Some(0)),
    ])
    .plan
    .partitions;
    assert_eq!(
        sentence(&rows, None),
        "Replays 18,446,744,073,709,551,616 records in 2 partitions; skips 0."
    );
    let rows = planned(&[("t", 0, Some(1), Some(0), Some(1), Some(0))]).plan.partitions;
    assert_eq!(sentence(&rows, None), "Replays 1 record in 1 partition; skips 0.");
    assert_eq!(sentence(&[], None), "Replays 0; skips 0.");
}

#[test]
fn a_group_can_be_copied_into_a_shell() {
    for (name, word) in [
        ("orders", "orders"),
        ("a b", "'a b'"),
        ("", "''"),
        ("$x`y", "'$x`y'"),
        ("a\nb'c", "$'a\\nb\\'c'"),
        ("消费", "'消费'"),
    ] {
        assert_eq!(shell_word(name), word);
    }
}

#[test]
fn results_are_a_table_and_what_cannot_be_undone_is_said() {
    let executed: Executed = serde_json::from_value(json!({
        "results": [
            {"topic": "orders", "partition": 0, "from": 20, "to": 12, "result": "done"},
            {"topic": "orders", "partition": 1, "from": null, "to": 12, "result": "UNKNOWN_TOPIC_OR_PARTITION"},
        ],
        "undo": {"to": {"offsets": []}},
        "not_undoable": [{"topic": "orders", "partition": 0, "from": 20, "why": "it is outside"}],
        "warnings": ["the outcome was not recorded"],
    }))
    .expect("results");
    assert_eq!(
        results(&executed),
        "TOPIC   PARTITION  FROM  TO  RESULT\n\
         orders          0    20  12  done\n\
         orders          1     -  12  UNKNOWN_TOPIC_OR_PARTITION\n"
    );
    assert_eq!(
        notes(&executed),
        [
            "warning: the outcome was not recorded",
            "the undo will not bring back orders/0: it is outside"
        ]
    );
}

#[test]
fn where_the_time_cannot_be_told_the_reason_stands_below_the_sentence() {
    let mut planned = planned(&[("t", 0, Some(1), Some(0), Some(1), Some(0))]);
    let replay = json!({"seconds": null, "rate": null, "unknown": "nobody wrote"});
    planned.replay = serde_json::from_value(replay).expect("a replay");
    let text = plan(&planned, &asked(&json!("earliest")), &zone());
    let said = "\nReplays 1 record in 1 partition; skips 0.\nHow long the replay takes cannot be told: nobody wrote.\n";
    assert!(text.contains(said), "{text}");
    planned.replay = None;
    let text = plan(&planned, &asked(&json!("earliest")), &zone());
    assert!(
        text.contains("\nReplays 1 record in 1 partition; skips 0.\nWarning"),
        "{text}"
    );
}

#[test]
fn what_was_written_is_not_called_what_the_group_read() {
    let replay = json!({"seconds": 5, "rate": {"of": "partitions", "records": 1, "seconds": 3_600, "until": "2026-01-31T08:00:00.000Z"}});
    let replay = serde_json::from_value(replay).expect("a replay");
    assert_eq!(
        rate(&replay, &zone()),
        "The recent rate: to these partitions were written 1 record in the 1 h until 2026-01-31T08:00:00.000Z (2026-01-31 09:00:00 +01).\n"
    );
}

#[test]
fn times_are_told_to_two_units() {
    for (seconds, told) in [
        (1, "1 s"),
        (59, "59 s"),
        (60, "1 min"),
        (599, "9 min 59 s"),
        (629, "10 min"),
        (3_569, "59 min"),
        (3_599, "1 h"),
        (7_800, "2 h 10 min"),
        (86_399, "24 h"),
        (86_400, "1 d"),
        (100_000, "1 d 4 h"),
        (u64::MAX, "213503982334601 d 7 h"),
    ] {
        assert_eq!(about(seconds), told, "{seconds}");
    }
}
