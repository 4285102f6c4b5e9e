//! Orders of groups and of partitions. Within one rank they are by name; what is unknown comes after what is known.

use std::cmp::Ordering;

use super::picture::Figures;
use super::picture::Partition;
use super::picture::rank;

/// An order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// The worst first, then the greatest lag in seconds, then in records.
    #[default]
    Status,
    /// The greatest lag in records first.
    Lag,
    /// The greatest lag in seconds first.
    Time,
    /// By name.
    Name,
}

impl Order {
    /// What comes after it.
    pub(super) const fn next(self) -> Self {
        match self {
            Self::Status => Self::Lag,
            Self::Lag => Self::Time,
            Self::Time => Self::Name,
            Self::Name => Self::Status,
        }
    }

    /// The word for it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Lag => "lag",
            Self::Time => "time",
            Self::Name => "name",
        }
    }

    /// Which of two groups comes first, but for their names.
    pub(super) fn groups(self, a: &Figures, b: &Figures) -> Ordering {
        let (lag, time) = (b.lag_records.cmp(&a.lag_records), later(b.lag_seconds, a.lag_seconds));
        self.among([rank(&a.status).cmp(&rank(&b.status)), time, lag])
    }

    /// Which of two partitions comes first.
    pub(super) fn partitions(self, a: &Partition, b: &Partition) -> Ordering {
        let (lag, time) = (b.lag_records.cmp(&a.lag_records), later(b.lag_seconds, a.lag_seconds));
        self.among([rank(&a.status).cmp(&rank(&b.status)), time, lag])
            .then_with(|| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)))
    }

    fn among(self, [status, time, lag]: [Ordering; 3]) -> Ordering {
        match self {
            Self::Status => status.then(time).then(lag),
            Self::Lag => lag,
            Self::Time => time,
            Self::Name => Ordering::Equal,
        }
    }
}

/// JSON has no NaN, so that the order is one.
fn later(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn group(status: &str, seconds: Option<f64>, records: Option<u64>) -> Figures {
        let document =
            json!({"group": "g", "type": "classic", "status": status, "lag_seconds": seconds, "lag_records": records});
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn the_worst_comes_first_by_status_then_seconds_then_records() {
        let sorted = [
            group("stalled", Some(9.0), Some(1)),
            group("stalled", Some(9.0), None),
            group("stalled", Some(1.0), Some(100)),
            group("stalled", None, Some(7)),
            group("stopped", Some(99.0), Some(99)),
            group("dormant", None, None),
            group("ok", Some(99.0), None),
        ];
        for (index, a) in sorted.iter().enumerate() {
            for b in &sorted[index + 1..] {
                assert_eq!(Order::Status.groups(a, b), Ordering::Less, "{a:?} {b:?}");
                assert_eq!(Order::Status.groups(b, a), Ordering::Greater);
            }
        }
    }

    #[test]
    fn unknown_figures_come_last() {
        let (known, unknown) = (group("ok", Some(0.0), Some(0)), group("ok", None, None));
        for order in [Order::Lag, Order::Time, Order::Status] {
            assert_eq!(order.groups(&known, &unknown), Ordering::Less, "{order:?}");
        }
        assert_eq!(Order::Name.groups(&known, &unknown), Ordering::Equal);
    }

    #[test]
    fn the_orders_come_round() {
        let words: Vec<_> = std::iter::successors(Some(Order::default()), |order| Some(order.next()))
            .take(5)
            .map(Order::as_str)
            .collect();
        assert_eq!(words, ["status", "lag", "time", "name", "status"]);
    }
}
