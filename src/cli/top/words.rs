//! Figures in words, for screen and lines alike. Whatever a name holds comes out printable.

use super::picture::Cluster;
use super::picture::Figures;
use super::picture::Health;
use super::picture::Partition;
use super::picture::Picture;
use super::picture::Told;
use super::picture::rank;
use super::sheet::Cell;
use super::sheet::Tone;
use crate::report::elapsed;
use crate::report::grouped;
use crate::report::printable;

/// Where the words are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// By a person: numbers in groups of three, `?` for what is not known, the reasons being a key away.
    Person,
    /// By a program too: numbers bare, the reason in the place of what is not known.
    Program,
}

impl Reader {
    /// A number in a cell.
    pub(super) fn number(self, told: Told<'_, impl ToString>) -> Cell {
        self.cell(told, |number| match self {
            Self::Person => grouped(&number.to_string()),
            Self::Program => number.to_string(),
        })
    }

    /// A duration in a cell.
    pub(super) fn seconds(self, told: Told<'_, f64>) -> Cell {
        self.cell(told, elapsed)
    }

    /// A word in a cell.
    pub(super) fn word(self, told: Told<'_, &str>) -> Cell {
        self.cell(told, printable)
    }

    fn cell<T>(self, told: Told<'_, T>, known: impl Fn(T) -> String) -> Cell {
        let quiet = |text: &str| Cell {
            text: text.to_owned(),
            tone: Tone::Quiet,
        };
        match (told, self) {
            (Told::Known(value), _) => known(value).into(),
            (Told::None(_), _) => quiet("-"),
            (Told::Unknown(_), Self::Person) => Cell {
                text: "?".to_owned(),
                tone: Tone::Doubtful,
            },
            (Told::Unknown(why), Self::Program) => printable(why).into(),
        }
    }
}

/// A status in a cell.
pub(super) fn status(status: &str) -> Cell {
    let tone = match status {
        "stalled" | "stopped" | "lost" => Tone::Bad,
        "ok" => Tone::Good,
        "dormant" => Tone::Quiet,
        _ => Tone::Doubtful,
    };
    Cell {
        text: printable(status),
        tone,
    }
}

/// Why a figure is not there.
pub(super) fn why(word: &str) -> String {
    let words = match word {
        "unknown_topic" => "the topic or partition does not exist",
        "no_leader" => "the partition has no leader",
        "authorization" => "not allowed to read it",
        "timeout" => "no answer in time",
        "broker_unavailable" => "the broker cannot be reached",
        "unstable" => "Kafka is in the middle of something",
        "event_time" => "the records' own times cannot be used",
        "other" => "it could not be read",
        "not_committed" => "nothing committed",
        "not_applicable" => "means nothing for groups of this type",
        "not_read" => "not read yet, or too long ago",
        "no_members" => "no members",
        "has_members" => "it has members",
        other => return printable(other),
    };
    words.to_owned()
}

/// A figure with its name: `lag 8,410`, or `lag ? (no answer in time)`.
fn fact<T>(name: &str, told: Told<'_, T>, known: impl Fn(T) -> String) -> String {
    match told {
        Told::Known(value) => format!("{name} {}", known(value)),
        Told::None(word) => format!("{name} - ({})", why(word)),
        Told::Unknown(word) => format!("{name} ? ({})", why(word)),
    }
}

fn number(number: impl ToString + Copy) -> String {
    grouped(&number.to_string())
}

/// What is known of a group, and why the rest is not.
pub(super) fn of_group(it: &Figures) -> String {
    let mut facts = vec![
        printable(&it.status),
        format!("type {}", printable(&it.kind)),
        fact("state", it.state(), printable),
        fact("members", it.members(), number),
        fact("lag", it.lag(), number),
        fact("time", it.time(), elapsed),
    ];
    facts.extend(it.stalled_seconds.filter(|seconds| *seconds > 0.0).map(no_commit));
    facts.extend(
        it.empty_seconds
            .map(|seconds| format!("without members for {}", elapsed(seconds))),
    );
    facts.extend(it.error_code.as_deref().map(failed));
    facts.join(" · ")
}

