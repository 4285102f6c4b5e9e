//! Guarded offset resets: plan, confirm, execute, audit.
