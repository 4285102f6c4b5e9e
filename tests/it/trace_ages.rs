//! The published lag in seconds against the truth, over made-up traffic, and against two well-known estimates on the same traffic: lag
//! divided by the recent rate, and a straight line over the whole log. The table of `docs/time-lag.md` is printed by
//! `cargo test --test it trace_ages -- --include-ignored --nocapture`.

use std::time::Duration;

use tidemark::failure::Cause;
use tidemark::failure::ErrorCode;
use tidemark::model::Moment;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::RecordAt;
use tidemark::model::TimeMethod;
use tidemark::model::TimeSource;
use tidemark::model::TopicName;
use tidemark::model::UnixMillis;
use tidemark::time::Answer;
use tidemark::time::Settings;
use tidemark::time::Timelines;

const POLL: u32 = 15;
const HOUR: f64 = 3600.0;
/// The log is two hours old when tidemark starts.
const BEFORE: f64 = 2.0 * HOUR;
const START: f64 = 1_700_000_000.0;

/// One kind of traffic.
struct Trace {
    name: &'static str,
    hours: u32,
    /// Records a second, at a second, in the partition of a number.
    rate: fn(f64, f64) -> f64,
    reader: Reader,
    /// By how many seconds records are older than they come.
    older: f64,
    /// Whether records may be read.
    read: bool,
}

/// Where the group is.
enum Reader {
    /// Late by so many seconds, at a second, in the partition of a number.
    Late(fn(f64, f64) -> f64),
    /// Reads so many records a second.
    Speed(f64),
}

fn traces() -> Vec<Trace> {
    let wave = |t: f64, place: f64| 300.0 + 290.0 * (t / 1800.0 + place).sin();
    let bursts = |t: f64, place: f64| {
        if (t + place * 97.0) % (1_000.0 + place * 13.0) < 60.0 {
            1_000.0
        } else {
            0.05
        }
    };
    let trace = |name| Trace {
        name,
        hours: 3,
        rate: |_, _| 100.0,
        reader: Reader::Late(wave),
        older: 0.0,
        read: true,
    };
    vec![
        trace("steady"),
        Trace {
            rate: bursts,
            reader: Reader::Speed(70.0),
            ..trace("bursty")
        },
        Trace {
            rate: |t, place| if t < HOUR + place { 100.0 } else { 0.0 },
            reader: Reader::Late(|t, _| (t - 0.5 * HOUR).max(2.0)),
            ..trace("stopped, then an idle producer")
        },
        Trace {
            older: 6.0 * HOUR,
            ..trace("mirrored, six hours old")
        },
        Trace {
            hours: 24,
            rate: |t, place| 100.0 + 90.0 * (t / HOUR / 24.0 * std::f64::consts::TAU + place).sin(),
            reader: Reader::Late(|t, _| t * 0.6 + 60.0),
            ..trace("a day, ever further behind")
        },
        Trace {
            rate: bursts,
            reader: Reader::Speed(70.0),
            read: false,
            ..trace("bursty, READ denied")
        },
        Trace {
            older: 6.0 * HOUR,
            read: false,
            ..trace("mirrored, READ denied")
        },
    ]
}

/// A partition's log: how many records there were at every second.
struct Log {
    ends: Vec<f64>,
    older: f64,
}

impl Log {
    fn new(trace: &Trace, place: f64) -> Self {
        let seconds = 7_200 + trace.hours * 3_600;
        let mut end = 0.0;
        let ends = (0..=seconds).map(|second| {
            let now = end;
            // Never quite even, and never twice the same.
            let uneven = 1.0 + 0.5 * (f64::from(second) * 0.7 + place).sin() * (f64::from(second) * 0.013).cos();
            end += (trace.rate)(f64::from(second) - BEFORE, place) * uneven;
            now
        });
        Self {
            ends: ends.collect(),
            older: trace.older,
        }
    }