/// What is known of a partition, and why the rest is not.
pub(super) fn of_partition(it: &Partition) -> String {
    let absent = &it.absent;
    let mut facts = vec![
        format!("{} {}: {}", printable(&it.topic), it.partition, printable(&it.status)),
        fact(
            "committed",
            absent.tell("committed_offset", it.committed_offset),
            number,
        ),
        fact("end", absent.tell("end_offset", it.end_offset), number),
        fact("lag", absent.tell("lag_records", it.lag_records), number),
        fact("time", absent.tell("lag_seconds", it.lag_seconds), |seconds| {
            behind(it, seconds)
        }),
    ];
    facts.extend(it.stalled_seconds.filter(|seconds| *seconds > 0.0).map(no_commit));
    let some = |records: &u64| *records > 0;
    facts.extend(it.lost_records.filter(some).map(|n| format!("lost {}", number(n))));
    facts.extend(
        it.commit_ahead_records
            .filter(some)
            .map(|n| format!("ahead of the end by {}", number(n))),
    );
    facts.push(match &it.owner {
        Some(owner) => format!("owner {} on {}", printable(&owner.client_id), printable(&owner.host)),
        None => "no owner known".to_owned(),
    });
    facts.extend(it.error_code.as_deref().map(failed));
    if !it.fresh {
        facts.push("figures are of the last good reading".to_owned());
    }
    facts.join(" · ")
}

fn no_commit(seconds: f64) -> String {
    format!("no commit moved for {}", elapsed(seconds))
}

fn failed(code: &str) -> String {
    format!("latest reading failed: {}", printable(code))
}

fn behind(it: &Partition, seconds: f64) -> String {
    let within = it.lag_seconds_error.filter(|error| *error > 0.0);
    let within = within.map_or_else(String::new, |error| format!(" ± {}", elapsed(error)));
    let how = match it.lag_seconds_method.as_deref() {
        None | Some("caught_up") => String::new(),
        Some(how) => format!(" by {}", printable(how)),
    };
    format!("{}{within}{how}", elapsed(seconds))
}

/// How many groups there are, and of which status: `4 groups: 1 stalled, 3 ok`.
pub(super) fn counts(picture: &Picture) -> String {
    let groups = || picture.clusters.iter().flat_map(|cluster| cluster.groups.iter());
    let mut statuses: Vec<&str> = groups().map(|group| group.status.as_str()).collect();
    statuses.sort_by_key(|status| (rank(status), *status));
    let told = statuses
        .chunk_by(|a, b| a == b)
        .map(|same| format!("{} {}", number(same.len()), printable(same[0])));
    let told: Vec<String> = told.collect();
    match statuses.len() {
        0 => "no groups".to_owned(),
        1 => format!("1 group: {}", told.join(", ")),
        all => format!("{} groups: {}", number(all), told.join(", ")),
    }
}

/// What is wrong with reading the clusters, one line for each.
pub(super) fn troubles(clusters: &[Cluster]) -> Vec<String> {
    clusters.iter().filter_map(|cluster| trouble(&cluster.health)).collect()
}

fn trouble(health: &Health) -> Option<String> {
    let name = printable(&health.cluster);
    let Some(cycle) = &health.cycle else {
        return Some(format!("{name}: nothing was read yet"));
    };
    let first = cycle.failures.first().map(|failure| printable(failure));
    let as_of = health
        .read_at
        .as_deref()
        .map_or_else(String::new, |at| format!(" (figures as of {})", clock(at)));
    match (health.up, first) {
        (true, None) => None,
        (true, Some(first)) => Some(format!("{name}: not all could be read: {first}")),
        (false, Some(first)) => Some(format!("{name}: nothing could be read: {first}{as_of}")),
        (false, None) => Some(format!("{name}: nothing could be read{as_of}")),
    }
}

/// When the oldest of the clusters was read last; absent before each was read.
pub(super) fn read_at(picture: &Picture) -> Option<&str> {
    let times = picture.clusters.iter().map(|cluster| cluster.health.read_at.as_deref());
    // Times of this form are in order as text.
    times.min().flatten()
}

