//! Arguments of `reset` and `export`, and what they exclude.

use std::path::Path;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use clap::Subcommand;

use super::args::ClusterArgs;
use super::args::Output;
use super::args::duration;
use super::args::group;
use crate::model::GroupId;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;

/// `reset`
#[derive(Clone, Debug, Subcommand)]
pub enum ResetCommand {
    /// Work out what a reset would do and print it as a plan; changes nothing.
    Plan(PlanArgs),
    /// Carry out a plan, after checking anew that the group is inactive and nothing has moved.
    Execute(ExecuteArgs),
}

/// `reset plan`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  tidemark reset plan --group orders --committed --to-datetime 2024-05-01T08:00:00Z > plan.json
  tidemark reset plan --group orders --topic payments:0,1 --to-earliest --output table
  tidemark reset plan --group orders --from-file offsets.csv > plan.json")]
pub struct PlanArgs {
    /// Which cluster the group is on.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Through an endpoint rather than straight on Kafka.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// Group whose offsets are to be reset
    #[arg(short, long, value_name = "GROUP", value_parser = group())]
    pub group: GroupId,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Take the nearest offset that exists where one is out of range
    #[arg(long)]
    pub clamp: bool,
    /// Also commit on partitions that the group has no commit on
    #[arg(long)]
    pub allow_new_partitions: bool,
    /// Why, for the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// What goes to stdout; on a terminal the other form goes to stderr
    #[arg(short, long, value_enum, default_value_t = Output::Json)]
    pub output: Output,
}

#[derive(Clone, Debug, Args)]
struct ScopeArgs {
    /// A topic, or some of its partitions; may be given more than once
    #[arg(long, value_name = "TOPIC[:0,1,...]", required_unless_present_any = ["committed", "from_file"])]
    topic: Vec<TopicArg>,
    /// Every partition that the group has a commit on
    #[arg(long, conflicts_with_all = ["topic", "from_file"])]
    committed: bool,
    /// Leave this topic out; may be given more than once
    #[arg(long, value_name = "TOPIC", value_parser = topic_name, requires = "committed", conflicts_with_all = ["topic", "from_file"])]
    exclude_topic: Vec<TopicName>,
}

#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
struct TargetArgs {
    /// To this offset
    #[arg(long, value_name = "N", value_parser = offset, allow_negative_numbers = true)]
    to_offset: Option<Offset>,
    /// To the first offset still in the log
    #[arg(long)]
    to_earliest: bool,
    /// To the end of the log
    #[arg(long)]
    to_latest: bool,
    /// To where the group is: shows it, and writes nothing
    #[arg(long)]
    to_current: bool,
    /// By so many records, forward or (with a minus) back
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    shift_by: Option<i64>,
    /// To the first record from this moment on; UTC unless it says otherwise
    #[arg(long, value_name = "DATETIME")]
    to_datetime: Option<String>,
    /// To the first record of the last 2h, or PT2H
    #[arg(long, value_name = "DURATION")]
    by_duration: Option<String>,
    /// Forget the commits
    #[arg(long)]
    forget: bool,
    /// To the offsets of a file: lines of topic,partition,offset, or of partition,offset beside one --topic
    #[arg(long, value_name = "FILE")]
    from_file: Option<PathBuf>,
}

/// What a reset is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// Every commit of the group, but for some topics.
    Committed {
        /// Topics that are left out.
        exclude: &'a [TopicName],
    },
    /// These topics, at least one.
    Topics(&'a [TopicArg]),
    /// What the file of [`Target::File`] says.
    File {
        /// The topic that all its lines are of; without one each line names its own.
        topic: Option<&'a TopicName>,
    },
}

/// Where a reset leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// One offset for all.
    Offset(Offset),
    /// The log start.
    Earliest,
    /// The log end.
    Latest,
    /// What is committed.
    Current,
    /// So many records on, or back where negative.
    Shift(i64),
    /// As it was typed; to be parsed by who plans.
    Datetime(&'a str),
    /// How long ago, as it was typed.
    Ago(&'a str),
    /// No commit.
    Forget,
    /// An offset for each partition.
    File(&'a Path),
}

impl PlanArgs {
    /// What the reset is about.
    ///
    /// # Errors
    ///
    /// When the topic of a file of `partition,offset` is not one topic, whole.
    pub fn scope(&self) -> Result<Scope<'_>, String> {
        let topics = self.scope.topic.as_slice();
        if self.scope.committed {
            return Ok(Scope::Committed {
                exclude: &self.scope.exclude_topic,
            });
        }
        match (&self.target.from_file, topics) {
            (None, topics) => Ok(Scope::Topics(topics)),
            (Some(_), []) => Ok(Scope::File { topic: None }),
            (Some(_), [only]) if only.partitions.is_none() => Ok(Scope::File {
                topic: Some(&only.topic),
            }),
            (Some(_), _) => {
                Err("--from-file takes one --topic at most, without partitions: the file names them".to_owned())
            }
        }
    }

    /// Where it leads.
    pub fn target(&self) -> Target<'_> {
        let to = &self.target;
        let with_value = to
            .to_offset
            .map(Target::Offset)
            .or(to.shift_by.map(Target::Shift))
            .or(to.to_datetime.as_deref().map(Target::Datetime))
            .or(to.by_duration.as_deref().map(Target::Ago))
            .or(to.from_file.as_deref().map(Target::File));
        match with_value {
            Some(target) => target,
            None if to.to_earliest => Target::Earliest,
            None if to.to_latest => Target::Latest,
            None if to.to_current => Target::Current,
            // One of them is required, and none of the others is there.
            None => Target::Forget,
        }
    }
}

