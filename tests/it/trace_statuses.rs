//! A week of a mixed fleet, replayed at full speed: who is called stalled, stopped and so on though it is well, who is not though it is
//! not, and how long it takes. Shows the table of `docs/statuses.md` with `--nocapture`.

use std::sync::Mutex;
use std::time::Duration;

use tidemark::model::GroupState;
use tidemark::model::Moment;
use tidemark::model::Offset;
use tidemark::model::Partition;
use tidemark::model::Status;
use tidemark::model::Text;
use tidemark::model::TopicName;
use tidemark::model::UnixMillis;
use tidemark::observation::Assignment;
use tidemark::observation::Description;
use tidemark::observation::Member;
use tidemark::verdict::GroupWatch;
use tidemark::verdict::Owner;
use tidemark::verdict::PairState;
use tidemark::verdict::Readable;
use tidemark::verdict::Reading;
use tidemark::verdict::Settings;
use tidemark::verdict::Verdict;

const POLL: f64 = 15.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;
const WEEK: f64 = 7.0 * DAY;
/// tidemark is restarted here, and knows nothing of before.
const RESTARTS: [f64; 3] = [1.3 * DAY, 3.31 * DAY, 5.127 * DAY];
/// Kafka cannot be reached, and nobody reads or writes.
const OUTAGE: (f64, f64) = (4.2 * DAY, 4.2 * DAY + 600.0);
const PARTITIONS: usize = 2;

/// What the group does at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Working,
    /// Its members keep their partitions and commit nothing.
    Hanging,
    /// No members.
    Gone,
    Rebalancing,
}

/// One kind of group.
struct Kind {
    name: &'static str,
    /// Records a second, at a second of the week.
    rate: fn(f64) -> f64,
    /// Seconds between commits.
    every: f64,
    /// How late its reading is.
    late: f64,
    doing: fn(f64) -> Doing,
    /// Where it is slower than the producer: records a second.
    speed: fn(f64) -> f64,
    /// Statuses that are right for it while it works, besides `ok`.
    fine: &'static [Status],
    does: Does,
}

/// What sets a kind apart.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Commit,
    /// Commits from outside of the group: nobody ever owns a partition.
    CommitWithoutMembers,
    NeverCommit,
    /// Every record is followed by a marker, which the commit does not pass.
    Transactions,
    /// Too slow for three hours of every fifteen.
    FallBehind,
    /// Left behind three days before the week began.
    Nothing,
}

const fn kind(name: &'static str) -> Kind {
    Kind {
        name,
        rate: |t| 150.0 + 100.0 * (t / DAY * std::f64::consts::TAU).sin(),
        every: 5.0,
        late: 0.0,
        doing: |_| Doing::Working,
        speed: |_| f64::INFINITY,
        fine: &[],
        does: Does::Commit,
    }
}

/// True for the first `length` seconds of every `period`.
fn part(t: f64, period: f64, length: f64) -> bool {
    t % period < length
}

fn hangs(t: f64) -> Doing {
    if (1.0..6.9).contains(&(t / DAY)) && part(t, 7.3 * HOUR, 0.7 * HOUR) {
        Doing::Hanging
    } else {
        Doing::Working
    }
}

