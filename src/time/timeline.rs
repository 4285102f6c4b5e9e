//! One partition: when its log grew, and what is known of the offsets that groups sit on.

use std::ops::Range;

use crate::failure::Reason;
use crate::model::LagTime;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TimeMethod;
use crate::model::TimeSource;
use crate::model::UnixMillis;

use super::Answer;
use super::Settings;
use super::believable;
use super::bound;
use super::bracket::Bracket;
use super::bracket::Narrowed;
use super::curve::Arrival;
use super::curve::Curve;
use super::curve::Step;
use super::millis;
use super::want;
use super::want::State;
use super::want::Want;

/// One partition's history.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    pub(super) curve: Curve,
    /// In the order of their offsets.
    pub(super) wants: Vec<Want>,
    /// The farthest log end, as those count it who asked.
    asked_up_to: Option<Offset>,
    /// Offsets between which there is nothing to read.
    unread: Option<Range<Offset>>,
    /// Below this the curve does not count: the end went back once, and what lies there may have come long before.
    trusted_from: Option<Offset>,
}

/// What the topic says about whose time counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) settings: Settings,
    pub(super) source: TimeSource,
    /// How far record times and arrival are apart; `None` before they were compared.
    pub(super) apart_ms: Option<u64>,
    /// True where no record can be read: not allowed, or switched off.
    pub(super) unreadable: Option<Reason>,
}

/// How urgently an offset's record should be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// There is no good answer without it.
    Needed,
    /// There is one, but the offset has stood for so long that it may be the end of what can be read.
    Doubtful,
}

impl Timeline {
    pub(super) fn observe_end(&mut self, end: Offset, now: Moment) {
        want::sweep(&mut self.wants);
        let highest = self.curve.end().map(|(offset, _)| offset);
        if self.curve.observe(end, millis(now.mono)) == Step::Back {
            let trusted_from = self.trusted_from.max(highest);
            *self = Self {
                trusted_from,
                ..Self::default()
            };
            self.curve.observe(end, millis(now.mono));
        }
    }

    pub(super) fn want(&mut self, at: Offset, end: Offset, now: Moment) {
        let at = self.first_readable(at);
        if at >= end {
            return;
        }
        self.asked_up_to = self.asked_up_to.max(Some(end));
        match self.wants.binary_search_by_key(&at, |want| want.at) {
            Ok(place) => self.wants[place].asked(),
            Err(place) => {
                let want = Want::new(at, self.carried(place, at, now), millis(now.mono));
                if self.wants.len() == self.wants.capacity() {
                    // Most partitions have few readers.
                    self.wants.reserve_exact((self.wants.len() / 2).max(1));
                }
                self.wants.insert(place, want);
            }
        }
    }

    /// Everything that is wanted in this cycle has been named.
    pub(super) fn settle(&mut self) {
        want::settle(&mut self.wants);
    }

    /// What an earlier offset's questions by time say of a new one.
    fn carried(&self, place: usize, at: Offset, now: Moment) -> State {
        let earlier = self.wants[..place].iter().rev();
        let mut bracketed = earlier.filter_map(|want| match &want.state {
            State::Bracketed(bracket) => Some(bracket),
            _ => None,
        });
        bracketed.next().map_or(State::Open, |bracket| {
            State::Bracketed(Box::new(bracket.carried_to(at, now.wall)))
        })
    }

    /// The age of the record at an offset below the end.
    pub(super) fn age(&self, at: Offset, end: Offset, now: Moment, terms: &Terms) -> Answer {
        if at >= end {
            return Answer::CaughtUp;
        }
        let at = self.first_readable(at);
        if at >= end {
            return Answer::NothingReadable;
        }
        let arrived = self.arrival(at).map(|arrival| aged(arrival, now));
        let want = self.find(at).map(|place| &self.wants[place]);
        match terms.source {
            // The record's own time is no help here, and before the first look nobody saw it come.
            TimeSource::Arrival => arrived.map_or(Answer::Unknown(Reason::EventTime), Answer::Known),
            TimeSource::Record => by_record(want, arrived, now, terms),
        }
    }

