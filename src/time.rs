//! Lag in seconds: how old the record at an offset is.