fn fleet() -> Vec<Kind> {
    vec![
        kind("keeps up"),
        Kind {
            rate: |_| 1.0 / 420.0,
            ..kind("a record every seven minutes")
        },
        Kind {
            rate: |t| if part(t, DAY, 10.0 * HOUR) { 0.0 } else { 40.0 },
            ..kind("quiet nights")
        },
        Kind {
            every: 60.0,
            ..kind("commits every minute")
        },
        Kind {
            every: 300.0,
            does: Does::CommitWithoutMembers,
            ..kind("checkpoints every five minutes, no members")
        },
        Kind {
            every: 600.0,
            ..kind("batch every ten minutes")
        },
        Kind {
            doing: |t| {
                if part(t, 600.0, 180.0) {
                    Doing::Working
                } else {
                    Doing::Gone
                }
            },
            ..kind("runs for three of every ten minutes")
        },
        Kind {
            every: 60.0,
            late: 600.0,
            ..kind("sawtooth, ten minutes late")
        },
        Kind {
            every: 100.0,
            late: 900.0,
            rate: |_| 100.0,
            ..kind("sawtooth, 100 s, a quarter of an hour late")
        },
        Kind {
            doing: |t| {
                if part(t, 6.0 * HOUR, 400.0) && part(t, 40.0, 25.0) {
                    Doing::Rebalancing
                } else {
                    Doing::Working
                }
            },
            ..kind("rolling restarts of ten members, eager")
        },
        Kind {
            doing: |t| match t % (12.0 * HOUR) {
                since if since < 45.0 => Doing::Gone,
                since if since < 60.0 => Doing::Rebalancing,
                _ => Doing::Working,
            },
            ..kind("deployed twice a day, gone for 45 s")
        },
        Kind {
            doing: |t| {
                if part(t, HOUR, 40.0) {
                    Doing::Hanging
                } else {
                    Doing::Working
                }
            },
            ..kind("pauses of 40 s every hour")
        },
        Kind {
            rate: |_| 1.0 / 1800.0,
            does: Does::Transactions,
            ..kind("idle transactional topic")
        },
        Kind {
            does: Does::Nothing,
            doing: |_| Doing::Gone,
            fine: &[Status::Dormant],
            ..kind("abandoned before the week")
        },
        Kind {
            doing: hangs,
            ..kind("hangs for 40 minutes")
        },
        Kind {
            every: 60.0,
            doing: hangs,
            ..kind("commits every minute, hangs")
        },
        Kind {
            doing: |t| {
                if part(t, 11.0 * HOUR, 2.0 * HOUR) {
                    Doing::Gone
                } else {
                    Doing::Working
                }
            },
            ..kind("dies for two hours")
        },
        Kind {
            every: 600.0,
            doing: |t| {
                if part(t, 22.0 * HOUR, 3.0 * HOUR) {
                    Doing::Gone
                } else {
                    Doing::Working
                }
            },
            ..kind("batch every ten minutes, dies for three hours")
        },
        Kind {
            doing: |t| match (part(t, 30.0 * HOUR, 2.0 * HOUR), part(t, 60.0, 20.0)) {
                (true, true) => Doing::Rebalancing,
                (true, false) => Doing::Hanging,
                _ => Doing::Working,
            },
            ..kind("crash loop for two hours, a rebalance a minute")
        },
        Kind {
            does: Does::NeverCommit,
            ..kind("never commits")
        },
        Kind {
            rate: |_| 100.0,
            speed: |t| if part(t, 15.4 * HOUR, 3.0 * HOUR) { 60.0 } else { 400.0 },
            fine: &[Status::Behind],
            does: Does::FallBehind,
            ..kind("60 % of the needed speed for three hours")
        },
    ]
}

/// One partition: its log and the group's commit.
struct Sim {
    /// (second, log end), one a poll.
    log: Vec<(f64, f64)>,
    committed: Option<f64>,
    /// When the commit last moved, and when there was last nothing to read.
    moved: f64,
    level: f64,
    /// What the group was doing when its commit last stood still for a reason.
    troubled: bool,
    next_commit: f64,
    noise: u64,
    pair: PairState,
    waiting: Option<Episode>,
    transaction_seen: (u64, u32),
}

/// Trouble that must be found.
struct Episode {
    /// Since when it could be seen.
    since: f64,
    found: bool,
    missed: bool,
}

#[derive(Default)]
struct Tally {
    readings: u64,
    troubles: u32,
    missed: u32,
    wrong: u32,
    first_wrong: Option<String>,
    /// Seconds to detect and the window then.
    detected: Vec<(f64, f64)>,
}

impl Tally {
    fn wrong(&mut self, verdict: &Verdict, now: f64, fine: bool) {
        if !fine {
            self.wrong += 1;
            self.first_wrong
                .get_or_insert_with(|| format!("{} at {now}", verdict.status));
        }
    }
}

impl Sim {
    fn new(kind: &Kind, place: usize) -> Self {
        let phase = kind.every * (0.17 + 0.31 * f64::from(u32::try_from(place).expect("small")));
        let end = 1_000_000.0;
        Self {
            log: vec![(-2_000.0, end - 2_000.0 * (kind.rate)(0.0)), (0.0, end)],
            committed: match kind.does {
                Does::NeverCommit => None,
                Does::Nothing => Some(10.0),
                _ => Some((end - kind.late * (kind.rate)(0.0)).floor()),
            },
            moved: -1.0,
            level: 0.0,
            troubled: false,
            next_commit: phase,
            noise: 0x9e37_79b9 + u64::try_from(place).expect("small"),
            pair: PairState::new(),
            waiting: None,
            transaction_seen: (0, 0),
        }
    }

