//! The two ways of a reset command: straight on Kafka, or through a running tidemark's admin listener.

use std::fmt;

use super::super::CliError;
use super::super::ClusterArgs;
use super::super::Context;
use super::super::EndpointArgs;
use super::caller;
use super::endpoint::Endpoint;
use super::progress::Progress;
use super::progress::Shown;
use crate::app;
use crate::clock::Clock;
use crate::config::Config;
use crate::reset;
use crate::reset::Asked;
use crate::reset::Executed;
use crate::reset::Order;
use crate::reset::Planned;
use crate::reset::Refusal;
use crate::reset::Resets;
use crate::reset::Stopped;
use crate::reset::audit::Audit;
use crate::reset::audit::Caller;
use crate::reset::engine::Place;
use crate::reset::request::Reason;

/// How Kafka is reached.
pub(in crate::cli) enum Way<A> {
    /// With this process's own connections.
    Kafka(Box<Resets<A>>, Caller),
    /// By somebody else's.
    Endpoint(Endpoint),
}

/// Why a command did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Stop {
    /// Nothing was written.
    Refused {
        /// The error word.
        word: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// Something was, or may have been.
    Failed(Box<Executed>),
    /// The endpoint gave no answer that makes sense.
    Broken(String),
}

impl Stop {
    /// Whether it is worth while to wait.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Refused { word, .. } if word == "group_active" || word == "busy")
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { word, message } => write!(f, "{word}: {message}"),
            Self::Failed(executed) => write!(f, "commit_failed: {}", executed.failure()),
            Self::Broken(problem) => f.write_str(problem),
        }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused {
            word: refusal.word().to_owned(),
            message: refusal.to_string(),
        }
    }
}

/// The way that was asked for, and the cluster's name there; a problem of usage as words.
pub(super) fn to(
    endpoint: &EndpointArgs,
    planned: Option<&str>,
    cluster: &ClusterArgs,
    context: &mut Context<'_>,
) -> Result<Result<(Way<app::Access>, String), String>, CliError> {
    let named = cluster.cluster.as_deref().or(planned).map(str::to_owned);
    if let (Some(url), Some(file)) = (&endpoint.admin, &endpoint.token_file) {
        let way = Endpoint::new(url, file, endpoint).map(Way::Endpoint);
        let cluster = match named {
            Some(named) => named,
            None => only(cluster, &context.load(&[])?)?,
        };
        return Ok(way.map(|way| (way, cluster)));
    }
    let config = context.load(&[])?;
    let name = match named {
        Some(named) => {
            let cluster = Some(named);
            only(&ClusterArgs { cluster }, &config)?
        }
        None => only(cluster, &config)?,
    };
    let audit = config.admin.as_ref().map(|admin| Audit::new(admin.audit_log.clone()));
    let reason = match &config.admin {
        Some(admin) if admin.require_reason => Reason::Required,
        _ => Reason::Optional,
    };
    let access = app::Access::new(config.clusters.clone());
    let resets = Resets::new(access, audit, Clock::system()).reason(reason);
    Ok(Ok((Way::Kafka(Box::new(resets), caller::this_user()), name)))
}

fn only(cluster: &ClusterArgs, config: &Config) -> Result<String, CliError> {
    Ok(cluster.one(config)?.name.to_string())
}

impl<A: reset::Access> Way<A> {
    pub(super) async fn plan(&self, at: &Place, asked: Asked) -> Result<Planned, Stop> {
        match self {
            Self::Kafka(resets, caller) => Ok(resets.plan(caller, at, Ok(asked)).await?),
            Self::Endpoint(endpoint) => endpoint.plan(at, &asked).await,
        }
    }

    pub(super) async fn execute(&self, at: &Place, order: Order) -> Result<Executed, Stop> {
        match self {
            Self::Kafka(resets, caller) => {
                resets
                    .execute(caller, at, Ok(order))
                    .await
                    .map_err(|stopped| match stopped {
                        Stopped::Refused(refusal) => refusal.into(),
                        Stopped::Failed(executed) => Stop::Failed(executed),
                    })
            }
            Self::Endpoint(endpoint) => endpoint.execute(at, &order).await,
        }
    }

    /// What is in the way and may go away by itself: members, or another execute. `None` when nothing is, and when it cannot be told.
    pub(super) async fn look(&self, at: &Place) -> Option<Stop> {
        let stop = match self {
            Self::Kafka(resets, _) => resets.blocked(at).await.map(Into::into),
            // One of an older version has no such question: then the attempt tells.
            Self::Endpoint(endpoint) => endpoint.blocked(at).await,
        };
        stop.filter(Stop::may_pass)
    }

    /// Progress of what is about to begin.
    pub(super) fn progress(&self, shown: Shown) -> Progress {
        match self {
            Self::Kafka(resets, _) => Progress::new(shown, Some(resets.stages().watch()), "beginning"),
            Self::Endpoint(endpoint) => Progress::new(shown, None, &format!("waiting for {}", endpoint.authority())),
        }
    }

    pub(super) fn is_endpoint(&self) -> bool {
        matches!(self, Self::Endpoint(_))
    }
}
