//! What is printed loads again to the same, and the document describes what is there.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::support::Place;
use super::support::SECRET;
use crate::config::Config;
use crate::config::print;

/// Every section and every key, none at its default.
const EVERYTHING: &str = r#"
listen: "[::1]:1234"
web_config_file: $DIR/web.yml
poll_interval: 1m 30s
max_staleness: 10m
status_cycles: 6
status_window_max: 45m
dormant_after: 2d
cluster_label: kafka
shutdown_grace: 500ms
log: {level: debug, format: json}
objectives:
  - {groups: "orders-.*", lag: 60s, labels: {team: "pay: \"ments\"", severity: page}}
  - {groups: [a, b], lag: 1h}
clusters:
  - name: "ma'in\\ # ü"
    bootstrap_servers: ["kafka-1:9092", "[::1]:9092"]
    tls: {ca_file: $DIR/cert.pem, cert_file: $DIR/cert.pem, key_file: $DIR/encrypted.pem, key_password_file: $DIR/password, verify_hostname: false}
    sasl: {mechanism: SCRAM-SHA-512, username: "yes", password_file: $DIR/password}
    groups: {include: ["a.*", "\\d+: - "], exclude: [b]}
    topics: {include: [c], exclude: [d, "__.*"]}
    left_topics: drop
    isolation: [{groups: "payments-.*", isolation: read_committed}]
    record_time: {read: false, per_cycle: 7}
    time: [{topics: ["mirror-.*"], time: arrival}, {topics: ".*", time: record}]
    granularity: [{groups: "batch-.*", granularity: topic}, {groups: x, granularity: group}]
    partition_families: [stalled_seconds]
    owner_info: ["a.*"]
    compatibility: [kminion, kafka_exporter]
    series_limit: 12
    request_timeout: 2s
  - name: second
    bootstrap_servers: kafka:9092
    time: arrival
    granularity: group
    sasl: {mechanism: PLAIN, username: u, password: "***"}
  - name: by token
    bootstrap_servers: kafka:9092
    tls: {}
    sasl: {mechanism: OAUTHBEARER, token_url: "https://idp.example:8443/token", client_id: "a:b", client_secret_file: $DIR/password, scope: kafka read, token_ca_file: $DIR/cert.pem, extensions: ["logicalCluster=lkc-1", "pool="]}
    record_time: {read: false}
  - name: by the credentials of AWS
    bootstrap_servers: kafka:9092
    tls: {}
    sasl: {mechanism: AWS_MSK_IAM, region: eu-west-1}
  - name: by a client file
    bootstrap_servers: kafka:9092
    client_properties: $DIR/client.properties
  - name: by token in a file
    bootstrap_servers: kafka:9092
    tls: {}
    sasl: {mechanism: OAUTHBEARER, token_file: $DIR/token}
  - name: third
    bootstrap_servers: kafka:9092
    time: [{topics: ".*", time: record}]
    partition_families: []
admin:
  listen: 127.0.0.1:77
  tokens: [{name: on-call, file: $DIR/token}, {name: robot, file: $DIR/password}]
  allow: [{cluster: second, groups: ["orders-.*"]}]
  audit_log: $DIR/audit.jsonl
  require_reason: true
  tls: {cert_file: $DIR/cert.pem, key_file: $DIR/key.pem, client_ca_file: $DIR/cert.pem}
"#;

const LEAST: &str = "clusters: [{name: main, bootstrap_servers: 'kafka:9092'}]";

fn config(text: &str) -> Config {
    Place::with(text)
        .load()
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .config
}

/// `$DIR` must be the same for both, so the second text is loaded where the first one was.
fn again(place: &Place, printed: &str) -> Config {
    let file = place.filled_in("$DIR/printed.yaml");
    std::fs::write(&file, printed).unwrap();
    place
        .load_from(&crate::config::Source::File(file.into()))
        .unwrap_or_else(|errors| panic!("{errors}\n{printed}"))
        .config
}

#[test]
fn what_is_printed_loads_again_to_the_same() {
    for text in [EVERYTHING, LEAST] {
        let place = Place::with(text);
        let first = place.load().unwrap().config;
        assert_eq!(again(&place, &print(&first)), first);
    }
}