    /// Records at a moment.
    fn end(&self, t: f64) -> f64 {
        let at = (t + BEFORE).clamp(0.0, as_f64(self.ends.len() - 1));
        let (second, part) = (as_index(at), at.fract());
        let next = self.ends[(second + 1).min(self.ends.len() - 1)];
        self.ends[second] + (next - self.ends[second]) * part
    }

    /// The time of a record: it comes when the count passes it.
    fn dated(&self, record: f64) -> f64 {
        let passed = record + 1.0;
        let right = self
            .ends
            .partition_point(|end| *end < passed)
            .clamp(1, self.ends.len() - 1);
        let (a, b) = (self.ends[right - 1], self.ends[right]);
        let part = if b > a {
            ((passed - a) / (b - a)).clamp(0.0, 1.0)
        } else {
            1.0
        };
        as_f64(right - 1) + part - BEFORE - self.older
    }
}

#[derive(Default)]
struct Errors {
    ours: Vec<f64>,
    /// By how much the worst of them is beyond what is promised: a poll and a quarter, or 2 % of the age.
    beyond: f64,
    by_rate: Vec<f64>,
    by_line: Vec<f64>,
    absent: u64,
    without_rate: u64,
    reads: u64,
    broken_bounds: u64,
    hours: f64,
}

fn as_f64(number: usize) -> f64 {
    f64::from(u32::try_from(number).expect("small"))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small and not negative"
)]
fn as_index(number: f64) -> usize {
    number as usize
}

