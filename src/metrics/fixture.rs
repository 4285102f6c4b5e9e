//! Snapshots for tests.

use std::sync::Arc;
use std::time::Duration;

use crate::config::Cluster;
use crate::config::Compatibility;
use crate::config::Filter;
use crate::config::Granularity;
use crate::config::Isolation;
use crate::config::LeftTopics;
use crate::config::Objective;
use crate::config::PartitionFamilies;
use crate::config::Patterns;
use crate::config::RecordTime;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::failure::Reason;
use crate::model::BrokerId;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::LagTime;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Status;
use crate::model::TimeMethod;
use crate::model::TopicId;
use crate::model::UnixMillis;
use crate::observation::PartitionMeta;
use crate::observation::Stages;
use crate::snapshot::CycleView;
use crate::snapshot::GroupTopicView;
use crate::snapshot::GroupView;
use crate::snapshot::MemberView;
use crate::snapshot::MembersView;
use crate::snapshot::PartitionView;
use crate::snapshot::Snapshot;
use crate::snapshot::TimeView;
use crate::snapshot::TopicPartitionView;
use crate::snapshot::TopicView;
use crate::snapshot::Totals;

mod told;

pub(crate) use told::trend;

/// 2026-01-02T03:04:05.678Z, an hour after the start.
pub(crate) const NOW: Moment = Moment {
    mono: Duration::from_secs(3600),
    wall: UnixMillis(1_767_323_045_678),
};

pub(crate) fn offset(raw: i64) -> Option<Offset> {
    Offset::new(raw)
}

pub(crate) fn cluster(name: &str) -> Cluster {
    let all = || Filter::new(Patterns::new([".*"]).expect("valid"), Patterns::none());
    Cluster {
        name: name.into(),
        bootstrap_servers: Vec::new(),
        tls: None,
        sasl: None,
        client_properties: None,
        groups: all(),
        topics: all(),
        left_topics: LeftTopics::Keep,
        isolation: Vec::new(),
        record_time: RecordTime {
            read: true,
            per_cycle: 5000,
        },
        time: Vec::new(),
        granularity: Vec::new(),
        partition_families: PartitionFamilies {
            lag_records: true,
            lag_seconds: true,
            committed_offset: true,
            stalled_seconds: false,
        },
        owner_info: Patterns::none(),
        compatibility: Compatibility::default(),
        series_limit: 1_000_000,
        request_timeout: Duration::from_secs(10),
    }
}

/// The same with everything on that is off by default.
pub(crate) fn talkative_cluster(name: &str) -> Cluster {
    let mut cluster = cluster(name);
    cluster.partition_families.stalled_seconds = true;
    cluster.owner_info = Patterns::new([".*"]).expect("valid");
    cluster.isolation = vec![(Patterns::new([".*"]).expect("valid"), Isolation::ReadCommitted)];
    cluster
}

pub(crate) fn granularity(pattern: &str, granularity: Granularity) -> (Patterns, Granularity) {
    (Patterns::new([pattern]).expect("valid"), granularity)
}

pub(crate) fn objectives() -> Arc<[Objective]> {
    Arc::new([Objective {
        groups: Patterns::new(["orders"]).expect("valid"),
        lag: Duration::from_millis(60_500),
        team: "payments".into(),
        severity: String::new(),
    }])
}

/// Nothing was read yet.
pub(crate) fn blank(cluster: &str) -> Snapshot {
    Snapshot {
        cluster: cluster.into(),
        cycle: None,
        read_at: None,
        last_success: None,
        brokers: None,
        groups: Vec::new(),
        topics: Vec::new(),
        totals: Totals::default(),
    }
}

