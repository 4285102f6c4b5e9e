use super::*;

const POLL: u64 = 15;
/// `status_cycles` polls.
const SHORT: u64 = 75;
/// The window while no wait is known, and at first.
const CAUTIOUS: u64 = 675;

fn settings() -> Settings {
    Settings {
        poll_interval: Duration::from_secs(POLL),
        status_cycles: 5,
        window_max: Duration::from_secs(1800),
        dormant_after: Duration::from_secs(86_400),
        max_staleness: Duration::from_secs(45),
    }
}

fn at(raw: u64) -> Offset {
    Offset::new(raw.cast_signed()).expect("not negative")
}

/// One partition of one group, polled every fifteen seconds.
struct Watched {
    pair: PairState,
    now: u64,
    start: u64,
    owner: Owner,
    members: bool,
    readable: Readable,
    age: Option<u64>,
    rebalanced: Option<u64>,
    active: Option<u64>,
    objective: bool,
}

impl Watched {
    /// With a member that has the partition.
    fn owned() -> Self {
        Self {
            pair: PairState::new(),
            now: 0,
            start: 0,
            owner: Owner::Member,
            members: true,
            readable: Readable::Presumably,
            age: None,
            rebalanced: None,
            active: None,
            objective: false,
        }
    }

    fn without_members() -> Self {
        Self {
            owner: Owner::Nobody,
            members: false,
            ..Self::owned()
        }
    }

    /// A partition that is known to wait for less than a poll: watched for a while, and level at 120.
    fn prompt() -> Self {
        let mut watched = Self::owned();
        for end in 60..=120 {
            assert_eq!(watched.poll(end, end), Status::Ok);
        }
        watched
    }

    fn situation(&self) -> Situation {
        Situation {
            now: Duration::from_secs(self.now),
            rebalanced: self.rebalanced.map(Duration::from_secs),
            members: Some(self.members),
            active: if self.members { Some(self.now) } else { self.active }.map(Duration::from_secs),
            objective: self.objective,
        }
    }

    fn read(&mut self, committed: Option<u64>, end: u64) -> Verdict {
        let reading = Reading {
            committed: committed.map(at),
            start: at(self.start),
            end: at(end),
            readable: self.readable,
            owner: self.owner,
            age: self.age.map(Duration::from_secs),
        };
        let verdict = self.pair.update(&reading, &self.situation(), &settings());
        self.now += POLL;
        verdict
    }

    fn poll(&mut self, committed: u64, end: u64) -> Status {
        self.read(Some(committed), end).status
    }

    fn miss(&mut self) -> Status {
        let verdict = self.pair.missed(Duration::from_secs(self.now), &settings());
        self.now += POLL;
        verdict.status
    }

    /// Seconds until another status than `ok`, with C and E standing still; `None` if there is none for an hour.
    fn until_alarm(&mut self, committed: u64, end: u64) -> Option<(u64, Status)> {
        let begun = self.now;
        while self.now < begun + 3600 {
            let polled = self.now;
            let status = self.poll(committed, end);
            if status != Status::Ok {
                return Some((polled - begun, status));
            }
        }
        None
    }
}

#[test]
fn a_million_pairs_take_no_more_than_128_bytes_each() {
    assert!(size_of::<PairState>() <= 128, "{}", size_of::<PairState>());
}

#[test]
fn a_commit_that_stands_still_for_the_window_is_stalled_with_an_owner_and_stopped_without() {
    for (owner, status) in [(Owner::Member, Status::Stalled), (Owner::Nobody, Status::Stopped)] {
        let mut watched = Watched::prompt();
        watched.owner = owner;
        assert_eq!(watched.until_alarm(120, 130), Some((SHORT, status)));
        assert_eq!(watched.poll(121, 130), Status::Ok, "it moves again");
    }
}

#[test]
fn stalled_seconds_count_from_the_latest_of_move_begin_of_lag_and_first_reading() {
    let mut watched = Watched::owned();
    let stalled =
        |watched: &mut Watched, committed, end| watched.read(Some(committed), end).stalled.map(|d| d.as_secs());
    assert_eq!(stalled(&mut watched, 4, 10), Some(0), "the first reading");
    assert_eq!(stalled(&mut watched, 4, 10), Some(15));
    assert_eq!(stalled(&mut watched, 5, 10), Some(0), "C moved");
    assert_eq!(stalled(&mut watched, 10, 10), Some(0), "no lag");
    assert_eq!(stalled(&mut watched, 10, 10), Some(0), "still none");
    assert_eq!(stalled(&mut watched, 10, 11), Some(0), "lag began");
    assert_eq!(stalled(&mut watched, 10, 12), Some(15));
    watched.readable = Readable::Nothing;
    assert_eq!(stalled(&mut watched, 10, 12), Some(0), "not readable");
    assert_eq!(watched.read(None, 12).stalled, None, "no commit");
}

