//! What the documents say about the project holds: commands run, files are there, CI runs what people run.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use regex::Regex;

use crate::support::cli;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// What stands between the two, for each pair of them.
fn between<'a>(text: &'a str, open: &'static str, close: &'static str) -> impl Iterator<Item = &'a str> {
    text.split(open)
        .skip(1)
        .filter_map(move |rest| rest.split(close).next())
}

/// The commands of a script or list of tasks: what begins with `cargo`, whatever stands before it.
fn cargo_commands(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.find("cargo ").map(|at| line[at..].trim()))
        .collect()
}

#[test]
fn the_readme_has_two_commands_and_the_second_is_what_ci_runs() {
    let readme = read("README.md");
    let commands: Vec<&str> = between(&readme, "```sh\n", "```").map(str::trim).collect();
    let [start, test] = commands[..] else {
        panic!("not two commands: {commands:?}")
    };
    assert!(start.starts_with("cargo run --release -- "), "{start}");
    let ci = read(".ci/run");
    assert!(
        ci.contains("TIDEMARK_TESTS_REQUIRE_ALL=1") && ci.lines().any(|line| line.contains(test)),
        "CI runs another test"
    );
}

/// Every `tidemark` or `cargo run … --` that README shows is taken by the command line as it stands there.
#[test]
fn every_command_of_the_readme_is_one() {
    let readme = read("README.md");
    let shown = Regex::new(r"(?:cargo run --release -- |tidemark )([a-z-]+)([^`\n]*)").expect("an expression");
    let inline = Regex::new(r"`([^`\n]+)`").expect("an expression");
    let inline = inline.captures_iter(&readme).map(|code| code.extract::<1>().1[0]);
    let code: Vec<&str> = between(&readme, "```sh\n", "```").chain(inline).collect();
    let commands: Vec<_> = code.iter().filter_map(|code| shown.captures(code)).collect();
    assert!(commands.len() >= 3, "{code:?}");
    for command in commands {
        let help = cli(&[&command[1], "--help"]);
        let help = String::from_utf8(help.stdout).expect("UTF-8");
        assert!(
            help.contains(&format!("tidemark {}", &command[1])),
            "no command {}",
            &command[0]
        );
        let flags = command[2].split_whitespace().filter(|word| word.starts_with('-'));
        flags.for_each(|flag| assert!(help.contains(flag), "{} has no {flag}", &command[1]));
    }
}

#[test]
fn ci_runs_the_tasks_of_the_justfile() {
    let tasks = read("justfile");
    let tasks = cargo_commands(&tasks);
    let ci = read(".ci/run");
    let run: Vec<&str> = cargo_commands(&ci)
        .into_iter()
        .filter(|line| !line.contains('\\'))
        .collect();
    for command in ["cargo fmt --check", "cargo clippy", "cargo doc", "cargo test"] {
        assert!(
            run.iter().any(|line| line.starts_with(command)),
            "CI does not run {command}"
        );
    }
    let unknown: Vec<_> = run.iter().filter(|line| !tasks.contains(*line)).collect();
    assert_eq!(unknown, Vec::<&&str>::new(), "CI runs what no task is");
}

/// Documents of the root and of `docs/`.
fn documents() -> Vec<PathBuf> {
    let folders = [root().to_owned(), root().join("docs")];
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let files = entries.map(|entry| entry.expect("an entry").path());
    files
        .filter(|file| file.extension().is_some_and(|ext| ext == "md"))
        .collect()
}

#[test]
fn every_file_that_a_document_names_is_there() {
    let link = Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").expect("an expression");
    let path = Regex::new(r"`((?:src|tests|docs|benches)/[\w./-]*)`").expect("an expression");
    let mut missing = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document");
        let beside = document.parent().expect("a folder");
        let linked = link.captures_iter(&text).map(|found| beside.join(&found[1]));
        let named = path.captures_iter(&text).map(|found| root().join(&found[1]));
        let gone = linked.chain(named).filter(|file| !file.exists());
        missing.extend(gone.map(|file| format!("{}: {}", document.display(), file.display())));
    }
    assert_eq!(missing, Vec::<String>::new());
}
