//! How librdkafka is set up, and what its errors mean.

use std::sync::Arc;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::BaseConsumer;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode;
use tokio::runtime::Handle;

use super::context::Quiet;
use super::context::Refresher;
use super::secure::secure;

use crate::config::Cluster;
use crate::config::HostPort;
use crate::config::Isolation;
use crate::config::Sasl;
use crate::config::Secret;
use crate::config::Security;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::kafka::trouble::Trouble;

/// Never joined and never committed to; librdkafka assigns nothing without one.
const GROUP: &str = "tidemark-record-times";

/// A consumer that says nothing on its own.
pub(super) type Consumer = BaseConsumer<Quiet>;

/// What librdkafka is told.
pub(super) struct Settings {
    /// All but the secrets, which are read anew for every client.
    plain: ClientConfig,
    cluster: Arc<Cluster>,
    tokens: Refresher,
}

impl Settings {
    pub(super) fn of(cluster: Arc<Cluster>, runtime: Option<Handle>) -> Self {
        let mut config = ClientConfig::new();
        let addresses: Vec<String> = cluster.bootstrap_servers.iter().map(address).collect();
        // librdkafka wants a second between what a fetch may wait and its timeout.
        let timeout = cluster.request_timeout.as_millis().clamp(1_100, 300_000).to_string();
        let isolation = match cluster.isolation_of_all() {
            Isolation::ReadUncommitted => "read_uncommitted",
            Isolation::ReadCommitted => "read_committed",
        };
        for (key, value) in [
            ("bootstrap.servers", addresses.join(",").as_str()),
            ("client.id", "tidemark"),
            ("group.id", GROUP),
            ("enable.auto.commit", "false"),
            ("enable.auto.offset.store", "false"),
            ("auto.offset.reset", "error"),
            ("enable.partition.eof", "true"),
            ("isolation.level", isolation),
            // One record is wanted, not the log: the broker sends its batch whole and no more.
            ("fetch.message.max.bytes", "16384"),
            ("queued.min.messages", "1"),
            ("fetch.wait.max.ms", "10"),
            ("fetch.error.backoff.ms", "50"),
            // A partition whose queue was full in the last round is fetched at once in the next, not a second later.
            ("fetch.queue.backoff.ms", "5"),
            ("socket.keepalive.enable", "true"),
            ("socket.timeout.ms", &timeout),
            ("socket.connection.setup.timeout.ms", &timeout),
            ("reconnect.backoff.max.ms", "2000"),
            ("allow.auto.create.topics", "false"),
            // The metadata has just named the topic: whoever does not know it has lost it.
            ("topic.metadata.propagation.max.ms", "1000"),
        ] {
            config.set(key, value);
        }
        config.set_log_level(RDKafkaLogLevel::Warning);
        Self {
            plain: config,
            tokens: Refresher::new(runtime, cluster.request_timeout),
            cluster,
        }
    }

    /// The settings with what the files hold now.
    pub(super) fn current(&self) -> Result<Current, Trouble> {
        let security = self.cluster.security();
        let security = security.map_err(|error| Trouble::new(Cause::Authentication, error))?;
        let mut config = self.plain.clone();
        let password = secure(&mut config, security.tls.as_ref(), security.sasl.as_ref())?;
        let print = print(&config, &security);
        Ok(Current {
            config,
            password,
            sasl: security.sasl,
            print,
        })
    }

    /// A client with them.
    pub(super) fn connect(&self, current: &Current) -> Result<Arc<Consumer>, Cause> {
        let tokens = current.sasl.as_ref().and_then(|sasl| self.tokens.of(sasl));
        let name = Arc::clone(&self.cluster.name);
        let context = Quiet::new(name, tokens, current.password.clone());
        let consumer: Result<Consumer, KafkaError> = current.config.create_with_context(context);
        consumer.map(Arc::new).map_err(|error| {
            // The message may quote a setting, and a setting may be a secret: only the kind is kept.
            let code = format_args!("librdkafka refuses its settings: {:?}", error.rdkafka_error_code());
            self.fail(&Trouble::new(Cause::Unsupported, code))
        })
    }

