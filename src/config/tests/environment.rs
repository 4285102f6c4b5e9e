//! What the environment and the flags say, and what counts when several say something.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::time::Duration;

use super::support::Place;
use super::support::SECRET;
use crate::config::Config;
use crate::config::Isolation;
use crate::config::Source;

const MAIN: &str = "{poll_interval: 20s, clusters: [{name: main, bootstrap_servers: 'kafka:9092'}]}";

fn loaded(place: &Place) -> Config {
    place.load().unwrap_or_else(|errors| panic!("{errors}")).config
}

fn servers(config: &Config, cluster: usize) -> Vec<String> {
    config.clusters[cluster]
        .bootstrap_servers
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn the_environment_goes_over_the_file_and_a_flag_over_both() {
    let place = Place::with(MAIN);
    assert_eq!(loaded(&place).poll_interval, Duration::from_secs(20));
    let place = place.env("TIDEMARK__POLL_INTERVAL", "5s");
    assert_eq!(loaded(&place).poll_interval, Duration::from_secs(5));
    let place = place.flag("--poll-interval", "poll_interval", "7s");
    assert_eq!(loaded(&place).poll_interval, Duration::from_secs(7));
}

#[test]
fn names_of_variables_count_whatever_their_case() {
    let place = Place::with(MAIN).env("tidemark__Log__LEVEL", "debug");
    assert_eq!(loaded(&place).log.level.as_str(), "debug");
}

#[test]
fn other_variables_are_passed_over() {
    let place = Place::with(MAIN)
        .env("TIDEMARK", "x")
        .env("TIDEMARK_LISTEN", "x")
        .env("PATH", "x");
    assert_eq!(loaded(&place).poll_interval, Duration::from_secs(20));
}

#[test]
fn an_element_of_a_list_is_reached_by_its_number() {
    let place = Place::with(MAIN)
        .env("TIDEMARK__CLUSTERS__0__ISOLATION", "read_committed")
        .env("TIDEMARK__CLUSTERS__1__NAME", "other")
        .env("TIDEMARK__CLUSTERS__1__BOOTSTRAP_SERVERS", "a:1, b:2");
    let config = loaded(&place);
    assert_eq!(config.clusters.len(), 2);
    assert_eq!(
        (&*config.clusters[0].name, config.clusters[0].isolation_of_all()),
        ("main", Isolation::ReadCommitted)
    );
    assert_eq!(servers(&config, 0), ["kafka:9092"]);
    assert_eq!(
        (&*config.clusters[1].name, servers(&config, 1)),
        ("other", vec!["a:1".to_owned(), "b:2".to_owned()])
    );
}

#[test]
fn a_list_can_grow_beyond_ten_elements() {
    let mut place = Place::with("{}");
    for index in (0..12).rev() {
        place = place
            .env(&format!("TIDEMARK__CLUSTERS__{index}__NAME"), &format!("c{index}"))
            .env(&format!("TIDEMARK__CLUSTERS__{index}__BOOTSTRAP_SERVERS"), "kafka:9092");
    }
    let names: Vec<String> = loaded(&place)
        .clusters
        .iter()
        .map(|cluster| cluster.name.to_string())
        .collect();
    assert_eq!(names, (0..12).map(|index| format!("c{index}")).collect::<Vec<_>>());
}

#[test]
fn texts_become_what_the_schema_wants() {
    let place = Place::with(MAIN)
        .env("TIDEMARK__STATUS_CYCLES", "7")
        .env("TIDEMARK__CLUSTERS__0__RECORD_TIME__READ", "false")
        .env("TIDEMARK__CLUSTERS__0__SERIES_LIMIT", "10")
        .env(
            "TIDEMARK__CLUSTERS__0__PARTITION_FAMILIES",
            "lag_seconds,stalled_seconds",
        )
        .env("TIDEMARK__CLUSTERS__0__GROUPS__EXCLUDE", "a.*,b")
        .env("TIDEMARK__CLUSTERS__0__TOPICS__INCLUDE__0", "x{1,2}")
        .env("TIDEMARK__CLUSTERS__0__GRANULARITY", "topic")
        .env("TIDEMARK__OBJECTIVES__0__GROUPS", "a")
        .env("TIDEMARK__OBJECTIVES__0__LAG", "60s")
        .env("TIDEMARK__OBJECTIVES__0__LABELS__TEAM", "payments");
    let config = loaded(&place);
    let cluster = &config.clusters[0];
    assert_eq!(
        (config.status_cycles, cluster.record_time.read, cluster.series_limit),
        (7, false, 10)
    );
    assert_eq!(cluster.partition_families.names(), ["lag_seconds", "stalled_seconds"]);
    assert!(
        !cluster.groups.lets_through(b"ax") && !cluster.groups.lets_through(b"b") && cluster.groups.lets_through(b"c")
    );
    assert!(cluster.topics.lets_through(b"xx") && !cluster.topics.lets_through(b"xxx"));
    assert_eq!(cluster.granularity.len(), 1);
    assert_eq!(config.objectives[0].team, "payments");
}

#[test]
fn an_empty_variable_is_an_empty_list_where_one_is_allowed() {
    let place = Place::with("{clusters: [{name: main, bootstrap_servers: 'k:1', owner_info: ['.*']}]}")
        .env("TIDEMARK__CLUSTERS__0__OWNER_INFO", "");
    assert!(loaded(&place).clusters[0].owner_info.is_empty());
}

#[test]
fn one_element_by_variable_takes_the_place_of_a_list_that_was_a_text() {
    let place = Place::with(MAIN).env("TIDEMARK__CLUSTERS__0__BOOTSTRAP_SERVERS__0", "a:1");
    assert_eq!(servers(&loaded(&place), 0), ["a:1"]);
}

#[test]
fn brokers_are_one_cluster_called_main_that_the_environment_can_add_to() {
    let place = Place::with("{}")
        .env("TIDEMARK__CLUSTERS__0__NAME", "other")
        .env("TIDEMARK__CLUSTERS__0__TLS__VERIFY_HOSTNAME", "false")
        .env("TIDEMARK__CLUSTERS__1__NAME", "second")
        .env("TIDEMARK__CLUSTERS__1__BOOTSTRAP_SERVERS", "b:1");
    let config = place.load_from(&Source::Brokers("a:1,a:2".to_owned())).unwrap().config;
    assert_eq!(
        (&*config.clusters[0].name, &*config.clusters[1].name),
        ("main", "second")
    );
    assert_eq!(servers(&config, 0), ["a:1", "a:2"]);
    assert!(config.clusters[0].tls.as_ref().is_some_and(|tls| !tls.verify_hostname));
}

#[test]
fn a_wrong_flag_is_named_beside_its_key() {
    let place = Place::with("{}").flag("--listen", "listen", "here");
    let errors = place.load_from(&Source::Brokers("kafka".to_owned())).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "--brokers: 2 problems\n  \
         listen (from --listen): must be an IP address and a port, as in 0.0.0.0:9640 or [::]:9640\n  \
         clusters[0].bootstrap_servers (from --brokers): must be host:port, as in kafka-1:9092 or [2001:db8::1]:9092"
    );
}

