//! How client files are written: as `java.util.Properties` reads them, or as librdkafka's tools do, for which a backslash is one.

use std::collections::BTreeMap;

/// Settings that only librdkafka has.
const OF_LIBRDKAFKA: [&str; 11] = [
    "sasl.username",
    "sasl.password",
    "sasl.mechanisms",
    "sasl.oauthbearer.method",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.location",
    "ssl.certificate.pem",
    "ssl.key.location",
    "ssl.key.pem",
    "metadata.broker.list",
];

/// The settings of a file; the last of several wins.
pub(super) struct Properties(BTreeMap<String, String>);

impl Properties {
    /// Reads every text: what is no setting is none.
    pub(super) fn parse(text: &str) -> Self {
        let plain = of_librdkafka(text);
        if OF_LIBRDKAFKA.iter().any(|key| plain.contains_key(*key)) && !plain.contains_key("sasl.jaas.config") {
            return Self(plain);
        }
        let lines = logical_lines(text);
        Self(lines.iter().map(|line| of_java(line)).collect())
    }

    /// The value; none when it is empty, which is how both kinds of clients unset one.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.given(key).filter(|value| !value.is_empty())
    }

    /// The value, if only an empty one.
    pub(super) fn given(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// The value under the first of the names that has one.
    pub(super) fn first(&self, keys: &[&'static str]) -> Option<(&'static str, &str)> {
        keys.iter().find_map(|key| Some((*key, self.get(key)?)))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// `key=value` by lines.
fn of_librdkafka(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim().to_owned(), value.trim().replace("\\n", "\n")))
        .collect()
}

/// Lines without comments, those that end in an odd number of backslashes joined to the next one.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let line = line.trim_start_matches([' ', '\t', '\x0c']);
        if !open && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let slashes = line.len() - line.trim_end_matches('\\').len();
        let goes_on = slashes % 2 == 1;
        let part = if goes_on { &line[..line.len() - 1] } else { line };
        match lines.last_mut().filter(|_| open) {
            Some(last) => last.push_str(part),
            None => lines.push(part.to_owned()),
        }
        open = goes_on;
    }
    lines
}

/// Key and value, parted by `=`, `:` or white space.
fn of_java(line: &str) -> (String, String) {
    let mut escaped = false;
    let end = line.char_indices().find(|(_, c)| {
        let ends = !escaped && matches!(c, '=' | ':' | ' ' | '\t' | '\x0c');
        escaped = !escaped && *c == '\\';
        ends
    });
    let (key, rest) = line.split_at(end.map_or(line.len(), |(at, _)| at));
    let blank = [' ', '\t', '\x0c'];
    let rest = rest.trim_start_matches(blank);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(blank);
    // Kafka trims values where it reads them as anything but text, and nobody means the blanks at the end of a line.
    (unescaped(key), unescaped(value).trim_end().to_owned())
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('f') => out.push('\x0c'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let unit = u32::from_str_radix(&digits, 16).ok();
                out.push(unit.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}
