use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::failure::Cause;
use crate::metrics::fixture;
use crate::model::GroupType;
use crate::model::LagTime;
use crate::model::Status;
use crate::model::TimeMethod;
use crate::model::UnixMillis;

fn source(snapshot: &Snapshot) -> Source<'_> {
    Source {
        snapshot,
        objectives: &[],
    }
}

fn json(document: &impl Serialize) -> Value {
    serde_json::from_slice(&serde_json::to_vec(document).expect("JSON")).expect("JSON")
}

fn pretty(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("JSON")
}

fn group(snapshot: &Snapshot, name: &str) -> Value {
    let source = source(snapshot);
    json(&source.group(source.find(name.as_bytes()).expect("there")))
}

#[test]
fn a_group_is_told_whole() {
    let snapshot = fixture::motley("main");
    let objectives = fixture::objectives();
    let source = Source {
        snapshot: &snapshot,
        objectives: &objectives,
    };
    insta::assert_snapshot!(pretty(&source.group(source.find(b"orders").expect("there"))));
}

#[test]
fn clusters_are_told_with_how_reading_them_goes() {
    let (read, blank) = (fixture::motley("main"), fixture::blank("new"));
    let dropped: [Arc<str>; 1] = ["huge".into()];
    let clusters = Clusters::new([(source(&read), &dropped[..]), (source(&blank), &[])]);
    insta::assert_snapshot!(pretty(&clusters));
}

#[test]
fn integers_are_exact_whatever_their_size() {
    let snapshot = fixture::motley("main");
    let found = source(&snapshot).find(b"a\"b\\c\nd").expect("there");
    let text = serde_json::to_string(&source(&snapshot).group(found)).expect("JSON");
    assert!(text.contains("\"lag_records\":55340232221128654845,"), "{text}");
    assert!(text.contains("\"end_offset\":9223372036854775807,"), "{text}");
}

#[test]
fn what_is_absent_says_why() {
    let snapshot = fixture::motley("main");
    let orders = group(&snapshot, "orders");
    let partition = |topic: usize, partition: usize| &orders["topics"][topic]["partitions"][partition];
    assert_eq!(
        partition(0, 1)["absent"],
        serde_json::json!({"lag_seconds": "authorization"})
    );
    assert_eq!(partition(1, 0)["absent"]["lag_records"], "unknown_topic");
    assert_eq!(partition(1, 0)["error_code"], "UNKNOWN_TOPIC_OR_PARTITION");
    assert_eq!(partition(0, 0).get("absent"), None);
    let share = group(&snapshot, "not utf-8 \\xff");
    assert_eq!(share["absent"]["lag_records"], "not_applicable");
    assert_eq!(share["group_bytes"], "6e6f74207574662d3820ff");
    let stale = group(&snapshot, "stale");
    assert_eq!(stale["absent"]["members"], "timeout");
    assert_eq!(stale["error_code"], "REQUEST_TIMED_OUT");
    assert_eq!(stale["lag_records"], Value::Null);
}

#[test]
fn a_partition_without_a_commit_has_no_lag_and_says_so() {
    let snapshot = fixture::snapshot(
        "main",
        vec![fixture::group(
            "g",
            vec![fixture::topic("t", vec![fixture::partition(0, -1, 0, 9)])],
        )],
    );
    let row = &group(&snapshot, "g")["topics"][0]["partitions"][0];
    assert_eq!(row["lag_records"], Value::Null);
    assert_eq!(row["absent"]["committed_offset"], "not_committed");
    assert_eq!(row["absent"]["lag_records"], "not_committed");
    assert_eq!(row["end_offset"], 9);
}

#[test]
fn every_field_without_a_value_is_explained() {
    let mut groups = Vec::new();
    for kind in [
        GroupType::Classic,
        GroupType::Share,
        GroupType::Connect,
        GroupType::Simple,
    ] {
        for failure in [None, Some(Cause::Disconnected)] {
            let mut bare = fixture::group(&*format!("{kind}-{}", failure.is_some()), Vec::new());
            (bare.kind, bare.failure, bare.state, bare.coordinator) = (kind.clone(), failure, None, None);
            (bare.members, bare.lag, bare.readable_lag, bare.lag_time) = (None, None, None, None);
            (bare.stalled, bare.rebalances, bare.empty_for) = (None, None, None);
            let mut topic = fixture::topic("t", vec![fixture::partition(0, -1, -1, -1)]);
            (topic.uncommitted_partitions, topic.uncommitted_records) = (None, None);
            (topic.assigned_partitions, topic.retention_margin) = (None, None);
            topic.partitions[0].stalled_seconds = None;
            bare.topics.push(topic);
            groups.push(bare);
        }
    }
    let snapshot = fixture::snapshot("main", groups);
    for view in &snapshot.groups {
        explained(&json(&source(&snapshot).group(view)));
    }
}