pub(crate) fn snapshot(cluster: &str, groups: Vec<GroupView>) -> Snapshot {
    let before = |seconds| Moment {
        mono: NOW.mono - Duration::from_secs(seconds),
        wall: UnixMillis(NOW.wall.0 - 1000 * i64::try_from(seconds).expect("small")),
    };
    Snapshot {
        cycle: Some(CycleView {
            started: before(3),
            finished: before(2),
            up: true,
            stages: Stages {
                metadata: Duration::from_millis(3),
                commits: Duration::from_micros(12_345),
                total: Duration::from_secs(1),
                ..Stages::default()
            },
            groups_read: u32::try_from(groups.len()).expect("few"),
            groups_excluded: 1,
            groups_unreadable: 0,
            failures: vec![Failure::because(Api::OffsetFetch, Cause::TimedOut, "127.0.0.1:9092")],
        }),
        read_at: Some(before(2)),
        last_success: Some(UnixMillis(NOW.wall.0 - 17_000)),
        brokers: Some(3),
        topics: topics(&groups),
        groups: groups.into_iter().map(Arc::new).collect(),
        totals: Totals {
            cycles_ok: 7,
            cycles_partial: 1,
            requests: [(Api::Metadata, 8), (Api::OffsetFetch, 80)].into(),
            errors: [((Api::OffsetFetch, "REQUEST_TIMED_OUT".to_owned()), 2)].into(),
            name_clashes: 1,
            ..Totals::default()
        },
        ..blank(cluster)
    }
}

/// The first partition lacks a replica.
fn replication(partition: Partition) -> PartitionMeta {
    PartitionMeta {
        partition,
        leader: Some(BrokerId(1)),
        leader_epoch: None,
        replicas: 3,
        in_sync: if partition == Partition(0) { 2 } else { 3 },
    }
}

/// A topic for each that a group names, with the group's own view of its log.
fn topics(groups: &[GroupView]) -> Vec<Arc<TopicView>> {
    let mut all: Vec<_> = groups.iter().flat_map(|group| &group.topics).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| a.name == b.name);
    let topic = |it: &GroupTopicView| TopicView {
        name: Arc::clone(&it.name),
        id: TopicId::new([7; 16]),
        partitions: it
            .partitions
            .iter()
            .map(|p| TopicPartitionView {
                partition: p.partition,
                start: p.start,
                end: p.end,
                stable: p.end,
                open_for: None,
            })
            .collect(),
        partition_count: u32::try_from(it.partitions.len()).expect("few"),
        replication: it.partitions.iter().map(|p| replication(p.partition)).collect(),
        leaderless: 0,
        under_replicated: 1,
        produced: 1234,
        retention: Some(Duration::from_millis(604_800_500)),
        retention_bytes: None,
        cleanup_policy: Some("delete".into()),
    };
    all.into_iter()
        .filter(|it| it.exists == Some(true))
        .map(|it| Arc::new(topic(it)))
        .collect()
}

pub(crate) fn partition(index: i32, committed: i64, start: i64, end: i64) -> PartitionView {
    PartitionView {
        partition: Partition(index),
        owner: None,
        committed: offset(committed),
        start: offset(start),
        end: offset(end),
        time: TimeView::Absent,
        stalled_seconds: Some(0.0),
        status: Status::Ok,
        unreadable: None,
        at_open_transaction: false,
        fresh: true,
    }
}

pub(crate) fn topic(name: &str, partitions: Vec<PartitionView>) -> GroupTopicView {
    let lags: Option<Vec<_>> = partitions
        .iter()
        .filter(|p| p.committed.is_some())
        .map(PartitionView::lag)
        .collect();
    let uncommitted = partitions.iter().filter(|p| p.committed.is_none()).count();
    GroupTopicView {
        name: name.into(),
        exists: Some(true),
        lag: lags
            .filter(|lags| !lags.is_empty())
            .map(|lags| lags.into_iter().map(u128::from).sum()),
        lag_time: None,
        unknown_times: Vec::new(),
        uncommitted_partitions: u32::try_from(uncommitted).ok(),
        uncommitted_records: Some(0),
        assigned_partitions: u32::try_from(partitions.iter().filter(|p| p.owner.is_some()).count()).ok(),
        unowned_partitions: match partitions.iter().filter(|p| p.owner.is_none()).count() {
            without if without < partitions.len() => u32::try_from(without).ok(),
            _ => None,
        },
        unreadable: Vec::new(),
        consumed: 40,
        lost: 0,
        rewinds: 0,
        retention_margin: Some(0.4),
        partitions,
    }
}

