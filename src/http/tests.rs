//! Over real sockets, on ports that the system chooses.

mod client;
mod limits;
mod routes;
mod tls;
