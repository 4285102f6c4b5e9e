//! Why a reset is not done: every refusal there is, each with its error word, what is wrong, what to do, and the details.

use std::time::Duration;

use super::document::Key;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Failure;
use crate::model::GroupId;
use crate::model::GroupState;
use crate::model::GroupType;
use crate::model::Offset;
use crate::model::UnixMillis;
use crate::observation::Member;

mod details;
mod message;
#[cfg(test)]
mod tests;

/// A refusal: nothing was written to Kafka.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No token, or not the right one.
    Unauthenticated,
    /// More requests, or failed attempts to authenticate, than are taken.
    TooManyRequests {
        /// When to come again.
        retry_after: Duration,
    },
    /// There is no such route.
    NotFound,
    /// A route that only takes POST.
    MethodNotAllowed,
    /// A body above the limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The group is in no `allow` of the cluster.
    NotAllowed {
        /// Cluster.
        cluster: String,
        /// Group.
        group: GroupId,
    },
    /// No cluster of this name is configured.
    UnknownCluster {
        /// As it was asked for.
        cluster: String,
    },
    /// The document makes no sense; every reason.
    InvalidRequest(Vec<String>),
    /// The plan is not the one that was fingerprinted.
    BadFingerprint,
    /// The confirmation is not the group's id.
    WrongConfirmation {
        /// The group.
        group: GroupId,
        /// What came instead; `None` when nothing did.
        given: Option<String>,
    },
    /// The plan is too old, or dated ahead.
    PlanExpired {
        /// When it was made.
        created: UnixMillis,
        /// When it was sent.
        now: UnixMillis,
    },
    /// The cluster knows neither the group nor a commit of it.
    UnknownGroup {
        /// Group.
        group: GroupId,
    },
    /// A group whose offsets are not commits of a consumer.
    WrongGroupType {
        /// Group.
        group: GroupId,
        /// What it is.
        group_type: GroupType,
    },
    /// The group has members, or is about to.
    GroupActive(Active),
    /// Somebody commits for the group though it has no members.
    CommitsMoving {
        /// Group.
        group: GroupId,
        /// Commits that moved between two readings.
        moved: Vec<Change>,
    },
    /// The plan no longer describes what is there.
    PlanChanged(Vec<Difference>),
    /// Another reset is running.
    Busy,
    /// Partitions that cannot be reset as asked: all of them, sorted; never empty. The first one's reason, by the order of [`Fault`], is
    /// the refusal's error word.
    Partitions(Vec<BadPartition>),
    /// The group has no commit that the scope could take.
    NothingCommitted {
        /// Group.
        group: GroupId,
    },
    /// Something that must be known could not be read.
    CannotVerify(Unread),
    /// The audit log cannot be written.
    AuditUnavailable {
        /// The system's words.
        problem: String,
    },
}

/// Who keeps a group active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// Group.
    pub group: GroupId,
    /// Its state; `None` when only the write told that there are members.
    pub state: Option<GroupState>,
    /// Its members.
    pub members: Vec<Member>,
    /// What the coordinator answered to the write; `None` when the description told.
    pub answer: Option<ErrorCode>,
}

/// A commit that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub key: Key,
    /// As it was; `None`: no commit.
    pub was: Option<Offset>,
    /// As it is; `None`: no commit.
    pub is: Option<Offset>,
}

/// Something that is not as the plan has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A commit moved to where neither the plan found it nor the plan wants it.
    Commit(Change),
    /// The topic was made anew.
    Topic {
        /// Topic.
        topic: String,
        /// The plan's id.
        was: String,
        /// Today's id; `None` when the brokers tell none.
        is: Option<String>,
    },
}

/// One partition (or topic) that cannot be reset as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPartition {
    /// Why.
    pub fault: Fault,
    /// Topic.
    pub topic: String,
    /// Partition; `None` where it is the whole topic.
    pub partition: Option<i32>,
}

/// Why a partition cannot be reset as asked, the most basic reason first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No such topic.
    UnknownTopic,
    /// The topic has fewer partitions.
    UnknownPartition {
        /// How many it has.
        partitions: usize,
    },
    /// Nobody leads it.
    NoLeader,
    /// Something about it could not be read.
    Unreadable {
        /// What.
        what: &'static str,
        /// Why.
        cause: Cause,
    },
    /// The group has no commit on it.
    NotCommitted,
    /// The offset is outside the log. May lie beyond 64 bits when it was shifted.
    OutOfRange {
        /// Where to.
        to: i128,
        /// Start of the log.
        start: Offset,
        /// End of the log.
        end: Offset,
    },
}

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// A whole call.
    Call(Failure),
    /// The write could not be sent; nothing was changed.
    Unsent(Failure),
    /// The group's id cannot be asked for.
    Name(GroupId),
}

impl Fault {
    fn rank(&self) -> u8 {
        match self {
            Self::UnknownTopic => 0,
            Self::UnknownPartition { .. } => 1,
            Self::NoLeader => 2,
            Self::Unreadable { .. } => 3,
            Self::NotCommitted => 4,
            Self::OutOfRange { .. } => 5,
        }
    }

    /// The error word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::UnknownTopic => "unknown_topic",
            Self::UnknownPartition { .. } => "unknown_partition",
            Self::NoLeader => "no_leader",
            Self::Unreadable { .. } => "cannot_verify",
            Self::NotCommitted => "not_committed",
            Self::OutOfRange { .. } => "out_of_range",
        }
    }
}

impl Refusal {
    /// The refusal of bad partitions; `None` when there are none.
    pub fn of(mut bad: Vec<BadPartition>) -> Option<Self> {
        bad.sort_by(|a, b| (a.fault.rank(), &a.topic, a.partition).cmp(&(b.fault.rank(), &b.topic, b.partition)));
        bad.dedup();
        (!bad.is_empty()).then_some(Self::Partitions(bad))
    }

    /// The error word of the contract.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Unauthenticated => "unauthenticated",
            Self::TooManyRequests { .. } => "too_many_requests",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::TooLarge { .. } => "too_large",
            Self::NotAllowed { .. } => "not_allowed",
            Self::UnknownCluster { .. } => "unknown_cluster",
            Self::InvalidRequest(_) => "invalid_request",
            Self::BadFingerprint => "bad_fingerprint",
            Self::WrongConfirmation { .. } => "wrong_confirmation",
            Self::PlanExpired { .. } => "plan_expired",
            Self::UnknownGroup { .. } => "unknown_group",
            Self::WrongGroupType { .. } => "wrong_group_type",
            Self::GroupActive(_) => "group_active",
            Self::CommitsMoving { .. } => "commits_moving",
            Self::PlanChanged(_) => "plan_changed",
            Self::Busy => "busy",
            Self::Partitions(bad) => bad.first().map_or("invalid_request", |bad| bad.fault.word()),
            Self::NothingCommitted { .. } => "not_committed",
            Self::CannotVerify(_) => "cannot_verify",
            Self::AuditUnavailable { .. } => "audit_unavailable",
        }
    }
}
