//! The effective configuration as YAML, every default spelt out. What it prints loads again to the same configuration, secrets aside.

mod security;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::Admin;
use super::Cluster;
use super::Config;
use super::Filter;
use super::Granularity;
use super::Isolation;
use super::Objective;
use super::Patterns;
use super::TimeSource;
use super::duration::show_duration;

/// What stands for a secret.
const HIDDEN: &str = "***";

/// A document to be written as YAML.
enum Doc {
    /// A word that YAML takes as it stands: numbers, truth, durations and the schema's own words.
    Plain(String),
    /// Anything else, in quotes.
    Text(String),
    List(Vec<Self>),
    Keys(Vec<(&'static str, Self)>),
}

/// The configuration as a YAML document, secrets as `***`.
pub fn print(config: &Config) -> String {
    let mut out = String::new();
    write_keys(&mut out, &keys_of(config), 0, "");
    out
}

fn keys_of(config: &Config) -> Vec<(&'static str, Doc)> {
    let mut keys = vec![("listen", text(&config.listen))];
    keys.extend(config.web.as_ref().map(|web| ("web_config_file", path(&web.file))));
    keys.extend([
        ("poll_interval", duration(config.poll_interval)),
        ("max_staleness", duration(config.max_staleness)),
        ("status_cycles", plain(config.status_cycles)),
        ("status_window_max", duration(config.status_window_max)),
        ("dormant_after", duration(config.dormant_after)),
        ("cluster_label", text(&config.cluster_label)),
        ("shutdown_grace", duration(config.shutdown_grace)),
        (
            "log",
            Doc::Keys(vec![
                ("level", plain(config.log.level.as_str())),
                ("format", plain(config.log.format.as_str())),
            ]),
        ),
        ("objectives", list(&config.objectives, objective)),
        (
            "clusters",
            list(&config.clusters, |cluster| Doc::Keys(cluster_keys(cluster))),
        ),
    ]);
    keys.extend(config.admin.as_ref().map(|section| ("admin", admin(section))));
    keys
}

fn objective(objective: &Objective) -> Doc {
    let mut labels = Vec::new();
    labels.extend((!objective.team.is_empty()).then(|| ("team", text(&objective.team))));
    labels.extend((!objective.severity.is_empty()).then(|| ("severity", text(&objective.severity))));
    Doc::Keys(vec![
        ("groups", patterns(&objective.groups)),
        ("lag", duration(objective.lag)),
        ("labels", Doc::Keys(labels)),
    ])
}

fn cluster_keys(cluster: &Cluster) -> Vec<(&'static str, Doc)> {
    let mut keys = vec![
        ("name", text(&cluster.name)),
        ("bootstrap_servers", list(&cluster.bootstrap_servers, text)),
    ];
    match &cluster.client_properties {
        Some(file) => keys.push(("client_properties", path(file))),
        None => {
            keys.extend(cluster.tls.as_ref().map(|section| ("tls", security::tls(section))));
            keys.extend(cluster.sasl.as_ref().map(|section| ("sasl", security::sasl(section))));
        }
    }
    let record_time = vec![
        ("read", plain(cluster.record_time.read)),
        ("per_cycle", plain(cluster.record_time.per_cycle)),
    ];
    keys.extend([
        ("groups", filter(&cluster.groups)),
        ("topics", filter(&cluster.topics)),
        ("left_topics", plain(cluster.left_topics.as_str())),
        (
            "isolation",
            rules(
                &cluster.isolation,
                ("groups", "isolation"),
                Isolation::as_str,
                Isolation::ReadUncommitted,
            ),
        ),
        ("record_time", Doc::Keys(record_time)),
        (
            "time",
            rules(
                &cluster.time,
                ("topics", "time"),
                TimeSource::as_str,
                TimeSource::Record,
            ),
        ),
        (
            "granularity",
            rules(
                &cluster.granularity,
                ("groups", "granularity"),
                Granularity::as_str,
                Granularity::Partition,
            ),
        ),
        ("partition_families", list(cluster.partition_families.names(), plain)),
        ("owner_info", patterns(&cluster.owner_info)),
        ("compatibility", list(cluster.compatibility.names(), plain)),
        ("series_limit", plain(cluster.series_limit)),
        ("request_timeout", duration(cluster.request_timeout)),
    ]);
    keys
}

fn admin(admin: &Admin) -> Doc {
    let token = |token: &super::AdminToken| Doc::Keys(vec![("name", text(&token.name)), ("file", path(&token.file))]);
    let allow = |allow: &super::Allow| {
        Doc::Keys(vec![
            ("cluster", text(&allow.cluster)),
            ("groups", patterns(&allow.groups)),
        ])
    };
    let mut keys = vec![
        ("listen", text(&admin.listen)),
        ("tokens", list(&admin.tokens, token)),
        ("allow", list(&admin.allow, allow)),
        ("audit_log", path(&admin.audit_log)),
        ("require_reason", plain(admin.require_reason)),
    ];
    if let Some(tls) = &admin.tls {
        let mut files = vec![("cert_file", path(&tls.cert_file)), ("key_file", path(&tls.key_file))];
        files.extend(tls.client_ca_file.as_deref().map(|file| ("client_ca_file", path(file))));
        keys.push(("tls", Doc::Keys(files)));
    }
    Doc::Keys(keys)
}

/// The one word where there is one rule for everything, or none.
fn rules<T: Copy + PartialEq>(
    rules: &[(Patterns, T)],
    (of, word): (&'static str, &'static str),
    as_str: impl Fn(T) -> &'static str,
    default: T,
) -> Doc {
    match rules {
        [] => plain(as_str(default)),
        [(all, value)] if *value != default && all.expressions().eq([".*"]) => plain(as_str(*value)),
        rules => list(rules, |(patterns_of, value)| {
            Doc::Keys(vec![(of, patterns(patterns_of)), (word, plain(as_str(*value)))])
        }),
    }
}

fn filter(filter: &Filter) -> Doc {
    Doc::Keys(vec![
        ("include", patterns(filter.include())),
        ("exclude", patterns(filter.exclude())),
    ])
}

fn patterns(patterns: &Patterns) -> Doc {
    list(patterns.expressions(), text)
}

fn list<T>(elements: impl IntoIterator<Item = T>, element: impl FnMut(T) -> Doc) -> Doc {
    Doc::List(elements.into_iter().map(element).collect())
}

fn plain<W: ToString + Copy>(word: W) -> Doc {
    Doc::Plain(word.to_string())
}

fn text<T: ToString + ?Sized>(text: &T) -> Doc {
    Doc::Text(text.to_string())
}

fn path(path: &Path) -> Doc {
    text(&path.display())
}

fn duration(duration: Duration) -> Doc {
    Doc::Plain(show_duration(duration))
}

/// Keys one below the other; `first` stands before the first of them, where an element of a list begins.
fn write_keys(out: &mut String, keys: &[(&'static str, Doc)], indent: usize, first: &str) {
    for (index, (key, value)) in keys.iter().enumerate() {
        let lead = if index == 0 { first } else { "" };
        let _ = write!(out, "{:width$}{lead}{key}:", "", width = indent - lead.len());
        write_value(out, value, indent);
    }
}

fn write_value(out: &mut String, value: &Doc, indent: usize) {
    match value {
        Doc::Keys(keys) if !keys.is_empty() => {
            out.push('\n');
            write_keys(out, keys, indent + 2, "");
        }
        Doc::List(elements) if elements.iter().any(|element| matches!(element, Doc::Keys(_))) => {
            out.push('\n');
            for element in elements {
                if let Doc::Keys(keys) = element {
                    write_keys(out, keys, indent + 4, "- ");
                }
            }
        }
        flat => {
            let _ = writeln!(out, " {}", inline(flat));
        }
    }
}

/// A value on one line. Text is quoted as JSON quotes it, which YAML reads alike.
fn inline(value: &Doc) -> String {
    match value {
        Doc::Plain(word) => word.clone(),
        Doc::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        Doc::List(elements) => format!("[{}]", elements.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Doc::Keys(keys) => {
            let pairs: Vec<String> = keys
                .iter()
                .map(|(key, value)| format!("{key}: {}", inline(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}
