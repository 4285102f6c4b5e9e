//! Open transactions: who waits at one is not stalled, and for how long one has been open.

use super::*;

/// A log from 0 to `end` with its last stable offset.
fn log(stable: i64, end: i64) -> TopicReading {
    let mut topic = topic(&[(0, end)]);
    topic.logs[0].stable = Some(Ok(offset(stable)));
    topic
}

fn open(seen: &Snapshot) -> Option<(u64, f32)> {
    seen.topics[0].partitions[0].open_transaction()
}

/// With a member that has partition 0.
fn owned(name: &str, commits: &[(&str, &[(i32, i64)])]) -> GroupReading {
    GroupReading {
        description: Ok(described(vec![member("c", &[("t", &[0])])])),
        ..group(name, commits)
    }
}

/// Long beyond every window.
const LONG: i64 = 130;

#[test]
fn a_group_that_waits_at_an_open_transaction_is_not_stalled() {
    let mut world = world();
    for cycle in 0..LONG {
        let waits = owned("waits", &[("t", &[(0, 10)])]);
        let stalls = owned("stalls", &[("t", &[(0, 9)])]);
        let nobody = group("nobody", &[("t", &[(0, 10)])]);
        let seen = world.cycle(vec![nobody, stalls, waits], vec![("t", log(10, 20 + cycle))]);
        if cycle == LONG - 1 {
            let of = |index: usize| &seen.groups[index];
            let told = [0, 1, 2].map(|index| (of(index).status, of(index).topics[0].partitions[0].at_open_transaction));
            assert_eq!(
                told,
                [(Status::Stopped, false), (Status::Stalled, false), (Status::Ok, true)]
            );
            assert_eq!(
                of(2).lag,
                Some(u128::try_from(10 + cycle).unwrap()),
                "lag is what is there all the same"
            );
            assert_eq!(of(2).stalled, Some(Duration::ZERO));
        }
    }
}

#[test]
fn a_transaction_is_open_since_the_stable_offset_stood_still_with_records_beyond_it() {
    let mut world = world();
    let groups = || vec![group("g", &[("t", &[(0, 3)])])];
    let mut at = |stable, end| open(&world.cycle(groups(), vec![("t", log(stable, end))]));
    assert_eq!(at(10, 10), None);
    assert_eq!(at(10, 15), Some((5, 0.0)), "seen for the first time");
    assert_eq!(at(10, 15), Some((5, 15.0)));
    assert_eq!(at(12, 30), Some((18, 0.0)), "another one");
    assert_eq!(at(12, 31), Some((19, 15.0)));
    assert_eq!(at(31, 31), None);
}

#[test]
fn a_stable_offset_that_could_not_be_read_changes_nothing() {
    let mut world = world();
    let groups = || vec![group("g", &[("t", &[(0, 3)])])];
    world.cycle(groups(), vec![("t", log(10, 15))]);
    let mut failed = log(10, 16);
    failed.logs[0].stable = Some(Err(DENIED));
    let seen = world.cycle(groups(), vec![("t", failed)]);
    assert_eq!(open(&seen), Some((5, 15.0)));
}
