//! What must be seen of a story, as data.

use crate::model::Status;

/// One fact about a story's group. Records and seconds are bounds that hold at every moment of the first five minutes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Truth {
    /// The group's status, once it has been watched for as long as a window.
    Status(Status),
    /// The status of one partition (topic, partition), the same way.
    PartitionStatus(&'static str, i32, Status),
    /// One of these states at any time.
    State(&'static [&'static str]),
    /// The type, as the label says it.
    Type(&'static str),
    /// How many members.
    Members(usize),
    /// How many members have no partition, while the group is stable.
    IdleMembers(usize),
    /// The lag of a topic in records lies within these.
    Lag(&'static str, u64, u64),
    /// The lag of a topic in seconds (the oldest unread record's age) lies within these.
    LagSeconds(&'static str, u64, u64),
    /// The lag of a topic in records is higher the later it is read.
    LagGrows(&'static str),
    /// The lag of a topic of a share group in records lies within these.
    ShareLag(&'static str, u64, u64),
    /// No lag of commits can be told for a topic.
    NoLag(&'static str),
    /// At least so many records of a topic were lost before the group read them.
    Lost(&'static str, u64),
    /// The commits are ahead of the log's end by so many records (topic, partition, records).
    Ahead(&'static str, i32, u64),
    /// So many partitions of a topic were never committed.
    Uncommitted(&'static str, usize),
    /// At least so many records of a partition lie beyond its last stable offset (topic, partition, records).
    OpenTransaction(&'static str, i32, u64),
    /// The topic is gone; commits on it are left.
    TopicGone(&'static str),
}
