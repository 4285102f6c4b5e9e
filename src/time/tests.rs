use std::time::Duration;

use super::*;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::RecordAt;
use crate::model::TimeMethod;
use crate::model::TimeSource;
use crate::model::TopicId;
use crate::model::TopicName;

const POLL: u64 = 15;
const P: Partition = Partition(0);
/// The wall clock when the process started.
const START: i64 = 1_700_000_000_000;

fn at(raw: i64) -> Offset {
    Offset::new(raw).expect("not negative")
}

/// The age that is expected, in seconds, and how it was found.
fn known(answer: Answer) -> (u64, TimeMethod) {
    match answer {
        Answer::Known(time) => (time.age_ms / 1000, time.method),
        other => panic!("{other:?}"),
    }
}

/// One partition of one topic, polled every fifteen seconds.
struct Watched {
    all: Timelines,
    topic: TopicName,
    source: TimeSource,
    now: Moment,
    reads: usize,
}

impl Watched {
    fn new() -> Self {
        Self::with(true)
    }

    fn with(read: bool) -> Self {
        Self {
            all: Timelines::new(Settings {
                poll_interval: Duration::from_secs(POLL),
                read,
                per_cycle: 100,
            }),
            topic: TopicName::from("orders"),
            source: TimeSource::Record,
            now: Moment {
                mono: Duration::ZERO,
                wall: UnixMillis(START),
            },
            reads: 0,
        }
    }

    fn topic(&mut self) -> &mut TopicTimes {
        let (name, source) = (self.topic.clone(), self.source);
        self.all.topic(&name, None, source)
    }

    /// A poll that sees the end here while somebody sits at `want`; then the clock moves on.
    fn poll(&mut self, end: i64, want: Option<i64>) {
        self.pass(POLL);
        let now = self.now;
        self.topic().observe_end(P, at(end), now);
        if let Some(offset) = want {
            self.topic().want(P, at(offset), at(end), now);
        }
    }

    fn want(&mut self, offset: i64, end: i64) {
        let now = self.now;
        self.topic().want(P, at(offset), at(end), now);
    }

    fn pass(&mut self, seconds: u64) {
        self.now.mono += Duration::from_secs(seconds);
        self.now.wall.0 += i64::try_from(seconds).expect("small") * 1000;
    }

    /// Answers everything that is planned; `time` of the record at an offset, in seconds before now.
    fn answer(&mut self, found: impl Fn(Offset) -> Heard<RecordAt>) {
        let plan = self.all.plan(self.now);
        for read in &plan.reads {
            self.reads += 1;
            self.all.learn_read(read, found(read.2), self.now);
        }
        for (topic, partition) in &plan.newest {
            self.all
                .learn_newest(topic, *partition, &Err(Cause::Unsupported), self.now);
        }
    }

    fn age(&self, offset: i64, end: i64) -> Answer {
        let topic = self.all.get(&self.topic).expect("it was polled");
        topic.age(P, at(offset), at(end), self.now)
    }

    fn ago(&self, seconds: i64) -> Option<UnixMillis> {
        Some(UnixMillis(self.now.wall.0 - seconds * 1000))
    }
}

fn denied(_: Offset) -> Heard<RecordAt> {
    Err(Cause::Code(ErrorCode::TOPIC_AUTHORIZATION_FAILED))
}

#[test]
fn right_in_the_first_cycle_after_a_restart_by_one_read_and_exact_from_then_on() {
    let mut watched = Watched::new();
    watched.poll(2, Some(1));
    assert_eq!(watched.age(1, 2), Answer::Unknown(Reason::Timeout), "not asked yet");
    let time = watched.ago(7200);
    watched.answer(|offset| Ok(RecordAt::Found(offset, time)));
    assert_eq!(known(watched.age(1, 2)), (7200, TimeMethod::Record));
    for _ in 0..100 {
        watched.poll(2, Some(1));
        watched.answer(|_| panic!("it is known"));
    }
    assert_eq!(known(watched.age(1, 2)), (7200 + 1500, TimeMethod::Record));
    assert_eq!(watched.age(2, 2), Answer::CaughtUp);
    assert_eq!(watched.age(50, 2), Answer::CaughtUp, "ahead of the end");
}

