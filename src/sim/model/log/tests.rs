use super::*;

const NOW: i64 = 1_000_000;

fn data(log: &mut Log, count: i64, at: i64) {
    log.append(count, at, Kind::Data, NOW);
}

#[test]
fn records_are_found_by_time_in_offset_order_even_when_dates_go_back() {
    let mut log = Log::default();
    data(&mut log, 3, 5_000);
    data(&mut log, 2, 1_000);
    data(&mut log, 1, 9_000);
    assert_eq!(log.end(NOW), 6);
    assert_eq!(log.since(0, 6, NOW), Some((0, 5_000)));
    assert_eq!(log.since(5_001, 6, NOW), Some((5, 9_000)));
    assert_eq!(log.since(9_001, 6, NOW), None);
    assert_eq!(log.since(9_000, 5, NOW), None);
    assert_eq!(log.newest(NOW), Some((5, 9_000)));
    assert_eq!(log.time(3, NOW), Some(1_000));
}

#[test]
fn a_producer_goes_on_at_its_rhythm_after_an_append() {
    let mut log = Log::default();
    log.produce(100, 1, NOW);
    assert_eq!(log.end(NOW + 250), 3);
    log.append(10, NOW + 250, Kind::Data, NOW + 250);
    assert_eq!(log.end(NOW + 250), 13);
    assert_eq!(log.end(NOW + 299), 13);
    assert_eq!(log.end(NOW + 300), 14);
    assert_eq!(log.time(13, NOW + 300), Some(NOW + 300));
}

#[test]
fn retention_takes_what_is_too_old_and_nothing_else() {
    let mut log = Log::default();
    log.produce(1_000, 2, NOW);
    log.retention = Some(10_000);
    assert_eq!(log.start(NOW + 5_000), 0);
    assert_eq!(log.start(NOW + 19_999), 0);
    assert_eq!(log.start(NOW + 22_000), 20);
    log.produce(0, 0, NOW + 22_000);
    assert_eq!(log.start(NOW + 100_000), log.end(NOW + 100_000));
}

#[test]
fn an_open_transaction_holds_the_last_stable_offset() {
    let mut log = Log::default();
    data(&mut log, 5, 10);
    log.begin(7, NOW);
    log.append(3, 20, Kind::Transactional(7), NOW);
    data(&mut log, 2, 30);
    assert_eq!((log.stable(NOW), log.end(NOW)), (5, 10));
    assert!(log.finish(7, false, NOW));
    assert!(!log.finish(7, false, NOW));
    assert_eq!((log.stable(NOW), log.end(NOW)), (11, 11));
    assert_eq!(log.aborted(0, NOW), [Aborted { producer: 7, first: 5 }]);
}

#[test]
fn truncation_and_deletion_move_the_ends() {
    let mut log = Log::default();
    data(&mut log, 100, 10);
    log.truncate(60, NOW);
    assert_eq!((log.start(NOW), log.end(NOW)), (0, 60));
    log.delete_before(50, NOW);
    assert_eq!((log.start(NOW), log.end(NOW)), (50, 60));
    log.delete_before(1_000, NOW);
    assert_eq!(log.start(NOW), 60);
    assert_eq!(log.newest(NOW), None);
}

#[test]
fn compacted_records_leave_a_gap_that_the_next_record_answers_for() {
    let mut log = Log::holding(Run::spread(0, 10, 0, 1_000));
    log.compact(2, 5, NOW);
    assert_eq!(log.time(1, NOW), Some(100));
    assert_eq!(log.time(2, NOW), Some(500));
    assert_eq!(log.from(2, NOW).map(|(offset, _)| offset).collect::<Vec<_>>(), [5]);
    assert_eq!(log.end(NOW), 10);
}

#[test]
fn a_log_may_end_at_the_last_offset_there_is() {
    let log = Log::holding(Run::spread(i64::MAX - 10, i64::MAX - 1, 0, 1_000));
    assert_eq!(log.end(NOW), i64::MAX - 1);
    assert_eq!(log.newest(NOW).map(|(offset, _)| offset), Some(i64::MAX - 2));
}
