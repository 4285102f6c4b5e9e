//! A group's document as text. It may be another tidemark's: nothing in it reaches a terminal as it is.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Deserialize;

use crate::report::elapsed;
use crate::report::grouped;
use crate::report::printable;

/// What is taken from the document.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    cluster: String,
    group: String,
    status: String,
    verdict: String,
    to_be_ok: Option<String>,
    rule: Rule,
    #[serde(default)]
    events: Vec<Event>,
    #[serde(default)]
    cures: Vec<Cure>,
}

#[derive(Debug, Deserialize)]
struct Rule {
    holds_when: String,
    partitions: Vec<Judged>,
}

#[derive(Debug, Deserialize)]
struct Judged {
    topic: String,
    partition: i32,
    status: String,
    owner: Option<Owner>,
    reason: Option<String>,
    committed_offset: Option<i64>,
    start_offset: Option<i64>,
    end_offset: Option<i64>,
    lag_records: Option<u64>,
    lag_seconds: Option<f64>,
    standing_seconds: f64,
    standing_begin_seen: bool,
    window_seconds: f64,
    watched_seconds: f64,
    usual_wait_seconds: Option<f64>,
    #[serde(default)]
    last_waits_seconds: Vec<f64>,
    rewound_from_offset: Option<i64>,
    lowest_lag_records: Option<[f64; 2]>,
    lowest_lag_seconds: Option<[f64; 2]>,
    owned_seconds: Option<f64>,
    growing_seconds: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct Owner {
    client_id: String,
    host: String,
}

#[derive(Debug, Deserialize)]
struct Event {
    at: String,
    text: String,
}

#[derive(Debug, Deserialize)]
struct Cure {
    what: String,
    command: String,
}

impl Told {
    /// `None` for what is no document of a group, or one without an explanation.
    pub(super) fn read(document: &str) -> Option<Self> {
        serde_json::from_str(document).ok()
    }

    /// The whole explanation. `watched`: how long this process has looked, where it was this one.
    pub(super) fn text(&self, watched: Option<Duration>) -> String {
        let mut lines = vec![
            format!("group {} of {}: {}", self.group, self.cluster, self.status),
            String::new(),
            format!("{}.", self.verdict),
        ];
        lines.extend(self.to_be_ok.iter().map(|needed| format!("{needed}.")));
        lines.extend([String::new(), format!("rule  {}", self.rule.holds_when)]);
        for row in &self.rule.partitions {
            lines.push(String::new());
            lines.extend(row.lines());
        }
        section(&mut lines, "what happened", &self.events, |event| {
            vec![format!("{}  {}", event.at, event.text)]
        });
        section(&mut lines, "what cures it, for a person to run", &self.cures, |cure| {
            vec![cure.what.clone(), format!("  {}", cure.command)]
        });
        if let Some(watched) = watched {
            lines.push(String::new());
            lines.push(format!(
                "This command watched for {} and knows of nothing before that; a running tidemark does: --url http://HOST:9640",
                humantime::format_duration(watched)
            ));
        }
        lines.iter().fold(String::new(), |mut out, line| {
            writeln!(out, "{}", printable(line)).expect("a string takes every write");
            out
        })
    }
}

fn section<T>(lines: &mut Vec<String>, title: &str, items: &[T], told: impl Fn(&T) -> Vec<String>) {
    if items.is_empty() {
        return;
    }
    lines.extend([String::new(), title.to_owned()]);
    lines.extend(items.iter().flat_map(told).map(|line| format!("  {line}")));
}

impl Judged {
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{}/{}  {}", self.topic, self.partition, self.status)];
        let mut row = |title: &str, text: String| lines.push(format!("  {title:<9}{text}"));
        row("numbers", self.numbers());
        row(
            "owner",
            match &self.owner {
                Some(owner) => format!("{} on {}", owner.client_id, owner.host),
                None => "none, or not known".to_owned(),
            },
        );
        let longer = if self.standing_begin_seen || self.standing_seconds == 0.0 {
            ""
        } else {
            " or longer"
        };
        row(
            "stood",
            format!(
                "{}{longer} of a window of {}, watched for {}",
                elapsed(self.standing_seconds),
                elapsed(self.window_seconds),
                elapsed(self.watched_seconds)
            ),
        );
        let waits = self.last_waits_seconds.iter().map(|wait| elapsed(*wait));
        row(
            "waits",
            match self.usual_wait_seconds {
                Some(usual) => format!(
                    "usually up to {}: {}",
                    elapsed(usual),
                    waits.collect::<Vec<_>>().join(", ")
                ),
                None => "none known yet".to_owned(),
            },
        );
        if self.reason.as_deref() == Some("open_transaction") {
            row(
                "stands",
                "at an open transaction: who reads committed records only gets no further, and is not stalled"
                    .to_owned(),
            );
        }
        if let Some(from) = self.rewound_from_offset {
            row("rewound", format!("from {}", grouped(&from.to_string())));
        }
        if let Some([first, last]) = self.lowest_lag_records {
            let ages = self
                .lowest_lag_seconds
                .map(|[first, last]| format!(", {} and {}", elapsed(first), elapsed(last)));
            row(
                "lowest",
                format!(
                    "lag {} in the first third of the window and {} in the last{}",
                    grouped(&format!("{first:.0}")),
                    grouped(&format!("{last:.0}")),
                    ages.unwrap_or_default()
                ),
            );
        }
        if let Some(owned) = self.owned_seconds {
            let grew = self
                .growing_seconds
                .map(|grew| format!(", and the log grows under it for {}", elapsed(grew)));
            row(
                "owned",
                format!("for {} without a commit{}", elapsed(owned), grew.unwrap_or_default()),
            );
        }
        lines
    }