#[test]
fn what_a_group_sits_on_is_kept_whatever_comes_and_goes() {
    let mut watched = Watched::new();
    watched.poll(100, Some(3));
    let time = watched.ago(60);
    watched.answer(|offset| Ok(RecordAt::Found(offset, time)));
    for poll in 0..5_000 {
        watched.poll(100 + poll * 37 % 11 + poll * 100, Some(3));
        watched.want(50 + poll, 200 + poll * 100);
    }
    assert_eq!(known(watched.age(3, 500_000)), (60 + 75_000, TimeMethod::Record));
    assert!(watched.all.bytes() < 2_000, "{}", watched.all.bytes());
}

/// A topic whose records come ten a poll and are dated when they come; a first comparison has shown that.
fn agreeing() -> Watched {
    let mut watched = Watched::new();
    for poll in 0..40 {
        watched.poll(poll * 10, (poll > 1).then_some(poll * 10 - 5));
        let time = watched.ago(7);
        let plan = watched.all.plan(watched.now);
        for (topic, partition) in &plan.newest {
            watched.all.learn_newest(
                topic,
                *partition,
                &Ok(Some((at(poll * 10 - 1), time.expect("a time")))),
                watched.now,
            );
        }
        watched.answer(|offset| Ok(RecordAt::Found(offset, time)));
    }
    watched
}

#[test]
fn where_record_times_agree_with_arrival_nothing_is_read() {
    let mut watched = agreeing();
    assert!(watched.reads <= 1, "{}", watched.reads);
    let (age, method) = known(watched.age(195, 390));
    assert_eq!(method, TimeMethod::Arrival);
    assert!(age.abs_diff(19 * 15 + 7) <= 15, "{age}");
    watched.poll(400, Some(395));
    watched.answer(|_| panic!("arrival is good enough"));
}

#[test]
fn an_offset_that_stands_for_two_polls_is_read_once_to_see_whether_anything_is_there() {
    let mut watched = agreeing();
    let before = watched.reads;
    for _ in 0..10 {
        watched.poll(400, Some(399));
        watched.answer(|_| Ok(RecordAt::NothingUnread));
    }
    assert_eq!(watched.reads, before + 1);
    assert_eq!(watched.age(399, 400), Answer::NothingReadable, "a marker at the end");
    assert_eq!(watched.age(399, 400).lag_time(), Ok(LagTime::CAUGHT_UP));
    watched.poll(410, Some(399));
    let (age, _) = known(watched.age(399, 410));
    assert!(age <= 15, "what came after it is young: {age}");
}

#[test]
fn a_mirrors_records_are_read_unless_the_topic_says_arrival() {
    let mut watched = Watched::new();
    for poll in 0..20i64 {
        watched.poll(poll * 10, (poll > 1).then_some(poll * 10 - 5));
        let time = watched.ago(86_400);
        watched.answer(|offset| Ok(RecordAt::Found(offset, time)));
        if poll > 1 {
            assert_eq!(
                known(watched.age(poll * 10 - 5, poll * 10)),
                (86_400, TimeMethod::Record),
                "{poll}"
            );
        }
    }
    watched.source = TimeSource::Arrival;
    watched.poll(200, Some(195));
    let (age, method) = known(watched.age(195, 200));
    assert!(method == TimeMethod::Arrival && age <= 15, "{age}");
    assert_eq!(
        watched.age(100, 200).lag_time().map(|time| time.method),
        Ok(TimeMethod::Arrival)
    );
}

#[test]
fn before_the_first_look_nobody_saw_a_record_of_an_arrival_topic_come() {
    let mut watched = Watched::new();
    watched.source = TimeSource::Arrival;
    watched.poll(100, Some(40));
    assert_eq!(watched.age(40, 100), Answer::Unknown(Reason::EventTime));
}

