//! The listeners.
