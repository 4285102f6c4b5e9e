use serde_json::json;

use super::*;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::model::GroupState;
use crate::reset::facts;
use crate::reset::fake::Cluster;
use crate::reset::fake::PACE;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::World;
use crate::reset::fake::member;
use crate::reset::request::Asked;
use crate::reset::request::Reason;

mod groups;
mod partitions;

const NOW: UnixMillis = UnixMillis(1_769_846_400_000);

/// Group `g` on topic `orders`: p0 at 20 of [0, 40], p1 at 21 of [5, 40], p2 at 40 of [10, 40]; a record every second, at second 1,000 + offset.
fn cluster() -> Cluster {
    Cluster::new(|world| {
        world.topic("orders", &[(0, 40), (5, 40), (10, 40)]);
        for partition in 0..3 {
            world.log("orders", partition).times = (0..40).map(|at| (at, (1_000 + at) * 1_000)).collect();
        }
        world.empty_group("g");
        world.commit("g", "orders", 0, 20);
        world.commit("g", "orders", 1, 21);
        world.commit("g", "orders", 2, 40);
    })
}

async fn plan_of(cluster: &Cluster, group: &str, request: serde_json::Value) -> Result<Planned, Refusal> {
    let asked = Asked::parse(request.to_string().as_bytes())?.check(Reason::Optional)?;
    let group = GroupId::from(group);
    let facts = facts::gather(&mut cluster.clone(), &group, &asked, NOW, PACE).await?;
    draft("main", &group, &asked, &facts, NOW)
}

async fn planned(cluster: &Cluster, request: serde_json::Value) -> Planned {
    plan_of(cluster, "g", request).await.expect("a plan")
}

fn targets(planned: &Planned) -> Vec<Option<i64>> {
    planned
        .plan
        .partitions
        .iter()
        .map(|row| row.to.map(Offset::get))
        .collect()
}

fn refused(result: Result<Planned, Refusal>) -> (String, String) {
    let refusal = result.expect_err("a refusal");
    (refusal.word().to_owned(), refusal.to_string())
}

#[tokio::test]
async fn a_plan_says_everything() {
    let request = json!({"scope": {"topics": [{"topic": "orders", "partitions": [2, 0]}]}, "to": {"offset": 30}, "reason": "why"});
    let planned = planned(&cluster(), request).await;
    assert_eq!(
        serde_json::to_value(&planned).expect("JSON"),
        json!({
            "plan": {
                "cluster": "main", "group": "g", "created": "2026-01-31T08:00:00.000Z", "reason": "why",
                "topics": [{"topic": "orders", "topic_id": "AQEBAQEBAQEBAQEBAQEBAQ"}],
                "partitions": [
                    {"topic": "orders", "partition": 0, "start": 0, "end": 40, "from": 20, "to": 30, "replayed": 0, "skipped": 10},
                    {"topic": "orders", "partition": 2, "start": 10, "end": 40, "from": 40, "to": 30, "replayed": 10, "skipped": 0},
                ],
            },
            // Computed by another implementation: `sha256sum` over Python's sorted, compact JSON.
            "fingerprint": "65954aef7e7fea647a0f56b8629e1d4a2dc19ca3ecfa6bedb2683ca8adee1259",
            "warnings": [],
            "blocked": null,
            "replay": null,
        })
    );
}

#[tokio::test]
async fn every_target_goes_where_kafkas_own_tool_goes() {
    for (to, expected) in [
        (json!({"offset": 33}), [33, 33, 33]),
        (json!("earliest"), [0, 5, 10]),
        (json!("latest"), [40, 40, 40]),
        (json!("current"), [20, 21, 40]),
        (json!({"shift": -7}), [13, 14, 33]),
        (json!({"datetime": "1970-01-01T00:17:08.500Z"}), [29, 29, 29]),
        (json!({"datetime": "1970-01-01T00:17:08Z"}), [28, 28, 28]),
    ] {
        let planned = planned(&cluster(), json!({"scope": "committed", "to": to})).await;
        assert_eq!(targets(&planned), expected.map(Some), "{to}");
    }
}

#[tokio::test]
async fn ago_counts_from_the_time_of_the_plan() {
    let cluster = cluster();
    for partition in 0..3 {
        let hour = 3_600_000;
        cluster.world().log("orders", partition).times =
            (0..40).map(|at| (at, NOW.0 - (40 - at) * hour + 60_000)).collect();
    }
    let planned = planned(&cluster, json!({"scope": "committed", "to": {"ago": "330m"}})).await;
    assert_eq!(targets(&planned), [Some(35), Some(35), Some(35)]);
}

#[tokio::test]
async fn where_no_record_is_dated_that_late_the_end_is_taken_and_said() {
    let planned = planned(
        &cluster(),
        json!({"scope": "committed", "to": {"datetime": "2030-01-01T00:00:00Z"}}),
    )
    .await;
    assert_eq!(targets(&planned), [Some(40), Some(40), Some(40)]);
    assert_eq!(
        planned.warnings,
        [
            "no record is dated that late, so the end of the log is taken: orders/0 to 40, orders/1 to 40, orders/2 to 40"
        ]
    );
}

