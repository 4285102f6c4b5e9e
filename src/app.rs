//! Config → build → spawn → drain: the only place that knows all.
