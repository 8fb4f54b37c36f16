//! Sockets of the loopback interface.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use stend_lab::Program;
use tokio::sync::Notify;

use crate::app::App;
use crate::pages::router;
use crate::worker;

/// Time that requests in progress have when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// Error that prevents serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is taken.
    #[error(
        "port {0} of this machine is taken by another program: name another with --port, or let \
         the system choose one with --port 0"
    )]
    Taken(u16),
    /// Any other error of the operating system.
    #[error("nothing can be served on this machine: {0}")]
    Io(#[from] std::io::Error),
    /// The lab cannot be used.
    #[error("{0}")]
    Lab(#[from] stend_lab::LabError),
}

/// A lab with its reserved addresses.
pub struct Server {
    app: Arc<App>,
    listeners: Vec<TcpListener>,
    stop: Stop,
}

/// Stops a server from any thread.
#[derive(Clone)]
pub struct Stop {
    app: Arc<App>,
    notify: Arc<Notify>,
}

impl Stop {
    /// Stops it: work in progress returns to the queue.
    pub fn stop(&self) {
        self.app.stop();
        self.notify.notify_one();
    }
}

impl Server {
    /// Reserves a port of 127.0.0.1, and the same of ::1 if there is one; 0 chooses any. The other
    /// arguments are those of [`App::new`].
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn bind(
        lab: PathBuf,
        port: u16,
        program: Program,
        simulations: fn(u64) -> usize,
    ) -> Result<Server, ServeError> {
        let first = listen(Ipv4Addr::LOCALHOST.into(), port)?;
        let port = first.local_addr()?.port();
        let mut listeners = vec![first];
        match listen(Ipv6Addr::LOCALHOST.into(), port) {
            Ok(listener) => listeners.push(listener),
            // A user who types `localhost` would reach the other program.
            Err(ServeError::Taken(port)) => return Err(ServeError::Taken(port)),
            // The machine has no IPv6.
            Err(_) => {}
        }
        let app = Arc::new(App::new(lab, port, program, simulations));
        app.bring_up_to_date()?;
        let stop = Stop {
            app: Arc::clone(&app),
            notify: Arc::default(),
        };
        Ok(Server {
            app,
            listeners,
            stop,
        })
    }

    /// Returns the address to open in a browser.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.app.port)
    }

    /// Returns a handle that stops it.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// [`ServeError::Io`].
    pub fn run(self) -> Result<(), ServeError> {
        let worker = {
            let app = Arc::clone(&self.app);
            std::thread::Builder::new()
                .name("worker".to_owned())
                .spawn(move || worker::work(&app))?
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let pages = router(Arc::clone(&self.app));
        let served: Result<(), ServeError> = runtime.block_on(async {
            for listener in self.listeners {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(listener)?;
                let pages = pages.clone();
                // The task ends with the runtime.
                tokio::spawn(async move { axum::serve(listener, pages).await });
            }
            self.stop.notify.notified().await;
            Ok(())
        });
        runtime.shutdown_timeout(GRACE);
        self.app.stop();
        // Its panic has been printed.
        let _ = worker.join();
        served
    }
}

fn listen(address: IpAddr, port: u16) -> Result<TcpListener, ServeError> {
    TcpListener::bind(SocketAddr::new(address, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => ServeError::Taken(port),
        _ => ServeError::Io(error),
    })
}
