//! Kafka's error codes and their names.

use std::borrow::Cow;
use std::fmt;

use kafka_protocol::error::ResponseError;

use super::Reason;

/// An error code as a broker sent it; never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorCode(i16);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $name: Self = Self($code);)*
        }
    };
}

codes! {
    /// The offset is outside the log.
    OFFSET_OUT_OF_RANGE = 1,
    /// No such topic or partition on this broker.
    UNKNOWN_TOPIC_OR_PARTITION = 3,
    /// The partition has no leader at present.
    LEADER_NOT_AVAILABLE = 5,
    /// This broker does not lead the partition.
    NOT_LEADER_OR_FOLLOWER = 6,
    /// The broker gave up waiting.
    REQUEST_TIMED_OUT = 7,
    /// The coordinator is reading its log.
    COORDINATOR_LOAD_IN_PROGRESS = 14,
    /// No coordinator at present.
    COORDINATOR_NOT_AVAILABLE = 15,
    /// This broker does not coordinate the group.
    NOT_COORDINATOR = 16,
    /// Not a valid topic name.
    INVALID_TOPIC_EXCEPTION = 17,
    /// The group moved on to another generation.
    ILLEGAL_GENERATION = 22,
    /// The group has members, and the writer is none of them.
    UNKNOWN_MEMBER_ID = 25,
    /// Partitions are moving between members.
    REBALANCE_IN_PROGRESS = 27,
    /// Not allowed to see or use the topic.
    TOPIC_AUTHORIZATION_FAILED = 29,
    /// Not allowed to see or use the group.
    GROUP_AUTHORIZATION_FAILED = 30,
    /// Not allowed on the cluster.
    CLUSTER_AUTHORIZATION_FAILED = 31,
    /// The mechanism is not offered.
    UNSUPPORTED_SASL_MECHANISM = 33,
    /// The broker does not speak this version.
    UNSUPPORTED_VERSION = 35,
    /// The request makes no sense to the broker.
    INVALID_REQUEST = 42,
    /// The broker's disk fails.
    KAFKA_STORAGE_ERROR = 56,
    /// Wrong credentials.
    SASL_AUTHENTICATION_FAILED = 58,
    /// The group has members.
    NON_EMPTY_GROUP = 68,
    /// No such group.
    GROUP_ID_NOT_FOUND = 69,
    /// The leader epoch in the request is older than the broker's.
    FENCED_LEADER_EPOCH = 74,
    /// The leader epoch in the request is newer than the broker's.
    UNKNOWN_LEADER_EPOCH = 75,
    /// No replica has that offset at present.
    OFFSET_NOT_AVAILABLE = 78,
    /// A member still subscribes to the topic.
    GROUP_SUBSCRIBED_TO_TOPIC = 86,
    /// A transaction's commit is pending.
    UNSTABLE_OFFSET_COMMIT = 88,
    /// No topic has that id.
    UNKNOWN_TOPIC_ID = 100,
}

impl ErrorCode {
    /// `None` for 0, which is no error.
    pub const fn new(raw: i16) -> Option<Self> {
        if raw == 0 { None } else { Some(Self(raw)) }
    }

    /// The number on the wire.
    pub const fn get(self) -> i16 {
        self.0
    }

    /// Kafka's own name, or the number when nobody here knows the code.
    pub fn label(self) -> Cow<'static, str> {
        match ResponseError::try_from_code(self.0) {
            Some(ResponseError::Unknown(_)) | None => self.0.to_string().into(),
            Some(known) => screaming(&known.to_string()).into(),
        }
    }

    /// True when asking again, perhaps another broker, may help.
    pub fn is_retriable(self) -> bool {
        ResponseError::try_from_code(self.0).is_some_and(|known| known.is_retriable())
    }

    /// The reason from the contract's closed list.
    pub fn reason(self) -> Reason {
        match self {
            Self::UNKNOWN_TOPIC_OR_PARTITION | Self::UNKNOWN_TOPIC_ID | Self::INVALID_TOPIC_EXCEPTION => {
                Reason::UnknownTopic
            }
            Self::LEADER_NOT_AVAILABLE
            | Self::NOT_LEADER_OR_FOLLOWER
            | Self::FENCED_LEADER_EPOCH
            | Self::UNKNOWN_LEADER_EPOCH
            | Self::OFFSET_NOT_AVAILABLE => Reason::NoLeader,
            Self::TOPIC_AUTHORIZATION_FAILED
            | Self::GROUP_AUTHORIZATION_FAILED
            | Self::CLUSTER_AUTHORIZATION_FAILED
            | Self::SASL_AUTHENTICATION_FAILED => Reason::Authorization,
            Self::REQUEST_TIMED_OUT => Reason::Timeout,
            Self::COORDINATOR_NOT_AVAILABLE | Self::NOT_COORDINATOR => Reason::BrokerUnavailable,
            Self::COORDINATOR_LOAD_IN_PROGRESS | Self::UNSTABLE_OFFSET_COMMIT | Self::REBALANCE_IN_PROGRESS => {
                Reason::Unstable
            }
            _ => Reason::Other,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.label(), self.0)
    }
}

/// `NotCoordinator` → `NOT_COORDINATOR`: the crate spells the codes in camel case, Kafka and its users in capitals.
fn screaming(camel: &str) -> String {
    let mut out = String::with_capacity(camel.len() + 8);
    for (index, letter) in camel.chars().enumerate() {
        if letter.is_ascii_uppercase() && index > 0 {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_kafkas_own_names_and_unknown_ones_their_number() {
        for (code, name) in [
            (-1, "UNKNOWN_SERVER_ERROR"),
            (3, "UNKNOWN_TOPIC_OR_PARTITION"),
            (16, "NOT_COORDINATOR"),
            (69, "GROUP_ID_NOT_FOUND"),
            (88, "UNSTABLE_OFFSET_COMMIT"),
            (31_000, "31000"),
        ] {
            assert_eq!(
                ErrorCode::new(code).map(|c| c.label().into_owned()).as_deref(),
                Some(name)
            );
        }
        assert_eq!(ErrorCode::new(0), None);
    }

    #[test]
    fn the_constants_are_named_as_kafka_names_their_numbers() {
        assert_eq!(ErrorCode::FENCED_LEADER_EPOCH.label(), "FENCED_LEADER_EPOCH");
        assert_eq!(ErrorCode::NON_EMPTY_GROUP.label(), "NON_EMPTY_GROUP");
        assert_eq!(
            ErrorCode::GROUP_SUBSCRIBED_TO_TOPIC.label(),
            "GROUP_SUBSCRIBED_TO_TOPIC"
        );
        assert_eq!(ErrorCode::OFFSET_NOT_AVAILABLE.label(), "OFFSET_NOT_AVAILABLE");
        assert_eq!(ErrorCode::INVALID_TOPIC_EXCEPTION.label(), "INVALID_TOPIC_EXCEPTION");
    }
}