pub(crate) fn group(name: impl Into<GroupId>, topics: Vec<GroupTopicView>) -> GroupView {
    let id = name.into();
    let lag: u128 = topics.iter().filter_map(|topic| topic.lag).sum();
    GroupView {
        name: id.to_string().into(),
        id,
        kind: GroupType::Classic,
        protocol: "range".into(),
        state: Some(GroupState::Empty),
        coordinator: Some(BrokerId(1)),
        members: Some(MembersView::default()),
        epochs: None,
        lag: Some(lag),
        readable_lag: Some(lag),
        lag_time: None,
        stalled: Some(Duration::ZERO),
        status: Status::Ok,
        rebalances: Some(2),
        empty_for: Some(Duration::from_secs(90)),
        read_at: NOW,
        failure: None,
        objective: None,
        explained: Box::default(),
        events: Arc::default(),
        trend: Arc::default(),
        share: None,
        topics,
    }
}

pub(crate) fn member(index: u32) -> MemberView {
    MemberView {
        id: format!("client-{index}-uuid").into(),
        instance_id: None,
        client_id: format!("client-{index}").into(),
        host: format!("10.0.0.{index}").into(),
        partitions: Some(1),
        epoch: None,
        target: None,
        protocol: None,
        tasks: None,
    }
}

/// A bit of everything.
pub(crate) fn motley(cluster: &str) -> Snapshot {
    let mut stuck = partition(0, 40, 0, 100);
    stuck.owner = Some(0);
    stuck.time = TimeView::Known(LagTime {
        age_ms: 840_250,
        error_ms: 15_000,
        method: TimeMethod::Arrival,
    });
    stuck.stalled_seconds = Some(720.5);
    stuck.at_open_transaction = true;
    stuck.status = Status::Stalled;
    let mut lost = partition(1, 10, 90, 100);
    lost.owner = Some(1);
    lost.time = TimeView::Unknown(Reason::Authorization);
    lost.status = Status::Lost;
    let mut ahead = partition(2, 105, 0, 100);
    ahead.time = TimeView::Known(LagTime::CAUGHT_UP);
    ahead.status = Status::Ahead;
    let mut first = topic("orders-in", vec![stuck, lost, ahead]);
    first.lag_time = Some(LagTime {
        age_ms: 840_250,
        error_ms: 15_000,
        method: TimeMethod::Arrival,
    });
    first.unknown_times = vec![(Reason::Authorization, 1)];
    first.lost = 80;
    first.rewinds = 1;
    let mut deleted = partition(0, 7, 0, 0);
    (deleted.start, deleted.end) = (None, None);
    deleted.unreadable = Some(Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION));
    let mut old = topic("was\\deleted", vec![deleted]);
    (old.exists, old.lag, old.uncommitted_records, old.retention_margin) = (Some(false), None, None, None);
    old.unreadable = vec![(Reason::UnknownTopic, 1)];

    let mut orders = group("orders", vec![first.clone(), old]);
    orders.state = Some(GroupState::Stable);
    orders.members = Some(MembersView {
        members: vec![member(1), member(2)],
        idle: Some(0),
        partitions_max: Some(1),
        partitions_min: Some(1),
        ..MembersView::default()
    });
    orders.lag_time = first.lag_time;
    orders.stalled = Some(Duration::from_millis(720_500));
    (orders.status, orders.empty_for, orders.objective) = (Status::Stalled, None, Some(0));
    orders.explained = [told::explained("orders-in", stuck)].into();
    orders.events = told::events().into();
    orders.trend = told::trend(&[Some(10), Some(40), None, Some(60), Some(65), Some(70)], 12);

    let mut huge = group("a\"b\\c\nd", vec![topic("t", vec![partition(0, 0, 0, i64::MAX)])]);
    huge.lag = Some(3 * u128::from(u64::MAX));
    (huge.kind, huge.state) = (GroupType::Consumer, Some(GroupState::Other("Napping".into())));

    let mut share = group(&b"not utf-8 \xff"[..], Vec::new());
    (share.kind, share.lag, share.readable_lag, share.rebalances) = (GroupType::Share, None, None, None);
    (share.stalled, share.empty_for) = (None, None);

    let mut stale = group("stale", Vec::new());
    (stale.state, stale.members, stale.coordinator) = (None, None, None);
    (stale.lag, stale.readable_lag, stale.stalled, stale.empty_for) = (None, None, None, None);
    (stale.status, stale.failure) = (Status::Unreadable, Some(Cause::TimedOut));
    snapshot(cluster, vec![huge, share, orders, stale])
}
