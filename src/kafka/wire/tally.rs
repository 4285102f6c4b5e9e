//! Counts what is asked and what fails, from all the tasks of one cluster.

use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use crate::failure::Api;
use crate::failure::Cause;
use crate::observation::Calls;

/// The counts since they were last taken. The lock is held for one addition at a time.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<Calls>);

impl Tally {
    /// One request.
    pub(super) fn asked(&self, api: Api) {
        self.lock().asked(api);
    }

    /// One failure.
    pub(super) fn failed(&self, api: Api, cause: Cause) {
        self.lock().failed(api, cause, 1);
    }

    /// The counts; from here on they begin at none.
    pub(super) fn take(&self) -> Calls {
        std::mem::take(&mut self.lock())
    }

    // A count stays good whoever panicked beside it.
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