#[test]
fn before_a_wait_is_known_the_window_covers_whoever_commits_every_ten_minutes() {
    assert_eq!(Watched::owned().until_alarm(0, 10), Some((CAUTIOUS, Status::Stalled)));
}

#[test]
fn the_first_record_after_a_quiet_night_is_no_alarm() {
    let mut watched = Watched::prompt();
    for _ in 0..3_000 {
        assert_eq!(watched.poll(120, 120), Status::Ok);
    }
    assert_eq!(
        watched.poll(120, 121),
        Status::Ok,
        "twelve hours without a move, but nothing waited"
    );
    assert_eq!(watched.poll(121, 121), Status::Ok);
    assert_eq!(
        watched.until_alarm(121, 122),
        Some((SHORT, Status::Stalled)),
        "the night made the window no longer"
    );
}

/// Polls a group that reads everything every `period` seconds, for `hours`; true while nothing but `ok` is seen.
fn commits_every(watched: &mut Watched, period: u64, hours: u64) -> bool {
    let begun = watched.now;
    let mut fine = true;
    while watched.now < begun + hours * 3600 {
        let end = 1_000 + watched.now * 10;
        let committed = 1_000 + watched.now / period * period * 10;
        fine &= watched.poll(committed, end) == Status::Ok;
    }
    fine
}

#[test]
fn commits_every_minute_on_a_fifteen_second_poll_are_a_pace_of_their_own() {
    let mut watched = Watched::owned();
    watched.now = 7;
    assert!(commits_every(&mut watched, 60, 3));
    let verdict = watched.read(Some(1_000 + watched.now / 60 * 600), 1_000 + watched.now * 10);
    assert_eq!(verdict.usual_wait, Some(Duration::from_secs(60)));
    assert_eq!(verdict.window, Duration::from_secs(180));
}

#[test]
fn a_batch_job_that_commits_every_ten_minutes_is_fine_before_and_after_a_restart() {
    let mut watched = Watched::owned();
    assert!(commits_every(&mut watched, 600, 12));
    for since_commit in [0, 15, 300, 585] {
        let mut restarted = Watched::owned();
        restarted.now = 600_000 + since_commit;
        assert!(
            commits_every(&mut restarted, 600, 12),
            "restarted {since_commit} s after a commit"
        );
    }
}

#[test]
fn a_batch_job_that_commits_often_while_it_runs_keeps_the_pause_between_runs() {
    let mut watched = Watched::owned();
    let mut committed = 0;
    for poll in 0..4_000 {
        let (end, running) = (1_000 + poll * 150, poll % 40 < 12);
        if running {
            committed = end - 50;
        }
        watched.owner = if running { Owner::Member } else { Owner::Nobody };
        assert_eq!(watched.poll(committed, end), Status::Ok, "poll {poll}");
    }
}

#[test]
fn a_sawtooth_at_a_steady_lag_is_neither_stalled_nor_behind() {
    for period in [40, 60, 100, 240] {
        let mut watched = Watched::owned();
        watched.age = Some(900);
        for _ in 0..2_000 {
            let (now, rate) = (watched.now, 100);
            let end = 1_000_000 + now * rate;
            let committed = 1_000_000 + (now / period * period) * rate - 600 * rate;
            assert_eq!(watched.poll(committed, end), Status::Ok, "every {period} s, at {now}");
        }
    }
}

#[test]
fn a_lag_that_only_grows_is_behind_once_it_is_old() {
    let mut watched = Watched::prompt();
    let (mut committed, mut end, mut age) = (120, 120, 0);
    let mut step = |watched: &mut Watched, speed: u64| {
        end += 100;
        committed = end.min(committed + speed);
        age = (age + POLL).saturating_sub(POLL * speed / 100);
        watched.age = Some(age);
        (watched.poll(committed, end), age)
    };
    let found = (0..40).find_map(|_| match step(&mut watched, 50) {
        (Status::Ok, _) => None,
        other => Some(other),
    });
    assert_eq!(found, Some((Status::Behind, 64)), "as soon as it is a minute late");
    assert_eq!(step(&mut watched, 50).0, Status::Behind);
    let well = (0..40).find(|_| step(&mut watched, 140).0 == Status::Ok);
    assert!(well.is_some_and(|polls| polls <= 6), "it catches up: {well:?}");
    assert!((0..40).all(|_| step(&mut watched, 140).0 == Status::Ok));
}