    /// Between 0 and 1.
    fn random(&mut self) -> f64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        f64::from(u32::try_from(self.noise >> 40).expect("24 bits")) / f64::from(1 << 24)
    }

    fn end(&self) -> f64 {
        self.log.last().expect("never empty").1
    }

    /// The log end at a second, or the second at which it passed an offset.
    fn look_up(&self, key: f64, of: fn(&(f64, f64)) -> (f64, f64)) -> f64 {
        let right = self
            .log
            .partition_point(|point| of(point).0 <= key)
            .clamp(1, self.log.len() - 1);
        let (a, b) = (of(&self.log[right - 1]), of(&self.log[right]));
        if b.0 > a.0 {
            a.1 + (b.1 - a.1) * ((key - a.0) / (b.0 - a.0)).clamp(0.0, 1.0)
        } else {
            b.1
        }
    }

    fn live(&mut self, kind: &Kind, from: f64, to: f64) {
        let out = (OUTAGE.0..OUTAGE.1).contains(&to);
        let noise = 0.8 + 0.4 * self.random();
        let grown = if out {
            0.0
        } else {
            (kind.rate)(to) * (to - from) * noise
        };
        let end = self.end() + grown;
        if end.floor() == self.end().floor() && self.committed.is_none_or(|c| c >= self.end().floor()) {
            self.level = to;
        }
        self.log.push((to, end));
        while self.next_commit <= to {
            let at = self.next_commit;
            self.next_commit += kind.every;
            let doing = (kind.doing)(at);
            if doing == Doing::Working && !out {
                self.commit(kind, at);
            }
        }
        self.troubled |= matches!((kind.doing)(to), Doing::Hanging | Doing::Gone) || out;
    }

    fn commit(&mut self, kind: &Kind, at: f64) {
        let Some(before) = self.committed.filter(|_| kind.does != Does::Nothing) else {
            return;
        };
        // Whoever is late was kept from reading by the outage too, and still is as late in records.
        let kept = (OUTAGE.1..OUTAGE.1 + kind.late).contains(&at);
        let late = kind.late + if kept { OUTAGE.1 - OUTAGE.0 } else { 0.0 };
        let read = self.look_up(at - late, |point| *point).floor();
        let read = read.min(before + ((kind.speed)(at) * kind.every).floor());
        if read > before {
            self.committed = Some(read);
            self.moved = at;
            self.troubled = false;
        }
        if self.committed == Some(self.end().floor()) {
            self.level = at;
        }
    }

    fn judge(&mut self, kind: &Kind, watch: &GroupWatch, now: f64, settings: &Settings) -> Verdict {
        let moment = moment(now);
        if (OUTAGE.0..OUTAGE.1).contains(&now) {
            return self.pair.missed(moment.mono, settings);
        }
        let marker = if kind.does == Does::Transactions { 1.0 } else { 0.0 };
        let (end, committed) = (self.end().floor() + marker, self.committed);
        let age = committed
            .filter(|c| *c < end - marker)
            .map(|c| now - self.look_up(c, |(t, e)| (*e, *t)));
        let abandoned = kind.does == Does::Nothing;
        let reading = Reading {
            committed: committed.map(offset),
            start: Offset::ZERO,
            end: offset(end),
            readable: self.readable(committed, end, marker),
            owner: match (kind.doing)(now) {
                Doing::Gone => Owner::Nobody,
                Doing::Rebalancing => Owner::Unknown,
                _ if kind.does == Does::CommitWithoutMembers => Owner::Nobody,
                _ => Owner::Member,
            },
            age: if abandoned { Some(3.0 * DAY) } else { age }.map(|age| Duration::from_secs_f64(age.max(0.0))),
        };
        self.pair.update(&reading, &watch.situation(moment, false), settings)
    }

    /// That only a marker is left is known once the offset was read, two polls after it stands.
    fn readable(&mut self, committed: Option<f64>, end: f64, marker: f64) -> Readable {
        let at = committed.map_or(0, |c| offset(c).get().unsigned_abs());
        self.transaction_seen = match self.transaction_seen {
            (seen, polls) if seen == at => (at, polls + 1),
            _ => (at, 0),
        };
        let only_marker = marker > 0.0 && committed.is_some_and(|c| c >= end - marker);
        if only_marker && self.transaction_seen.1 >= 2 {
            Readable::Nothing
        } else {
            Readable::Presumably
        }
    }

    fn take(&mut self, kind: &Kind, verdict: &Verdict, now: f64, tally: &mut Tally) {
        tally.readings += 1;
        if (OUTAGE.0..OUTAGE.1).contains(&now) {
            // What was said last stands for `max_staleness`.
            self.close(tally);
            let stale = now - OUTAGE.0 > 45.0 + POLL;
            return tally.wrong(verdict, now, !stale || verdict.status == Status::Unreadable);
        }
        let Some(since) = self.trouble(kind, now) else {
            self.close(tally);
            let fine = verdict.status == Status::Ok || kind.fine.contains(&verdict.status);
            return tally.wrong(verdict, now, fine);
        };
        let episode = self.waiting.get_or_insert(Episode {
            since,
            found: false,
            missed: false,
        });
        episode.since = episode.since.max(since);
        let right = match (kind.doing)(now) {
            _ if kind.does == Does::NeverCommit => verdict.status == Status::Uncommitted,
            _ if kind.does == Does::FallBehind => verdict.status == Status::Behind,
            Doing::Gone => verdict.status == Status::Stopped,
            _ => matches!(verdict.status, Status::Stalled | Status::Stopped),
        };
        let rebalances = kind.name.starts_with("crash loop");
        let window = verdict.window.as_secs_f64();
        let more = match kind.does {
            // A rise shows when thirds of the window are whole, and those of the cautious window at first do not count.
            Does::FallBehind => window + if since <= known_since(now) + 675.0 { 675.0 } else { 0.0 },
            _ if rebalances => 300.0,
            _ => 0.0,
        };
        let allowed = window + 2.0 * POLL + more;
        if right && !episode.found {
            episode.found = true;
            tally.detected.push((now - episode.since, window));
        }
        if !right && now - episode.since > allowed && !episode.missed {
            episode.missed = true;
            tally
                .first_wrong
                .get_or_insert_with(|| format!("{} at {now}, {} s late", verdict.status, now - episode.since));
        }
    }

    /// Since when the group has had something to read and not moved, for a reason that is trouble; `None` while it is well.
    fn trouble(&self, kind: &Kind, now: f64) -> Option<f64> {
        let known = known_since(now);
        let pauses_are_its_pace = kind.name.starts_with("runs for") || kind.name.starts_with("pauses");
        let lags = self.committed.is_none_or(|c| c < self.end().floor());
        match kind.does {
            // That the log grows shows in the second reading.
            Does::NeverCommit => Some(known + POLL),
            Does::Nothing => None,
            // It takes 150 s to become a minute late.
            Does::FallBehind => {
                let since = now % (15.4 * HOUR);
                (150.0..3.0 * HOUR)
                    .contains(&since)
                    .then_some((now - since + 150.0).max(known))
            }
            _ if pauses_are_its_pace => None,
            _ => (self.troubled && lags).then_some(self.moved.max(self.level).max(known)),
        }
    }

    fn close(&mut self, tally: &mut Tally) {
        if let Some(episode) = self.waiting.take() {
            tally.troubles += u32::from(episode.found || episode.missed);
            tally.missed += u32::from(episode.missed);
        }
    }
}