/// Fields whose absence is said by another's, or is itself what they say.
const SELF_EVIDENT: [&str; 7] = [
    "lag_seconds_error",
    "lag_seconds_method",
    "lost_records",
    "commit_ahead_records",
    "owner",
    "member_list",
    "exists",
];

fn explained(document: &Value) {
    match document {
        Value::Object(fields) => {
            for (field, value) in fields {
                explained(value);
                if value.is_null() && !SELF_EVIDENT.contains(&&**field) {
                    assert!(document["absent"][field].is_string(), "{field} of {document:#}");
                }
            }
        }
        Value::Array(list) => list.iter().for_each(explained),
        _ => {}
    }
}

#[test]
fn every_field_is_documented() {
    let page = include_str!("../../docs/api.md");
    let (snapshot, dropped): (_, [Arc<str>; 1]) = (fixture::motley("main"), ["huge".into()]);
    let clusters = json(&Clusters::new([(source(&snapshot), &dropped[..])]));
    let groups = snapshot.groups.iter().map(|view| json(&source(&snapshot).group(view)));
    let documents = groups.chain([clusters, json(&source(&snapshot).groups(&Query::default()))]);
    documents.for_each(|document| documented(&document, page));
    for word in Sort::ALL
        .map(Sort::as_str)
        .into_iter()
        .chain(Status::ALL.map(Status::as_str))
    {
        assert!(page.contains(&format!("`{word}`")), "{word}");
    }
}

/// Objects whose keys are no fields but words that are told of elsewhere.
const BY_WORD: [&str; 5] = [
    "absent",
    "statuses",
    "duration_seconds",
    "unreadable_partitions",
    "lag_seconds_unknown_partitions",
];

