//! Tests of the server: the protocol compared with its specification and with random bytes, data
//! compared with a simple model across power cuts, sockets.

mod common;
mod cuts;
mod fuzz;
mod protocol;
mod sockets;
mod tags;
mod undo;
