//! A client's socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

/// Bytes that wait to be sent, from which on no more is read from a client.
const WAITING_BYTES_MAX: usize = 64 << 20;

/// A socket and what waits to be sent.
#[derive(Debug)]
pub(super) struct Connection {
    socket: OwnedFd,
    out: Vec<u8>,
    sent: usize,
}

impl Connection {
    pub fn new(socket: OwnedFd) -> Connection {
        Connection {
            socket,
            out: Vec::new(),
            sent: 0,
        }
    }

    /// What is to be sent is appended here.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Whether something waits to be sent.
    pub fn has_waiting(&self) -> bool {
        self.sent < self.out.len()
    }

    /// Whether so little waits that more may be read.
    pub fn may_read(&self) -> bool {
        self.out.len() - self.sent < WAITING_BYTES_MAX
    }

    /// Reads what has come; 0 bytes where nothing has, `None` at the end.
    pub fn read(&self, to: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.socket, to) {
            Ok(0) => Ok(None),
            Ok(len) => Ok(Some(len)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Some(0)),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends as much as the socket takes.
    pub fn send(&mut self) -> io::Result<()> {
        while self.sent < self.out.len() {
            let rest = &self.out[self.sent..];
            let flags = rustix::net::SendFlags::NOSIGNAL;
            match rustix::net::send(&self.socket, rest, flags) {
                Ok(len) => self.sent += len,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.out.clear();
        self.sent = 0;
        Ok(())
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
