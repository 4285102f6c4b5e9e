//! `TIDEMARK__SECTION__KEY`: what the environment and the flags say, laid over the tree of the file. The `config` crate's own reader of the
//! environment cannot reach an element of a list, and forgets which variable said what: it parses the file, and this is the merge.

use std::cmp::Ordering;
use std::ffi::OsString;

use config::Map;
use config::Value;
use config::ValueKind;

use super::node::Report;

const PREFIX: &str = "TIDEMARK__";
const SEPARATOR: &str = "__";

/// This process's environment.
pub fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// One value from outside the file.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// The variable or flag, for messages.
    pub(super) origin: String,
    /// Keys and indexes from the top.
    pub(super) path: Vec<String>,
    /// What it says.
    pub(super) value: String,
}

/// The settings among the variables. Names count whatever their case; those that are no key path or no text are refused.
pub(super) fn settings(variables: impl IntoIterator<Item = (OsString, OsString)>, report: &Report) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (name, value) in variables {
        let name = name.to_string_lossy().into_owned();
        let Some(path) = key_path(&name) else { continue };
        if path.iter().any(String::is_empty) {
            report.problem(
                "",
                Some(name),
                "unknown variable: a key is missing between its underscores",
            );
        } else if let Ok(value) = value.into_string() {
            settings.push(Setting {
                origin: name,
                path,
                value,
            });
        } else {
            report.problem(shown(&path), Some(name), "must be UTF-8");
        }
    }
    settings.sort_by(|a, b| order(&a.path, &b.path).then_with(|| a.origin.cmp(&b.origin)));
    settings
}

/// Lays settings over the tree, in the order given.
pub(super) fn lay_over(tree: &mut Value, settings: Vec<Setting>, report: &Report) {
    for setting in settings {
        if let Err(what) = place(tree, &setting.path, &setting) {
            report.problem(shown(&setting.path), Some(setting.origin), what);
        }
    }
}

fn key_path(name: &str) -> Option<Vec<String>> {
    let upper = name.to_uppercase();
    let keys = upper.strip_prefix(PREFIX)?;
    Some(keys.split(SEPARATOR).map(str::to_lowercase).collect())
}

/// The path as messages have it: `clusters[0].name`.
fn shown(path: &[String]) -> String {
    let mut shown = String::new();
    for key in path {
        match (key.parse::<usize>(), shown.as_str()) {
            (Ok(index), _) => shown.push_str(&format!("[{index}]")),
            (Err(_), "") => shown.push_str(key),
            (Err(_), _) => shown.push_str(&format!(".{key}")),
        }
    }
    shown
}

/// Element 2 before element 10, so that a list grows from its end; a whole before its parts.
fn order(a: &[String], b: &[String]) -> Ordering {
    let part = |key: &String| (key.parse::<usize>().ok(), key.clone());
    a.iter().map(part).cmp(b.iter().map(part))
}

fn place(node: &mut Value, path: &[String], setting: &Setting) -> Result<(), String> {
    let Some((key, rest)) = path.split_first() else {
        return set(node, setting);
    };
    if node.origin().is_some() && !matches!(node.kind, ValueKind::Table(_) | ValueKind::Array(_)) {
        return Err(format!("contradicts {}", node.origin().unwrap_or_default()));
    }
    let index = key.parse::<usize>().ok();
    if !matches!(node.kind, ValueKind::Table(_) | ValueKind::Array(_)) {
        let empty = match index {
            Some(_) => ValueKind::Array(Vec::new()),
            None => ValueKind::Table(Map::new()),
        };
        *node = Value::new(Some(&setting.origin), empty);
    }
    match (&mut node.kind, index) {
        (ValueKind::Table(table), _) => place(table.entry(key.clone()).or_default(), rest, setting),
        (ValueKind::Array(elements), Some(index)) => place(element(elements, index)?, rest, setting),
        _ => Err("stands in a list: an element is named by its number, the first by 0".to_owned()),
    }
}

fn set(node: &mut Value, setting: &Setting) -> Result<(), String> {
    if let Some(other) = node
        .origin()
        .filter(|origin| !origin.starts_with('-') && !setting.origin.starts_with('-'))
    {
        return Err(format!("contradicts {other}"));
    }
    *node = Value::new(Some(&setting.origin), setting.value.clone());
    Ok(())
}

/// An element that is there, or the next one.
fn element(elements: &mut Vec<Value>, index: usize) -> Result<&mut Value, String> {
    if index > elements.len() {
        return Err(format!("there is no element {} before it", elements.len()));
    }
    if index == elements.len() {
        elements.push(Value::default());
    }
    Ok(&mut elements[index])
}
