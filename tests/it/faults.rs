//! Every rule about failures, on the whole exporter over real connections to the simulated cluster. The clock is stepped: a cycle is a
//! call, and only requests that nobody answers take real time.

mod cases;
mod clocks;
mod exporter;
mod names;
mod outages;
mod sweep;