#[test]
fn a_problem_names_the_variable_that_made_it() {
    let place = Place::with(MAIN)
        .env("TIDEMARK__POLL_INTERVAL", "soon")
        .env("TIDEMARK__STATUS_CYCLES", "many")
        .env("TIDEMARK__LISTENN", "x")
        .env("TIDEMARK__CLUSTERS__0__SASL__PASWORD", "$SECRET")
        .env("TIDEMARK__CLUSTERS__0__GROUPS__INCLUDE", "a,(")
        .env("TIDEMARK__CLUSTERS__0__LEFT_TOPICS__X", "y")
        .env("TIDEMARK__ADMIN", "$SECRET");
    insta::assert_snapshot!(place.problems().join("\n"), @r#"
    poll_interval (from TIDEMARK__POLL_INTERVAL): must be a duration with its unit, as in 15s, 500ms or 1h 30m
    status_cycles (from TIDEMARK__STATUS_CYCLES): must be a whole number from 2 to 1000
    clusters[0].sasl.mechanism: missing: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or AWS_MSK_IAM
    clusters[0].sasl.pasword (from TIDEMARK__CLUSTERS__0__SASL__PASWORD): unknown key; did you mean `password`?
    clusters[0].groups.include (from TIDEMARK__CLUSTERS__0__GROUPS__INCLUDE): must be regular expressions: unclosed group
    clusters[0].left_topics (from TIDEMARK__CLUSTERS__0__LEFT_TOPICS__X): must be keep or drop
    admin (from TIDEMARK__ADMIN): must be a section: each of its keys is a variable of its own
    listenn (from TIDEMARK__LISTENN): unknown key; did you mean `listen`?
    "#);
    assert!(!format!("{:?}", place.load()).contains(SECRET));
}

#[test]
fn variables_that_lead_nowhere_or_contradict_one_another_are_refused() {
    let place = Place::with(MAIN)
        .env("TIDEMARK__CLUSTERS__2__NAME", "x")
        .env("TIDEMARK__CLUSTERS__MAIN__NAME", "x")
        .env("TIDEMARK__CLUSTERS__99999999999999999999__NAME", "x")
        .env("TIDEMARK__", "x")
        .env("TIDEMARK__LOG____LEVEL", "x")
        .env("TIDEMARK__LISTEN", "127.0.0.1:1")
        .env("tidemark__listen", "127.0.0.1:2")
        .env("TIDEMARK__CLUSTERS__0__TLS", "$SECRET")
        .env("TIDEMARK__CLUSTERS__0__TLS__CA_FILE", "$DIR/cert.pem")
        .env_of_bytes("TIDEMARK__CLUSTER_LABEL", OsString::from_vec(b"a\xff".to_vec()));
    insta::assert_snapshot!(place.problems().join("\n"), @r#"
    TIDEMARK__: unknown variable: a key is missing between its underscores
    TIDEMARK__LOG____LEVEL: unknown variable: a key is missing between its underscores
    cluster_label (from TIDEMARK__CLUSTER_LABEL): must be UTF-8
    clusters.99999999999999999999.name (from TIDEMARK__CLUSTERS__99999999999999999999__NAME): stands in a list: an element is named by its number, the first by 0
    clusters.main.name (from TIDEMARK__CLUSTERS__MAIN__NAME): stands in a list: an element is named by its number, the first by 0
    clusters[0].tls.ca_file (from TIDEMARK__CLUSTERS__0__TLS__CA_FILE): contradicts TIDEMARK__CLUSTERS__0__TLS
    clusters[2].name (from TIDEMARK__CLUSTERS__2__NAME): there is no element 1 before it
    listen (from tidemark__listen): contradicts TIDEMARK__LISTEN
    clusters[0].tls (from TIDEMARK__CLUSTERS__0__TLS): must be a section: each of its keys is a variable of its own
    "#);
}
