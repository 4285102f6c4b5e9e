//! One task per cluster: poll, observe, evaluate, publish.
