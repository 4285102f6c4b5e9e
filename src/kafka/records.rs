//! The time of single records, by librdkafka: assign at an offset, poll one message, go on. It knows every codec and record format; it
//! never joins a group and never commits.
//!
//! librdkafka blocks, so it lives on a thread of its own. A read that is not done by its deadline is abandoned there, and what it would
//! still have said is dropped: a cycle never waits for it.

mod client;
mod context;
mod round;
mod secure;
mod worker;

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::sync::mpsc::TrySendError;
use std::sync::mpsc::sync_channel;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio::time::timeout_at;

use crate::config::Cluster;
use crate::failure::Cause;
use crate::failure::Heard;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::RecordAt;
use crate::model::TopicName;

use super::RecordTimes;

use client::Settings;
use worker::Job;
use worker::Worker;

/// Reads single records of one cluster for their time. Connects on the first read; dropping it ends its thread.
#[derive(Debug)]
pub struct Reader {
    /// Room for one: who is still busy with an overdue read is not given another.
    jobs: SyncSender<Job>,
}

impl Reader {
    /// A reader with the cluster's addresses, credentials and isolation. Nothing is connected yet.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        let (jobs, inbox) = sync_channel(1);
        // Tokens are fetched on it while the thread waits; without one, none can be had.
        let settings = Settings::of(cluster, Handle::try_current().ok());
        let thread = thread::Builder::new().name("record-times".to_owned());
        if let Err(error) = thread.spawn(move || Worker::new(settings).run(&inbox)) {
            // Without the thread nobody takes jobs, and every read says so.
            tracing::error!(%error, "no thread for the times of records");
        }
        Self { jobs }
    }
}

impl RecordTimes for Reader {
    async fn read(&mut self, wanted: &[(TopicName, Partition, Offset)], deadline: Instant) -> Vec<Heard<RecordAt>> {
        let mut answers = vec![Err(Cause::TimedOut); wanted.len()];
        if wanted.is_empty() {
            return answers;
        }
        // One answer each at most: the worker never waits for room.
        let (answer, mut answered) = mpsc::channel(wanted.len());
        let job = Job {
            wanted: wanted.to_vec(),
            deadline,
            answer,
        };
        match self.jobs.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return answers,
            Err(TrySendError::Disconnected(_)) => return vec![Err(Cause::Disconnected); wanted.len()],
        }
        // Ends early when the worker is done and has dropped its end.
        while let Ok(Some((place, heard))) = timeout_at(deadline, answered.recv()).await {
            answers[place] = heard;
        }
        answers
    }
}
