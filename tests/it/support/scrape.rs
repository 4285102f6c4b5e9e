//! One answer of `/metrics`. Reading it fails on everything that a strict reader of the text format, or the contract, would refuse.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::http::Answer;

/// Labels of the `kafka_` families come in this order, before any other.
const ORDER: [&str; 4] = ["kafka_cluster", "group", "topic", "partition"];
/// What may have a fraction; everything else of Kafka is a count.
const FRACTIONAL: [&str; 2] = ["_seconds", "_ratio"];
/// Exactly one series of a group is 1.
const ONE_HOT: [&str; 2] = ["kafka_group_state", "kafka_group_status"];

static SAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    let label = r#"[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*""#;
    let sample = format!(r"^([a-zA-Z_:][\w:]*)(?:\{{({label}(?:,{label})*)\}})? (\S+)$");
    Regex::new(&sample).expect("an expression")
});
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)""#).expect("an expression"));

/// Names and values, in the order served.
type Labels = Vec<(String, String)>;

/// What was served at one moment.
pub(crate) struct Scrape {
    /// The text as it was served.
    pub(crate) text: String,
    /// By name; within a name by the labels in order of their names.
    samples: BTreeMap<String, BTreeMap<BTreeMap<String, String>, f64>>,
    types: BTreeMap<String, String>,
}

impl Scrape {
    /// Reads an answer that is not packed.
    pub(crate) fn of(answer: &Answer) -> Self {
        let kind = answer.header("content-type");
        assert!(
            kind.starts_with("text/plain") && kind.contains("version=0.0.4"),
            "{kind}"
        );
        Self::read(answer.text())
    }

    /// Reads the text.
    pub(crate) fn read(text: String) -> Self {
        let mut scrape = Self {
            text,
            samples: BTreeMap::new(),
            types: BTreeMap::new(),
        };
        let text = std::mem::take(&mut scrape.text);
        assert!(text.is_empty() || text.ends_with('\n'), "the last line has no end");
        let mut current = String::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix("# TYPE ") {
                Some(declared) => scrape.declare(declared),
                None if line.starts_with('#') => {}
                None => scrape.sample(line, &mut current),
            }
        }
        scrape.text = text;
        scrape.check_one_hot();
        scrape
    }

    fn declare(&mut self, declared: &str) {
        let (family, kind) = declared.split_once(' ').expect("a name and a type");
        assert!(
            self.types.insert(family.to_owned(), kind.to_owned()).is_none(),
            "two types of {family}"
        );
        assert!(
            !self.samples.contains_key(family),
            "the type of {family} comes after its samples"
        );
    }

    fn sample(&mut self, line: &str, current: &mut String) {
        let parts = SAMPLE
            .captures(line)
            .unwrap_or_else(|| panic!("not a sample: {line:?}"));
        let (name, value) = (&parts[1], &parts[3]);
        let labels = parts
            .get(2)
            .map_or_else(Labels::new, |labels| read_labels(labels.as_str()));
        if name.starts_with("kafka_") {
            self.check_kafka(line, name, &labels, value);
        }
        if name != current {
            assert!(!self.samples.contains_key(name), "samples of {name} are not together");
            name.clone_into(current);
        }
        let number = value.parse().unwrap_or_else(|_| panic!("not a number: {line:?}"));
        let names = labels.len();
        let labels: BTreeMap<_, _> = labels.into_iter().collect();
        assert_eq!(labels.len(), names, "a label twice: {line:?}");
        let family = self.samples.entry(name.to_owned()).or_default();
        assert!(family.insert(labels, number).is_none(), "a series twice: {line:?}");
    }

    fn check_kafka(&self, line: &str, name: &str, labels: &Labels, value: &str) {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        assert_eq!(self.types.get(name).map(String::as_str), Some(kind), "type of {name}");
        let names: Vec<&str> = labels.iter().map(|(name, _)| name.as_str()).collect();
        let leading: Vec<&str> = ORDER.into_iter().filter(|name| names.contains(name)).collect();
        assert!(names.starts_with(&leading), "order of labels: {line:?}");
        let fraction = FRACTIONAL.iter().any(|end| name.ends_with(end));
        let whole = value.bytes().all(|b| b.is_ascii_digit());
        let fine = value
            .parse()
            .is_ok_and(|number: f64| number.is_finite() && number >= 0.0);
        assert!(fine && (fraction || whole), "not a value from 0 up: {line:?}");
    }

    fn check_one_hot(&self) {
        for name in ONE_HOT {
            let mut sums = BTreeMap::<_, f64>::new();
            for (labels, value) in self.samples.get(name).into_iter().flatten() {
                *sums.entry((&labels["kafka_cluster"], &labels["group"])).or_default() += value;
            }
            assert!(sums.values().all(|sum| *sum == 1.0), "{name} is not one-hot: {sums:?}");
        }
    }

    /// Every series of the name that has the given labels.
    pub(crate) fn series<'a>(
        &'a self,
        name: &str,
        labels: &'a [(&'a str, &'a str)],
    ) -> impl Iterator<Item = (&'a BTreeMap<String, String>, f64)> {
        let wanted =
            move |found: &BTreeMap<String, String>| labels.iter().all(|(k, v)| found.get(*k).is_some_and(|f| f == v));
        let family = self.samples.get(name).into_iter().flatten();
        family
            .map(|(labels, value)| (labels, *value))
            .filter(move |(found, _)| wanted(found))
    }

    /// The value of the one series that has the given labels; `None` when it is absent.
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let found: Vec<f64> = self.series(name, labels).map(|(_, value)| value).collect();
        assert!(found.len() < 2, "more than one {name}{labels:?}");
        found.first().copied()
    }

    /// The sum of all series that have the given labels.
    pub(crate) fn total(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.series(name, labels).map(|(_, value)| value).sum()
    }

    /// Lag in records of a group by topic and partition.
    pub(crate) fn lags(&self, group: &str) -> BTreeMap<(String, i32), f64> {
        let place = |labels: &BTreeMap<String, String>| {
            (
                labels["topic"].clone(),
                labels["partition"].parse().expect("a partition"),
            )
        };
        let wanted = [("group", group)];
        let found = self.series("kafka_group_partition_lag_records", &wanted);
        found.map(|(labels, value)| (place(labels), value)).collect()
    }

    /// Sum of the lags of a group.
    pub(crate) fn lag(&self, group: &str) -> Option<f64> {
        self.value("kafka_group_lag_records", &[("group", group)])
    }

    /// Everything counted so far that did not go well.
    pub(crate) fn failures(&self) -> f64 {
        let cycles = ["partial", "failed"].map(|result| self.total("tidemark_cycles_total", &[("result", result)]));
        self.total("tidemark_kafka_errors_total", &[]) + cycles.iter().sum::<f64>()
    }

    /// How many series of the given prefix there are.
    pub(crate) fn count(&self, prefix: &str) -> usize {
        self.samples
            .iter()
            .filter(|(name, _)| name.starts_with(prefix))
            .map(|(_, family)| family.len())
            .sum()
    }

    /// Every series that speaks of a group.
    pub(crate) fn of_group(&self, group: &str) -> BTreeSet<(String, BTreeMap<String, String>)> {
        let all = self
            .samples
            .iter()
            .flat_map(|(name, family)| family.keys().map(move |labels| (name, labels)));
        let its = all.filter(|(_, labels)| labels.get("group").is_some_and(|found| found == group));
        its.map(|(name, labels)| (name.clone(), labels.clone())).collect()
    }
}