/// Since when readings have come without a break.
fn known_since(now: f64) -> f64 {
    let breaks = RESTARTS.into_iter().chain([OUTAGE.1]);
    breaks.filter(|at| *at <= now).fold(0.0, f64::max)
}

fn offset(raw: f64) -> Offset {
    #[expect(clippy::cast_possible_truncation, reason = "whole numbers far below 2^53")]
    Offset::new(raw as i64).expect("not negative")
}

fn moment(seconds: f64) -> Moment {
    #[expect(clippy::cast_possible_truncation, reason = "a week of milliseconds")]
    let wall = UnixMillis(1_700_000_000_000 + (seconds * 1000.0) as i64);
    Moment {
        mono: Duration::from_secs_f64(seconds),
        wall,
    }
}

fn described(state: GroupState, member: Option<&str>) -> Description {
    let member = member.map(|id| Member {
        id: Text::from(id),
        instance_id: None,
        client_id: Text::from("app"),
        host: Text::from("10.0.0.1"),
        assignment: Assignment::Partitions(vec![(TopicName::from("orders"), (0..3).map(Partition).collect())]),
        target: None,
        epoch: None,
        protocol: None,
        tasks: None,
    });
    Description {
        state,
        protocol_type: Text::from("consumer"),
        protocol: Text::from("range"),
        members: member.into_iter().collect(),
        epochs: None,
    }
}

