//! Tests of the server: the protocol against its specification and against noise, data against a
//! plain model over power cuts, sockets.

mod common;
mod cuts;
mod fuzz;
mod protocol;
mod sockets;
mod tags;
mod undo;
