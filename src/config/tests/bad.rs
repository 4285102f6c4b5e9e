//! One bad configuration a rule, each a file whose first comment lines are the exact messages.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use super::support::Place;
use super::support::SECRET;
use crate::config::Source;

/// The files of a directory under `tests/config`: name, expected lines, text.
fn cases(directory: &str) -> Vec<(String, Vec<String>, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/config")
        .join(directory);
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let case = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let expected = text
            .lines()
            .map_while(|line| line.strip_prefix("# "))
            .map(str::to_owned)
            .collect();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), expected, text)
    };
    paths.into_iter().map(case).collect()
}

#[test]
fn every_bad_configuration_gets_its_exact_messages_and_none_holds_a_secret() {
    for (name, expected, text) in cases("bad") {
        let errors = Place::with_file(&name, &text).load().expect_err(&name);
        let told: Vec<String> = errors.problems.iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{name}");
        let everything = format!("{errors} {errors:?}");
        assert!(
            !everything.contains(SECRET) && !everything.contains("4711000815"),
            "{name}: {everything}"
        );
    }
}

#[test]
fn every_doubtful_configuration_loads_with_its_exact_warning() {
    for (name, expected, text) in cases("doubtful") {
        let loaded = Place::with_file(&name, &text).load().expect(&name);
        let told: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{name}");
    }
}

#[test]
fn a_plain_configuration_has_no_warning() {
    let place = Place::with("clusters: [{name: main, bootstrap_servers: 'kafka:9092'}]");
    assert_eq!(place.load().unwrap().warnings, []);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let place = Place::with("{}");
    let errors = place.load_from(&Source::File("/no/such/file.yaml".into())).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "/no/such/file.yaml: cannot be read: No such file or directory (os error 2)"
    );
}

#[test]
fn without_a_file_the_default_one_is_named_and_what_else_could_be_given() {
    let place = Place::with("{}");
    let errors = place.load_from(&Source::default()).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "tidemark.yaml: cannot be read: No such file or directory (os error 2); name a file by -c, or brokers by --brokers"
    );
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let place = Place::with("{}");
    let binary = place.filled_in("$DIR/binary");
    let errors = place.load_from(&Source::File(binary.clone().into())).unwrap_err();
    assert_eq!(errors.to_string(), format!("{binary}: is not UTF-8 text"));
}

#[test]
fn several_problems_are_a_list_under_the_name_of_the_file() {
    let place = Place::with("{listen: 1, clusters: []}");
    let report = place.load().unwrap_err().to_string();
    let (head, rest) = report.split_once('\n').unwrap();
    assert_eq!(head, place.filled_in("$DIR/tidemark.yaml: 2 problems"));
    assert_eq!(
        rest,
        "  listen: must be text: put it in quotes\n  clusters: must not be empty"
    );
}

#[test]
fn the_syntax_of_json_is_told_by_line() {
    let place = Place::with_file("tidemark.json", "{\n  \"listen\": \"$SECRET\",,\n}");
    assert_eq!(place.problems(), ["not valid JSON: line 2: key must be a string"]);
}
