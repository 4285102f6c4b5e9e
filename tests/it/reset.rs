//! Resets over the wire, against the simulated cluster: every fault at every step, a process that dies in the middle, the runbook.

mod crash;
mod disk;
mod faults;
mod rates;
mod runbook;
mod world;