#[test]
fn a_lone_token_file_is_printed_as_the_token_it_is() {
    let place = Place::with(&format!(
        "{LEAST}\nadmin: {{token_file: $DIR/token, allow: [{{cluster: main, groups: a}}], audit_log: audit.jsonl}}"
    ));
    let first = place.load().unwrap().config;
    assert_eq!(
        first.admin.as_ref().map(|admin| admin.tokens[0].name.as_str()),
        Some("admin")
    );
    assert_eq!(
        first.admin.as_ref().map(|admin| admin.listen.to_string()).as_deref(),
        Some("127.0.0.1:9641")
    );
    assert_eq!(first.admin.as_ref().map(|admin| admin.require_reason), Some(false));
    assert_eq!(again(&place, &print(&first)), first);
}

#[test]
fn every_default_is_as_it_was_promised() {
    insta::assert_snapshot!(print(&config(LEAST)), @r#"
    listen: "0.0.0.0:9640"
    poll_interval: 15s
    max_staleness: 45s
    status_cycles: 5
    status_window_max: 30m
    dormant_after: 1d
    cluster_label: "kafka_cluster"
    shutdown_grace: 10s
    log:
      level: info
      format: text
    objectives: []
    clusters:
      - name: "main"
        bootstrap_servers: ["kafka:9092"]
        groups:
          include: [".*"]
          exclude: []
        topics:
          include: [".*"]
          exclude: []
        left_topics: keep
        isolation: read_uncommitted
        record_time:
          read: true
          per_cycle: 5000
        time: record
        granularity: partition
        partition_families: [lag_records, lag_seconds, committed_offset]
        owner_info: []
        compatibility: []
        series_limit: 1000000
        request_timeout: 10s
    "#);
}

#[test]
fn defaults_that_depend_on_other_keys_follow_them() {
    let config = config(&format!("poll_interval: 2s\n{LEAST}"));
    assert_eq!(config.max_staleness, std::time::Duration::from_secs(6));
}

#[test]
fn an_empty_section_has_every_default() {
    let empty =
        "log: {}\nclusters: [{name: main, bootstrap_servers: 'kafka:9092', groups: {}, topics: {}, record_time: {}}]";
    assert_eq!(config(empty), config(LEAST));
    let tls = config("clusters: [{name: main, bootstrap_servers: 'kafka:9092', tls: {}}]");
    assert!(
        tls.clusters[0]
            .tls
            .as_ref()
            .is_some_and(|tls| tls.verify_hostname && tls.authorities.is_none())
    );
}

#[test]
fn no_secret_is_printed_in_any_form() {
    let text =
        "clusters: [{name: main, bootstrap_servers: 'k:1', sasl: {mechanism: PLAIN, username: u, password: $SECRET}}]";
    let loaded = config(text);
    let printed = print(&loaded);
    assert!(printed.contains("password: \"***\""), "{printed}");
    assert!(!printed.contains(SECRET) && !format!("{loaded:?}").contains(SECRET));
    assert!(!print(&config(EVERYTHING)).contains(SECRET));
}

#[test]
fn toml_and_json_say_the_same_as_yaml() {
    let toml = "listen = \"127.0.0.1:1\"\n[[clusters]]\nname = \"main\"\nbootstrap_servers = [\"kafka:9092\"]\nseries_limit = 5\n[clusters.record_time]\nread = false\n";
    let json = r#"{"listen": "127.0.0.1:1", "clusters": [{"name": "main", "bootstrap_servers": "kafka:9092", "series_limit": 5, "record_time": {"read": false}}]}"#;
    let yaml = config(json);
    assert_eq!(Place::with_file("t.toml", toml).load().unwrap().config, yaml);
    assert_eq!(Place::with_file("t.json", json).load().unwrap().config, yaml);
    assert_eq!(Place::with_file("t.YML", json).load().unwrap().config, yaml);
    assert_eq!(yaml.clusters[0].series_limit, 5);
}

#[test]
fn expressions_are_for_the_whole_name_line_breaks_included() {
    let text = "clusters: [{name: main, bootstrap_servers: 'k:1', groups: {include: ['a|b.*'], exclude: ['b.c']}}]";
    let groups = config(text).clusters[0].groups.clone();
    assert!(groups.lets_through(b"a") && groups.lets_through(b"b\nd\n"));
    assert!(!groups.lets_through(b"ab") && !groups.lets_through(b"a\n") && !groups.lets_through(b"b\nc"));
}

proptest! {
    // Each case writes files.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_name_and_any_user_survive_being_printed(name in "\\PC{1,40}", user in "[^\u{0}]{1,40}") {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let text = format!(
            "{{\"clusters\": [{{\"name\": {}, \"bootstrap_servers\": \"k:1\", \"sasl\": {{\"mechanism\": \"PLAIN\", \"username\": {}, \"password\": \"***\"}}}}]}}",
            quoted(&name), quoted(&user),
        );
        let place = Place::with_file("t.json", &text);
        let first = place.load().unwrap().config;
        prop_assert_eq!(&*first.clusters[0].name, name.as_str());
        prop_assert_eq!(again(&place, &print(&first)), first);
    }
}

