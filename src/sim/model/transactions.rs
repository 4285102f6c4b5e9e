//! Transactions in logs and in commits.

use std::time::Duration;

use super::Kind;
use super::Model;
use super::NoSuch;
use super::topic_name;

/// A transaction on one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Txn {
    topic: String,
    partition: i32,
    producer: u32,
}

impl Model {
    /// Opens a transaction: the last stable offset stays here until it ends.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn begin_transaction(&mut self, topic: &str, partition: i32) -> Result<Txn, NoSuch> {
        let now = self.now;
        // Producer ids only have to differ.
        let producer = u32::try_from(self.draw() >> 33).unwrap_or(0);
        self.partition_mut(topic, partition)?.log.begin(producer, now);
        Ok(Txn {
            topic: topic.to_owned(),
            partition,
            producer,
        })
    }

    /// Opens a transaction whose first record is the first one that came later than `ago`, and whose producer is no more: nobody will
    /// ever end it.
    ///
    /// # Errors
    ///
    /// When there is no such partition.
    pub fn hang_transaction(&mut self, topic: &str, partition: i32, ago: Duration) -> Result<(), NoSuch> {
        let first = self.offset_of(topic, partition, ago)?;
        let producer = u32::try_from(self.draw() >> 33).unwrap_or(0);
        self.partition_mut(topic, partition)?.log.begin_at(producer, first);
        Ok(())
    }

    /// Appends records dated now to a transaction.
    ///
    /// # Errors
    ///
    /// When the partition is no more.
    pub fn append_in(&mut self, txn: &Txn, count: i64) -> Result<(), NoSuch> {
        let now = self.now;
        let log = &mut self.partition_mut(&txn.topic, txn.partition)?.log;
        log.append(count, now, Kind::Transactional(txn.producer), now);
        Ok(())
    }

    /// Ends a transaction with its marker, which takes one offset.
    ///
    /// # Errors
    ///
    /// When the partition is no more or the transaction has ended.
    pub fn end_transaction(&mut self, txn: &Txn, committed: bool) -> Result<(), NoSuch> {
        let now = self.now;
        let log = &mut self.partition_mut(&txn.topic, txn.partition)?.log;
        match log.finish(txn.producer, committed, now) {
            true => Ok(()),
            false => Err(NoSuch::Transaction),
        }
    }

    /// Marks a group's commit as part of an open transaction: who asks for stable offsets hears UNSTABLE_OFFSET_COMMIT.
    ///
    /// # Errors
    ///
    /// When there is no such group.
    pub fn set_pending(&mut self, group: &str, topic: &str, partition: i32, pending: bool) -> Result<(), NoSuch> {
        let topic = topic_name(topic);
        self.group_mut(group)?.commits.set_pending(&topic, partition, pending);
        Ok(())
    }
}