#[test]
fn a_rise_too_slow_for_a_window_shows_in_time() {
    let mut watched = Watched::owned();
    let found = (0..2_000).find(|poll| {
        watched.age = Some(600 + poll * POLL * 3 / 100);
        watched.poll(10_000 + poll * 97, 70_000 + poll * 100) == Status::Behind
    });
    assert!(found.is_some_and(|poll| poll < 500), "{found:?}");
}

#[test]
fn lost_is_said_at_once_and_a_stopped_group_that_retention_overtakes_stays_stopped() {
    let mut watched = Watched::prompt();
    watched.owner = Owner::Nobody;
    watched.until_alarm(120, 200);
    watched.start = 150;
    assert_eq!(watched.read(Some(120), 200).changes.lost, 30);
    assert_eq!(watched.poll(120, 200), Status::Stopped, "the worse of the two");
    watched.start = 200;
    let verdict = watched.read(Some(120), 200);
    assert_eq!(
        (verdict.status, verdict.changes.lost),
        (Status::Lost, 50),
        "nothing is left to read"
    );
    assert_eq!(verdict.stalled, Some(Duration::ZERO));
    assert_eq!(watched.read(Some(120), 200).changes.lost, 0, "counted once");

    let mut fresh = Watched::owned();
    fresh.start = 50;
    let verdict = fresh.read(Some(10), 100);
    assert_eq!(
        (verdict.status, verdict.changes.lost),
        (Status::Lost, 0),
        "it happened before anybody watched"
    );
}

#[test]
fn a_commit_beyond_the_end_is_ahead_and_its_way_back_no_rewind() {
    let mut watched = Watched::owned();
    assert_eq!(watched.poll(105, 100), Status::Ahead);
    let verdict = watched.read(Some(0), 100);
    assert_eq!((verdict.status, verdict.changes.rewound), (Status::Ok, false));

    let mut truncated = Watched::prompt();
    let verdict = truncated.read(Some(10), 20);
    assert_eq!(
        (verdict.status, verdict.changes.rewound),
        (Status::Ok, false),
        "the log is another one"
    );
}

#[test]
fn a_commit_that_went_down_is_rewound_until_it_has_passed_its_old_place() {
    let mut watched = Watched::prompt();
    let verdict = watched.read(Some(80), 200);
    assert_eq!(
        (verdict.status, verdict.changes.rewound, verdict.changes.consumed),
        (Status::Rewound, true, 0)
    );
    for (committed, status) in [
        (40, Status::Rewound),
        (90, Status::Rewound),
        (120, Status::Rewound),
        (121, Status::Ok),
    ] {
        assert_eq!(watched.poll(committed, 200), status, "{committed}");
    }
}

#[test]
fn a_rewound_group_that_was_level_once_is_not_rewound_any_more() {
    let mut watched = Watched::prompt();
    assert_eq!(watched.poll(80, 120), Status::Rewound);
    assert_eq!(watched.poll(120, 120), Status::Ok);
    assert_eq!(watched.poll(120, 130), Status::Ok);
}

#[test]
fn a_rewind_followed_by_a_crash_loop_is_found() {
    let mut watched = Watched::prompt();
    assert_eq!(watched.poll(50, 120), Status::Rewound);
    let begun = watched.now;
    let mut found = None;
    for poll in 0..100 {
        // Dead every second minute: the group rebalances once a minute.
        if poll % 4 == 0 {
            watched.rebalanced = Some(watched.now);
        }
        let polled = watched.now;
        if found.is_none() && watched.poll(50, 120) == Status::Stalled {
            found = Some(polled - begun);
        }
    }
    assert!(found.is_some_and(|after| after <= SHORT + 300 + 2 * POLL), "{found:?}");
}

#[test]
fn our_own_reset_is_no_consumption_and_no_rewind_that_somebody_else_made() {
    let mut watched = Watched::prompt();
    watched.pair.reset_to(at(150));
    let verdict = watched.read(Some(150), 200);
    assert_eq!(verdict.changes, Changes::default());
    watched.pair.reset_to(at(10));
    let verdict = watched.read(Some(12), 200);
    assert_eq!(
        (verdict.changes.consumed, verdict.changes.rewound, verdict.status),
        (2, false, Status::Rewound)
    );
}

