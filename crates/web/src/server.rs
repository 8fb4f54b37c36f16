//! Sockets of the loopback interface.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use stend_lab::Program;
use tokio::sync::{Notify, Semaphore};

use crate::app::App;
use crate::pages::router;
use crate::worker;

/// Time that requests in progress have when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// Most connections at the same time; further ones wait until one of these ends. A browser opens at
/// most six.
const CONNECTIONS_MAX: usize = 128;

/// Time in which the head of a request must arrive. A connection without a request ends after it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Threads that read the lab: more of them only wait for each other, and for a processor.
const READERS: usize = 8;

/// Time before connections are accepted again after an error, such as too many open files.
const ACCEPT_AGAIN_AFTER: Duration = Duration::from_millis(100);

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
            .max_blocking_threads(READERS)
            .build()?;
        let pages = router(Arc::clone(&self.app));
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let served: Result<(), ServeError> = runtime.block_on(async {
            for listener in self.listeners {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(listener)?;
                // The task ends with the runtime.
                tokio::spawn(accept(listener, pages.clone(), Arc::clone(&places)));
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

/// Serves the connections of a listener, each while it has one of `places`.
async fn accept(listener: tokio::net::TcpListener, pages: Router, places: Arc<Semaphore>) {
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_AGAIN_AFTER).await;
            continue;
        };
        let pages = TowerToHyperService::new(pages.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .serve_connection(TokioIo::new(stream), pages);
            // An error ends the connection, and concerns its client alone.
            let _ = connection.await;
            drop(place);
        });
    }
}

fn listen(address: IpAddr, port: u16) -> Result<TcpListener, ServeError> {
    TcpListener::bind(SocketAddr::new(address, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => ServeError::Taken(port),
        _ => ServeError::Io(error),
    })
}