    pub(super) fn urgency(&self, want: &Want, now: Moment, terms: &Terms) -> Option<Urgency> {
        if !want.is_live() {
            return None;
        }
        let now_ms = millis(now.mono);
        if matches!(want.state, State::Failed(_)) && want.since_ms() > now_ms && terms.unreadable.is_none() {
            return None;
        }
        if want.is_known() {
            return want.is_stale(now_ms).then_some(Urgency::Doubtful);
        }
        let arrived = self.arrival(want.at).map(|arrival| aged(arrival, now));
        let good = terms.source == TimeSource::Arrival || arrived.is_some_and(|arrived| terms.is_good(arrived));
        if !good {
            return Some(Urgency::Needed);
        }
        let stood = now_ms.saturating_sub(want.since_ms());
        (stood.saturating_add(terms.settings.poll_ms() / 2) >= 2 * terms.settings.poll_ms())
            .then_some(Urgency::Doubtful)
    }

    /// When the record at an offset came, where that can be told.
    pub(super) fn arrival(&self, at: Offset) -> Option<Arrival> {
        let trusted = self.trusted_from.is_none_or(|from| at >= from);
        trusted.then(|| self.curve.arrival(at)).flatten()
    }

    /// How far a record's own time is from when it came: the distance, where it says something.
    pub(super) fn apart(&self, at: Offset, time: UnixMillis, now: Moment, settings: &Settings) -> Option<u64> {
        let (early, late) = match (self.arrival(at), self.curve.end()) {
            (Some(arrival), _) => (
                arrival.at_ms.saturating_sub(arrival.error_ms),
                arrival.at_ms.saturating_add(arrival.error_ms),
            ),
            // It came after the last look.
            (None, Some((end, seen))) if at >= end => (seen, millis(now.mono)),
            _ => return None,
        };
        let wall = |mono: u64| {
            now.wall
                .0
                .saturating_sub(millis(now.mono).saturating_sub(mono).cast_signed())
        };
        let distance = wall(early)
            .saturating_sub(time.0)
            .max(time.0.saturating_sub(wall(late)));
        let width = late.saturating_sub(early);
        match u64::try_from(distance) {
            Ok(apart) if apart > 0 => Some(apart),
            // Inside of a wide interval it says nothing.
            _ => (width <= 4 * settings.poll_ms()).then_some(0),
        }
    }

    pub(super) fn learn_record(&mut self, at: Offset, time: Option<UnixMillis>, now: Moment) {
        if let Some(place) = self.find(at) {
            let state = believable(time, now).map_or(State::Undated, State::Dated);
            self.wants[place].learnt(state, millis(now.mono));
        }
    }

    /// Nothing to read from an offset up to the end that was known when it was last wanted.
    pub(super) fn learn_nothing_unread(&mut self, at: Offset) {
        let Some(place) = self.find(at) else {
            return;
        };
        self.wants.remove(place);
        let new = at..self.asked_up_to.unwrap_or(at);
        self.unread = Some(match self.unread.take() {
            Some(old) if new.start <= old.end && old.start <= new.end => old.start.min(new.start)..old.end.max(new.end),
            _ => new,
        });
    }

    pub(super) fn learn_failure(&mut self, at: Offset, reason: Reason, now: Moment) {
        if let Some(place) = self.find(at) {
            let want = &mut self.wants[place];
            // Behind everybody who was first wanted in this cycle, and not again in it.
            want.wait_from(millis(now.mono) + 1);
            if matches!(want.state, State::Open | State::Failed(_)) {
                want.state = State::Failed(reason);
            }
        }
    }

    /// The next question by time, for the want that has waited longest.
    pub(super) fn question(&self, now: Moment, terms: &Terms) -> Option<(u64, UnixMillis)> {
        let needed = self
            .wants
            .iter()
            .filter(|want| self.urgency(want, now, terms) == Some(Urgency::Needed));
        let questions = needed.filter_map(|want| {
            let bracket = match &want.state {
                State::Bracketed(bracket) => **bracket,
                _ => Bracket::new(now.wall),
            };
            let age = millis(bracket.oldest_age(now.wall));
            let asked = bracket.question(now.wall, terms.settings.tolerable(age))?;
            Some((want.since_ms(), asked))
        });
        questions.min()
    }

