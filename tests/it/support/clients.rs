//! Producers and consumers: librdkafka's, as anybody runs them.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::ClientContext;
use rdkafka::Message;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::BaseConsumer;
use rdkafka::consumer::Consumer;
use rdkafka::producer::BaseProducer;
use rdkafka::producer::BaseRecord;
use rdkafka::producer::DeliveryResult;
use rdkafka::producer::Producer;
use rdkafka::producer::ProducerContext;

use super::kafka::Kafka;
use super::wait::unique;
use super::wait::until;

const TIMEOUT: Duration = Duration::from_secs(30);

/// A producer that remembers what was not delivered.
pub(crate) struct Sender(BaseProducer<Failures>);

#[derive(Default)]
struct Failures(Mutex<Vec<String>>);

impl ClientContext for Failures {}

impl ProducerContext for Failures {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if let Err((error, record)) = result {
            self.0
                .lock()
                .expect("no panic")
                .push(format!("{}/{}: {error}", record.topic(), record.partition()));
        }
    }
}

impl Sender {
    fn new(config: &ClientConfig) -> Self {
        Self(config.create_with_context(Failures::default()).expect("a producer"))
    }

    fn send(&self, topic: &str, partition: i32, count: usize, at: Option<i64>) {
        for number in 0..count {
            let payload = number.to_string();
            let mut record = BaseRecord::<(), _>::to(topic).partition(partition).payload(&payload);
            record.timestamp = at;
            while let Err((error, again)) = self.0.send(record) {
                let full = rdkafka::types::RDKafkaErrorCode::QueueFull;
                assert_eq!(error.rdkafka_error_code(), Some(full), "{topic}/{partition}");
                self.0.poll(Duration::from_millis(50));
                record = again;
            }
        }
    }

    fn flush(&self) {
        self.0.flush(TIMEOUT).expect("everything is delivered");
        let failed = std::mem::take(&mut *self.0.context().0.lock().expect("no panic"));
        assert!(failed.is_empty(), "{failed:?}");
    }
}

/// An open transaction; dropped, it stays open until Kafka ends it.
pub(crate) struct Transaction(Sender);

impl Transaction {
    /// Sends records within the transaction and waits until they are in the log.
    pub(crate) fn produce(&self, topic: &str, partition: i32, count: usize) {
        self.0.send(topic, partition, count, None);
        self.0.flush();
    }

    pub(crate) fn commit(self) {
        self.0.0.commit_transaction(TIMEOUT).expect("the transaction commits");
    }

    pub(crate) fn abort(self) {
        self.0.0.abort_transaction(TIMEOUT).expect("the transaction aborts");
    }
}

/// How members join a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joining {
    /// `classic`, or `consumer` (KIP-848).
    pub(crate) protocol: &'static str,
    /// How many.
    pub(crate) members: usize,
    /// Whether they commit what they read.
    pub(crate) commits: bool,
}

impl Default for Joining {
    fn default() -> Self {
        Self {
            protocol: "classic",
            members: 1,
            commits: true,
        }
    }
}

/// A consumer in a background thread; leaves its group in good order when dropped.
pub(crate) struct Member {
    ending: Arc<AtomicBool>,
    frozen: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Member {
    fn start(config: &ClientConfig, topics: &[&str]) -> Self {
        let consumer: BaseConsumer = config.create().expect("a consumer");
        consumer.subscribe(topics).expect("a subscription");
        let ending = Arc::new(AtomicBool::new(false));
        let frozen = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let (ending, frozen) = (Arc::clone(&ending), Arc::clone(&frozen));
            move || {
                while !ending.load(Ordering::Relaxed) {
                    if frozen.load(Ordering::Relaxed) {
                        thread::sleep(Duration::from_millis(20));
                    } else {
                        consumer.poll(Duration::from_millis(100));
                    }
                }
            }
        });
        Self {
            ending,
            frozen,
            thread: Some(thread),
        }
    }
}

impl Member {
    /// Polls no more: it gives up nothing that it is to give up.
    pub(crate) fn freeze(&self) {
        self.frozen.store(true, Ordering::Relaxed);
    }

    /// Polls again.
    pub(crate) fn thaw(&self) {
        self.frozen.store(false, Ordering::Relaxed);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Kafka {
    /// Produces `count` records, dated now.
    pub(crate) fn produce(&self, topic: &str, partition: i32, count: usize) {
        self.produce_at(topic, partition, count, None);
    }

    /// Produces `count` records with this timestamp in milliseconds since 1970, or dated now.
    pub(crate) fn produce_at(&self, topic: &str, partition: i32, count: usize, at: Option<i64>) {
        self.produce_to(&[(topic, partition)], count, at);
    }

    /// The same to each of the partitions.
    pub(crate) fn produce_to(&self, places: &[(&str, i32)], count: usize, at: Option<i64>) {
        let sender = self.sender.get_or_init(|| Sender::new(&self.client()));
        places
            .iter()
            .for_each(|(topic, partition)| sender.send(topic, *partition, count, at));
        sender.flush();
    }

    /// Begins a transaction.
    pub(crate) fn transaction(&self) -> Transaction {
        let sender = Sender::new(self.client().set("transactional.id", unique("tx")));
        sender
            .0
            .init_transactions(TIMEOUT)
            .expect("a coordinator for transactions");
        sender.0.begin_transaction().expect("a transaction begins");
        Transaction(sender)
    }

    /// Members that read the topics; returns when the group is stable and all partitions are assigned.
    pub(crate) fn join(&self, group: &str, topics: &[&str], joining: Joining) -> Vec<Member> {
        let config = self.consumer(group, joining);
        let one = |_| Member::start({ config.clone() }.set("client.id", unique("client")), topics);
        let members: Vec<Member> = (0..joining.members).map(one).collect();
        let partitions: usize = topics.iter().map(|topic| self.leaders(topic).len()).sum();
        until("the group is stable", || {
            self.describe(group)
                .is_some_and(|g| g.state == "Stable" && g.members >= joining.members && g.assigned == partitions)
        });
        members
    }

    /// One more member, without waiting for anything.
    pub(crate) fn member(&self, group: &str, topics: &[&str], protocol: &'static str) -> Member {
        let joining = Joining {
            protocol,
            ..Joining::default()
        };
        Member::start(
            { self.consumer(group, joining) }.set("client.id", unique("client")),
            topics,
        )
    }

    fn consumer(&self, group: &str, joining: Joining) -> ClientConfig {
        let mut config = self.client();
        config
            .set("group.id", group)
            .set("group.protocol", joining.protocol)
            .set("auto.offset.reset", "earliest");
        config
            .set("enable.auto.commit", joining.commits.to_string())
            .set("auto.commit.interval.ms", "200");
        if joining.protocol == "classic" {
            config
                .set("session.timeout.ms", "6000")
                .set("heartbeat.interval.ms", "500");
        }
        config
    }

    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", self.bootstrap())
            .set_log_level(RDKafkaLogLevel::Emerg);
        config
    }
}