/// A topic, or some of its partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicArg {
    /// Its name.
    pub topic: TopicName,
    /// Absent: all of them. Never empty, each once, in the order typed.
    pub partitions: Option<Vec<Partition>>,
}

impl FromStr for TopicArg {
    type Err = String;

    /// A topic's name cannot hold a colon.
    fn from_str(text: &str) -> Result<Self, String> {
        let (topic, partitions) = match text.split_once(':') {
            None => (text, None),
            Some((topic, list)) => (topic, Some(partitions(list)?)),
        };
        Ok(Self {
            topic: topic_name(topic)?,
            partitions,
        })
    }
}

fn partitions(list: &str) -> Result<Vec<Partition>, String> {
    let mut partitions = Vec::new();
    for part in list.split(',') {
        let number = part.trim().parse().ok().filter(|number| *number >= 0);
        let partition = Partition(number.ok_or("must be TOPIC or TOPIC:0,1,2 with numbers of partitions")?);
        if partitions.contains(&partition) {
            return Err(format!("names partition {partition} twice"));
        }
        partitions.push(partition);
    }
    Ok(partitions)
}

fn topic_name(text: &str) -> Result<TopicName, String> {
    match text.contains(':') || text.is_empty() {
        true => Err("must be the name of a topic".to_owned()),
        false => Ok(TopicName::from(text)),
    }
}

fn offset(text: &str) -> Result<Offset, String> {
    let number = text.parse().ok().and_then(Offset::new);
    number.ok_or_else(|| "must be an offset: a whole number from 0".to_owned())
}

/// `reset execute`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Example:
  tidemark reset execute plan.json --confirm orders --wait 5m
Writes plan.undo.json beside the plan: what `reset execute` takes to go back.")]
pub struct ExecuteArgs {
    /// Which cluster the group is on; the plan's own when not given.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Through an endpoint rather than straight on Kafka.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The plan, as `reset plan` printed it
    #[arg(value_name = "PLAN.json")]
    pub plan: PathBuf,
    /// The group's id once more, so that no other group is reset by mistake
    #[arg(long, value_name = "GROUP", value_parser = group())]
    pub confirm: GroupId,
    /// Wait so long for the group to become inactive
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub wait: Option<Duration>,
}

/// An admin endpoint in place of Kafka.
#[derive(Clone, Debug, Default, Args)]
pub struct EndpointArgs {
    /// Admin listener of a running tidemark to go through
    #[arg(long, value_name = "URL", requires = "token_file")]
    pub admin: Option<String>,
    /// File with the token for --admin
    #[arg(long, value_name = "FILE", requires = "admin")]
    pub token_file: Option<PathBuf>,
    /// Authorities that --admin https:// is trusted by, in PEM [default: the system's]
    #[arg(long, value_name = "FILE", requires = "admin")]
    pub ca_file: Option<PathBuf>,
    /// Client certificate to show --admin https://, in PEM, with its chain
    #[arg(long, value_name = "FILE", requires_all = ["admin", "key_file"])]
    pub cert_file: Option<PathBuf>,
    /// Private key of --cert-file, in PEM, without passphrase
    #[arg(long, value_name = "FILE", requires_all = ["admin", "cert_file"])]
    pub key_file: Option<PathBuf>,
}

/// `export`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Example:
  tidemark export --group orders > offsets.csv
Lines of topic,partition,offset, as `reset plan --from-file` and Kafka's own tool read them.")]
pub struct ExportArgs {
    /// Which cluster the group is on.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Group whose commits are written
    #[arg(short, long, value_name = "GROUP", value_parser = group())]
    pub group: GroupId,
    /// Only this topic; may be given more than once
    #[arg(long, value_name = "TOPIC", value_parser = topic_name)]
    pub topic: Vec<TopicName>,
}
