//! The way in: file, environment and flags become one tree, the tree becomes a [`Config`], or a report of everything that is wrong.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;

use config::ConfigError;
use config::FileFormat;
use config::Format as _;
use config::Map;
use config::Value;

use super::Config;
use super::environment;
use super::environment::Setting;
use super::files;
use super::node::Node;
use super::node::Report;
use super::problem::ConfigErrors;
use super::problem::Problem;
use super::schema;

/// The file that is read when nothing else is said.
const DEFAULT_FILE: &str = "tidemark.yaml";

/// Where the configuration comes from; the environment and flags are laid over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file: `.toml` or `.json` by its name, else YAML.
    File(PathBuf),
    /// No file: one cluster called `main`, with these bootstrap servers.
    Brokers(String),
}

impl Default for Source {
    /// `./tidemark.yaml`.
    fn default() -> Self {
        Self::File(DEFAULT_FILE.into())
    }
}

/// A flag that stands for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// As it is typed, `--listen`.
    pub name: &'static str,
    /// The key it stands for, `listen`; keys of sections are separated by dots, elements are numbers.
    pub key: &'static str,
    /// What was typed.
    pub value: String,
}

/// A configuration, and what is doubtful about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What was loaded.
    pub config: Config,
    /// What is allowed but hardly meant, in the order of the schema.
    pub warnings: Vec<Problem>,
}

/// Reads a configuration: the file, over it the environment (`TIDEMARK__…`; all other variables are passed over), over that the flags.
///
/// # Errors
///
/// Everything that is wrong with it, at once.
pub fn load(
    source: &Source,
    flags: &[Flag],
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Loaded, ConfigErrors> {
    let named = |problems| ConfigErrors {
        of: match source {
            Source::File(path) => path.display().to_string(),
            Source::Brokers(_) => "--brokers".to_owned(),
        },
        problems,
    };
    let mut tree = match source {
        Source::File(path) => parse(path).map_err(|problem| named(vec![problem]))?,
        Source::Brokers(_) => tree_of_one_cluster(),
    };
    let report = Report::default();
    environment::lay_over(&mut tree, environment::settings(environment, &report), &report);
    environment::lay_over(&mut tree, settings_of(source, flags), &report);
    let config = schema::read(&Node::root(&tree, &report));
    let (problems, warnings) = report.into_parts();
    match config {
        Some(config) if problems.is_empty() => Ok(Loaded { config, warnings }),
        _ => Err(named(problems)),
    }
}

fn tree_of_one_cluster() -> Value {
    let cluster = Value::from(Map::<String, Value>::new());
    Value::from(Map::from([("clusters".to_owned(), Value::from(vec![cluster]))]))
}

fn settings_of(source: &Source, flags: &[Flag]) -> Vec<Setting> {
    let setting = |name: &str, key: &str, value: &str| Setting {
        origin: name.to_owned(),
        path: key.split('.').map(str::to_owned).collect(),
        value: value.to_owned(),
    };
    let mut settings = Vec::new();
    if let Source::Brokers(servers) = source {
        settings.push(setting("--brokers", "clusters.0.name", "main"));
        settings.push(setting("--brokers", "clusters.0.bootstrap_servers", servers));
    }
    settings.extend(flags.iter().map(|flag| setting(flag.name, flag.key, &flag.value)));
    settings
}

/// The keys of a file.
pub(super) fn parse(path: &Path) -> Result<Value, Problem> {
    let wrong = |what: String| Problem {
        key: String::new(),
        origin: None,
        what,
    };
    let bytes = files::content(path).map_err(|error| match path == Path::new(DEFAULT_FILE) {
        true => wrong(format!(
            "cannot be read: {error}; name a file by -c, or brokers by --brokers"
        )),
        false => wrong(format!("cannot be read: {error}")),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8 text".to_owned()))?;
    // The format alone: the crate's own file source would read a key with dots in it as a path.
    match format(path).parse(None, &text) {
        Ok(keys) => Ok(Value::from(keys)),
        Err(error) => Err(wrong(format!("not valid {}: {}", format_name(path), syntax(&*error)))),
    }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn format(path: &Path) -> FileFormat {
    match extension(path).as_str() {
        "toml" => FileFormat::Toml,
        "json" => FileFormat::Json,
        _ => FileFormat::Yaml,
    }
}

fn format_name(path: &Path) -> &'static str {
    match format(path) {
        FileFormat::Toml => "TOML",
        FileFormat::Json => "JSON",
        _ => "YAML",
    }
}

/// What is wrong with the syntax, and the line. Parsers quote what they read, which may be a password: only their own words for a mistake
/// are passed on, and where it is.
fn syntax(error: &(dyn Error + Send + Sync + 'static)) -> String {
    if error.is::<ConfigError>() || error.is::<Box<ConfigError>>() {
        return "it must be a section of keys".to_owned();
    }
    let text = error.to_string();
    match (line(&text), reason(&text)) {
        (Some(line), Some(reason)) => format!("line {line}: {reason}"),
        (Some(line), None) => format!("line {line}: syntax error"),
        (None, _) => "it cannot be parsed".to_owned(),
    }
}

/// The number after the last ` line ` in a parser's first line of text.
fn line(text: &str) -> Option<u64> {
    let first = text.lines().next()?;
    let (_, after) = first.rsplit_once(" line ")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The words that the parsers of YAML and JSON put before the place. That of TOML puts the text of the line there, so it has none.
fn reason(text: &str) -> Option<&str> {
    if text.contains("duplicate") {
        return Some("a key stands twice");
    }
    let (words, _) = text
        .rsplit_once(" at byte ")
        .or_else(|| text.rsplit_once(" at line "))?;
    match words {
        "TOML parse error" => None,
        // Quotes the character, which may be the first one of a password.
        quoted if quoted.starts_with("unexpected character") => {
            Some("a text that begins with %, @ or ` must be in quotes")
        }
        words => Some(words),
    }
}
