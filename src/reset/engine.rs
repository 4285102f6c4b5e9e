//! Plan and execute with everything around them: access to the clusters, the audit log, one execute at a time, counting.

use std::sync::Arc;

use tokio::sync::Mutex;

use super::audit::Audit;
use super::audit::Caller;
use super::audit::Event;
use super::audit::Line;
use super::document::DONE;
use super::document::Executed;
use super::document::Key;
use super::document::Order;
use super::document::Planned;
use super::execute;
use super::facts;
use super::facts::Pace;
use super::fingerprint::hex;
use super::guard;
use super::plan;
use super::refusal::Refusal;
use super::replay;
use super::request::Asked;
use super::request::Reason;
use super::stages::Stages;
use super::stages::Told;
use crate::clock::Clock;
use crate::kafka::GroupFacts;
use crate::kafka::Writer;
use crate::model::GroupId;

#[cfg(test)]
mod tests;
mod watching;

pub use watching::Ending;
pub use watching::Observer;
pub use watching::Witness;

/// The way to the clusters. A connection is opened for each reset and closed with it.
pub trait Access: Send + Sync + 'static {
    /// Reads facts about groups.
    type Facts: GroupFacts + 'static;
    /// Writes commits.
    type Writer: Writer + 'static;

    /// A reader; `None` when no cluster has this name.
    fn facts(&self, cluster: &str) -> Option<Self::Facts>;

    /// A writer; `None` likewise. Asked for by an execute that has passed every guard, and by nothing else.
    fn writer(&self, cluster: &str) -> Option<Self::Writer>;

    /// How long things may take there, mostly [`Pace::of`] the cluster's request timeout; `None` likewise.
    fn pace(&self, cluster: &str) -> Option<Pace>;
}

/// Why an execute did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing was written.
    Refused(Refusal),
    /// Something was written, or may have been; the results say what. `commit_failed`.
    Failed(Box<Executed>),
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Which group of which cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The cluster's name.
    pub cluster: String,
    /// The group.
    pub group: GroupId,
}

/// Resets of the groups of all clusters.
pub struct Resets<A> {
    access: A,
    audit: Option<Audit>,
    clock: Clock,
    reason: Reason,
    observer: Arc<dyn Observer>,
    witness: Arc<dyn Witness>,
    stages: Stages,
    /// Held while an execute runs: one at a time, the next is told so rather than queued, as what it was planned on may change.
    running: Mutex<()>,
}

impl<A: Access> Resets<A> {
    /// Resets by this way to the clusters, recorded in `audit`; `None` only for a command line without a configured log.
    pub fn new(access: A, audit: Option<Audit>, clock: Clock) -> Self {
        Self {
            access,
            audit,
            clock,
            reason: Reason::Optional,
            observer: Arc::new(()),
            witness: Arc::new(()),
            stages: Stages::default(),
            running: Mutex::new(()),
        }
    }

    /// Whether requests must say why.
    #[must_use]
    pub fn reason(mut self, reason: Reason) -> Self {
        self.reason = reason;
        self
    }

    /// Who is told of every attempt.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Who knows how fast groups read.
    #[must_use]
    pub fn witnessed_by(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = witness;
        self
    }

    /// What the reset that runs is doing.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// The way to the clusters.
    pub fn access(&self) -> &A {
        &self.access
    }

    /// Counts an attempt that was turned away before it could be recorded.
    pub fn turned_away(&self, cluster: &str) {
        self.observer.ended(cluster, Ending::Refused);
    }

    /// Plans a reset. `request` may already be a refusal: then it is recorded and given back.
    ///
    /// # Errors
    ///
    /// Every refusal; `audit_unavailable` when the plan cannot be recorded.
    pub async fn plan(&self, caller: &Caller, at: &Place, request: Result<Asked, Refusal>) -> Result<Planned, Refusal> {
        let attempt = attempt();
        let asked = request.as_ref().ok().cloned();
        let planned = match request {
            Ok(asked) => self.draft(at, asked).await,
            Err(refusal) => Err(refusal),
        };
        let line = Line::new(Event::Plan, &attempt, caller, self.clock.now().wall)
            .about(&at.cluster, &at.group)
            .asked(asked.as_ref());
        let planned = match planned {
            Ok(planned) => self.record(&line.planned(&planned)).await.map(|()| planned),
            Err(refusal) => Err(self.record_refusal(line, refusal).await),
        };
        let ending = planned.as_ref().map_or(Ending::Refused, |_| Ending::Planned);
        self.observer.ended(&at.cluster, ending);
        planned
    }

