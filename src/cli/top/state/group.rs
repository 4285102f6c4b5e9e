//! One group's partitions: their order, and which is chosen.

use std::sync::Arc;

use super::super::cursor::Cursor;
use super::super::cursor::Step;
use super::super::order::Order;
use super::super::picture::Key;
use super::super::picture::Opened;
use super::super::picture::Partition;

/// The group that is looked at.
#[derive(Clone, Debug)]
pub(in crate::cli::top) struct Open {
    pub(in crate::cli::top) key: Key,
    pub(in crate::cli::top) order: Order,
    /// Absent before the first answer about it; its partitions are in order.
    pub(in crate::cli::top) seen: Option<Opened>,
    pub(in crate::cli::top) cursor: Cursor<(Arc<str>, i32)>,
}

impl Open {
    pub(super) fn new(key: Key) -> Self {
        Self {
            key,
            order: Order::default(),
            seen: None,
            cursor: Cursor::default(),
        }
    }

    pub(super) fn hear(&mut self, opened: Opened) {
        self.seen = Some(opened);
        self.arrange();
    }

    pub(super) fn sort(&mut self) {
        self.order = self.order.next();
        self.arrange();
    }

    pub(super) fn step(&mut self, step: Step, page: usize) {
        let partitions = match &self.seen {
            Some(Opened::Found(group)) => group.partitions.as_slice(),
            _ => &[],
        };
        self.cursor.step(step, (partitions.len(), page), |row| {
            partitions.get(row).map(|it| (it.topic.clone(), it.partition))
        });
    }

    fn arrange(&mut self) {
        let Some(Opened::Found(group)) = &mut self.seen else {
            return;
        };
        let order = self.order;
        group.partitions.sort_by(|a, b| order.partitions(a, b));
        let find = |wanted: &(Arc<str>, i32)| {
            let is = |it: &Partition| it.topic == wanted.0 && it.partition == wanted.1;
            group.partitions.iter().position(is)
        };
        self.cursor.settle(group.partitions.len(), find);
    }
}
