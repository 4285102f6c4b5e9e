//! Over real sockets, on ports that the system chooses.

mod client;
mod guard;
mod limits;
mod openapi;
mod page;
mod routes;
mod tls;