#[test]
fn records_dated_ahead_are_new_and_absurd_times_are_none() {
    for (time, expected) in [
        (Some(UnixMillis(START + 1_800_000)), Ok(0)),
        (Some(UnixMillis(START + 1_800_000_000)), Err(Reason::EventTime)),
        (Some(UnixMillis(4_102_444_800_000)), Err(Reason::EventTime)),
        (Some(UnixMillis(START / 1000)), Err(Reason::EventTime)),
        (Some(UnixMillis(-1)), Err(Reason::EventTime)),
        (None, Err(Reason::EventTime)),
    ] {
        let mut watched = Watched::new();
        watched.poll(10, Some(4));
        watched.answer(|offset| Ok(RecordAt::Found(offset, time)));
        let told = watched.age(4, 10).lag_time().map(|time| time.age_ms);
        assert_eq!(told, expected, "{time:?}");
    }
}

#[test]
fn a_record_without_a_time_is_as_old_as_its_arrival_says() {
    let mut watched = Watched::new();
    watched.poll(10, None);
    for _ in 0..4 {
        watched.poll(20, Some(12));
        watched.answer(|offset| Ok(RecordAt::Found(offset, None)));
    }
    let (age, method) = known(watched.age(12, 20));
    assert!(method == TimeMethod::Arrival && age.abs_diff(52) <= 8, "{age}");
}

#[test]
fn a_gap_left_by_compaction_resolves_to_the_record_the_group_would_read() {
    let mut watched = Watched::new();
    watched.poll(100, Some(10));
    let time = watched.ago(600);
    watched.answer(|_| Ok(RecordAt::Found(at(40), time)));
    assert_eq!(known(watched.age(10, 100)), (600, TimeMethod::Record));
}

#[test]
fn an_end_that_goes_back_makes_everything_doubtful() {
    let mut watched = agreeing();
    watched.poll(200, Some(150));
    assert_eq!(
        watched.age(150, 200),
        Answer::Unknown(Reason::Timeout),
        "another log may be there"
    );
    watched.poll(390, Some(300));
    assert_eq!(
        watched.age(300, 390),
        Answer::Unknown(Reason::Timeout),
        "or a broker told an old end, and these came long ago"
    );
    watched.poll(400, Some(395));
    assert_eq!(
        known(watched.age(395, 400)).1,
        TimeMethod::Arrival,
        "beyond what was ever seen it is sure"
    );
}

#[test]
fn a_topic_made_anew_has_no_history() {
    let mut watched = agreeing();
    let name = watched.topic.clone();
    let (old, new) = (TopicId([1; 16]), TopicId([2; 16]));
    watched.all.topic(&name, Some(old), TimeSource::Record);
    assert_eq!(
        known(watched.age(195, 390)).1,
        TimeMethod::Arrival,
        "it is the same, now by its id"
    );
    watched.all.topic(&name, Some(new), TimeSource::Record);
    assert_eq!(watched.age(195, 390), Answer::Unknown(Reason::Timeout));
}

#[test]
fn an_age_by_arrival_does_not_jump_with_the_wall_clock_and_one_by_record_does() {
    let mut watched = agreeing();
    let before = known(watched.age(195, 390)).0;
    watched.now.wall.0 += 3_600_000;
    assert_eq!(known(watched.age(195, 390)).0, before);
    let mut read = Watched::new();
    read.poll(10, Some(1));
    let time = read.ago(100);
    read.answer(|offset| Ok(RecordAt::Found(offset, time)));
    read.now.wall.0 -= 3_600_000;
    assert_eq!(known(read.age(1, 10)).0, 0, "never negative");
}

