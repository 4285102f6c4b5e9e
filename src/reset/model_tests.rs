//! Random lives of a group, held against a model: commits, members that come and go, retention, faults, plans and executes in any order.
//! Whatever happens: nothing is ever written while there are members, nothing outside the plan is ever touched, every answer tells the
//! truth, and an undo brings back what was.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::audit::Caller;
use super::document::DONE;
use super::document::Executed;
use super::document::Key;
use super::document::Planned;
use super::document::UNKNOWN;
use super::engine::Place;
use super::engine::Resets;
use super::engine::Stopped;
use super::fake::Cluster;
use super::fake::Step;
use super::fake::Twist;
use super::fake::key;
use super::fake::member;
use super::request::Asked;
use super::request::Scope;
use super::request::To;
use super::request::TopicScope;
use crate::clock::Clock;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::Offset;
use crate::model::UnixMillis;

const PARTITIONS: i32 = 3;

#[derive(Clone, Debug)]
enum Act {
    Commit(i32, i64),
    Join,
    Leave,
    Retain(i32, i64),
    Plan(Vec<i32>, To),
    Execute,
    Undo,
    /// The next write answers like this.
    Spoil(Vec<Option<i16>>),
    /// The next write takes place and is not answered.
    Silence,
    /// A member joins just before the next write.
    JoinLate,
}

fn target() -> impl Strategy<Value = To> {
    prop_oneof![
        (0..100_i64).prop_map(|raw| To::Offset(Offset::new(raw).expect("not negative"))),
        Just(To::Earliest),
        Just(To::Latest),
        Just(To::Current),
        (-50..50_i64).prop_map(To::Shift),
        Just(To::Forget),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let code = prop_oneof![
        Just(None),
        Just(Some(25)),
        Just(Some(29)),
        Just(Some(15)),
        Just(Some(0))
    ];
    prop_oneof![
        3 => (0..PARTITIONS, 0..100_i64).prop_map(|(partition, raw)| Act::Commit(partition, raw)),
        1 => Just(Act::Join),
        2 => Just(Act::Leave),
        1 => (0..PARTITIONS, 0..20_i64).prop_map(|(partition, start)| Act::Retain(partition, start)),
        6 => (prop::sample::subsequence(vec![0, 1, 2], 1..=3), target()).prop_map(|(partitions, to)| Act::Plan(partitions, to)),
        8 => Just(Act::Execute),
        3 => Just(Act::Undo),
        1 => prop::collection::vec(code, 3).prop_map(Act::Spoil),
        1 => Just(Act::Silence),
        1 => Just(Act::JoinLate),
    ]
}

/// An execute that ended well, with the commits before it and after it.
struct Ended {
    executed: Executed,
    before: BTreeMap<Key, i64>,
    after: BTreeMap<Key, i64>,
}

struct Life {
    cluster: Cluster,
    resets: Resets<Cluster>,
    planned: Option<Planned>,
    /// The last of them.
    executed: Option<Ended>,
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
        group: GroupId::from("g"),
    }
}

fn join(world: &mut super::fake::World) {
    world.group(
        "g",
        "classic",
        "consumer",
        GroupState::Stable,
        vec![member("app", "h", None)],
    );
}

impl Life {
    fn new() -> Self {
        let cluster = Cluster::new(|world| {
            world.topic("t", &[(0, 100); 3]);
            world.topic("apart", &[(0, 100)]);
            world.empty_group("g");
            (0..PARTITIONS).for_each(|partition| world.commit("g", "t", partition, 50));
            world.commit("g", "apart", 0, 5);
        });
        let resets = Resets::new(cluster.clone(), None, Clock::stepped(UnixMillis(1_769_846_400_000)));
        Self {
            cluster,
            resets,
            planned: None,
            executed: None,
        }
    }

    fn commits(&self) -> BTreeMap<Key, i64> {
        self.cluster.world().committed("g")
    }

    fn is_active(&self) -> bool {
        !self.cluster.world().groups[&GroupId::from("g")].1.members.is_empty()
    }

    fn next_write(&self) -> usize {
        self.cluster
            .world()
            .steps
            .iter()
            .filter(|step| **step == Step::Write)
            .count()
            + 1
    }