#[expect(clippy::cast_possible_truncation, reason = "far below 2^53")]
fn whole(number: f64) -> i64 {
    number.floor() as i64
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

fn offset(raw: f64) -> Offset {
    Offset::new(whole(raw)).expect("not negative")
}

fn wall(t: f64) -> UnixMillis {
    UnixMillis(whole((START + t) * 1000.0))
}

fn run(trace: &Trace, place: f64, errors: &mut Errors) {
    let log = Log::new(trace, place);
    let name = TopicName::from("t");
    let mut all = Timelines::new(Settings {
        poll_interval: Duration::from_secs(u64::from(POLL)),
        read: true,
        per_cycle: 1,
    });
    let mut committed = log.end(-400.0).floor();
    errors.hours += f64::from(trace.hours);
    for poll in 1..trace.hours * 3_600 / POLL {
        let t = f64::from(poll * POLL) + (place * 7.3).fract() * 0.3;
        let end = log.end(t).floor();
        committed = match trace.reader {
            Reader::Late(late) => committed.max(log.end(t - late(t, place)).floor()),
            Reader::Speed(speed) => end.min(committed + speed * f64::from(POLL)),
        };
        let now = Moment {
            mono: Duration::from_secs_f64(t),
            wall: wall(t),
        };
        let topic = all.topic(&name, None, TimeSource::Record);
        topic.observe_end(Partition(0), offset(end), now);
        topic.want(Partition(0), offset(committed), offset(end), now);
        ask(&mut all, &log, trace, (t, end), now, errors);
        let answer = all
            .get(&name)
            .expect("just told")
            .age(Partition(0), offset(committed), offset(end), now);
        if committed < end {
            let truth = t - log.dated(committed);
            judge(answer, truth, errors);
            others(&log, (t, committed, end), truth, errors);
        }
    }
}

/// Two rounds of questions, as the collector asks them.
fn ask(all: &mut Timelines, log: &Log, trace: &Trace, (t, end): (f64, f64), now: Moment, errors: &mut Errors) {
    for _ in 0..2 {
        let plan = all.plan(now);
        for (topic, partition) in &plan.newest {
            all.learn_newest(
                topic,
                *partition,
                &Ok(Some((offset(end - 1.0), wall(log.dated(end - 1.0))))),
                now,
            );
        }
        for read in &plan.reads {
            errors.reads += 1;
            let record = as_f64(usize::try_from(read.2.get()).expect("small"));
            let found = if trace.read {
                Ok(RecordAt::Found(read.2, Some(wall(log.dated(record)))))
            } else {
                Err(Cause::Code(ErrorCode::TOPIC_AUTHORIZATION_FAILED))
            };
            all.learn_read(read, found, now);
        }
        for question in &plan.by_time {
            errors.reads += 1;
            // The first record whose time is not before what is asked for.
            let asked = seconds(question.2.0.unsigned_abs()) - START;
            let first = (log.end(asked + log.older)).ceil().max(0.0);
            let first = if first > 0.0 && log.dated(first - 1.0) >= asked {
                first - 1.0
            } else {
                first
            };
            let found = (first < log.end(t).floor()).then(|| (offset(first), wall(log.dated(first))));
            all.learn_by_time(question, &Ok(found), now);
        }
    }
}

fn judge(answer: Answer, truth: f64, errors: &mut Errors) {
    match answer {
        Answer::Known(told) => {
            let error = (seconds(told.age_ms) - truth).abs();
            errors.ours.push(error);
            let promised = (f64::from(POLL) * 1.25).max(truth / 50.0);
            errors.beyond = errors.beyond.max(error - promised);
            // Times are cut to the millisecond.
            if error > f64::from(told.error_ms) / 1000.0 + 0.01 {
                errors.broken_bounds += 1;
            }
            assert_ne!(told.method, TimeMethod::CaughtUp);
        }
        Answer::Unknown(_) => errors.absent += 1,
        other => panic!("there is lag: {other:?}"),
    }
}

fn others(log: &Log, (t, committed, end): (f64, f64, f64), truth: f64, errors: &mut Errors) {
    let rate = (end - log.end(t - 300.0)) / 300.0;
    if rate > 0.0 {
        errors.by_rate.push(((end - committed) / rate - truth).abs());
    } else {
        errors.without_rate += 1;
    }
    let (first, last) = (log.dated(0.0), log.dated(end - 1.0));
    let line = first + (last - first) * committed / (end - 1.0).max(1.0);
    errors.by_line.push((t - line - truth).abs());
}

fn summary(errors: &mut [f64]) -> String {
    errors.sort_by(f64::total_cmp);
    match (errors.get(errors.len() / 2), errors.last()) {
        (Some(median), Some(worst)) => format!("{median:.1} / {worst:.1}"),
        _ => "–".to_owned(),
    }
}

fn table(partitions: u32) {
    println!(
        "| traffic, {partitions} partitions | readings | tidemark | beyond the promise | absent | questions per partition and hour | lag ÷ rate of 5 min (no rate) | line over the log |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for trace in traces() {
        let mut errors = Errors::default();
        for place in 0..partitions {
            run(&trace, f64::from(place), &mut errors);
        }
        let readings = as_f64(errors.ours.len()) + f64::from(u32::try_from(errors.absent).expect("small"));
        println!(
            "| {} | {readings} | {} | {:.1} | {} | {:.1} | {} ({}) | {} |",
            trace.name,
            summary(&mut errors.ours),
            errors.beyond.max(0.0),
            errors.absent,
            f64::from(u32::try_from(errors.reads).expect("small")) / errors.hours,
            summary(&mut errors.by_rate),
            errors.without_rate,
            summary(&mut errors.by_line),
        );
        assert_eq!(errors.broken_bounds, 0, "{}: an error bound did not hold", trace.name);
        if trace.read {
            assert_eq!(errors.absent, 0, "{}", trace.name);
            assert!(errors.beyond <= 0.0, "{}: {} s beyond", trace.name, errors.beyond);
        }
    }
}

#[test]
fn every_published_age_is_within_its_bound_and_the_bound_within_the_promise() {
    table(4);
}

#[test]
#[ignore = "a minute of processor time: makes the table of the documentation"]
fn the_table_of_a_hundred_partitions() {
    table(100);
}
