//! Addresses of a server.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// An address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// TCP.
    Tcp(SocketAddr),
}

impl std::fmt::Display for Address {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::Unix(path) => write!(to, "unix:{}", path.display()),
            Address::Tcp(address) => write!(to, "tcp:{address}"),
        }
    }
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let form = "an address is unix:PATH or tcp:ADDRESS:PORT, such as tcp:127.0.0.1:10809";
        match text.split_once(':') {
            Some(("unix", "")) => Err(form.to_owned()),
            Some(("unix", path)) => Ok(Address::Unix(path.into())),
            Some(("tcp", address)) => {
                let address = address.replace("localhost:", "127.0.0.1:");
                let address = address.parse().map_err(|_| {
                    format!("`{address}` is not a numeric address with a port; {form}")
                })?;
                Ok(Address::Tcp(address))
            }
            _ => Err(form.to_owned()),
        }
    }
}

impl Address {
    /// True if only this machine can connect.
    pub fn is_local(&self) -> bool {
        match self {
            Address::Unix(_) => true,
            Address::Tcp(address) => address.ip().is_loopback(),
        }
    }
}

#[derive(Debug)]
enum Socket {
    Unix(UnixListener, PathBuf),
    Tcp(TcpListener),
}

/// A listening socket. The file of a Unix socket is removed on drop.
#[derive(Debug)]
pub struct Listener(Socket);

impl Listener {
    /// Starts to listen. The socket file of a server that has ended is replaced.
    ///
    /// # Errors
    /// Errors of listening.
    pub fn new(address: &Address) -> io::Result<Listener> {
        Ok(Listener(match address {
            Address::Unix(path) => {
                remove_stale(path)?;
                let listener = UnixListener::bind(path)?;
                listener.set_nonblocking(true)?;
                Socket::Unix(listener, path.clone())
            }
            Address::Tcp(address) => {
                let listener = TcpListener::bind(address)?;
                listener.set_nonblocking(true)?;
                Socket::Tcp(listener)
            }
        }))
    }

    /// The actual address, in which a port of 0 is replaced by the assigned one.
    ///
    /// # Errors
    /// Error of the system if it cannot report the address.
    pub fn address(&self) -> io::Result<Address> {
        Ok(match &self.0 {
            Socket::Unix(_, path) => Address::Unix(path.clone()),
            Socket::Tcp(listener) => Address::Tcp(listener.local_addr()?),
        })
    }

    /// Accepts a waiting client.
    pub fn accept(&self) -> io::Result<OwnedFd> {
        match &self.0 {
            Socket::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Ok(stream.into())
            }
            Socket::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                Ok(stream.into())
            }
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Socket::Unix(listener, _) => listener.as_fd(),
            Socket::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Socket::Unix(_, path) = &self.0 {
            // The file may have been removed already.
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes a socket file without a listener; any other file is kept, and is an error.
fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(meta) = path.symlink_metadata() else {
        return Ok(());
    };
    if meta.file_type().is_socket() && UnixStream::connect(path).is_err() {
        return fs::remove_file(path);
    }
    let what = match meta.file_type().is_socket() {
        true => "another program listens there",
        false => "there is a file of that name",
    };
    Err(io::Error::new(io::ErrorKind::AddrInUse, what))
}