fn replay(kind: &Kind, settings: &Settings) -> Tally {
    let empty = described(GroupState::Empty, None);
    let rebalancing = described(GroupState::PreparingRebalance, Some("a"));
    let stable = described(GroupState::Stable, Some("a"));
    let mut sims: Vec<Sim> = (0..PARTITIONS).map(|place| Sim::new(kind, place)).collect();
    let (mut watch, mut tally) = (GroupWatch::new(), Tally::default());
    let (mut before, mut poll) = (0.0, 0.0);
    while before < WEEK {
        poll += POLL;
        // Cycles do not end on the second.
        let now = poll + 0.4 * (sims[0].random() - 0.5);
        if RESTARTS.iter().any(|at| (before..now).contains(at)) {
            watch = GroupWatch::new();
            for sim in &mut sims {
                sim.pair = PairState::new();
                sim.close(&mut tally);
            }
        }
        let outage = (OUTAGE.0..OUTAGE.1).contains(&now);
        if !outage {
            let members = kind.does != Does::CommitWithoutMembers;
            let state = match (kind.doing)(now) {
                Doing::Gone => &empty,
                Doing::Rebalancing => &rebalancing,
                _ if members => &stable,
                _ => &empty,
            };
            watch.update(state, moment(now));
        }
        for sim in &mut sims {
            sim.live(kind, before, now);
            let verdict = sim.judge(kind, &watch, now, settings);
            if verdict.changes.moved {
                watch.progressed(moment(now));
            }
            sim.take(kind, &verdict, now, &mut tally);
        }
        before = now;
    }
    sims.iter_mut().for_each(|sim| sim.close(&mut tally));
    tally
}

/// Every kind on its own, as many at once as there are processors.
fn replay_all(settings: &Settings) -> Vec<(Kind, Tally)> {
    let kinds = Mutex::new(fleet().into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let next = kinds.lock().expect("nobody panics with it").next();
                    let Some((place, kind)) = next else { return };
                    let tally = replay(&kind, settings);
                    done.lock().expect("nobody panics with it").push((place, kind, tally));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("nobody panics with it");
    done.sort_by_key(|(place, ..)| *place);
    done.into_iter().map(|(_, kind, tally)| (kind, tally)).collect()
}

#[test]
fn a_week_of_a_mixed_fleet_has_no_false_alarm_and_every_trouble_is_found_in_time() {
    let settings = Settings {
        poll_interval: Duration::from_secs(15),
        status_cycles: 5,
        window_max: Duration::from_secs(1800),
        dormant_after: Duration::from_secs(86_400),
        max_staleness: Duration::from_secs(45),
    };
    println!(
        "| groups of this kind | readings | troubles | found | missed | false | seconds to detect, median (worst) | window then |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut bad = Vec::new();
    for (kind, mut tally) in replay_all(&settings) {
        tally.detected.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (detected, window) = match (tally.detected.get(tally.detected.len() / 2), tally.detected.last()) {
            (Some(median), Some(worst)) => (format!("{:.0} ({:.0})", median.0, worst.0), format!("{:.0}", median.1)),
            _ => ("–".to_owned(), "–".to_owned()),
        };
        let Tally {
            readings,
            troubles,
            missed,
            wrong,
            ..
        } = tally;
        println!(
            "| {} | {readings} | {troubles} | {} | {missed} | {wrong} | {detected} | {window} |",
            kind.name,
            troubles - missed
        );
        if wrong + missed > 0 {
            bad.push(format!(
                "{}: {wrong} false ({:?}), {missed} missed",
                kind.name, tally.first_wrong
            ));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}
