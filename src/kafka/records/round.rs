//! One round: of each partition, the record at the lowest offset that is wanted.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::channel;
use std::time::Duration;

use rdkafka::Message as _;
use rdkafka::Offset as KafkaOffset;
use rdkafka::TopicPartitionList;
use rdkafka::consumer::Consumer as _;
use rdkafka::consumer::base_consumer::PartitionQueue;
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::message::Timestamp;
use tokio::time::Instant;

use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::RecordAt;
use crate::model::UnixMillis;

use super::client::Consumer;
use super::client::cause;
use super::context::Quiet;
use super::worker::Job;

/// How long the worker sleeps at most before it looks at the deadline and at the client's own events.
const SLICE: Duration = Duration::from_millis(20);

/// One partition and what is wanted of it.
pub(super) struct Slot {
    topic: String,
    partition: Partition,
    /// Ascending, with the places of who asked.
    wanted: VecDeque<(Offset, usize)>,
}

impl Slot {
    pub(super) fn new(topic: &str, partition: Partition, offset: Offset, place: usize) -> Self {
        Self {
            topic: topic.to_owned(),
            partition,
            wanted: VecDeque::from([(offset, place)]),
        }
    }

    pub(super) fn is_of(&self, topic: &str, partition: Partition) -> bool {
        self.topic == topic && self.partition == partition
    }

    pub(super) fn add(&mut self, offset: Offset, place: usize) {
        self.wanted.push_back((offset, place));
    }

    pub(super) fn answer_all(&self, job: &Job, heard: Heard<RecordAt>) {
        self.wanted.iter().for_each(|(_, place)| job.tell(*place, heard));
    }

    /// Answers the lowest offset, and every other that the same record or failure answers.
    fn answer(&mut self, job: &Job, heard: Heard<RecordAt>) {
        let answered = match heard {
            Ok(RecordAt::Found(found, _)) => self.wanted.partition_point(|(offset, _)| *offset <= found).max(1),
            Err(Cause::Code(ErrorCode::OFFSET_OUT_OF_RANGE)) => 1,
            Ok(RecordAt::NothingUnread) | Err(_) => self.wanted.len(),
        };
        for (_, place) in self.wanted.drain(..answered) {
            job.tell(place, heard);
        }
    }
}

/// One partition that is being read.
struct Open {
    slot: Slot,
    queue: PartitionQueue<Quiet>,
    answered: bool,
}

/// Partitions that are being read.
pub(super) struct Round {
    consumer: Arc<Consumer>,
    slots: Vec<Open>,
    /// Indices of queues that have something.
    ready: Receiver<usize>,
    open: usize,
}

impl Round {
    /// Assigns the partitions; gives the slots back when the client will not have them.
    pub(super) fn begin(consumer: Arc<Consumer>, slots: Vec<Slot>) -> Result<Self, Vec<Slot>> {
        let mut list = TopicPartitionList::with_capacity(slots.len());
        for slot in &slots {
            let offset = slot.wanted.front().map_or(Offset::ZERO, |(offset, _)| *offset);
            let added = list.add_partition_offset(&slot.topic, slot.partition.0, KafkaOffset::Offset(offset.get()));
            if added.is_err() {
                return Err(slots);
            }
        }
        // An end of a partition comes without its topic's name, so each partition has a queue of its own; made before the
        // assignment, so that nothing goes to the common queue first.
        let (wake, ready) = channel();
        let mut queues = Vec::with_capacity(slots.len());
        for (index, slot) in slots.iter().enumerate() {
            let Some(mut queue) = consumer.split_partition_queue(&slot.topic, slot.partition.0) else {
                return Err(slots);
            };
            let wake = wake.clone();
            // The receiver may be gone: the round was over.
            queue.set_nonempty_callback(move || {
                let _ = wake.send(index);
            });
            // What an earlier round left in it must not keep it from becoming non-empty.
            while queue.poll(Duration::ZERO).is_some() {}
            queues.push(queue);
        }
        if consumer.assign(&list).is_err() {
            return Err(slots);
        }
        Ok(Self {
            consumer,
            open: slots.len(),
            slots: slots.into_iter().zip(queues).map(Open::new).collect(),
            ready,
        })
    }

    /// Reads until every partition has answered once or the deadline has come; gives back what is wanted further.
    pub(super) fn finish(mut self, job: &Job) -> Vec<Slot> {
        while self.open > 0 && !job.answer.is_closed() {
            let left = job.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            match self.ready.recv_timeout(left.min(SLICE)) {
                Ok(index) => self.take(index, job),
                // A queue that still holds something from an earlier round wakes nobody.
                Err(_) => (0..self.slots.len()).for_each(|index| self.take(index, job)),
            }
            // Connection errors and the refresh of tokens come by the common queue.
            drop(self.consumer.poll(Duration::ZERO));
        }
        if self.open > 0
            && let Some(trouble) = self.consumer.context().trouble()
        {
            for open in &self.slots {
                open.slot.answer_all(job, Err(trouble));
            }
            return Vec::new();
        }
        let slots = self.slots.into_iter().map(|open| open.slot);
        slots.filter(|slot| !slot.wanted.is_empty()).collect()
    }

    fn take(&mut self, index: usize, job: &Job) {
        if let Some(open) = self.slots.get_mut(index).filter(|open| !open.answered)
            && let Some(heard) = open.hear()
        {
            open.answered = true;
            open.slot.answer(job, heard);
            self.open -= 1;
        }
    }
}

impl Open {
    fn new((slot, queue): (Slot, PartitionQueue<Quiet>)) -> Self {
        Self {
            slot,
            queue,
            answered: false,
        }
    }

    /// The first thing in the queue that answers the lowest offset wanted.
    fn hear(&self) -> Option<Heard<RecordAt>> {
        let (wanted, _) = *self.slot.wanted.front()?;
        while let Some(event) = self.queue.poll(Duration::ZERO) {
            match event {
                Ok(message) => match found(&message) {
                    Some(RecordAt::Found(offset, _)) if offset < wanted => {}
                    found => return Some(found.ok_or(Cause::Malformed)),
                },
                Err(KafkaError::PartitionEOF(_)) => return Some(Ok(RecordAt::NothingUnread)),
                Err(error) => return Some(Err(error.rdkafka_error_code().map_or(Cause::Malformed, cause))),
            }
        }
        None
    }
}

fn found(message: &BorrowedMessage<'_>) -> Option<RecordAt> {
    let time = match message.timestamp() {
        Timestamp::CreateTime(time) | Timestamp::LogAppendTime(time) => Some(UnixMillis(time)),
        Timestamp::NotAvailable => None,
    };
    Some(RecordAt::Found(Offset::new(message.offset())?, time))
}
