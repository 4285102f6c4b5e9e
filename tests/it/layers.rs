//! Who may use whom: the source is held to the table of `docs/architecture.md` by its `use` lines.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use regex::Regex;

/// Data in, data out: these know no task, no socket, no Kafka client and no clock.
const PURE: [&str; 9] = [
    "model",
    "failure",
    "lag",
    "time",
    "verdict",
    "observation",
    "snapshot",
    "report",
    "metrics",
];
/// Kafka's own names of its error codes come from the codec's table: data, no client.
const NAMES_OF_ERRORS: (&str, &str) = ("failure", "kafka_protocol");
/// The modules that may name the one thing that changes something in Kafka.
const MAY_WRITE: [&str; 4] = ["kafka", "reset", "app", "cli"];

/// Every file below `folder` that is compiled into the program: what is declared under `cfg(test)` may look around as it likes.
fn files(folder: &Path) -> Vec<PathBuf> {
    let unit_tests = Regex::new(r"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod (\w+);").expect("an expression");
    let mut found = Vec::new();
    let mut tests = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let text = fs::read_to_string(&path).expect("a source file");
            let inside = path.with_extension("");
            tests.extend(unit_tests.captures_iter(&text).map(|name| inside.join(&name[1])));
            found.push(path);
        }
    }
    found.retain(|file| !tests.iter().any(|test| file.with_extension("").starts_with(test)));
    found
}

/// Every source file with the module it belongs to.
fn sources() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let module = |file: &PathBuf| {
        let inside = file.strip_prefix(&root).expect("found below it").with_extension("");
        inside.iter().next().expect("a name").to_string_lossy().into_owned()
    };
    let own = files(&root).into_iter().map(|file| (module(&file), file));
    own.filter(|(module, _)| module != "lib" && module != "main").collect()
}

/// The code of a file, without comments and unit tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file");
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules of the documented table with those that each may use; `everything` for who may use all.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let document = fs::read_to_string(document).expect("a document");
    let (_, table) = document
        .split_once("| module | may use |\n|---|---|\n")
        .expect("a table");
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split(", ")
            .map(|name| name.trim_matches([' ', '`']).to_owned())
            .collect()
    };
    let rows = table.lines().take_while(|line| line.starts_with('|')).flat_map(|row| {
        let (modules, used) = row.trim_matches('|').split_once('|').expect("two cells");
        let used = names(used);
        names(modules).into_iter().map(move |module| (module, used.clone()))
    });
    rows.collect()
}

/// The modules that code names as `crate::module`.
fn named(code: &str) -> BTreeSet<&str> {
    code.split("crate::")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())
        .collect()
}

#[test]
fn nobody_uses_whom_he_may_not() {
    let table = table();
    let mut broken = Vec::new();
    for (module, file) in sources() {
        let allowed = table
            .get(&module)
            .unwrap_or_else(|| panic!("{module} is not in the table"));
        for used in named(&code(&file)) {
            let may = used == module || allowed.contains(used) || allowed.contains("everything");
            if table.contains_key(used) && !may {
                broken.push(format!("{} uses {used}", file.display()));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn only_a_reset_can_name_the_writer() {
    let names = |code: &str| {
        code.split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| word == "Writer")
    };
    let kafkas = |code: &str| code.contains("kafka::Writer") || code.contains("kafka::{") && names(code);
    let bad = sources()
        .into_iter()
        .filter(|(module, file)| !MAY_WRITE.contains(&module.as_str()) && kafkas(&code(file)));
    assert_eq!(bad.map(|(_, file)| file).collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

#[test]
fn what_is_pure_knows_no_runtime_no_kafka_client_and_no_clock() {
    let impure = [
        "tokio",
        "rdkafka",
        "kafka_protocol",
        "hyper",
        "SystemTime::now",
        "Instant::now",
        "std::net::Tcp",
        "std::fs",
    ];
    let mut broken = Vec::new();
    for (module, file) in sources()
        .into_iter()
        .filter(|(module, _)| PURE.contains(&module.as_str()))
    {
        let code = code(&file);
        let found = impure
            .iter()
            .filter(|word| code.contains(*word) && (module.as_str(), **word) != NAMES_OF_ERRORS);
        broken.extend(found.map(|word| format!("{module}: {} names {word}", file.display())));
    }
    assert_eq!(broken, Vec::<String>::new());
}
