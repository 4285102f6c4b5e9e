use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::clock::Clock;
use crate::failure::Cause;
use crate::model::GroupState;
use crate::model::Offset;
use crate::model::TopicId;
use crate::model::UnixMillis;
use crate::reset::Order;
use crate::reset::Planned;
use crate::reset::Resets;
use crate::reset::Stopped;
use crate::reset::audit::Caller;
use crate::reset::engine::Place;
use crate::reset::fake::Cluster;
use crate::reset::fake::Step;
use crate::reset::fake::Twist;
use crate::reset::fake::key;
use crate::reset::fake::member;
use crate::reset::request::Asked;

mod answers;
mod guards;

const START: UnixMillis = UnixMillis(1_769_846_400_000);

fn caller() -> Caller {
    Caller {
        who: "on-call".to_owned(),
        via: "http",
        peer: None,
        certificate: None,
    }
}

fn place(group: &str) -> Place {
    Place {
        cluster: "main".to_owned(),
        group: GroupId::from(group),
    }
}

/// A cluster with group `g` at 20, 21 and 40 of `orders`, and at 7 of `other`, which no test asks for.
struct Bench {
    cluster: Cluster,
    resets: Arc<Resets<Cluster>>,
    clock: Clock,
}

impl Bench {
    fn new() -> Self {
        let cluster = Cluster::new(|world| {
            world.topic("orders", &[(0, 40), (5, 40), (10, 40)]);
            world.topic("other", &[(0, 10)]);
            world.empty_group("g");
            world.commit("g", "orders", 0, 20);
            world.commit("g", "orders", 1, 21);
            world.commit("g", "orders", 2, 40);
            world.commit("g", "other", 0, 7);
        });
        let clock = Clock::stepped(START);
        let resets = Arc::new(Resets::new(cluster.clone(), None, clock.clone()));
        Self { cluster, resets, clock }
    }

    async fn plan_request(&self, request: serde_json::Value) -> Planned {
        let asked = Asked::parse(request.to_string().as_bytes());
        let planned = self.resets.plan(&caller(), &place("g"), asked).await.expect("a plan");
        // Steps are counted from the execute on.
        self.cluster.world().steps.clear();
        planned
    }

    async fn plan(&self, to: serde_json::Value) -> Planned {
        self.plan_request(json!({"scope": {"topics": [{"topic": "orders"}]}, "to": to}))
            .await
    }

    async fn run(&self, planned: &Planned) -> Result<Executed, Stopped> {
        self.order(planned.clone().confirmed("g".to_owned())).await
    }

    async fn order(&self, order: Order) -> Result<Executed, Stopped> {
        self.resets.execute(&caller(), &place("g"), Ok(order)).await
    }

    fn committed(&self) -> BTreeMap<String, i64> {
        let committed = self.cluster.world().committed("g");
        committed
            .into_iter()
            .map(|(key, offset)| (key.to_string(), offset))
            .collect()
    }
}

fn at(orders: [i64; 3]) -> BTreeMap<String, i64> {
    let mut all: BTreeMap<_, _> = (0..)
        .zip(orders)
        .map(|(partition, offset): (i32, _)| (format!("orders/{partition}"), offset))
        .collect();
    all.insert("other/0".to_owned(), 7);
    all
}

const BEFORE: [i64; 3] = [20, 21, 40];

fn refused(ended: Result<Executed, Stopped>) -> Refusal {
    match ended {
        Err(Stopped::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

fn failed(ended: Result<Executed, Stopped>) -> Executed {
    match ended {
        Err(Stopped::Failed(executed)) => *executed,
        other => panic!("not failed: {other:?}"),
    }
}

fn words(executed: &Executed) -> Vec<&str> {
    executed.results.iter().map(|row| row.result.as_str()).collect()
}

#[tokio::test]
async fn the_plan_is_written_and_nothing_else() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 12})).await;
    let executed = bench.run(&planned).await.expect("done");
    assert_eq!(words(&executed), [DONE, DONE, DONE]);
    let rows: Vec<_> = executed
        .results
        .iter()
        .map(|row| (row.from.map(Offset::get), row.to.map(Offset::get)))
        .collect();
    assert_eq!(rows, [(Some(20), Some(12)), (Some(21), Some(12)), (Some(40), Some(12))]);
    assert_eq!(bench.committed(), at([12, 12, 12]));
    assert_eq!(bench.cluster.world().written.len(), 3);
}