#[tokio::test]
async fn a_forgotten_commit_goes_to_null_and_what_that_replays_is_not_known() {
    let planned = planned(
        &cluster(),
        json!({"scope": {"topics": [{"topic": "orders", "partitions": [1]}]}, "to": "none"}),
    )
    .await;
    let row = &planned.plan.partitions[0];
    assert_eq!(
        (row.from.map(Offset::get), row.to, row.replayed, row.skipped),
        (Some(21), None, None, None)
    );
}

#[tokio::test]
async fn offsets_one_by_one_go_where_each_says() {
    let rows = json!([
        {"topic": "orders", "partition": 2, "offset": 10}, {"topic": "orders", "partition": 0, "offset": null},
        {"topic": "orders", "partition": 1, "offset": 22}
    ]);
    let planned = planned(&cluster(), json!({"to": {"offsets": rows}})).await;
    assert_eq!(targets(&planned), [None, Some(22), Some(10)]);
}

#[tokio::test]
async fn outside_the_log_is_refused_and_every_such_partition_named() {
    let request = json!({"scope": "committed", "to": {"offset": 3}});
    let refusal = plan_of(&cluster(), "g", request).await.expect_err("a refusal");
    assert_eq!(refusal.word(), "out_of_range");
    assert_eq!(
        refusal.to_string(),
        "3 is outside orders/1, which goes from 5 to 40, 3 is outside orders/2, which goes from 10 to 40: choose an offset inside, or \
         clamp to take the nearest one"
    );
    assert_eq!(
        refusal.details(),
        [
            json!({"error": "out_of_range", "topic": "orders", "partition": 1, "to": 3, "start": 5, "end": 40}),
            json!({"error": "out_of_range", "topic": "orders", "partition": 2, "to": 3, "start": 10, "end": 40}),
        ]
    );
}

#[tokio::test]
async fn clamped_it_is_the_nearest_offset_and_said() {
    let planned = planned(
        &cluster(),
        json!({"scope": "committed", "to": {"offset": 3}, "clamp": true}),
    )
    .await;
    assert_eq!(targets(&planned), [Some(3), Some(5), Some(10)]);
    assert_eq!(
        planned.warnings,
        ["outside the log, so the nearest offset is taken: orders/1: 5 instead of 3, orders/2: 10 instead of 3"]
    );
}

#[tokio::test]
async fn a_shift_beyond_all_numbers_is_out_of_range_or_clamped() {
    for (by, to) in [(i64::MAX, 40), (i64::MIN, 0)] {
        let request = |clamp| json!({"scope": {"topics": [{"topic": "orders", "partitions": [0]}]}, "to": {"shift": by}, "clamp": clamp});
        assert_eq!(targets(&planned(&cluster(), request(true)).await), [Some(to)]);
        let (word, message) = refused(plan_of(&cluster(), "g", request(false)).await);
        assert_eq!(word, "out_of_range");
        assert!(message.starts_with(&(20 + i128::from(by)).to_string()), "{message}");
    }
}

#[tokio::test]
async fn current_outside_the_log_is_refused_like_any_other_offset() {
    let cluster = cluster();
    cluster.world().commit("g", "orders", 2, 3);
    let request = json!({"scope": "committed", "to": "current"});
    assert_eq!(refused(plan_of(&cluster, "g", request).await).0, "out_of_range");
}

#[tokio::test]
async fn only_what_is_still_in_the_log_is_replayed_or_skipped() {
    let cluster = cluster();
    // Retention took 3..10 before the group read it; the commit on p0 lies beyond a truncated log.
    cluster.world().commit("g", "orders", 2, 3);
    cluster.world().commit("g", "orders", 0, 105);
    let planned = planned(&cluster, json!({"scope": "committed", "to": {"offset": 12}})).await;
    let figures: Vec<_> = planned
        .plan
        .partitions
        .iter()
        .map(|row| (row.replayed, row.skipped))
        .collect();
    assert_eq!(figures, [(Some(28), Some(0)), (Some(9), Some(0)), (Some(0), Some(2))]);
}

#[tokio::test]
async fn a_thousand_partitions_are_one_question_of_a_kind() {
    let cluster = Cluster::new(|world| {
        world.topic("wide", &vec![(0, 100); 1_000]);
        world.empty_group("g");
        (0..1_000).for_each(|partition| world.commit("g", "wide", partition, 50));
    });
    let planned = planned(&cluster, json!({"scope": "committed", "to": "earliest"})).await;
    assert_eq!(planned.plan.partitions.len(), 1_000);
    assert!(planned.plan.partitions.is_sorted_by_key(Row::key));
    assert_eq!(
        cluster.world().steps,
        [Step::Group, Step::Commits, Step::Topics, Step::Logs, Step::Commits]
    );
}