/// Every key of every section, from what is told about one that is unknown.
fn schema() -> BTreeSet<String> {
    let sections = [
        "",
        "log",
        "objectives[0]",
        "objectives[0].labels",
        "clusters[0]",
        "clusters[0].tls",
        "clusters[0].sasl",
        "clusters[0].groups",
        "clusters[0].topics",
        "clusters[0].record_time",
        "clusters[0].time[0]",
        "clusters[0].granularity[0]",
        "clusters[0].isolation[0]",
        "admin",
        "admin.tokens[0]",
        "admin.allow[0]",
        "admin.tls",
    ];
    let place = sections.iter().fold(Place::with(EVERYTHING), |place, section| {
        let path = section.replace(['.', '['], "__").replace(']', "");
        let name = if path.is_empty() {
            "TIDEMARK__?".to_owned()
        } else {
            format!("TIDEMARK__{path}__?")
        };
        place.env(&name, "x")
    });
    let problems = place.load().unwrap_err().problems;
    assert_eq!(problems.len(), sections.len());
    problems
        .iter()
        .flat_map(|problem| {
            let section = problem.key.trim_end_matches("\"?\"").replace("[0]", "[]");
            let known = problem.what.strip_prefix("unknown key; known here: ").unwrap();
            known
                .split(", ")
                .map(|key| format!("{section}{key}"))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The rows of the document's tables: key and default.
fn documented() -> BTreeMap<String, String> {
    let document = include_str!("../../../docs/configuration.md");
    let rows = document.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let key = cells.next()?.strip_suffix('`')?;
        let (_type, default) = (cells.next()?, cells.next()?);
        Some((key.to_owned(), default.trim_matches('`').to_owned()))
    });
    let all: Vec<_> = rows
        .filter(|(key, _)| !key.starts_with("TIDEMARK") && !key.starts_with('-'))
        .collect();
    let unique: BTreeMap<_, _> = all.iter().cloned().collect();
    assert_eq!(unique.len(), all.len(), "a key is documented twice");
    unique
}

#[test]
fn the_document_has_every_key_and_no_other() {
    let documented: BTreeSet<String> = documented().into_keys().collect();
    assert_eq!(documented, schema());
}

#[test]
fn the_documented_defaults_are_the_defaults() {
    let optional = [
        "clusters[].tls",
        "clusters[].sasl",
        "admin",
        "objectives[]",
        "clusters[].time[]",
        "clusters[].granularity[]",
        "clusters[].isolation[]",
    ];
    let given = documented().into_iter().filter(|(key, default)| {
        let stated = !default.starts_with(['–', '*', '3']) && *default != "{}";
        stated && !optional.iter().any(|section| key.starts_with(section))
    });
    let mut lines = vec![LEAST.to_owned()];
    let mut place = Place::with(LEAST);
    for (key, default) in given {
        assert!(!default.contains(' ') || default.starts_with('['), "{key}: {default}");
        let name = format!("TIDEMARK__{}", key.replace("[]", "__0").replace('.', "__"));
        place = place.env(&name, &default.replace(['[', ']', '"'], ""));
        lines.push(key);
    }
    assert!(lines.len() > 20, "{lines:?}");
    assert_eq!(
        place.load().unwrap_or_else(|errors| panic!("{errors}")).config,
        config(LEAST)
    );
}
