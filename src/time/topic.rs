//! One topic: its partitions' histories, and whether its records' own times agree with when they came.

use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Reason;
use crate::model::Moment;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::RecordAt;
use crate::model::TimeSource;
use crate::model::TopicId;
use crate::model::UnixMillis;

use super::Answer;
use super::Settings;
use super::believable;
use super::millis;
use super::timeline::Terms;
use super::timeline::Timeline;
use super::timeline::index;

/// How often record times are compared with arrival while somebody lags.
const COMPARED_EVERY_MS: u64 = 600_000;
/// How long a refused read is not tried again.
const REFUSED_FOR_MS: u64 = 300_000;

/// One topic's histories.
#[derive(Clone, Debug)]
pub struct TopicTimes {
    settings: Settings,
    source: TimeSource,
    id: Option<TopicId>,
    /// By partition number.
    pub(super) partitions: Vec<Timeline>,
    /// How far record times and arrival were lately apart at most.
    apart_ms: Option<u64>,
    /// When they were last compared, or tried to be.
    compared_ms: Option<u64>,
    /// When reading was last refused.
    refused_ms: Option<u64>,
}

impl TopicTimes {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            source: TimeSource::Record,
            id: None,
            partitions: Vec::new(),
            apart_ms: None,
            compared_ms: None,
            refused_ms: None,
        }
    }

    pub(super) fn reconfigure(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Which topic of this name it is, and whose time counts. Another id is another topic: everything known is dropped.
    pub(super) fn is(&mut self, id: Option<TopicId>, source: TimeSource) {
        if self.id.is_some() && id.is_some() && self.id != id {
            *self = Self::new(self.settings);
        }
        self.id = id.or(self.id);
        self.source = source;
    }

    /// The poll saw the log end here: the high watermark, whatever the isolation. Once a cycle for each partition whose end was read.
    pub fn observe_end(&mut self, partition: Partition, end: Offset, now: Moment) {
        if let Some(timeline) = self.timeline(partition) {
            timeline.observe_end(end, now);
        }
    }

    /// The age at this offset, max(C, S), is about to be asked for; `end` is E as the lag counts it. After [`Self::observe_end`], in
    /// every cycle in which somebody sits there, also while an older reading stands.
    pub fn want(&mut self, partition: Partition, at: Offset, end: Offset, now: Moment) {
        if let Some(timeline) = self.timeline(partition) {
            timeline.want(at, end, now);
        }
    }

    /// Everything that will be asked for in this cycle has been named by [`Self::want`].
    pub fn settle(&mut self) {
        self.partitions.iter_mut().for_each(Timeline::settle);
    }

    /// The age of the record at max(C, S).
    pub fn age(&self, partition: Partition, at: Offset, end: Offset, now: Moment) -> Answer {
        let timeline = index(partition).and_then(|place| self.partitions.get(place));
        let terms = self.terms(now);
        timeline.map_or_else(
            || {
                if at >= end {
                    Answer::CaughtUp
                } else {
                    Answer::Unknown(terms.unreadable.unwrap_or(Reason::Timeout))
                }
            },
            |timeline| timeline.age(at, end, now, &terms),
        )
    }

    /// Drops the histories of partitions that are no more.
    pub fn shrink_to(&mut self, partitions: usize) {
        self.partitions.truncate(partitions);
    }

    pub(super) fn terms(&self, now: Moment) -> Terms {
        let refused = self
            .refused_ms
            .is_some_and(|since| millis(now.mono).saturating_sub(since) < REFUSED_FOR_MS);
        let unreadable = match (self.settings.read, refused) {
            (false, _) => Some(Reason::Other),
            (true, true) => Some(Reason::Authorization),
            (true, false) => None,
        };
        Terms {
            settings: self.settings,
            source: self.source,
            apart_ms: self.apart_ms,
            unreadable,
        }
    }

    /// The partition whose newest record would tell whether arrival can be relied on; `None` while that is known or does not matter.
    pub(super) fn to_compare(&self, now: Moment) -> Option<Partition> {
        let due = self
            .compared_ms
            .is_none_or(|at| millis(now.mono).saturating_sub(at) >= COMPARED_EVERY_MS);
        if !due || self.source == TimeSource::Arrival {
            return None;
        }
        let leans = |timeline: &&Timeline| timeline.leans_on_arrival();
        self.partitions.iter().find(leans)?;
        let place = self.partitions.iter().position(Timeline::can_be_compared)?;
        i32::try_from(place).ok().map(Partition)
    }

    pub(super) fn learn_newest(&mut self, partition: Partition, newest: Option<(Offset, UnixMillis)>, now: Moment) {
        // Also where nothing came of it: an old broker, an empty log. Reads compare as well.
        self.compared_ms = Some(millis(now.mono));
        if let Some((offset, time)) = newest {
            self.compare(partition, offset, Some(time), now);
        }
    }

    pub(super) fn learn_read(&mut self, partition: Partition, at: Offset, read: Result<RecordAt, Cause>, now: Moment) {
        if let Ok(RecordAt::Found(offset, time)) = read {
            self.compare(partition, offset, time, now);
        }
        if matches!(read, Err(Cause::Code(code)) if code == ErrorCode::TOPIC_AUTHORIZATION_FAILED) {
            self.refused_ms = Some(millis(now.mono));
        }
        let Some(timeline) = self.timeline(partition) else {
            return;
        };
        match read {
            Ok(RecordAt::Found(_, time)) => timeline.learn_record(at, time, now),
            Ok(RecordAt::NothingUnread) => timeline.learn_nothing_unread(at),
            Err(cause) => timeline.learn_failure(at, cause.reason(), now),
        }
    }

    pub(super) fn learn_by_time(
        &mut self,
        partition: Partition,
        asked: UnixMillis,
        answer: Option<(Offset, UnixMillis)>,
        now: Moment,
    ) {
        if let Some(timeline) = self.timeline(partition) {
            timeline.learn_by_time(asked, answer, now);
        }
    }

    /// Bytes that these histories take.
    pub fn bytes(&self) -> usize {
        let heap: usize = self.partitions.iter().map(Timeline::heap).sum();
        self.partitions.capacity() * size_of::<Timeline>() + heap
    }

    fn compare(&mut self, partition: Partition, offset: Offset, time: Option<UnixMillis>, now: Moment) {
        let Some(time) = believable(time, now) else { return };
        let settings = self.settings;
        let timeline = index(partition).and_then(|place| self.partitions.get(place));
        if let Some(apart) = timeline.and_then(|timeline| timeline.apart(offset, time, now, &settings)) {
            // A record that is far off is remembered for a while: topics are mixed more often than they change.
            let faded = self.apart_ms.map_or(0, |before| before - before / 4);
            self.apart_ms = Some(apart.max(faded));
            self.compared_ms = Some(millis(now.mono));
        }
    }

    fn timeline(&mut self, partition: Partition) -> Option<&mut Timeline> {
        let place = index(partition)?;
        if place >= self.partitions.len() {
            self.partitions.reserve_exact(place + 1 - self.partitions.len());
            self.partitions.resize_with(place + 1, Timeline::default);
        }
        self.partitions.get_mut(place)
    }
}
