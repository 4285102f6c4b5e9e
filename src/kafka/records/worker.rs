//! The thread that librdkafka blocks.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use rdkafka::consumer::Consumer as _;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::failure::Cause;
use crate::failure::Heard;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::RecordAt;
use crate::model::TopicName;

use super::client::Consumer;
use super::client::Print;
use super::client::Settings;
use super::round::Round;
use super::round::Slot;

/// librdkafka never lets go of a topic it once heard of, and looks at each of its partitions whenever something happens. A client that
/// knows so many topics more than it is asked for, and more than twice as many, gives way to a new one.
const TOPICS_TOO_MANY: usize = 64;
/// A client also gives way after so long, for connections and memory that only grow.
const CLIENT_AGE: Duration = Duration::from_secs(3_600);
/// A client that nobody uses is closed.
const IDLE: Duration = Duration::from_secs(120);
/// How often an idle client's events are served.
const TICK: Duration = Duration::from_secs(5);

/// One read.
pub(super) struct Job {
    pub(super) wanted: Vec<(TopicName, Partition, Offset)>,
    pub(super) deadline: Instant,
    /// Place in `wanted`, and what was heard.
    pub(super) answer: mpsc::Sender<(usize, Heard<RecordAt>)>,
}

/// Owns the client.
pub(super) struct Worker {
    settings: Settings,
    client: Option<Client>,
}

struct Client {
    consumer: Arc<Consumer>,
    topics: HashSet<TopicName>,
    since: Instant,
    used: Instant,
    print: Print,
}

impl Worker {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, client: None }
    }

    /// Works until nobody can send a job any more.
    pub(super) fn run(mut self, inbox: &Receiver<Job>) {
        loop {
            match inbox.recv_timeout(TICK) {
                Ok(job) => self.read(&job),
                Err(RecvTimeoutError::Timeout) => self.rest(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn rest(&mut self) {
        match &self.client {
            Some(client) if client.used.elapsed() >= IDLE => self.client = None,
            // Nothing is assigned: only events wait here.
            Some(client) => drop(client.consumer.poll(Duration::ZERO)),
            None => {}
        }
    }

    fn read(&mut self, job: &Job) {
        let mut slots = self.slots(job);
        let asked: HashSet<&TopicName> = job.wanted.iter().map(|(topic, ..)| topic).collect();
        if self.client.as_ref().is_some_and(|client| client.is_worn(&asked)) {
            self.client = None;
        }
        let client = match self.client() {
            Ok(client) => client,
            Err(cause) => return slots.iter().for_each(|slot| slot.answer_all(job, Err(cause))),
        };
        // What went wrong before this read says nothing about it.
        client.consumer.context().forget_trouble();
        client.topics.extend(asked.into_iter().cloned());
        while !slots.is_empty() && Instant::now() < job.deadline && !job.answer.is_closed() {
            // All at once: a partition that is taken away and given back before librdkafka has stopped it ends the process.
            let round = Round::begin(client.consumer.clone(), slots);
            slots = match round {
                Ok(round) => round.finish(job),
                Err(rest) => {
                    rest.iter()
                        .for_each(|slot| slot.answer_all(job, Err(Cause::Unsupported)));
                    break;
                }
            };
        }
        // Nothing is fetched while nobody asks. A client that cannot let go, or cannot log in, is made anew: a password may have changed.
        let refused = matches!(
            client.consumer.context().trouble(),
            Some(Cause::Authentication | Cause::Tls)
        );
        if refused {
            client.consumer.context().forget_token();
        }
        let freed = client.consumer.unassign().is_ok();
        client.used = Instant::now();
        if !freed || refused {
            self.client = None;
        }
    }

    fn client(&mut self) -> Result<&mut Client, Cause> {
        let held = self.client.take();
        let client = match (self.settings.current(), held) {
            // The other client says what is wrong with a file that is being replaced, and the next read finds it whole.
            (Err(_), Some(held)) => held,
            (Err(trouble), None) => return Err(self.settings.fail(&trouble)),
            // librdkafka reads nothing anew: a client with what was is closed when something has been replaced.
            (Ok(current), Some(held)) if held.print == current.print => held,
            (Ok(current), _) => Client {
                consumer: self.settings.connect(&current)?,
                topics: HashSet::new(),
                since: Instant::now(),
                used: Instant::now(),
                print: current.print,
            },
        };
        Ok(self.client.insert(client))
    }

    /// What is wanted of each partition, lowest offset first. Names that cannot be asked for are answered at once.
    fn slots(&self, job: &Job) -> Vec<Slot> {
        let mut order: Vec<usize> = (0..job.wanted.len()).collect();
        order.sort_by_key(|place| &job.wanted[*place]);
        let mut slots: Vec<Slot> = Vec::new();
        for place in order {
            let (topic, partition, offset) = &job.wanted[place];
            let Some(name) = topic.utf8().filter(|name| !name.is_empty() && !name.contains('\0')) else {
                job.tell(place, Err(Cause::Unaskable));
                continue;
            };
            match slots.last_mut() {
                Some(last) if last.is_of(name, *partition) => last.add(*offset, place),
                _ => slots.push(Slot::new(name, *partition, *offset, place)),
            }
        }
        slots
    }
}

impl Client {
    fn is_worn(&self, asked: &HashSet<&TopicName>) -> bool {
        let others = self.topics.iter().filter(|topic| !asked.contains(topic)).count();
        others > asked.len().max(TOPICS_TOO_MANY) || self.since.elapsed() > CLIENT_AGE
    }
}

impl Job {
    /// Whoever asked may have stopped listening.
    pub(super) fn tell(&self, place: usize, heard: Heard<RecordAt>) {
        let _ = self.answer.try_send((place, heard));
    }
}