    /// Takes in an answer by time for every offset whose record is not known better.
    pub(super) fn learn_by_time(&mut self, asked: UnixMillis, answer: Option<(Offset, UnixMillis)>, now: Moment) {
        let learnt = millis(now.mono);
        for want in &mut self.wants {
            let mut bracket = match &want.state {
                State::Bracketed(bracket) => bracket.clone(),
                State::Open | State::Failed(_) => Box::new(Bracket::new(now.wall)),
                State::Dated(_) | State::Undated => continue,
            };
            let end = self.asked_up_to.unwrap_or(want.at);
            match bracket.learn(want.at..end, asked, answer) {
                Narrowed::Exact(time) => want.learnt(State::Dated(time), learnt),
                Narrowed::Between => want.state = State::Bracketed(bracket),
            }
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        let brackets = self
            .wants
            .iter()
            .filter(|want| matches!(want.state, State::Bracketed(_)))
            .count();
        self.curve.heap() + self.wants.capacity() * size_of::<Want>() + brackets * size_of::<Bracket>()
    }

    fn find(&self, at: Offset) -> Option<usize> {
        self.wants.binary_search_by_key(&at, |want| want.at).ok()
    }

    /// The first offset at or after this one that may hold something to read.
    fn first_readable(&self, at: Offset) -> Offset {
        match &self.unread {
            Some(unread) if unread.contains(&at) => unread.end,
            _ => at,
        }
    }
}

impl Terms {
    /// True when an age by arrival is as good as the record's own.
    fn is_good(&self, arrived: LagTime) -> bool {
        self.agrees(arrived)
            && self.apart_ms.is_some()
            && u64::from(arrived.error_ms) <= self.settings.tolerable(arrived.age_ms)
    }

    /// True when record times and arrival were not seen to be farther apart than matters at this age.
    fn agrees(&self, arrived: LagTime) -> bool {
        self.apart_ms
            .is_none_or(|apart| apart <= (self.settings.poll_ms() / 2).max(arrived.age_ms / 100))
    }
}

fn by_record(want: Option<&Want>, arrived: Option<LagTime>, now: Moment, terms: &Terms) -> Answer {
    match want.map(|want| &want.state) {
        Some(State::Dated(time)) => {
            return Answer::Known(LagTime {
                age_ms: millis(now.wall.since(*time)),
                error_ms: 0,
                method: TimeMethod::Record,
            });
        }
        Some(State::Undated) => return arrived.map_or(Answer::Unknown(Reason::EventTime), Answer::Known),
        _ => {}
    }
    if let Some(arrived) = arrived.filter(|arrived| terms.agrees(*arrived)) {
        // Where nothing can be read and nothing was compared, arrival serves; a quarter of the age is the most it may be off.
        let compared = terms.apart_ms.is_some() || terms.unreadable.is_some();
        let apart = terms.apart_ms.unwrap_or(0);
        let error = u64::from(arrived.error_ms).saturating_add(apart);
        if compared && error <= (arrived.age_ms / 4).max(terms.settings.tolerable(arrived.age_ms) + apart) {
            return Answer::Known(LagTime {
                error_ms: bound(error),
                ..arrived
            });
        }
    }
    match want.map(|want| &want.state) {
        Some(State::Bracketed(bracket)) => bracketed(bracket, now, terms),
        Some(State::Failed(reason)) => Answer::Unknown(terms.unreadable.unwrap_or(*reason)),
        // Wanted, and not answered yet.
        _ => Answer::Unknown(terms.unreadable.unwrap_or(Reason::Timeout)),
    }
}

fn bracketed(bracket: &Bracket, now: Moment, terms: &Terms) -> Answer {
    let reason = terms.unreadable.unwrap_or(Reason::Timeout);
    let Some((time, error_ms)) = bracket.estimate() else {
        return Answer::Unknown(reason);
    };
    let age_ms = millis(now.wall.since(time));
    if error_ms > (age_ms / 5).max(terms.settings.tolerable(age_ms)) {
        return Answer::Unknown(reason);
    }
    Answer::Known(LagTime {
        age_ms,
        error_ms: bound(error_ms),
        method: TimeMethod::Bracket,
    })
}

fn aged(arrival: Arrival, now: Moment) -> LagTime {
    LagTime {
        age_ms: millis(now.mono).saturating_sub(arrival.at_ms),
        error_ms: bound(arrival.error_ms),
        method: TimeMethod::Arrival,
    }
}

impl Timeline {
    /// True when an age by arrival was asked for in this cycle, so that it matters whether arrival can be relied on.
    pub(super) fn leans_on_arrival(&self) -> bool {
        self.wants
            .iter()
            .any(|want| want.is_live() && self.arrival(want.at).is_some())
    }

    /// A newest record says something here: the log was seen to grow.
    pub(super) fn can_be_compared(&self) -> bool {
        self.curve.has_moved()
    }
}

/// A partition's number as an index; `None` for numbers no partition has.
pub(super) fn index(partition: Partition) -> Option<usize> {
    usize::try_from(partition.0).ok()
}
