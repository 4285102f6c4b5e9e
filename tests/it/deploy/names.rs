//! What names there are: the catalog's, those that the recording rules make, and the few of others.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use tidemark::metrics::families;

use super::expression::named;
use super::text;
use super::yaml;

/// Labels that Prometheus or the scrape configuration add.
const FROM_OUTSIDE: [&str; 4] = ["instance", "job", "tidemark_url", "__name__"];
/// Names that neither tidemark serves nor its rules make.
const OF_OTHERS: [(&str, &[&str]); 8] = [
    (
        "ALERTS",
        &["alertname", "alertstate", "severity", "kafka_cluster", "group", "topic"],
    ),
    ("up", &[]),
    ("scrape_duration_seconds", &[]),
    ("scrape_samples_scraped", &[]),
    ("process_cpu_seconds_total", &[]),
    ("process_resident_memory_bytes", &[]),
    ("process_open_fds", &[]),
    ("process_start_time_seconds", &[]),
];

/// Every name with its labels.
pub(super) struct Names(BTreeMap<String, BTreeSet<String>>);

impl Names {
    pub(super) fn all() -> Self {
        let set = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        let served = families().map(|family| (family.name.to_owned(), set(&family.labels())));
        let others = OF_OTHERS.iter().map(|(name, labels)| ((*name).to_owned(), set(labels)));
        let recorded = recorded().into_iter().map(|name| {
            let labels = recorded_labels(&name);
            (name, labels)
        });
        Self(served.chain(others).chain(recorded).collect())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// What an expression names that does not exist.
    pub(super) fn unknown(&self, expression: &str) -> Vec<String> {
        let found = named(expression);
        let mut unknown = Vec::new();
        let mut labels = found.labels;
        let mut known: BTreeSet<&str> = FROM_OUTSIDE.into();
        for (name, matched) in found.metrics {
            let Some(own) = self.0.get(&name) else {
                unknown.push(format!("no metric {name} in {expression}"));
                continue;
            };
            known.extend(own.iter().map(String::as_str));
            labels.extend(
                matched
                    .into_iter()
                    .filter(|label| !own.contains(label) && !FROM_OUTSIDE.contains(&label.as_str()))
                    .map(|label| format!("{label} of {name}")),
            );
        }
        let missing = labels.iter().filter(|label| !known.contains(label.as_str()));
        unknown.extend(missing.map(|label| format!("no label {label} in {expression}")));
        unknown
    }
}

/// The names that the recording rules make.
pub(super) fn recorded() -> Vec<String> {
    let rules = yaml(&text("deploy/prometheus/rules/recording.yml"));
    let groups = rules["groups"].as_array().expect("groups").iter();
    let rules = groups.flat_map(|group| group["rules"].as_array().expect("rules"));
    rules
        .map(|rule| rule["record"].as_str().expect("a name").to_owned())
        .collect()
}

/// By the convention of names: what stands before the first colon.
fn recorded_labels(name: &str) -> BTreeSet<String> {
    let level = name.split(':').next().expect("a level");
    let words = level.replacen("kafka_cluster", "kafka-cluster", 1);
    let mut labels: BTreeSet<String> = words.split('_').map(|word| word.replace('-', "_")).collect();
    if name.contains(":owner:") {
        labels.insert("team".to_owned());
    }
    labels
}