    /// Says why there is no client, and gives the cause back.
    pub(super) fn fail(&self, trouble: &Trouble) -> Cause {
        let (cluster, error) = (&*self.cluster.name, &*trouble.detail);
        tracing::warn!(cluster, error, "the times of records cannot be read");
        trouble.cause
    }
}

/// What librdkafka is told at one moment.
pub(super) struct Current {
    config: ClientConfig,
    password: Option<Secret>,
    sasl: Option<Sasl>,
    /// Of all that is said, so that a change is noticed.
    pub(super) print: Print,
}

/// SHA-256.
pub(super) type Print = [u8; 32];

fn print(config: &ClientConfig, security: &Security) -> Print {
    let map = config.config_map();
    let mut settings: Vec<_> = map.iter().collect();
    settings.sort();
    let mut hasher = openssl::sha::Sha256::new();
    for (key, value) in settings {
        hasher.update(format!("{}={key}{}={value}", key.len(), value.len()).as_bytes());
    }
    // Who asks for tokens is not among the settings.
    hasher.update(format!("{:?}", security.sasl).as_bytes());
    hasher.finish()
}

fn address(server: &HostPort) -> String {
    if server.host.contains(':') {
        format!("[{}]:{}", server.host, server.port)
    } else {
        format!("{}:{}", server.host, server.port)
    }
}

/// What an error of librdkafka's, or of a broker passed on by it, means.
pub(super) fn cause(code: RDKafkaErrorCode) -> Cause {
    match code {
        RDKafkaErrorCode::OperationTimedOut | RDKafkaErrorCode::MessageTimedOut => Cause::TimedOut,
        RDKafkaErrorCode::BrokerTransportFailure | RDKafkaErrorCode::AllBrokersDown | RDKafkaErrorCode::Resolve => {
            Cause::Disconnected
        }
        RDKafkaErrorCode::SSL => Cause::Tls,
        RDKafkaErrorCode::Authentication => Cause::Authentication,
        RDKafkaErrorCode::AutoOffsetReset => Cause::Code(ErrorCode::OFFSET_OUT_OF_RANGE),
        RDKafkaErrorCode::UnknownPartition | RDKafkaErrorCode::UnknownTopic => {
            Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)
        }
        // Brokers' codes have their own numbers; what librdkafka adds of its own lies below -100.
        other => match i16::try_from(other as i32).ok().filter(|raw| *raw > -100) {
            Some(raw) => ErrorCode::new(raw).map_or(Cause::Malformed, Cause::Code),
            None => Cause::Malformed,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brokers_codes_keep_their_number_and_librdkafkas_own_get_a_meaning() {
        for (code, meaning) in [
            (
                RDKafkaErrorCode::TopicAuthorizationFailed,
                Cause::Code(ErrorCode::TOPIC_AUTHORIZATION_FAILED),
            ),
            (
                RDKafkaErrorCode::AutoOffsetReset,
                Cause::Code(ErrorCode::OFFSET_OUT_OF_RANGE),
            ),
            (
                RDKafkaErrorCode::OffsetOutOfRange,
                Cause::Code(ErrorCode::OFFSET_OUT_OF_RANGE),
            ),
            (
                RDKafkaErrorCode::UnknownPartition,
                Cause::Code(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
            ),
            (RDKafkaErrorCode::AllBrokersDown, Cause::Disconnected),
            (RDKafkaErrorCode::Authentication, Cause::Authentication),
            (RDKafkaErrorCode::BadMessage, Cause::Malformed),
        ] {
            assert_eq!(cause(code), meaning, "{code:?}");
        }
    }

    #[test]
    fn an_ipv6_address_is_put_in_brackets() {
        let server = |host: &str| HostPort {
            host: host.to_owned(),
            port: 9092,
        };
        assert_eq!(address(&server("::1")), "[::1]:9092");
        assert_eq!(address(&server("kafka-1")), "kafka-1:9092");
    }
}