    async fn draft(&self, at: &Place, asked: Asked) -> Result<Planned, Refusal> {
        guard::name(&at.group)?;
        let request = asked.check(self.reason)?;
        let (mut kafka, pace) = self.open(at)?;
        // The moment that "2h ago" counts from is the one the plan is dated.
        let now = self.clock.now().wall;
        let facts = facts::gather(&mut kafka, &at.group, &request, now, pace).await?;
        let mut planned = plan::draft(&at.cluster, &at.group, &request, &facts, now)?;
        let rows = &planned.plan.partitions;
        if rows.iter().any(|row| row.replayed.is_some_and(|records| records > 0)) {
            let rate = match self.witness.read(&at.cluster, &at.group) {
                Some(rate) => Ok(rate),
                None => replay::written(&mut kafka, rows, now, pace).await,
            };
            planned.replay = replay::of(rows, rate);
        }
        Ok(planned)
    }

    /// Executes a plan. `order` may already be a refusal: then it is recorded and given back.
    ///
    /// # Errors
    ///
    /// Every refusal, and what failed after the write began.
    pub async fn execute(
        &self,
        caller: &Caller,
        at: &Place,
        order: Result<Order, Refusal>,
    ) -> Result<Executed, Stopped> {
        let attempt = attempt();
        let log = Attempt {
            id: &attempt,
            caller,
            at,
            order: order.as_ref().ok(),
        };
        let ended = match &order {
            Ok(order) => self.carry_out(&log, order).await,
            Err(refusal) => Err(Turned::Before(refusal.clone())),
        };
        let ended = match ended {
            Ok(executed) if executed.is_complete() => Ok(executed),
            Ok(executed) => Err(Stopped::Failed(Box::new(executed))),
            Err(Turned::Before(refusal)) => {
                let line = log.line(Event::Execute, &self.clock);
                Err(Stopped::Refused(self.record_refusal(line, refusal).await))
            }
            Err(Turned::AfterIntent(refusal)) => Err(Stopped::Refused(refusal)),
        };
        let ending = match &ended {
            Ok(_) => Ending::Executed,
            Err(Stopped::Refused(_)) => Ending::Refused,
            Err(Stopped::Failed(_)) => Ending::Failed,
        };
        self.observer.ended(&at.cluster, ending);
        ended
    }

    async fn carry_out(&self, log: &Attempt<'_>, order: &Order) -> Result<Executed, Turned> {
        let Place { cluster, group } = log.at;
        let _one_at_a_time = self.running.try_lock().map_err(|_| Refusal::Busy)?;
        guard::order(order, cluster, group, self.clock.now().wall)?;
        let (mut kafka, pace) = self.open(log.at)?;
        let ready = execute::check(&mut kafka, group, &order.plan, pace).await?;
        let writer = self.access.writer(cluster).ok_or_else(|| unknown_cluster(cluster))?;
        let mut writer = self.stages.of(writer);
        let intent = log.line(Event::Intent, &self.clock).about_to_write(&ready);
        self.record(&intent).await?;
        let written = execute::write(&mut kafka, &mut writer, group, ready, pace).await;
        let line = log.line(Event::Outcome, &self.clock);
        match written {
            Ok(mut executed) => {
                self.tell(log, &executed);
                if let Err(refusal) = self.record(&line.executed(&executed)).await {
                    // The commits are written: what is left is to say that the log does not tell so.
                    tracing::error!(error = %refusal, attempt = log.id, "the outcome of a reset is not in the audit log");
                    executed
                        .warnings
                        .push(format!("the outcome was not recorded: {refusal}"));
                }
                Ok(executed)
            }
            Err(refusal) => Err(Turned::AfterIntent(self.record_refusal(line, refusal).await)),
        }
    }

