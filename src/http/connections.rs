//! The table of open connections: as many as the limit says, and when it is full the one that has done nothing for the longest gives way,
//! so that thousands of idle connections keep no scrape out.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use super::activity::Activity;

/// Every open connection.
#[derive(Debug)]
pub(super) struct Connections {
    limit: usize,
    /// Held for moments only, never across an await.
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    activities: HashMap<u64, Arc<Activity>>,
}

/// A place in the table; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    table: Arc<Connections>,
    pub(super) activity: Arc<Activity>,
}

impl Connections {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            open: Mutex::default(),
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more; `None` when every open connection is at work.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Place> {
        let mut open = self.open();
        if open.activities.len() >= self.limit {
            let idle = open.activities.iter();
            let idle = idle.filter_map(|(number, activity)| Some((activity.idle_since()?, *number)));
            let (_, longest) = idle.min()?;
            if let Some(activity) = open.activities.remove(&longest) {
                activity.evict();
            }
        }
        let (number, activity) = (open.next, Arc::new(Activity::new()));
        open.next += 1;
        open.activities.insert(number, Arc::clone(&activity));
        drop(open);
        Some(Place {
            number,
            table: Arc::clone(self),
            activity,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.open().activities.remove(&self.number);
    }
}