    fn numbers(&self) -> String {
        let offset = |offset: Option<i64>| offset.map_or_else(|| "unknown".to_owned(), |at| grouped(&at.to_string()));
        let commit = self
            .committed_offset
            .map_or_else(|| "none".to_owned(), |at| grouped(&at.to_string()));
        let lag = match (self.lag_records, self.lag_seconds) {
            (None, _) => "lag unknown".to_owned(),
            (Some(0), _) => "lag 0".to_owned(),
            (Some(lag), None) => format!("lag {}, of unknown age", grouped(&lag.to_string())),
            (Some(lag), Some(age)) => format!("lag {}, oldest {} old", grouped(&lag.to_string()), elapsed(age)),
        };
        format!(
            "commit {commit}, log from {} to {}: {lag}",
            offset(self.start_offset),
            offset(self.end_offset)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::fixture;
    use crate::report::Source;

    fn document(name: &str) -> String {
        let snapshot = fixture::motley("main");
        let source = Source {
            snapshot: &snapshot,
            objectives: &[],
        };
        let group = source.find(name.as_bytes()).expect("there");
        serde_json::to_string(&source.group(group)).expect("JSON")
    }

    fn told(name: &str) -> Told {
        Told::read(&document(name)).expect("explained")
    }

    #[test]
    fn everything_that_is_known_is_told() {
        let text = told("orders").text(None);
        assert!(
            text.starts_with("group orders of main: stalled\n\nStuck since "),
            "{text}"
        );
        for line in [
            "rule  there is something to read, a member owns the partition, and the committed offset was the same in every reading of the window",
            "orders-in/0  stalled",
            "  numbers  commit 40, log from 0 to 100: lag 60, oldest 14m 0s old",
            "  owner    client-1 on 10.0.0.1",
            "  stood    12m 1s of a window of 2m 15s, watched for 58m 20s",
            "  waits    usually up to 45s: 30s, 45s",
            "  rewound  from 90",
            "  lowest   lag 50 in the first third of the window and 60 in the last, 20s and 14m 0s",
            "  owned    for 3.0s without a commit, and the log grows under it for 2.0s",
            "what happened",
            "  2026-01-02T02:44:05.678Z  client client-3 on host 10.0.0.3 and 2 others joined",
            "what cures it, for a person to run",
            "    kafka-topics --bootstrap-server HOST:PORT --create --topic 'was\\deleted' --partitions 1 && \
             kafka-topics --bootstrap-server HOST:PORT --delete --topic 'was\\deleted'",
        ] {
            assert!(text.lines().any(|told| told == line), "{line:?} is not in\n{text}");
        }
    }

    #[test]
    fn who_looked_for_himself_says_for_how_long() {
        let text = told("stale").text(Some(Duration::from_secs(10)));
        assert!(
            text.starts_with("group stale of main: unreadable\n\nNot readable: the group's members or commits, because no answer came in time")
                && text.ends_with("watched for 10s and knows of nothing before that; a running tidemark does: --url http://HOST:9640\n"),
            "{text}"
        );
    }

    #[test]
    fn numbers_beyond_64_bits_do_not_matter() {
        assert!(
            told("a\"b\\c\nd")
                .text(None)
                .starts_with("group a\"b\\c\\nd of main: ok\n")
        );
    }

    #[test]
    fn nothing_in_a_document_steers_the_terminal() {
        let mut told = told("orders");
        told.verdict = "\x1b[2Jfine\r\n".to_owned();
        told.rule.partitions[0].topic = "\u{202e}t".to_owned();
        let text = told.text(None);
        assert!(!text.contains(['\x1b', '\r', '\u{202e}']), "{text}");
    }

    #[test]
    fn what_explains_nothing_is_not_taken_for_an_explanation() {
        for document in [
            "",
            "{}",
            "[]",
            "{\"cluster\":\"a\",\"group\":\"g\",\"status\":\"ok\"}",
            "<html>",
        ] {
            assert!(Told::read(document).is_none(), "{document}");
        }
    }
}