    /// Why nothing could be executed on the group right now: who keeps it active, that another execute is running, or that it cannot be
    /// told; `None` when nothing stands in the way. Nothing is recorded of the question, and a group that does not exist is no reason.
    pub async fn blocked(&self, at: &Place) -> Option<Refusal> {
        if self.running.try_lock().is_err() {
            return Some(Refusal::Busy);
        }
        let (mut kafka, pace) = match self.open(at) {
            Ok(opened) => opened,
            Err(refusal) => return Some(refusal),
        };
        match facts::read_group(&mut kafka, &at.group, pace).await {
            Ok(seen) => seen.and_then(|seen| guard::active(&at.group, &seen)),
            Err(failure) => Some(guard::unverified(&failure)),
        }
    }

    /// Every commit of the group.
    ///
    /// # Errors
    ///
    /// `unknown_group` when there is neither the group nor a commit; `cannot_verify` when that cannot be told.
    pub async fn commits(&self, at: &Place) -> Result<facts::Commits, Refusal> {
        guard::name(&at.group)?;
        let (mut kafka, pace) = self.open(at)?;
        let commits = facts::read_commits(&mut kafka, &at.group, pace).await?;
        if commits.is_empty() {
            let seen = facts::read_group(&mut kafka, &at.group, pace).await;
            let seen = seen.map_err(|failure| guard::unverified(&failure))?;
            guard::known(&at.group, seen.as_ref(), &commits)?;
        }
        Ok(commits)
    }

    fn open(&self, at: &Place) -> Result<(Told<A::Facts>, Pace), Refusal> {
        let facts = self.access.facts(&at.cluster).map(|facts| self.stages.of(facts));
        facts
            .zip(self.access.pace(&at.cluster))
            .ok_or_else(|| unknown_cluster(&at.cluster))
    }

    fn tell(&self, log: &Attempt<'_>, executed: &Executed) {
        let done = executed
            .results
            .iter()
            .filter(|row| row.result == DONE && row.from != row.to);
        let key = |row: &super::document::RowResult| Key {
            topic: row.topic.clone(),
            partition: row.partition,
        };
        let moved: Vec<_> = done.map(|row| (key(row), row.to)).collect();
        if !moved.is_empty() {
            let Place { cluster, group } = log.at;
            self.observer.moved(cluster, group, &moved, &log.caller.who);
        }
    }

    async fn record(&self, line: &Line<'_>) -> Result<(), Refusal> {
        match &self.audit {
            Some(audit) => audit.append(line).await,
            None => Ok(()),
        }
    }

    /// Records a refusal and gives it back. It stands, recorded or not: nothing was written.
    async fn record_refusal(&self, line: Line<'_>, refusal: Refusal) -> Refusal {
        if let Err(problem) = self.record(&line.refused(&refusal)).await {
            tracing::error!(error = %problem, refused = refusal.word(), "a refused reset is not in the audit log");
        }
        refusal
    }
}

/// Why an execute wrote nothing, and whether its intent was recorded.
enum Turned {
    Before(Refusal),
    AfterIntent(Refusal),
}

impl From<Refusal> for Turned {
    fn from(refusal: Refusal) -> Self {
        Self::Before(refusal)
    }
}

/// What every line of one execute says.
struct Attempt<'a> {
    id: &'a str,
    caller: &'a Caller,
    at: &'a Place,
    order: Option<&'a Order>,
}

impl<'a> Attempt<'a> {
    fn line(&self, event: Event, clock: &Clock) -> Line<'a> {
        let line = Line::new(event, self.id, self.caller, clock.now().wall).about(&self.at.cluster, &self.at.group);
        match self.order {
            Some(order) => line.of_plan(&order.plan, &order.fingerprint),
            None => line,
        }
    }
}

fn unknown_cluster(cluster: &str) -> Refusal {
    Refusal::UnknownCluster {
        cluster: cluster.to_owned(),
    }
}

/// An id that joins the lines of one attempt, also across the processes that share a log.
fn attempt() -> String {
    let mut bytes = [0; 8];
    // Without randomness the lines are still told apart by their time.
    let _ = openssl::rand::rand_bytes(&mut bytes);
    hex(&bytes)
}