fn documented(document: &Value, page: &str) {
    match document {
        Value::Object(fields) => {
            for (field, value) in fields {
                assert!(page.contains(&format!("`{field}`")), "{field} is not in docs/api.md");
                if !BY_WORD.contains(&&**field) {
                    documented(value, page);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|element| documented(element, page)),
        _ => {}
    }
}

#[test]
fn names_are_found_as_bytes_first_and_as_shown_second() {
    let groups = vec![
        fixture::group(&b"a\xff"[..], Vec::new()),
        fixture::group("b\\xff", Vec::new()),
        fixture::group("", Vec::new()),
    ];
    let snapshot = fixture::snapshot("main", groups);
    let find = |name: &[u8]| source(&snapshot).find(name).map(|group| group.id.bytes());
    assert_eq!(find(b"a\xff"), Some(&b"a\xff"[..]));
    assert_eq!(find(b"a\\xff"), Some(&b"a\xff"[..]));
    assert_eq!(find(b"b\\xff"), Some(&b"b\\xff"[..]));
    assert_eq!(find(b"b\xff"), None);
    assert_eq!(find(b""), Some(&b""[..]));
}

#[test]
fn a_tag_changes_with_every_cycle() {
    let first = fixture::motley("main");
    let mut later = first.clone();
    later.totals.cycles_failed += 1;
    let mut restarted = first.clone();
    let cycle = restarted.cycle.as_mut().expect("there");
    cycle.finished.wall = UnixMillis(cycle.finished.wall.0 + 1);
    let tags = [&fixture::blank("main"), &first, &later, &restarted].map(|snapshot| source(snapshot).tag());
    for (index, tag) in tags.iter().enumerate() {
        assert!(!tags[..index].contains(tag), "{tags:?}");
    }
    assert_eq!(source(&first.clone()).tag(), tags[1]);
}

fn crowd() -> Snapshot {
    let groups = (0..40u32).map(|number| {
        let mut group = fixture::group(&*format!("g{number:02}"), Vec::new());
        group.status = Status::ALL[(number % 10) as usize];
        group.lag = (number % 3 > 0).then(|| u128::from(number * 7 % 11));
        group.lag_time = (number % 4 > 0).then(|| LagTime {
            age_ms: u64::from(number * 5 % 13),
            error_ms: 0,
            method: TimeMethod::Record,
        });
        let members = group.members.as_mut().expect("there");
        members.members = (0..number % 5).map(fixture::member).collect();
        group
    });
    fixture::snapshot("main", groups.collect())
}

fn names(list: &Value) -> Vec<String> {
    let groups = list["groups"].as_array().expect("a list").iter();
    groups
        .map(|group| group["group"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn each_order_ranks_and_leaves_what_is_unknown_for_last() {
    let snapshot = crowd();
    for sort in Sort::ALL {
        let query = Query {
            sort,
            ..Query::default()
        };
        let list = json(&source(&snapshot).groups(&query));
        let rank = |group: &Value| match sort {
            Sort::Group => 0.0,
            Sort::Status => Status::ALL
                .iter()
                .position(|status| group["status"] == status.as_str())
                .map_or(-1.0, |rank| u32::try_from(rank).expect("few").into()),
            _ => group[sort.as_str()].as_f64().map_or(1.0, |figure| -figure),
        };
        let groups = list["groups"].as_array().expect("a list");
        assert_eq!(groups.len(), 40);
        assert!(groups.is_sorted_by_key(rank), "{sort:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_together_are_the_whole_list(limit in 1..50usize, sort in 0..Sort::ALL.len(), statuses in prop::collection::vec(0..Status::ALL.len(), 0..3)) {
        let snapshot = crowd();
        let mut query = Query {
            sort: Sort::ALL[sort],
            statuses: statuses.into_iter().map(|index| Status::ALL[index]).collect(),
            ..Query::default()
        };
        let whole = json(&source(&snapshot).groups(&query));
        prop_assert_eq!(&whole["matched"], names(&whole).len());
        prop_assert_eq!(&whole["next_offset"], &Value::Null);
        query.limit = Some(limit);
        let mut pages = Vec::new();
        loop {
            let page = json(&source(&snapshot).groups(&query));
            prop_assert!(names(&page).len() <= limit);
            pages.extend(names(&page));
            let Some(next) = page["next_offset"].as_u64() else { break };
            query.offset = usize::try_from(next).expect("small");
        }
        prop_assert_eq!(pages, names(&whole));
    }

    #[test]
    fn paging_by_name_misses_nobody_who_stays(limit in 1..50usize) {
        let snapshot = crowd();
        let mut query = Query { limit: Some(limit), ..Query::default() };
        let mut pages = Vec::new();
        loop {
            let page = names(&json(&source(&snapshot).groups(&query)));
            let Some(last) = page.last().cloned() else { break };
            pages.extend(page);
            query.after = Some(last);
        }
        prop_assert_eq!(pages.len(), 40);
        prop_assert!(pages.is_sorted());
    }
}

#[test]
fn a_table_for_a_terminal_groups_numbers_colours_statuses_and_fits() {
    let snapshot = fixture::motley("main");
    let lag = [source(&snapshot).lag(|_| true)];
    let look = Look::Terminal {
        width: 86,
        colour: true,
    };
    let text = table(&lag, look);
    insta::assert_snapshot!(text.replace('\x1b', "ESC"));
    let rows = text.lines().filter(|line| line.starts_with("orde"));
    for row in rows {
        let plain = row
            .replace("\x1b[31m", "")
            .replace("\x1b[33m", "")
            .replace("\x1b[0m", "");
        assert!(unicode_width::UnicodeWidthStr::width(&*plain) <= 86, "{plain}");
    }
}

#[test]
fn a_table_for_a_program_is_plain_and_whole() {
    let snapshot = fixture::motley("main");
    let text = table(&[source(&snapshot).lag(|_| true)], Look::Plain);
    insta::assert_snapshot!(text);
}

#[test]
fn a_narrow_terminal_cuts_names_and_no_numbers() {
    let mut partition = fixture::partition(0, 1_000_000, 0, 9_000_000);
    partition.owner = Some(0);
    let mut group = fixture::group(
        "g",
        vec![fixture::topic("a-very-long-topic-name-indeed", vec![partition])],
    );
    group.members.as_mut().expect("there").members = vec![fixture::member(1)];
    group.empty_for = Some(Duration::ZERO);
    let snapshot = fixture::snapshot("main", vec![group]);
    let look = Look::Terminal {
        width: 60,
        colour: false,
    };
    let text = table(&[source(&snapshot).lag(|_| true)], look);
    assert!(text.contains("8,000,000") && text.contains('…'), "{text}");
    assert!(!text.contains("a-very-long-topic-name-indeed"), "{text}");
}

#[test]
fn only_the_wanted_groups_are_printed() {
    let snapshot = fixture::motley("main");
    let lag = source(&snapshot).lag(|group| &*group.name == "orders");
    assert_eq!(names(&json(&lag)), ["orders"]);
    let text = table(&[lag], Look::Plain);
    assert!(
        text.starts_with("orders  classic · Stable · 2 members · lag 70 · 14m 0s behind · stalled\n"),
        "{text}"
    );
    assert!(!text.contains("stale") && text.contains("\norders-in"), "{text}");
    assert_eq!(
        table(&[source(&fixture::blank("main")).lag(|_| true)], Look::Plain),
        "no groups\n"
    );
}