#[test]
fn where_reading_is_denied_arrival_serves_and_questions_by_time_narrow_the_rest() {
    let mut watched = Watched::new();
    let age = 7_000;
    watched.poll(1_000, Some(400));
    watched.answer(denied);
    assert_eq!(watched.age(400, 1_000), Answer::Unknown(Reason::Authorization));
    let first = watched.now.wall.0;
    // One record a second, 400 of them older than what is asked for.
    let dated = |offset: i64| first - age * 1000 + (offset - 400) * 1000;
    let mut rounds = 0;
    while !matches!(watched.age(400, 1_000), Answer::Known(time) if time.error_ms <= 140_000) {
        rounds += 1;
        assert!(rounds < 15, "{:?}", watched.age(400, 1_000));
        let plan = watched.all.plan(watched.now);
        assert!(plan.reads.is_empty(), "refused once, not asked again at once");
        assert_eq!(plan.by_time.len(), 1);
        for question in &plan.by_time {
            let found = (0..1_000).find(|offset| dated(*offset) >= question.2.0);
            let answer = Ok(found.map(|offset| (at(offset), UnixMillis(dated(offset)))));
            watched.all.learn_by_time(question, &answer, watched.now);
        }
        watched.poll(1_000, Some(400));
    }
    let Answer::Known(told) = watched.age(400, 1_000) else {
        unreachable!("just matched")
    };
    let truth = u64::try_from(watched.now.wall.0 - dated(400)).expect("in the past");
    assert!(
        told.age_ms.abs_diff(truth) <= u64::from(told.error_ms),
        "{told:?}, {truth}"
    );
    assert!(matches!(told.method, TimeMethod::Bracket | TimeMethod::Record));

    watched.poll(1_010, Some(1_005));
    assert_eq!(known(watched.age(1_005, 1_010)).1, TimeMethod::Arrival);
    watched.pass(300);
    watched.poll(1_010, Some(1_005));
    watched.want(3, 1_010);
    assert!(
        !watched.all.plan(watched.now).reads.is_empty(),
        "perhaps it is allowed by now"
    );
}

#[test]
fn a_failed_read_says_why_and_goes_to_the_end_of_the_queue() {
    let mut watched = Watched::new();
    watched.poll(100, Some(10));
    watched.answer(|_| Err(Cause::Disconnected));
    assert_eq!(watched.age(10, 100), Answer::Unknown(Reason::BrokerUnavailable));
    watched.pass(1);
    watched.want(20, 100);
    watched.poll(100, Some(10));
    watched.want(20, 100);
    let order: Vec<Offset> = watched.all.plan(watched.now).reads.iter().map(|read| read.2).collect();
    assert_eq!(order, [at(10), at(20)], "tried at 15 s, first wanted at 16 s");
    watched.answer(|_| Err(Cause::TimedOut));
    assert_eq!(watched.age(20, 100), Answer::Unknown(Reason::Timeout));
}

#[test]
fn no_more_is_asked_than_the_limit_and_everybody_has_a_turn() {
    let mut all = Timelines::new(Settings {
        poll_interval: Duration::from_secs(POLL),
        read: true,
        per_cycle: 10,
    });
    let name = TopicName::from("t");
    let mut now = Moment {
        mono: Duration::ZERO,
        wall: UnixMillis(START),
    };
    let mut asked = std::collections::BTreeSet::new();
    for _ in 0..10 {
        now.mono += Duration::from_secs(POLL);
        let topic = all.topic(&name, None, TimeSource::Record);
        for partition in 0..100 {
            topic.observe_end(Partition(partition), at(10), now);
            topic.want(Partition(partition), at(1), at(10), now);
            topic.want(Partition(partition), at(1), at(10), now);
        }
        let plan = all.plan(now);
        assert_eq!(plan.reads.len(), 10);
        assert!(
            all.plan(now).is_empty(),
            "a second round of the cycle has nothing left of its limit"
        );
        for read in &plan.reads {
            assert!(asked.insert(read.clone()), "{read:?} again, before others had a turn");
            all.learn_read(read, Err(Cause::TimedOut), now);
        }
    }
    assert_eq!(asked.len(), 100);
}

#[test]
fn where_reading_is_switched_off_nothing_is_read() {
    let mut watched = Watched::with(false);
    watched.poll(100, Some(10));
    let plan = watched.all.plan(watched.now);
    assert!(plan.reads.is_empty() && plan.by_time.len() == 1);
    assert_eq!(watched.age(10, 100), Answer::Unknown(Reason::Other));
}

#[test]
fn a_partition_at_its_fullest_takes_600_bytes_and_an_idle_one_little() {
    let mut watched = agreeing();
    for poll in 40..3_000i64 {
        watched.poll(poll * poll, Some(poll * poll - 5));
    }
    assert!(watched.all.bytes() <= 600, "{}", watched.all.bytes());
    let mut idle = Watched::new();
    for _ in 0..1_000 {
        idle.poll(7, None);
    }
    assert!(idle.all.bytes() <= 112, "{}", idle.all.bytes());
}
