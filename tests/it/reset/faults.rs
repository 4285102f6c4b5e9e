//! Whatever goes wrong at whatever step of an execute: the answer and the audit log tell exactly which partitions changed, or that it is
//! unknown; and the same plan again, when all is well, finishes what was begun.

use std::sync::Arc;
use std::time::Duration;

use tidemark::clock::Clock;
use tidemark::config;
use tidemark::kafka::wire;
use tidemark::model::GroupId;
use tidemark::model::Offset;
use tidemark::reset::Access;
use tidemark::reset::Asked;
use tidemark::reset::Executed;
use tidemark::reset::Planned;
use tidemark::reset::Resets;
use tidemark::reset::Stopped;
use tidemark::reset::audit::Audit;
use tidemark::reset::audit::Caller;
use tidemark::reset::document::DONE;
use tidemark::reset::document::UNKNOWN;
use tidemark::reset::engine::Place;
use tidemark::reset::facts::Pace;
use tidemark::sim::ApiKey;
use tidemark::sim::Cluster;
use tidemark::sim::Fault;
use tidemark::sim::Member;
use tidemark::sim::Then;
use tidemark::sim::When;

use super::world::Desk;
use super::world::GROUP;
use super::world::as_before;
use super::world::cluster;
use super::world::committed;
use super::world::nothing_else_moved;

/// For requests that are meant to fail.
const SHORT: Duration = Duration::from_millis(250);
/// For those that are not, on a machine that does three other things.
const LONG: Duration = Duration::from_secs(20);

/// The simulated cluster by the wire, with a patience of its own.
struct Wire {
    cluster: Arc<config::Cluster>,
    pace: Pace,
}

impl Wire {
    fn new(desk: &Desk, timeout: Duration) -> Self {
        let source = config::Source::File(desk.path("tidemark.yaml"));
        let loaded = config::load(&source, &[], Vec::new()).expect("a configuration");
        let cluster = config::Cluster {
            request_timeout: timeout,
            ..(*loaded.config.clusters[0]).clone()
        };
        Self {
            cluster: Arc::new(cluster),
            pace: Pace {
                step: timeout * 2,
                grace: timeout,
                settle: Duration::from_millis(1),
            },
        }
    }
}

impl Access for Wire {
    type Facts = wire::Client;
    type Writer = wire::Writer;

    fn facts(&self, _: &str) -> Option<wire::Client> {
        Some(wire::Client::new(self.cluster.clone()))
    }

    fn writer(&self, _: &str) -> Option<wire::Writer> {
        Some(wire::Writer::new(self.cluster.clone()))
    }

    fn pace(&self, _: &str) -> Option<Pace> {
        Some(self.pace)
    }
}

struct Bench {
    cluster: Cluster,
    desk: Desk,
}

impl Bench {
    fn new() -> Self {
        let cluster = cluster();
        let desk = Desk::new(&cluster);
        Self { cluster, desk }
    }

    fn resets(&self, timeout: Duration) -> Resets<Wire> {
        let audit = Audit::new(self.desk.path("audit.jsonl"));
        Resets::new(Wire::new(&self.desk, timeout), Some(audit), Clock::system())
    }

