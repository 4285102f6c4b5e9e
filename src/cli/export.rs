//! `export`: a group's commits as the CSV that Kafka's own tool writes and reads.

use std::collections::BTreeSet;

use super::CliError;
use super::Context;
use super::ExitStatus;
use super::ExportArgs;
use super::reset::Console;
use crate::app;
use crate::clock::Clock;
use crate::model::GroupId;
use crate::model::TopicName;
use crate::reset::Access;
use crate::reset::Resets;
use crate::reset::engine::Place;
use crate::reset::facts::Commits;
use crate::reset::file;

/// `export`
pub(super) fn run(args: &ExportArgs, mut context: Context<'_>) -> Result<ExitStatus, CliError> {
    let config = context.load(&[])?;
    let at = Place {
        cluster: args.cluster.one(&config)?.name.to_string(),
        group: args.group.clone(),
    };
    let resets = Resets::new(app::Access::new(config.clusters.clone()), None, Clock::system());
    let mut console = Console::of_process(context.out);
    super::runtime()?.block_on(export(&args.topic, &at, &resets, &mut console))
}

/// Prints every commit of the group, or none: a file that lacks a line is taken for the whole by whoever reads it back.
async fn export<A: Access>(
    topics: &[TopicName],
    at: &Place,
    resets: &Resets<A>,
    console: &mut Console<'_>,
) -> Result<ExitStatus, CliError> {
    let commits = match resets.commits(at).await {
        Ok(commits) => commits,
        Err(refusal) => return console.refused(refusal.word(), &refusal.to_string()),
    };
    match lines(topics, &at.group, &commits) {
        Ok(text) => console.write(&text).map(|()| ExitStatus::Done),
        Err(problem) => console.failed(&problem),
    }
}

fn lines(topics: &[TopicName], group: &GroupId, commits: &Commits) -> Result<String, String> {
    let wanted: BTreeSet<_> = topics.iter().map(ToString::to_string).collect();
    let missing: Vec<_> = wanted
        .iter()
        .filter(|topic| !commits.keys().any(|key| key.topic == **topic))
        .map(|topic| format!("{topic:?}"))
        .collect();
    if !missing.is_empty() {
        return Err(format!(
            "group {:?} has no commit on {}",
            group.to_string(),
            missing.join(", ")
        ));
    }
    let kept = commits
        .iter()
        .filter(|(key, _)| wanted.is_empty() || wanted.contains(&key.topic));
    let rows = kept.map(|(key, fact)| match fact.offset {
        Ok(offset) => Ok((key.topic.clone(), key.partition, offset)),
        Err(cause) => Err(format!(
            "the commit of {key} could not be read ({cause}), so nothing is printed"
        )),
    });
    Ok(file::export(rows.collect::<Result<Vec<_>, _>>()?))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::failure::Cause;
    use crate::reset::fake::Cluster;
    use crate::reset::fake::Step;
    use crate::reset::fake::Twist;

    async fn run(cluster: &Cluster, group: &str, topics: &[&str]) -> (ExitStatus, String, String) {
        let at = Place {
            cluster: "main".to_owned(),
            group: GroupId::from(group),
        };
        let topics: Vec<_> = topics.iter().map(|topic| TopicName::from(*topic)).collect();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::new(&mut out, Box::new(&mut err), false, TimeZone::UTC);
        let resets = Resets::new(cluster.clone(), None, Clock::system());
        let status = export(&topics, &at, &resets, &mut console).await.expect("written");
        drop(console);
        (
            status,
            String::from_utf8(out).expect("text"),
            String::from_utf8(err).expect("text"),
        )
    }

    fn cluster() -> Cluster {
        Cluster::new(|world| {
            world.empty_group("g");
            world.commit("g", "orders", 10, 7);
            world.commit("g", "orders", 2, 21);
            world.commit("g", "a.very.long.topic.name.of.31.ch", 0, i64::MAX);
        })
    }

    #[tokio::test]
    async fn every_commit_is_a_line_as_kafkas_own_tool_writes_it() {
        let (status, out, err) = run(&cluster(), "g", &[]).await;
        assert_eq!(
            (status, out.as_str(), err.as_str()),
            (
                ExitStatus::Done,
                "\"a.very.long.topic.name.of.31.ch\",0,9223372036854775807\norders,2,21\norders,10,7\n",
                ""
            )
        );
    }

    #[tokio::test]
    async fn some_topics_alone_if_they_are_there() {
        assert_eq!(run(&cluster(), "g", &["orders"]).await.1, "orders,2,21\norders,10,7\n");
        let (status, out, err) = run(&cluster(), "g", &["orders", "order"]).await;
        assert_eq!(
            (status, out.as_str(), err.as_str()),
            (
                ExitStatus::Failed,
                "",
                "tidemark: group \"g\" has no commit on \"order\"\n"
            )
        );
    }

    #[tokio::test]
    async fn what_cannot_be_read_whole_is_not_printed_in_part() {
        let cluster = cluster();
        cluster.world().commit_fact("g", "orders", 2, Err(Cause::Malformed));
        let (status, out, err) = run(&cluster, "g", &[]).await;
        assert_eq!((status, out.as_str()), (ExitStatus::Failed, ""));
        assert_eq!(
            err,
            "tidemark: the commit of orders/2 could not be read (MALFORMED_ANSWER), so nothing is printed\n"
        );
        cluster.twist(Step::Commits, 2, Twist::Hang);
        let (status, out, err) = run(&cluster, "g", &[]).await;
        assert_eq!((status, out.as_str()), (ExitStatus::Refused, ""));
        assert!(err.starts_with("tidemark: refused: cannot_verify: "), "{err}");
    }

    #[tokio::test]
    async fn a_group_that_nobody_knows_is_no_empty_file() {
        let (status, out, err) = run(&cluster(), "h", &[]).await;
        assert_eq!((status, out.as_str()), (ExitStatus::Refused, ""));
        assert!(err.starts_with("tidemark: refused: unknown_group: "), "{err}");
    }
}
