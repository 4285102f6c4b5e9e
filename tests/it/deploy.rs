//! What is shipped beside the binary: rules, runbook, dashboards, chart. Held against the catalog, against the tools they are made for,
//! and against a real run of the demo.

mod chart;
mod compared;
mod dashboards;
mod documents;
mod expression;
mod live;
mod names;
mod rules;
mod sheet;
mod stage;

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use yaml_rust2::Yaml;
use yaml_rust2::YamlLoader;

/// A file or folder of the project.
fn path(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(inside)
}

/// The text of a file of the project.
fn text(inside: &str) -> String {
    fs::read_to_string(path(inside)).unwrap_or_else(|error| panic!("{inside}: {error}"))
}

/// The first document of a YAML text.
fn yaml(text: &str) -> Value {
    let documents = YamlLoader::load_from_str(text).expect("YAML");
    json(documents.first().expect("a document"))
}

fn json(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Boolean(truth) => (*truth).into(),
        Yaml::Integer(number) => (*number).into(),
        Yaml::Real(number) => number.as_str().into(),
        Yaml::String(text) => text.as_str().into(),
        Yaml::Array(elements) => elements.iter().map(json).collect(),
        Yaml::Hash(keys) => {
            let pair = |(key, value): (&Yaml, &Yaml)| (key.as_str().expect("a key of text").to_owned(), json(value));
            Value::Object(keys.iter().map(pair).collect())
        }
        Yaml::Alias(_) | Yaml::Null | Yaml::BadValue => Value::Null,
    }
}