#[test]
fn a_member_that_never_commits_under_a_growing_log_is_uncommitted() {
    let mut watched = Watched::owned();
    for _ in 0..200 {
        assert_eq!(watched.read(None, 100).status, Status::Ok, "nothing came since it came");
    }
    let begun = watched.now;
    let found = (0..200).find_map(|_| {
        let polled = watched.now;
        (watched.read(None, 101 + polled).status == Status::Uncommitted).then_some(polled - begun)
    });
    assert_eq!(found, Some(CAUTIOUS));
    assert_eq!(watched.poll(50, 5_000), Status::Ok, "its first commit");
    let mut nobody = Watched::without_members();
    assert!((0..200).all(|poll| nobody.read(None, poll).status == Status::Ok));
}

#[test]
fn during_a_rebalance_nothing_becomes_stalled_and_the_last_verdict_stands() {
    let mut watched = Watched::prompt();
    watched.owner = Owner::Unknown;
    let begun = watched.now;
    let mut found = None;
    while found.is_none() {
        watched.rebalanced = Some(watched.now);
        let polled = watched.now;
        found = (watched.poll(120, 200) == Status::Stalled).then_some(polled - begun);
    }
    assert_eq!(found, Some(SHORT + 300), "five minutes beyond the window");

    let mut stuck = Watched::prompt();
    stuck.until_alarm(120, 200);
    (stuck.owner, stuck.rebalanced) = (Owner::Unknown, Some(stuck.now));
    assert_eq!(stuck.poll(120, 200), Status::Stalled);
}

#[test]
fn whoever_comes_for_what_was_stopped_has_time_to_move_it() {
    let mut watched = Watched::prompt();
    (watched.owner, watched.members) = (Owner::Nobody, false);
    watched.until_alarm(120, 200);
    (watched.owner, watched.members, watched.rebalanced) = (Owner::Member, true, Some(watched.now));
    let statuses: Vec<Status> = (0..6).map(|_| watched.poll(120, 200)).collect();
    assert_eq!(statuses[..5], [Status::Stopped; 5]);
    assert_eq!(statuses[5], Status::Stalled);
}

/// Ten members restart one after the other, every forty seconds. Returns every status that is seen.
fn rolling_restart(eager: bool) -> Vec<Status> {
    let mut watched = Watched::prompt();
    let mut committed = 120;
    let mut seen = Vec::new();
    for poll in 0..60 {
        let end = 200 + poll * 100;
        let since = poll * POLL % 40;
        let restarting = poll * POLL < 400;
        // Eager: nobody reads while anybody restarts. Cooperative: this partition moves once, in the fourth round.
        let stands = restarting
            && if eager {
                since < 35
            } else {
                (120..160).contains(&(poll * POLL))
            };
        if restarting && since < 20 {
            watched.rebalanced = Some(watched.now);
        }
        watched.owner = if stands && eager { Owner::Unknown } else { Owner::Member };
        if !stands {
            committed = end - 20;
        }
        seen.push(watched.poll(committed, end));
    }
    seen
}

#[test]
fn a_rolling_restart_is_no_alarm_eager_or_cooperative() {
    for eager in [true, false] {
        assert!(
            rolling_restart(eager).iter().all(|status| *status == Status::Ok),
            "eager: {eager}"
        );
    }
}

#[test]
fn a_partition_that_cannot_be_read_keeps_its_verdict_until_that_is_too_old() {
    let mut watched = Watched::prompt();
    watched.until_alarm(120, 130);
    let statuses: Vec<Status> = (0..5).map(|_| watched.miss()).collect();
    assert_eq!(statuses[..3], [Status::Stalled; 3]);
    assert_eq!(statuses[3..], [Status::Unreadable; 2]);
    assert_eq!(watched.poll(120, 130), Status::Stalled, "it never moved");

    let mut denied = Watched::owned();
    let statuses: Vec<Status> = (0..5).map(|_| denied.miss()).collect();
    assert_eq!(
        statuses,
        [Status::Ok, Status::Ok, Status::Ok, Status::Ok, Status::Unreadable]
    );
    assert_eq!(
        super::super::worst([denied.miss(), watched.poll(120, 130)]),
        Status::Stalled,
        "one denied beside a stuck one"
    );
}

