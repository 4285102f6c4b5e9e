//! `sasl.jaas.config`: a login module and its options.

use std::collections::BTreeMap;

/// A login module.
pub(super) struct Module {
    /// The last part of its class.
    pub(super) class: String,
    options: BTreeMap<String, String>,
}

impl Module {
    /// Reads `a.b.Class required key="value" …;`; `None` when it is anything else, or more than one module.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut tokens = tokens(text)?.into_iter();
        let class = tokens.next()?;
        let flag = tokens.next()?.to_lowercase();
        if !["required", "requisite", "sufficient", "optional"].contains(&flag.as_str()) {
            return None;
        }
        let mut options = BTreeMap::new();
        loop {
            match tokens.next()?.as_str() {
                ";" => break,
                key => {
                    let equals = tokens.next()?;
                    let value = tokens.next()?;
                    (equals == "=").then_some(())?;
                    options.insert(key.to_owned(), value);
                }
            }
        }
        tokens.next().is_none().then(|| Self {
            class: class.rsplit('.').next().unwrap_or_default().to_owned(),
            options,
        })
    }

    /// An option that is not empty.
    pub(super) fn option(&self, key: &str) -> Option<&str> {
        self.options
            .get(key)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    pub(super) fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// Words, quoted texts without their quotes, `=` and `;`; `None` when a quote is left open.
fn tokens(text: &str) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            _ if c.is_whitespace() => {}
            '=' | ';' => tokens.push(c.to_string()),
            '"' | '\'' => tokens.push(quoted(&mut chars, c)?),
            _ => {
                let mut word = c.to_string();
                while let Some(next) = chars.next_if(|c| !c.is_whitespace() && !matches!(c, '=' | ';' | '"')) {
                    word.push(next);
                }
                tokens.push(word);
            }
        }
    }
    Some(tokens)
}

fn quoted(chars: &mut impl Iterator<Item = char>, end: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\\' => match chars.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                other => text.push(other),
            },
            c if c == end => return Some(text),
            c => text.push(c),
        }
    }
}
