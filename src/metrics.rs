//! Snapshot → text format.
