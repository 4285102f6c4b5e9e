//! How librdkafka is set up, and what its errors mean.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use rdkafka::ClientConfig;
use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::BaseConsumer;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode;

use crate::config::Cluster;
use crate::config::HostPort;
use crate::config::Isolation;
use crate::config::Sasl;
use crate::config::SecretError;
use crate::config::Tls;
use crate::failure::Cause;
use crate::failure::ErrorCode;

/// Never joined and never committed to; librdkafka assigns nothing without one.
const GROUP: &str = "tidemark-record-times";

/// A consumer that says nothing on its own.
pub(super) type Consumer = BaseConsumer<Quiet>;

/// What librdkafka is told.
pub(super) struct Settings {
    /// All but the secrets, which are read anew for every client.
    plain: ClientConfig,
    cluster: Arc<Cluster>,
}

impl Settings {
    pub(super) fn of(cluster: Arc<Cluster>) -> Self {
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
        Self { plain: config, cluster }
    }

    pub(super) fn connect(&self) -> Result<Arc<Consumer>, Cause> {
        let mut config = self.plain.clone();
        secure(&mut config, self.cluster.tls.as_ref(), self.cluster.sasl.as_ref()).map_err(|error| {
            tracing::debug!(%error, "no secret for librdkafka");
            Cause::Authentication
        })?;
        let consumer: Result<Consumer, KafkaError> = config.create_with_context(Quiet::default());
        consumer.map(Arc::new).map_err(|error| {
            // The message may quote a setting, and a setting may be a secret: only the kind is kept.
            tracing::debug!(code = ?error.rdkafka_error_code(), "librdkafka refused its settings");
            Cause::Unsupported
        })
    }
}

fn address(server: &HostPort) -> String {
    if server.host.contains(':') {
        format!("[{}]:{}", server.host, server.port)
    } else {
        format!("{}:{}", server.host, server.port)
    }
}

fn secure(config: &mut ClientConfig, tls: Option<&Tls>, sasl: Option<&Sasl>) -> Result<(), SecretError> {
    config.set(
        "security.protocol",
        match (tls, sasl) {
            (None, None) => "plaintext",
            (Some(_), None) => "ssl",
            (None, Some(_)) => "sasl_plaintext",
            (Some(_), Some(_)) => "sasl_ssl",
        },
    );
    if let Some(tls) = tls {
        for (key, file) in [
            ("ssl.ca.location", &tls.ca_file),
            ("ssl.certificate.location", &tls.cert_file),
            ("ssl.key.location", &tls.key_file),
        ] {
            if let Some(file) = file {
                config.set(key, file.to_string_lossy());
            }
        }
        if let Some(password) = &tls.key_password {
            config.set("ssl.key.password", password.read()?.expose());
        }
        let check = if tls.verify_hostname { "https" } else { "none" };
        config.set("ssl.endpoint.identification.algorithm", check);
    }
    if let Some(sasl) = sasl {
        config
            .set("sasl.mechanism", sasl.mechanism.as_str())
            .set("sasl.username", &sasl.username)
            .set("sasl.password", sasl.password.read()?.expose());
    }
    Ok(())
}

/// Logs at debug only, and remembers why brokers cannot be reached.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    /// The lock is held for a copy only, by librdkafka's threads and the worker.
    trouble: Mutex<Option<Cause>>,
}

impl Quiet {
    /// Why brokers could not be reached since that was last forgotten.
    pub(super) fn trouble(&self) -> Option<Cause> {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn forget_trouble(&self) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl ClientContext for Quiet {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        tracing::debug!(?level, facility, message, "librdkafka");
    }

    fn error(&self, error: KafkaError, _: &str) {
        let trouble = match error.rdkafka_error_code().map(cause) {
            Some(found @ (Cause::Authentication | Cause::Tls | Cause::Disconnected)) => found,
            _ => return,
        };
        let mut known = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        // "All brokers are down" follows on a refused login and says less.
        if known.is_none() || trouble != Cause::Disconnected {
            *known = Some(trouble);
        }
    }
}

impl ConsumerContext for Quiet {}

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
