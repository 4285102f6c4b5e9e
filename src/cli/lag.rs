//! `lag`: one poll as a table or as the API's documents.

use std::io::IsTerminal as _;
use std::sync::Arc;

use crate::app;
use crate::clock::Clock;
use crate::config::Cluster;
use crate::config::Config;
use crate::config::Filter;
use crate::config::Patterns;
use crate::model::GroupId;
use crate::report;
use crate::report::Lag;
use crate::report::Look;
use crate::report::Source;
use crate::snapshot::Snapshot;

use super::CliError;
use super::Context;
use super::ExitStatus;
use super::LagArgs;
use super::Output;

/// Columns of a terminal that does not say how many it has.
const USUAL_WIDTH: usize = 120;

/// `lag`
pub(super) fn run(args: &LagArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let config = context.load(&[])?;
    let clusters: Vec<Arc<Cluster>> = args
        .cluster
        .some(&config)?
        .into_iter()
        .map(|cluster| only(cluster, args.group.as_ref()))
        .collect();
    let polled = super::runtime()?.block_on(app::poll_once(&config, &clusters, &Clock::system()));
    super::write(context.out, &text(&polled, &config, args))?;
    Ok(verdict(&polled, args.group.as_ref()))
}

/// The cluster with every other group left out, so that they cost no request. A name that is no text is looked for among all.
pub(super) fn only(cluster: &Arc<Cluster>, group: Option<&GroupId>) -> Arc<Cluster> {
    let wanted = group
        .and_then(GroupId::utf8)
        .and_then(|name| Patterns::new([regex::escape(name)]).ok());
    match wanted {
        Some(wanted) => {
            let groups = Filter::new(wanted, Patterns::none());
            Arc::new(Cluster {
                groups,
                ..(**cluster).clone()
            })
        }
        None => cluster.clone(),
    }
}

fn text(polled: &[Arc<Snapshot>], config: &Config, args: &LagArgs) -> String {
    let lags: Vec<Lag<'_>> = polled
        .iter()
        .map(|snapshot| {
            let source = Source {
                snapshot,
                objectives: &config.objectives,
            };
            source.lag(|group| args.group.as_ref().is_none_or(|wanted| group.id == *wanted))
        })
        .collect();
    match args.output {
        Output::Table => report::table(&lags, look()),
        Output::Json => {
            let mut json = serde_json::to_string_pretty(&lags).expect("documents have text keys and finite numbers");
            json.push('\n');
            json
        }
    }
}

fn look() -> Look {
    if !std::io::stdout().is_terminal() {
        return Look::Plain;
    }
    let width = terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0));
    Look::Terminal { width, colour: true }
}

/// Failed where a cluster or the group asked for could not be read; why goes to stderr.
fn verdict(polled: &[Arc<Snapshot>], group: Option<&GroupId>) -> ExitStatus {
    let mut status = ExitStatus::Done;
    for snapshot in polled {
        if tell_failures(snapshot) {
            status = ExitStatus::Failed;
        }
    }
    let found = |wanted: &GroupId| polled.iter().flat_map(|s| &s.groups).any(|g| g.id == *wanted);
    if let Some(wanted) = group.filter(|wanted| !found(wanted)) {
        eprintln!("tidemark: there is no group {:?}", wanted.to_string());
        status = ExitStatus::Failed;
    }
    status
}

/// Says on stderr what could not be read; true when there is anything.
pub(super) fn tell_failures(snapshot: &Snapshot) -> bool {
    let failures = snapshot.cycle.iter().flat_map(|cycle| &cycle.failures);
    let told = failures.map(|failure| eprintln!("tidemark: cluster {}: {failure}", snapshot.cluster));
    told.count() > 0
}
