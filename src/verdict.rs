//! Stalled time, waits, windows and statuses.