    async fn planned(&self, to: &str) -> Planned {
        let body = format!(r#"{{"scope": {{"topics": [{{"topic": "payments"}}]}}, "to": {to}}}"#);
        let asked = Asked::parse(body.as_bytes());
        self.resets(LONG)
            .plan(&caller(), &place(), asked)
            .await
            .expect("a plan")
    }

    async fn execute(&self, planned: &Planned, timeout: Duration) -> Result<Executed, Stopped> {
        let order = planned.clone().confirmed(GROUP.to_owned());
        self.resets(timeout).execute(&caller(), &place(), Ok(order)).await
    }

    /// Holds what was answered against what the cluster has, and the audit log against the answer.
    fn check(&self, planned: &Planned, ended: &Result<Executed, Stopped>, what: &str) {
        let now = committed(&self.cluster);
        nothing_else_moved(&self.cluster);
        let wanted: Vec<_> = planned
            .plan
            .partitions
            .iter()
            .map(|row| row.to.map(Offset::get))
            .collect();
        match ended {
            Ok(_) => assert_eq!(now.to_vec(), wanted, "{what}: done, says the answer"),
            Err(Stopped::Refused(refusal)) => assert_eq!(now, as_before(), "{what}: {refusal}"),
            Err(Stopped::Failed(executed)) => {
                for ((row, now), before) in executed.results.iter().zip(now).zip(as_before()) {
                    match row.result.as_str() {
                        DONE => assert_eq!(now, row.to.map(Offset::get), "{what}: {row:?}"),
                        UNKNOWN => {}
                        _ => assert_eq!(now, before, "{what}: {row:?}"),
                    }
                }
            }
        }
        let lines = self.desk.audited();
        let last = lines.last().expect("a line");
        let (event, result) = (last["event"].as_str(), last["result"].as_str());
        match ended {
            Ok(_) => assert_eq!((event, result), (Some("outcome"), Some("executed")), "{what}"),
            Err(Stopped::Refused(refusal)) => {
                assert_eq!(
                    (result, last["error"].as_str()),
                    (Some("refused"), Some(refusal.word())),
                    "{what}"
                );
            }
            Err(Stopped::Failed(executed)) => {
                assert_eq!((event, result), (Some("outcome"), Some("failed")), "{what}");
                let results = serde_json::to_value(&executed.results).expect("JSON");
                assert_eq!(last["executed"]["results"], results, "{what}");
            }
        }
    }
}

fn caller() -> Caller {
    Caller {
        who: "test".to_owned(),
        via: "cli",
        peer: None,
        certificate: None,
    }
}

fn place() -> Place {
    Place {
        cluster: "main".to_owned(),
        group: GroupId::from(GROUP),
    }
}

/// Every call of an execute.
const STEPS: [ApiKey; 8] = [
    ApiKey::ApiVersions,
    ApiKey::FindCoordinator,
    ApiKey::DescribeGroups,
    ApiKey::OffsetFetch,
    ApiKey::Metadata,
    ApiKey::ListOffsets,
    ApiKey::OffsetCommit,
    ApiKey::OffsetDelete,
];

fn faults() -> Vec<Fault> {
    vec![
        Fault::Silence,
        Fault::Delay(SHORT * 6),
        Fault::Close,
        Fault::Half(Then::Close),
        Fault::Half(Then::Silence),
        Fault::Garbage,
        Fault::FrameLength(i32::MAX),
        Fault::ArrayLength(i32::MAX),
        Fault::Correlation(1),
        Fault::LeftOut,
        Fault::Error(-1),
        Fault::Error(15),
        Fault::Error(30),
    ]
}

async fn goes_wrong(api: ApiKey, fault: Fault, nth: u64) {
    let what = format!("{api:?} {nth} {fault:?}");
    let bench = Bench::new();
    let to = if api == ApiKey::OffsetDelete {
        "\"none\""
    } else {
        "{\"offset\": 50}"
    };
    let planned = bench.planned(to).await;
    bench.cluster.fault(When::api(api).nth(nth..u64::MAX), fault);
    let ended = bench.execute(&planned, SHORT).await;
    bench.check(&planned, &ended, &what);
    bench.cluster.mend_all();
    let ended = bench.execute(&planned, LONG).await;
    bench.check(&planned, &ended, &what);
    assert!(ended.is_ok(), "{what}: {ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_goes_wrong_at_whatever_step_the_answer_is_true_and_the_same_plan_finishes() {
    let mut running = tokio::task::JoinSet::new();
    for api in STEPS {
        for fault in faults() {
            // The first such request of the execute, and those after it: the second looks, the write itself, the reading back.
            for nth in [0, 1, 2] {
                running.spawn(goes_wrong(api, fault.clone(), nth));
                // A machine of two cores has timers to keep.
                if running.len() >= 24 {
                    running.join_next().await.expect("one is running").expect("no panic");
                }
            }
        }
    }
    while let Some(ended) = running.join_next().await {
        ended.expect("no panic");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_code_a_broker_can_answer_to_a_write_leaves_a_true_result() {
    for code in (-1..=130).filter(|code| *code != 0) {
        let what = format!("OffsetCommit {code}");
        let bench = Bench::new();
        let planned = bench.planned("{\"offset\": 50}").await;
        // One partition of three.
        bench.cluster.fault(
            When::api(ApiKey::OffsetCommit).topic("payments").partition(1),
            Fault::Error(code),
        );
        let ended = bench.execute(&planned, LONG).await;
        bench.check(&planned, &ended, &what);
        assert!(ended.is_err(), "{what}: {ended:?}");
        bench.cluster.mend_all();
        let ended = bench.execute(&planned, LONG).await;
        bench.check(&planned, &ended, &what);
        assert!(ended.is_ok(), "{what}: {ended:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_of_either_protocol_keeps_every_commit_where_it_is() {
    use tidemark::model::GroupType;
    for kind in [GroupType::Classic, GroupType::Consumer] {
        let bench = Bench::new();
        let planned = bench.planned("{\"offset\": 50}").await;
        bench.cluster.edit(|model| {
            model.group_mut(GROUP).expect("the group was made").kind = kind;
            model.join(GROUP, Member::new("app").subscribed(&["payments"]).on("10.0.0.7"));
        });
        let ended = bench.execute(&planned, LONG).await;
        bench.check(&planned, &ended, "a member");
        let Err(Stopped::Refused(refusal)) = ended else {
            panic!("not refused: {ended:?}")
        };
        assert_eq!(refusal.word(), "group_active");
        assert!(refusal.to_string().contains("app on 10.0.0.7"), "{refusal}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_with_leading_white_space_is_not_the_one_without() {
    let bench = Bench::new();
    bench.cluster.edit(|model| model.commit(" orders", "payments", 0, 3));
    let at = Place {
        cluster: "main".to_owned(),
        group: GroupId::from(" orders"),
    };
    let resets = bench.resets(LONG);
    let asked = Asked::parse(br#"{"scope": "committed", "to": "latest"}"#);
    let planned = resets.plan(&caller(), &at, asked).await.expect("a plan");
    assert_eq!(planned.plan.partitions.len(), 1);
    resets
        .execute(&caller(), &at, Ok(planned.confirmed(" orders".to_owned())))
        .await
        .expect("done");
    assert_eq!(committed(&bench.cluster), as_before());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_streams_group_is_told_by_the_list_alone_and_left_to_its_own_tool() {
    let bench = Bench::new();
    let planned = bench.planned("{\"offset\": 50}").await;
    bench.cluster.edit(|model| {
        model.group_mut(GROUP).expect("the group was made").kind = tidemark::model::GroupType::Streams;
    });
    let asked = Asked::parse(br#"{"scope": "committed", "to": "latest"}"#);
    let refusal = bench
        .resets(LONG)
        .plan(&caller(), &place(), asked)
        .await
        .expect_err("a refusal");
    assert_eq!(refusal.word(), "wrong_group_type");
    let ended = bench.execute(&planned, LONG).await;
    bench.check(&planned, &ended, "a streams group");
    assert!(ended.is_err());
}