/// The time of day of a time in UTC.
pub(super) fn clock(time: &str) -> String {
    let of_day = time.split_once('T').map_or(time, |(_, of_day)| of_day);
    let seconds = of_day.split(['.', 'Z']).next().unwrap_or(of_day);
    printable(&format!("{seconds} UTC"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_known_is_a_question_mark_for_people_and_a_reason_for_programs() {
        let (unknown, none) = (Told::<u64>::Unknown("timeout"), Told::<u64>::None("not_committed"));
        assert_eq!(Reader::Person.number(unknown).text, "?");
        assert_eq!(Reader::Program.number(unknown).text, "timeout");
        assert_eq!(Reader::Person.number(none).text, "-");
        assert_eq!(Reader::Person.number(Told::Known(8410)).text, "8,410");
        assert_eq!(Reader::Program.number(Told::Known(8410)).text, "8410");
        assert_eq!(Reader::Person.seconds(Told::Known(840.0)).text, "14m 0s");
        assert_eq!(Reader::Person.word(Told::Known("a\x1b[2J")).text, "a\\u{1b}[2J");
    }

    #[test]
    fn a_group_is_told_with_the_reasons_for_what_it_lacks() {
        let group: Figures = serde_json::from_value(json!({
            "group": "g", "type": "classic", "state": "Empty", "status": "unreadable", "members": 0, "lag_records": null,
            "lag_seconds": null, "empty_seconds": 90.0, "error_code": "REQUEST_TIMED_OUT",
            "absent": {"lag_records": "timeout", "lag_seconds": "not_read"}
        }))
        .unwrap();
        assert_eq!(
            of_group(&group),
            "unreadable · type classic · state Empty · members 0 · lag ? (no answer in time) · time ? (not read yet, or too long ago) \
             · without members for 1m 30s · latest reading failed: REQUEST_TIMED_OUT"
        );
    }

    #[test]
    fn a_partition_is_told_whole() {
        let mut document = json!({
            "partition": 3, "status": "stalled", "committed_offset": 40, "end_offset": 8450, "lag_records": 8410,
            "lag_seconds": 840.25, "lag_seconds_error": 0.5, "lag_seconds_method": "record", "stalled_seconds": 720.0,
            "lost_records": 0, "commit_ahead_records": 0, "owner": {"client_id": "c\n", "host": "h"}, "fresh": true
        });
        let mut partition: Partition = serde_json::from_value(document.clone()).unwrap();
        partition.topic = "orders".into();
        assert_eq!(
            of_partition(&partition),
            "orders 3: stalled · committed 40 · end 8,450 · lag 8,410 · time 14m 0s ± 0.5s by record · no commit moved for 12m 0s \
             · owner c\\n on h"
        );
        document["lag_records"] = json!(null);
        document["owner"] = json!(null);
        document["fresh"] = json!(false);
        document["lost_records"] = json!(7);
        document["absent"] = json!({"lag_records": "no_leader"});
        let partition: Partition = serde_json::from_value(document).unwrap();
        let told = of_partition(&partition);
        for part in [
            "lag ? (the partition has no leader)",
            "lost 7",
            "no owner known",
            "figures are of the last good reading",
        ] {
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn reading_is_told_where_it_goes_wrong() {
        let told = |up: bool, failures: Option<&[&str]>, read_at: Option<&str>| {
            let cycle = failures.map(|failures| json!({"failures": failures}));
            let health = json!({"cluster": "main", "up": up, "read_at": read_at, "cycle": cycle});
            trouble(&serde_json::from_value(health).unwrap())
        };
        let (at, no) = (Some("2026-01-02T03:04:05.678Z"), Some(&[][..]));
        assert_eq!(told(true, no, at), None);
        assert_eq!(told(false, None, None).unwrap(), "main: nothing was read yet");
        assert_eq!(
            told(false, Some(&["broker\x1b gone"]), at).unwrap(),
            "main: nothing could be read: broker\\u{1b} gone (figures as of 03:04:05 UTC)"
        );
        assert_eq!(told(true, Some(&["x"]), at).unwrap(), "main: not all could be read: x");
    }

    #[test]
    fn every_reason_of_the_api_has_words() {
        use crate::failure::Reason;
        use crate::report::Why;
        let reasons = Reason::ALL.iter().map(|reason| reason.as_str());
        let others = [
            Why::NotCommitted,
            Why::NotApplicable,
            Why::NotRead,
            Why::NoMembers,
            Why::HasMembers,
        ];
        for word in reasons.chain(others.map(Why::as_str)) {
            assert_ne!(why(word), word);
        }
    }
}
