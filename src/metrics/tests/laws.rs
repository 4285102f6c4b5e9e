//! Laws that hold for any names, numbers and sizes.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::packer;
use super::scrape;
use super::series;
use super::shown;
use super::wide;
use crate::failure::Reason;
use crate::metrics::fixture;
use crate::model::GroupId;
use crate::model::LagTime;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::Status;
use crate::model::TimeMethod;
use crate::snapshot::PartitionView;
use crate::snapshot::Snapshot;
use crate::snapshot::TimeView;

fn any_time() -> impl Strategy<Value = TimeView> {
    let known = (any::<u64>(), any::<u32>()).prop_map(|(age_ms, error_ms)| {
        TimeView::Known(LagTime {
            age_ms,
            error_ms,
            method: TimeMethod::Record,
        })
    });
    prop_oneof![Just(TimeView::Absent), known, Just(TimeView::Unknown(Reason::Timeout))]
}

prop_compose! {
    fn any_partition()(offsets in any::<[i64; 3]>(), stalled in any::<Option<f32>>(), time in any_time(), status in 0..Status::ALL.len()) -> PartitionView {
        let [committed, start, end] = offsets.map(Offset::new);
        PartitionView {
            partition: Partition(0),
            owner: Some(0),
            committed,
            start,
            end,
            time,
            stalled_seconds: stalled,
            status: Status::ALL[status],
            unreadable: None,
            at_open_transaction: false,
            fresh: true,
        }
    }
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let topic = (
        "\\PC{0,9}|[\\x00-\\x7f]{0,5}",
        prop::collection::vec(any_partition(), 0..4),
    );
    let topics = prop::collection::vec(topic, 0..3);
    let groups = prop::collection::btree_map(
        prop::collection::vec(any::<u8>(), 0..9),
        (topics, any::<Option<u128>>()),
        0..5,
    );
    ("\\PC{1,9}", groups).prop_map(|(cluster, groups)| {
        let groups = groups.into_iter().map(|(id, (topics, lag))| {
            let topics: BTreeMap<_, _> = topics.into_iter().collect();
            let topics = topics.into_iter().map(|(name, mut partitions)| {
                for (index, partition) in (0..).zip(&mut partitions) {
                    partition.partition = Partition(index);
                }
                fixture::topic(&name, partitions)
            });
            let mut group = fixture::group(GroupId::from(&id[..]), topics.collect());
            let mut member = fixture::member(0);
            member.client_id = format!("{cluster}\\\n\"").into();
            group.members.as_mut().expect("there").members = vec![member];
            group.lag = lag;
            group
        });
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by(|a, b| a.name.cmp(&b.name));
        groups.dedup_by(|a, b| a.name == b.name);
        fixture::snapshot(&cluster, groups)
    })
}

proptest! {
    // Each renders and deflates a whole answer.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn within_the_limit_or_down_to_sums_and_the_same_again_next_time(sizes in prop::collection::vec(0..30i32, 1..8), limit in 1..400usize) {
        let names: Vec<_> = (0..sizes.len()).map(|index| format!("g{index}")).collect();
        let groups: Vec<_> = names.iter().map(String::as_str).zip(sizes).collect();
        let snapshot = wide("main", &groups);
        let mut cluster = fixture::cluster("main");
        cluster.series_limit = limit;
        let mut packer = packer(cluster);
        let first = Arc::new(packer.pack(&snapshot));
        prop_assert!(series(&first) <= limit || shown(&first).is_empty());
        let left_out = groups.iter().filter(|(name, _)| first.left_out().groups.iter().any(|out| &**out == *name));
        let largest_shown = shown(&first).into_values().max().unwrap_or(0);
        for (_, size) in left_out {
            prop_assert!(usize::try_from(2 * size).expect("small") >= largest_shown, "the largest go first");
        }
        let again = packer.pack(&snapshot);
        prop_assert_eq!(again.left_out(), first.left_out());
    }

    #[test]
    fn whatever_the_names_and_numbers_a_strict_parser_reads_them_back(snapshot in any_snapshot()) {
        let seen = scrape(fixture::talkative_cluster("any"), &snapshot);
        for group in &snapshot.groups {
            let labels = [("kafka_cluster", &*snapshot.cluster), ("group", &*group.name)];
            let lag = group.lag.map(|lag| lag.to_string());
            prop_assert_eq!(seen.value("kafka_group_lag_records", &labels), lag.as_deref());
            for topic in &group.topics {
                for partition in &topic.partitions {
                    let index = partition.partition.to_string();
                    let labels = [labels[0], labels[1], ("topic", &*topic.name), ("partition", &*index)];
                    let of = |value: Option<u64>| value.map(|value| value.to_string());
                    prop_assert_eq!(seen.value("kafka_group_partition_lag_records", &labels).map(str::to_owned), of(partition.lag()));
                    prop_assert_eq!(seen.value("kafka_group_partition_lost_records", &labels).map(str::to_owned), of(partition.lost().filter(|&n| n > 0)));
                    let committed = partition.committed.map(|offset| offset.get().to_string());
                    prop_assert_eq!(seen.value("kafka_group_partition_committed_offset", &labels), committed.as_deref());
                    prop_assert_eq!(seen.value("kafka_group_partition_owner_info", &labels), Some("1"));
                }
            }
        }
    }
}