fn read_labels(text: &str) -> Labels {
    let value = |raw: &str| {
        // The one order in which no escape is read twice: a backslash is never part of the one before it.
        let mut read = String::new();
        let mut rest = raw.chars();
        while let Some(char) = rest.next() {
            read.push(if char == '\\' { unescape(rest.next()) } else { char });
        }
        read
    };
    LABEL
        .captures_iter(text)
        .map(|label| (label[1].to_owned(), value(&label[2])))
        .collect()
}

fn unescape(escaped: Option<char>) -> char {
    match escaped {
        Some('n') => '\n',
        Some(char) => char,
        None => panic!("a value ends within an escape"),
    }
}

mod tests {
    use super::*;

    #[test]
    fn a_scrape_is_read_with_every_escape() {
        let text = "# TYPE kafka_group_lag_records gauge\nkafka_group_lag_records{kafka_cluster=\"c\",group=\"a\\\\n\\\"\\nb\"} 7\n";
        let scrape = Scrape::read(text.to_owned());
        assert_eq!(scrape.lag("a\\n\"\nb"), Some(7.0));
        assert_eq!(scrape.lag("other"), None);
    }

    /// Every line that must not be served, with the words that it is refused with.
    #[test]
    fn a_scrape_that_breaks_a_rule_is_refused() {
        let lag = |rest: &str| format!("# TYPE kafka_group_lag_records gauge\nkafka_group_lag_records{rest}\n");
        let refused = [
            ("up 1".to_owned(), "no end"),
            ("up  1\n".to_owned(), "not a sample"),
            ("up{a=\"\\x\"} 1\n".to_owned(), "not a sample"),
            ("up x\n".to_owned(), "not a number"),
            ("up 1\nup 1\n".to_owned(), "twice"),
            ("a 1\nb 1\na{x=\"y\"} 1\n".to_owned(), "not together"),
            ("kafka_x 1\n".to_owned(), "type of"),
            ("# TYPE kafka_x_total gauge\nkafka_x_total 1\n".to_owned(), "type of"),
            (lag("{group=\"g\",kafka_cluster=\"c\"} 1"), "order"),
            (lag("{kafka_cluster=\"c\",group=\"g\"} -1"), "from 0 up"),
            (lag("{kafka_cluster=\"c\",group=\"g\"} NaN"), "from 0 up"),
            (lag("{kafka_cluster=\"c\",group=\"g\"} 1.5"), "from 0 up"),
            (lag("{kafka_cluster=\"c\",group=\"g\"} 1e9"), "from 0 up"),
            (
                "# TYPE kafka_group_state gauge\nkafka_group_state{kafka_cluster=\"c\",group=\"g\",state=\"Empty\"} 0\n"
                    .to_owned(),
                "one-hot",
            ),
        ];
        for (text, why) in refused {
            let refusal = std::panic::catch_unwind(|| Scrape::read(text.clone()))
                .err()
                .expect(&text);
            let said = refusal.downcast_ref::<String>().cloned().unwrap_or_default();
            let said = refusal.downcast_ref::<&str>().map_or(said, |said| (*said).to_owned());
            assert!(said.contains(why), "{text:?} was refused with {said:?}");
        }
    }
}
