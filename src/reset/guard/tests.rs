use super::*;
use crate::kafka::CommitFact;
use crate::model::BrokerId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicId;
use crate::model::TopicName;
use crate::observation::PartitionMeta;
use crate::reset::document::PlanTopic;
use crate::reset::fake::key;
use crate::reset::fake::offset;

fn row(partition: i32, from: Option<i64>, to: Option<i64>) -> Row {
    Row {
        topic: "t".to_owned(),
        partition,
        start: offset(0),
        end: offset(40),
        from: from.map(offset),
        to: to.map(offset),
        replayed: None,
        skipped: None,
    }
}

fn plan(id: Option<&str>, rows: Vec<Row>) -> Plan {
    Plan {
        cluster: "main".to_owned(),
        group: "g".to_owned(),
        created: "2026-01-31T08:00:00Z".to_owned(),
        reason: None,
        topics: vec![PlanTopic {
            topic: "t".to_owned(),
            topic_id: id.map(str::to_owned),
        }],
        partitions: rows,
    }
}

fn commits(offsets: &[Heard<Option<i64>>]) -> Commits {
    let commits = (0..).zip(offsets).filter_map(|(partition, found)| {
        let offset: Heard<Offset> = found.map(|raw| raw.map(offset)).transpose()?;
        let fact = CommitFact {
            topic: TopicName::from("t"),
            partition: Partition(partition),
            offset,
            leader_epoch: None,
            metadata: String::new(),
        };
        Some((key("t", partition), fact))
    });
    commits.collect()
}

fn metas(id: Option<TopicId>) -> BTreeMap<String, Heard<TopicMeta>> {
    let partition = PartitionMeta {
        partition: Partition(0),
        leader: Some(BrokerId(1)),
        leader_epoch: None,
        replicas: 1,
        in_sync: 1,
    };
    let meta = TopicMeta {
        id,
        internal: false,
        partitions: vec![partition],
    };
    BTreeMap::from([("t".to_owned(), Ok(meta))])
}

#[test]
fn a_row_is_pending_where_the_plan_found_it_and_done_where_the_plan_wants_it() {
    let plan = plan(
        None,
        vec![
            row(0, Some(5), Some(9)),
            row(1, Some(5), Some(9)),
            row(2, None, Some(9)),
            row(3, Some(5), None),
        ],
    );
    let pending = |found: &[Heard<Option<i64>>]| {
        unchanged(&plan, &commits(found)).map(|rows| rows.iter().map(|row| row.partition).collect::<Vec<_>>())
    };
    assert_eq!(
        pending(&[Ok(Some(5)), Ok(Some(9)), Ok(None), Ok(Some(5))]),
        Ok(vec![0, 2, 3])
    );
    assert_eq!(
        pending(&[Ok(Some(9)), Ok(Some(9)), Ok(Some(9)), Ok(None)]),
        Ok(Vec::new())
    );
    let refused = pending(&[Ok(Some(6)), Ok(None), Ok(Some(0)), Ok(Some(6))]).expect_err("a refusal");
    assert_eq!((refused.word(), refused.details().len()), ("plan_changed", 4));
    let refused = pending(&[Err(Cause::Malformed), Ok(Some(9)), Ok(None), Ok(None)]).expect_err("a refusal");
    assert_eq!(refused.word(), "cannot_verify");
}

#[test]
fn two_readings_that_differ_on_a_planned_partition_are_commits_that_move() {
    let group = GroupId::from("g");
    let plan = plan(None, vec![row(0, Some(5), Some(9))]);
    let held =
        |first, second| still(&group, &plan, &commits(first), &commits(second)).map_err(|refusal| refusal.word());
    assert_eq!(
        held(&[Ok(Some(5)), Ok(Some(1))], &[Ok(Some(5)), Ok(Some(2))]),
        Ok(()),
        "p1 is not in the plan"
    );
    assert_eq!(held(&[Ok(Some(5))], &[Ok(Some(6))]), Err("commits_moving"));
    assert_eq!(held(&[Ok(Some(5))], &[Ok(None)]), Err("commits_moving"));
    assert_eq!(held(&[Ok(Some(5))], &[Err(Cause::TimedOut)]), Err("cannot_verify"));
}

#[test]
fn a_topic_must_have_the_plans_id_where_the_plan_has_one() {
    let rows = vec![row(0, Some(5), Some(9))];
    let id = TopicId::new([1; 16]);
    let text = id.map(|id| id.to_string());
    let held = |planned: Option<&str>, now| {
        let plan = plan(planned, rows.clone());
        same_topics(&plan, &plan.partitions.iter().collect::<Vec<_>>(), &metas(now)).map_err(|refusal| refusal.word())
    };
    assert_eq!(held(text.as_deref(), id), Ok(()));
    assert_eq!(held(text.as_deref(), TopicId::new([2; 16])), Err("plan_changed"));
    assert_eq!(held(text.as_deref(), None), Err("plan_changed"));
    // Planned while brokers older than 2.8 told no ids.
    assert_eq!(held(None, None), Ok(()));
    assert_eq!(held(None, id), Ok(()));
}

#[test]
fn the_limits_of_a_log_are_inside_it_and_forgetting_needs_none() {
    let rows = [
        row(0, Some(5), Some(3)),
        row(1, Some(5), Some(9)),
        row(2, Some(5), None),
    ];
    let log = |partition, start: Heard<i64>, end: Heard<i64>| {
        let log = PartitionLog {
            partition: Partition(partition),
            start: start.map(offset),
            end: end.map(offset),
            stable: None,
        };
        (key("t", partition), log)
    };
    let held = |logs: Vec<(Key, PartitionLog)>| {
        in_range(&rows.iter().collect::<Vec<_>>(), &logs.into_iter().collect()).map_err(|refusal| refusal.word())
    };
    assert_eq!(held(vec![log(0, Ok(3), Ok(9)), log(1, Ok(3), Ok(9))]), Ok(()));
    assert_eq!(
        held(vec![log(0, Ok(4), Ok(9)), log(1, Ok(3), Ok(9))]),
        Err("out_of_range")
    );
    assert_eq!(
        held(vec![log(0, Ok(3), Ok(9)), log(1, Ok(3), Ok(8))]),
        Err("out_of_range")
    );
    assert_eq!(
        held(vec![log(0, Ok(3), Ok(9)), log(1, Ok(3), Err(Cause::NoLeader))]),
        Err("no_leader")
    );
    assert_eq!(
        held(vec![log(0, Ok(3), Ok(9))]),
        Err("cannot_verify"),
        "a log that nobody told of"
    );
}
