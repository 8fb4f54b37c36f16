//! A client's socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

/// Limit of bytes waiting to be sent; above it the client's socket is not read.
const WAITING_BYTES_MAX: usize = 64 << 20;

/// A socket and its bytes to send.
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

    /// Buffer to which bytes to send are appended.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// True if bytes wait to be sent.
    pub fn has_waiting(&self) -> bool {
        self.sent < self.out.len()
    }

    /// True if few enough bytes wait that more may be read.
    pub fn may_read(&self) -> bool {
        self.out.len() - self.sent < WAITING_BYTES_MAX
    }

    /// Reads received bytes; 0 if there are none, `None` at the end.
    pub fn read(&self, to: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.socket, to) {
            Ok(0) => Ok(None),
            Ok(len) => Ok(Some(len)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Some(0)),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends as many bytes as the socket accepts.
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
