//! What could not be read and why. A failure belongs to the smallest thing that failed and is a value: [`Cause`] is small enough to
//! stand beside every partition, [`Failure`] adds which call failed and words for a person.

mod code;

pub use code::ErrorCode;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A Kafka API that tidemark calls; the label `api`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Api {
    /// Versions a broker speaks.
    ApiVersions,
    /// SASL: which mechanism.
    SaslHandshake,
    /// SASL: the exchange itself.
    SaslAuthenticate,
    /// Brokers, topics, leaders.
    Metadata,
    /// Who coordinates a group.
    FindCoordinator,
    /// The groups a broker coordinates.
    ListGroups,
    /// Members of classic groups.
    DescribeGroups,
    /// Members of KIP-848 groups.
    ConsumerGroupDescribe,
    /// Members of share groups.
    ShareGroupDescribe,
    /// Members of streams groups.
    StreamsGroupDescribe,
    /// Start offsets of share groups.
    DescribeShareGroupOffsets,
    /// Committed offsets.
    OffsetFetch,
    /// Log starts and ends, offsets by time.
    ListOffsets,
    /// Topic configuration.
    DescribeConfigs,
    /// A commit from outside a group.
    OffsetCommit,
    /// Forgetting a commit.
    OffsetDelete,
    /// Reading one record for its time (by librdkafka).
    Fetch,
}

impl Api {
    /// Every API, in the order of the cycle.
    pub const ALL: [Self; 17] = [
        Self::ApiVersions,
        Self::SaslHandshake,
        Self::SaslAuthenticate,
        Self::Metadata,
        Self::FindCoordinator,
        Self::ListGroups,
        Self::DescribeGroups,
        Self::ConsumerGroupDescribe,
        Self::ShareGroupDescribe,
        Self::StreamsGroupDescribe,
        Self::DescribeShareGroupOffsets,
        Self::OffsetFetch,
        Self::ListOffsets,
        Self::DescribeConfigs,
        Self::OffsetCommit,
        Self::OffsetDelete,
        Self::Fetch,
    ];

    /// Kafka's name of the call.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ApiVersions => "ApiVersions",
            Self::SaslHandshake => "SaslHandshake",
            Self::SaslAuthenticate => "SaslAuthenticate",
            Self::Metadata => "Metadata",
            Self::FindCoordinator => "FindCoordinator",
            Self::ListGroups => "ListGroups",
            Self::DescribeGroups => "DescribeGroups",
            Self::ConsumerGroupDescribe => "ConsumerGroupDescribe",
            Self::ShareGroupDescribe => "ShareGroupDescribe",
            Self::StreamsGroupDescribe => "StreamsGroupDescribe",
            Self::DescribeShareGroupOffsets => "DescribeShareGroupOffsets",
            Self::OffsetFetch => "OffsetFetch",
            Self::ListOffsets => "ListOffsets",
            Self::DescribeConfigs => "DescribeConfigs",
            Self::OffsetCommit => "OffsetCommit",
            Self::OffsetDelete => "OffsetDelete",
            Self::Fetch => "Fetch",
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why something could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A broker answered with this error.
    Code(ErrorCode),
    /// No answer in time.
    TimedOut,
    /// No connection, or it closed before the answer came.
    Disconnected,
    /// The answer could not be understood, or did not mention what was asked for.
    Malformed,
    /// No version of the call that both sides speak.
    Unsupported,
    /// The TLS handshake failed.
    Tls,
    /// SASL refused the credentials, or offers no such mechanism.
    Authentication,
    /// The metadata names no leader for the partition.
    NoLeader,
    /// No broker could be named as the group's coordinator.
    NoCoordinator,
    /// The name is not UTF-8, so that it cannot be asked for.
    Unaskable,
}

impl Cause {
    /// The label `code`: Kafka's own name, its number when nobody knows it, and where no broker answered the name that Kafka's own
    /// clients give the condition. What has no such name says so in the same spelling.
    pub fn label(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Code(code) => return code.label(),
            Self::TimedOut => "REQUEST_TIMED_OUT",
            Self::Disconnected => "NETWORK_EXCEPTION",
            Self::Malformed => "MALFORMED_ANSWER",
            Self::Unsupported => "UNSUPPORTED_VERSION",
            Self::Tls => "TLS_HANDSHAKE_FAILED",
            Self::Authentication => "SASL_AUTHENTICATION_FAILED",
            Self::NoLeader => "LEADER_NOT_AVAILABLE",
            Self::NoCoordinator => "COORDINATOR_NOT_AVAILABLE",
            Self::Unaskable => "UNASKABLE_NAME",
        })
    }

    /// The label `reason`, from the contract's closed list.
    pub fn reason(self) -> Reason {
        match self {
            Self::Code(code) => code.reason(),
            Self::TimedOut => Reason::Timeout,
            Self::Disconnected | Self::Tls | Self::NoCoordinator => Reason::BrokerUnavailable,
            Self::Authentication => Reason::Authorization,
            Self::NoLeader => Reason::NoLeader,
            Self::Malformed | Self::Unsupported | Self::Unaskable => Reason::Other,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

/// The closed list of reasons why a figure is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The topic or partition does not exist (any more).
    UnknownTopic,
    /// The partition has no leader, or it is moving.
    NoLeader,
    /// Not allowed.
    Authorization,
    /// No answer in time.
    Timeout,
    /// The broker cannot be reached.
    BrokerUnavailable,
    /// Kafka is in the middle of something: coordinator loading, offset commit pending.
    Unstable,
    /// The record's own time cannot be used.
    EventTime,
    /// Anything else.
    Other,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::UnknownTopic,
        Self::NoLeader,
        Self::Authorization,
        Self::Timeout,
        Self::BrokerUnavailable,
        Self::Unstable,
        Self::EventTime,
        Self::Other,
    ];

    /// The label value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTopic => "unknown_topic",
            Self::NoLeader => "no_leader",
            Self::Authorization => "authorization",
            Self::Timeout => "timeout",
            Self::BrokerUnavailable => "broker_unavailable",
            Self::Unstable => "unstable",
            Self::EventTime => "event_time",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A value that was heard, or why it was not.
pub type Heard<T> = Result<T, Cause>;

/// One failed call, with words for a person. Never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{api}: {cause}{}", Detail(.detail))]
pub struct Failure {
    /// The call.
    pub api: Api,
    /// Why it failed.
    pub cause: Cause,
    /// What is known beyond that: the broker's own message, the address, the system's error.
    pub detail: Option<Arc<str>>,
}

impl Failure {
    /// A failure of which no more is known than its cause.
    pub fn new(api: Api, cause: Cause) -> Self {
        Self {
            api,
            cause,
            detail: None,
        }
    }

    /// The same failure with words for a person.
    pub fn because(api: Api, cause: Cause, detail: impl fmt::Display) -> Self {
        Self {
            api,
            cause,
            detail: Some(detail.to_string().into()),
        }
    }
}

struct Detail<'a>(&'a Option<Arc<str>>);

impl fmt::Display for Detail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |detail| write!(f, " ({detail})"))
    }
}