    async fn act(&mut self, act: Act) {
        match act {
            Act::Commit(partition, raw) => self.cluster.world().commit("g", "t", partition, raw),
            Act::Join => join(&mut self.cluster.world()),
            Act::Leave => self.cluster.world().empty_group("g"),
            Act::Retain(partition, start) => {
                self.cluster
                    .world()
                    .log("t", usize::try_from(partition).expect("not negative"))
                    .start = Ok(start);
            }
            Act::Plan(partitions, to) => self.plan(partitions, to).await,
            Act::Execute => self.execute().await,
            Act::Undo => self.undo().await,
            Act::Spoil(codes) => {
                let cause = |code: Option<i16>| match code {
                    None => Err(Cause::TimedOut),
                    Some(code) => ErrorCode::new(code).map_or(Ok(()), |code| Err(Cause::Code(code))),
                };
                let answers = codes.into_iter().map(cause).collect();
                self.cluster
                    .twist(Step::Write, self.next_write(), Twist::Answer(answers));
            }
            Act::Silence => self
                .cluster
                .twist(Step::Write, self.next_write(), Twist::WrittenInSilence),
            Act::JoinLate => self.cluster.change(Step::Write, self.next_write(), join),
        }
    }

    async fn plan(&mut self, partitions: Vec<i32>, to: To) {
        let before = self.commits();
        let scope = TopicScope {
            topic: "t".to_owned(),
            partitions: Some(partitions),
        };
        let asked = Asked {
            scope: Some(Scope::Topics(vec![scope])),
            to,
            clamp: true,
            allow_new_partitions: true,
            reason: None,
        };
        let planned = self.resets.plan(&caller(), &place(), Ok(asked)).await;
        assert_eq!(self.commits(), before, "a plan writes nothing");
        if let Ok(planned) = planned {
            assert_eq!(planned.blocked.is_some(), self.is_active());
            self.planned = Some(planned);
        }
    }

    async fn execute(&mut self) {
        let Some(planned) = self.planned.clone() else { return };
        let (before, was_active) = (self.commits(), self.is_active());
        let written = self.cluster.world().written.len();
        let ended = self
            .resets
            .execute(&caller(), &place(), Ok(planned.clone().confirmed("g".to_owned())))
            .await;
        let after = self.commits();
        let writes = self.cluster.world().written[written..].to_vec();
        assert!(writes.is_empty() || !was_active, "written to a group with members");
        for (_, write) in &writes {
            let place = key(&write.topic.to_string(), write.partition.0);
            let row = planned
                .plan
                .partitions
                .iter()
                .find(|row| row.key() == place)
                .expect("a row");
            let was = before.get(&place).copied();
            assert_eq!(
                was,
                row.from.map(Offset::get),
                "what moved since the plan is overwritten"
            );
        }
        let allowed: BTreeMap<_, _> = planned.plan.partitions.iter().map(|row| (row.key(), row.to)).collect();
        for (_, write) in &writes {
            let place = key(&write.topic.to_string(), write.partition.0);
            assert_eq!(allowed.get(&place), Some(&write.to), "outside the plan");
        }
        let to = |place: &Key| after.get(place).copied();
        match ended {
            Ok(executed) => {
                for (place, wanted) in &allowed {
                    assert_eq!(to(place), wanted.map(Offset::get), "done, says the answer");
                }
                self.executed = Some(Ended {
                    executed,
                    before,
                    after,
                });
            }
            Err(Stopped::Failed(executed)) => {
                for row in &executed.results {
                    let place = key(&row.topic, row.partition);
                    match row.result.as_str() {
                        DONE => assert_eq!(to(&place), row.to.map(Offset::get)),
                        UNKNOWN => {}
                        _ => assert_eq!(to(&place), before.get(&place).copied(), "{row:?}"),
                    }
                }
            }
            Err(Stopped::Refused(refusal)) => assert_eq!(after, before, "{refusal}"),
        }
    }

    /// Undoes the last execute, where nothing has happened since.
    async fn undo(&mut self) {
        let Some(Ended {
            executed,
            before,
            after,
        }) = self.executed.take()
        else {
            return;
        };
        if self.is_active() || self.commits() != after || !executed.not_undoable.is_empty() {
            return;
        }
        // A first try of that plan may have done part of it: the undo goes to where the plan began.
        let mut expected = before;
        for row in &executed.results {
            let place = key(&row.topic, row.partition);
            match row.from {
                Some(from) => expected.insert(place, from.get()),
                None => expected.remove(&place),
            };
        }
        self.cluster.world().twists.clear();
        let planned = self
            .resets
            .plan(&caller(), &place(), Ok(executed.undo))
            .await
            .expect("an undo can be planned");
        if !planned.warnings.is_empty() {
            // Retention has moved on: the undo clamps, and says so.
            return;
        }
        let order = planned.confirmed("g".to_owned());
        self.resets
            .execute(&caller(), &place(), Ok(order))
            .await
            .expect("an undo can be executed");
        assert_eq!(self.commits(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_nothing_active_and_nothing_outside_the_plan_is_written_and_an_undo_restores(acts in prop::collection::vec(act(), 1..25)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let mut life = Life::new();
            for act in acts {
                life.act(act).await;
            }
            assert_eq!(life.cluster.world().committed("g").get(&key("apart", 0)), Some(&5));
        });
    }
}