#[test]
fn after_an_outage_the_window_begins_anew() {
    let mut watched = Watched::prompt();
    assert_eq!(watched.poll(120, 130), Status::Ok);
    for _ in 0..40 {
        watched.miss();
    }
    assert_eq!(
        watched.until_alarm(120, 130),
        Some((SHORT, Status::Stalled)),
        "the consumer could not move either"
    );
}

#[test]
fn an_idle_transactional_topic_has_no_readable_lag() {
    let mut watched = Watched::prompt();
    for poll in 0..200 {
        // The marker at the end cannot be read; that is known after two polls.
        watched.readable = if poll < 3 {
            Readable::Presumably
        } else {
            Readable::Nothing
        };
        assert_eq!(watched.poll(120, 121), Status::Ok);
    }
}

#[test]
fn kafka_streams_purging_what_it_has_read_loses_nothing() {
    let mut watched = Watched::owned();
    for poll in 0..100 {
        watched.start = poll * 100;
        let verdict = watched.read(Some(poll * 100), poll * 100 + 30);
        assert_eq!((verdict.status, verdict.changes.lost), (Status::Ok, 0));
    }
}

#[test]
fn groups_that_commit_without_members_are_judged_by_their_commits() {
    let mut checkpoints = Watched::without_members();
    assert!(commits_every(&mut checkpoints, 300, 6), "Flink and Connect");
    let (committed, end) = (2_000 + checkpoints.now * 10, 9_000 + checkpoints.now * 10);
    checkpoints.poll(committed, end);
    assert_eq!(
        checkpoints.until_alarm(committed, end),
        Some((840, Status::Stopped)),
        "three waits of 285 s"
    );
}

#[test]
fn what_nobody_has_touched_for_a_day_is_dormant_unless_an_objective_covers_it() {
    let mut abandoned = Watched::without_members();
    abandoned.age = Some(3 * 86_400);
    assert_eq!(
        abandoned.until_alarm(10, 20),
        Some((CAUTIOUS, Status::Dormant)),
        "also right after a restart"
    );
    abandoned.objective = true;
    assert_eq!(abandoned.poll(10, 20), Status::Stopped);
    abandoned.objective = false;
    abandoned.active = Some(abandoned.now - 300);
    assert_eq!(
        abandoned.poll(10, 20),
        Status::Stopped,
        "somebody was there five minutes ago"
    );
    (abandoned.active, abandoned.age) = (None, Some(3_600));
    assert_eq!(
        abandoned.poll(10, 20),
        Status::Stopped,
        "the oldest record is an hour old"
    );
    (abandoned.age, abandoned.members, abandoned.owner) = (Some(3 * 86_400), true, Owner::Member);
    assert_eq!(abandoned.poll(10, 20), Status::Stalled);
}

#[test]
fn a_single_incident_does_not_become_a_habit_but_the_second_one_does() {
    let mut watched = Watched::prompt();
    for (incident, window) in [(1, SHORT), (2, 1800)] {
        for _ in 0..120 {
            watched.poll(120 + incident * 10, 1_000);
        }
        for committed in 0..3 {
            watched.poll(121 + incident * 10 + committed, 1_000);
        }
        let explained = watched.pair.explain(Duration::from_secs(watched.now), &settings());
        assert_eq!(
            explained.window,
            Duration::from_secs(window),
            "incident {incident}: {:?}",
            explained.waits
        );
    }
}

#[test]
fn counters_count_what_went_forward_while_somebody_watched() {
    let mut watched = Watched::owned();
    let consumed: Vec<u64> = [50, 60, 60, 40, 45, 200]
        .into_iter()
        .map(|c| watched.read(Some(c), 300).changes.consumed)
        .collect();
    assert_eq!(consumed, [0, 10, 0, 0, 5, 155]);
    watched.read(None, 300);
    assert_eq!(
        watched.read(Some(10), 300).changes,
        Changes::default(),
        "a commit that comes back is the first one again"
    );
}

#[test]
fn the_explanation_has_the_numbers_of_the_verdict() {
    let mut watched = Watched::prompt();
    watched.poll(60, 130);
    watched.poll(60, 130);
    let told = watched.pair.explain(Duration::from_secs(watched.now), &settings());
    assert_eq!(told.rewound_from, Some(at(120)));
    assert_eq!((told.standing.as_secs(), told.window.as_secs()), (30, SHORT));
    assert_eq!(told.usual_wait, Some(Duration::ZERO));
    assert_eq!(told.uncommitted, None);
}