#[tokio::test]
async fn everything_is_asked_again_before_the_one_write_and_the_group_last() {
    let bench = Bench::new();
    let planned = bench.plan(json!("earliest")).await;
    bench.run(&planned).await.expect("done");
    use Step::*;
    assert_eq!(
        bench.cluster.world().steps,
        [Group, Commits, Topics, Logs, Commits, Group, Write, Commits]
    );
}

#[tokio::test]
async fn the_consumers_metadata_stays_and_the_leader_epoch_goes() {
    let bench = Bench::new();
    let planned = bench.plan(json!({"offset": 21})).await;
    bench.run(&planned).await.expect("done");
    let world = bench.cluster.world();
    let facts = &world.commits[&GroupId::from("g")];
    let beside = |partition| {
        let fact = &facts[&key("orders", partition)];
        (fact.metadata.as_str(), fact.leader_epoch)
    };
    assert_eq!((beside(0), beside(2)), (("note 0", None), ("note 2", None)));
    // This one stayed where it was: it was not written, and keeps everything.
    assert_eq!(beside(1), ("note 1", Some(3)));
    assert_eq!(world.written.len(), 2);
}

#[tokio::test]
async fn an_undo_planned_and_executed_brings_everything_back() {
    for to in [json!({"offset": 12}), json!("none"), json!("latest")] {
        let bench = Bench::new();
        bench.cluster.world().topic("fresh", &[(0, 4)]);
        let scope = json!({"topics": [{"topic": "orders"}, {"topic": "fresh"}]});
        let planned = bench
            .plan_request(json!({"scope": scope, "to": to, "clamp": true, "allow_new_partitions": true}))
            .await;
        let executed = bench.run(&planned).await.expect("done");
        assert!(bench.committed() != at(BEFORE), "{to}");
        assert!(executed.not_undoable.is_empty(), "{to}");
        let undo = serde_json::to_value(&executed.undo).expect("JSON");
        let back = bench.plan_request(undo).await;
        bench.run(&back).await.expect("done");
        assert_eq!(bench.committed(), at(BEFORE), "{to}");
    }
}

#[tokio::test]
async fn what_an_undo_would_clamp_is_listed() {
    let bench = Bench::new();
    bench.cluster.world().commit("g", "orders", 2, 3);
    let planned = bench.plan(json!("latest")).await;
    let executed = bench.run(&planned).await.expect("done");
    assert_eq!(
        serde_json::to_value(&executed.not_undoable).expect("JSON"),
        json!([{"topic": "orders", "partition": 2, "from": 3, "why": "3 is outside the log, from 10 to 40: the undo goes to 10"}])
    );
    let undo = serde_json::to_value(&executed.undo).expect("JSON");
    assert_eq!(undo["clamp"], true);
    let back = bench.plan_request(undo).await;
    bench.run(&back).await.expect("done");
    assert_eq!(bench.committed(), at([20, 21, 10]));
}

#[tokio::test]
async fn a_group_that_loses_its_last_commit_may_be_gone_before_the_undo_and_that_is_said() {
    let bench = Bench::new();
    let planned = bench.plan_request(json!({"scope": "committed", "to": "none"})).await;
    let executed = bench.run(&planned).await.expect("done");
    assert!(bench.committed().is_empty());
    assert_eq!(executed.not_undoable.len(), 4);
    assert!(executed.not_undoable[0].why.starts_with("the group has no commit left"));
}

#[tokio::test]
async fn the_same_plan_again_answers_the_same_and_writes_nothing() {
    for to in [json!({"offset": 12}), json!("none")] {
        let bench = Bench::new();
        let planned = bench
            .plan_request(json!({"scope": "committed", "to": to, "clamp": true}))
            .await;
        let first = bench.run(&planned).await.expect("done");
        let writes = bench.cluster.world().written.len();
        // Forgotten by Kafka with its last commit, or taken over by consumers that have not committed yet: what was ordered is done.
        bench.cluster.world().groups.clear();
        assert_eq!(bench.run(&planned).await.as_ref(), Ok(&first), "{to}");
        bench.cluster.world().group(
            "g",
            "classic",
            "consumer",
            GroupState::Stable,
            vec![member("app", "h", None)],
        );
        assert_eq!(bench.run(&planned).await.as_ref(), Ok(&first), "{to}");
        assert_eq!(bench.cluster.world().written.len(), writes, "{to}");
    }
}
