//! Sockets, served in one thread that waits for all of them and for the drive.
//!
//! One thread is enough: a request needs about a microsecond of simulation and a little more for
//! the sockets, and passing requests between threads would take longer than both.

mod connection;
mod control;
mod listen;
mod work;

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use stend_base::Device;
use stend_load::target::TargetError;
use stend_simulated::SimulatedTarget;

use crate::clock::{Clock, Pace};
use crate::data::CutPages;
use crate::engine::{Advanced, Answer, Engine};
use crate::lateness::{Lateness, Summary};
use crate::nbd::{Export, Session};
use connection::Connection;
pub use control::{Command, Report, read_answer};
pub use listen::{Address, Listener};
pub use work::IDLE_S_MAX;

/// Shortest wait for which the thread sleeps: sleeping and waking take about this time.
const SPIN: Duration = Duration::from_micros(150);

/// Time by which a sleep ends early, so that waking does not delay an answer.
const WAKE: Duration = Duration::from_micros(80);

/// Maximum interval at which the drive's background work is simulated while nobody waits.
const BACKGROUND: Duration = Duration::from_micros(500);

/// Number of writes, a few µs each, that are applied to the data between two checks of the sockets.
const SETTLED: usize = 8;

/// Size of one read from a socket, bytes.
const READ_BYTES: usize = 256 << 10;

/// Effect of a command on the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// A range was trimmed: first byte and length.
    Trimmed(u64, u64),
    /// Everything was erased.
    Erased,
}

/// Applies a command of `stend drive` to a drive; returns the answer and the effect on the data, or
/// an error.
pub type Act = dyn FnMut(&mut SimulatedTarget, &Value) -> Result<(Value, Effect), TargetError>;

/// Receives the state of a server.
pub type Tell = dyn FnMut(&Report);

/// Options of a server.
pub struct Options {
    /// Pace of virtual time.
    pub pace: Pace,
    /// Called every second with the state of the server.
    pub every_second: Option<Box<Tell>>,
    /// Executor of commands of `stend drive`.
    pub act: Box<Act>,
    /// Becomes readable when the server must end.
    pub stop: UnixStream,
}

struct Client {
    connection: Connection,
    session: Session,
}

struct Controller {
    connection: Connection,
    line: Vec<u8>,
}

/// A server.
pub struct Server {
    engine: Engine,
    export: Export,
    /// `None` at full speed.
    clock: Option<Clock>,
    listener: Listener,
    control: Option<Listener>,
    options: Options,
    clients: BTreeMap<u64, Client>,
    controllers: BTreeMap<u64, Controller>,
    next_id: u64,
    lateness: Lateness,
    last_cut: Option<CutPages>,
    answers: Vec<Answer>,
    buffer: Vec<u8>,
    next_report: Instant,
    /// Commands that wait until no request is under way, with the numbers of their senders.
    pending: Vec<(u64, Command)>,
    /// True if answered writes are not in the data yet.
    unsettled: bool,
    stopping: bool,
}

/// Outcome of a server that has ended.
pub struct Outcome {
    /// Drive, data and log.
    pub engine: Engine,
    /// Delays of its answers; `None` at full speed.
    pub lateness: Option<Summary>,
}

/// A socket with an event.
#[derive(Clone, Copy)]
enum Ready {
    Client(u64),
    Controller(u64),
    Listener,
    ControlListener,
    Stop,
}

impl Server {
    /// Creates a server that listens at these sockets.
    pub fn new(
        engine: Engine,
        (listener, control): (Listener, Option<Listener>),
        options: Options,
    ) -> Server {
        let clock = match options.pace {
            Pace::Speed(speed) => Some(Clock::new(speed, engine.drive().now())),
            Pace::Max => None,
        };
        let mut server = Server {
            export: Export {
                name: String::new(),
                description: String::new(),
                size_bytes: 0,
                trim: engine.drive().spec().trim.enabled,
            },
            engine,
            clock,
            listener,
            control,
            options,
            clients: BTreeMap::new(),
            controllers: BTreeMap::new(),
            next_id: 0,
            lateness: Lateness::default(),
            last_cut: None,
            answers: Vec::new(),
            buffer: vec![0; READ_BYTES],
            next_report: Instant::now() + Duration::from_secs(1),
            pending: Vec::new(),
            unsettled: false,
            stopping: false,
        };
        server.describe();
        server
    }

    /// Updates the description of the drive for new clients.
    fn describe(&mut self) {
        let model = self.engine.model();
        self.export.name = model.name.clone();
        self.export.description = format!("{}, simulated", model.title);
        self.export.size_bytes = self.engine.drive().capacity_bytes();
    }

    /// Serves until a signal or the command `stop`. Requests under way complete first.
    ///
    /// # Errors
    /// Errors of waiting for sockets, or of writing the data after a power cut.
    pub fn run(mut self) -> std::io::Result<Outcome> {
        while !(self.stopping && self.engine.is_silent()) {
            let ready = self.wait()?;
            for ready in ready {
                self.serve(ready)?;
            }
            self.advance()?;
            self.perform_pending()?;
            self.report();
            self.send();
            self.unsettled = self.engine.settle_some(SETTLED);
        }
        self.send();
        let lateness = self.clock.map(|_| self.lateness.summary());
        Ok(Outcome {
            engine: self.engine,
            lateness,
        })
    }

    /// Waits until a socket has an event or the drive must act.
    fn wait(&self) -> std::io::Result<Vec<Ready>> {
        let takes = !self.stopping && self.pending.is_empty();
        let has_room = !self.engine.is_full();
        let opens = if self.stopping {
            PollFlags::empty()
        } else {
            PollFlags::IN
        };
        let mut all = vec![
            (PollFd::new(&self.options.stop, opens), Ready::Stop),
            (PollFd::new(&self.listener, opens), Ready::Listener),
        ];
        if let Some(control) = &self.control {
            all.push((PollFd::new(control, opens), Ready::ControlListener));
        }
        for (id, client) in &self.clients {
            let reads = takes && has_room && client.connection.may_read();
            all.push((interest(&client.connection, reads), Ready::Client(*id)));
        }
        for (id, controller) in &self.controllers {
            let fd = interest(&controller.connection, takes);
            all.push((fd, Ready::Controller(*id)));
        }
        let (mut fds, who): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let timeout = self.timeout();
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs() as i64,
            tv_nsec: i64::from(timeout.subsec_nanos()),
        });
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        }
        let with = fds.iter().zip(who);
        let with = with.filter(|(fd, _)| !fd.revents().is_empty());
        Ok(with.map(|(_, ready)| ready).collect())
    }

    /// Maximum time to wait; `None` for no limit.
    fn timeout(&self) -> Option<Duration> {
        if self.unsettled {
            return Some(Duration::ZERO);
        }
        let report = self.options.every_second.is_some();
        let report = report.then(|| self.next_report.saturating_duration_since(Instant::now()));
        let drive = self.clock.as_ref().and_then(|clock| {
            let until = clock.until(self.engine.drive().next_event_at());
            match self.engine.is_silent() {
                _ if until == Duration::MAX => None,
                true => Some(until.max(BACKGROUND)),
                false if until < SPIN => Some(Duration::ZERO),
                false => Some(until - WAKE),
            }
        });
        [report, drive].into_iter().flatten().min()
    }

    fn serve(&mut self, ready: Ready) -> std::io::Result<()> {
        match ready {
            Ready::Stop => self.stopping = true,
            Ready::Listener => {
                if let Ok(socket) = self.listener.accept() {
                    self.welcome(socket);
                }
            }
            Ready::ControlListener => {
                let control = self.control.as_ref();
                if let Some(Ok(socket)) = control.map(Listener::accept) {
                    let connection = Connection::new(socket);
                    let line = Vec::new();
                    let id = self.new_id();
                    self.controllers.insert(id, Controller { connection, line });
                }
            }
            Ready::Client(id) => self.serve_client(id)?,
            Ready::Controller(id) => self.serve_controller(id)?,
        }
        Ok(())
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Accepts a new client, unless the drive has no power.
    fn welcome(&mut self, socket: OwnedFd) {
        if !self.engine.drive().has_power() || self.stopping {
            return;
        }
        let mut connection = Connection::new(socket);
        let session = Session::new(self.export.clone(), connection.out());
        let client = Client {
            connection,
            session,
        };
        let id = self.new_id();
        self.clients.insert(id, client);
    }

    fn serve_client(&mut self, id: u64) -> std::io::Result<()> {
        let Some(client) = self.clients.get_mut(&id) else {
            return Ok(());
        };
        if self.stopping || !self.pending.is_empty() {
            return Ok(());
        }
        match client.connection.read(&mut self.buffer) {
            Ok(Some(len)) => client.session.feed(&self.buffer[..len]),
            Ok(None) | Err(_) => {
                self.drop_client(id);
                return Ok(());
            }
        }
        loop {
            let Some(client) = self.clients.get_mut(&id) else {
                return Ok(());
            };
            match client.session.next_request(client.connection.out()) {
                Ok(Some(request)) => {
                    if self.advance()? {
                        return Ok(());
                    }
                    self.engine.submit(id, request);
                    if self.clock.is_none() && self.advance()? {
                        return Ok(());
                    }
                }
                Ok(None) if client.session.has_ended() => {
                    self.drop_client(id);
                    return Ok(());
                }
                Ok(None) => return Ok(()),
                Err(error) => {
                    eprintln!("stend: a client is disconnected: {error}");
                    self.drop_client(id);
                    return Ok(());
                }
            }
        }
    }

    fn drop_client(&mut self, id: u64) {
        if let Some(mut client) = self.clients.remove(&id) {
            // Sends the last answers, if the client still listens.
            let _ = client.connection.send();
            self.engine.forget(id);
        }
    }

    /// Lets the drive work up to now; at full speed until it has answered everything. Returns true
    /// if the power was cut.
    fn advance(&mut self) -> std::io::Result<bool> {
        if !self.engine.drive().has_power() {
            // Time also passes without power.
            if let Some(clock) = &self.clock {
                let now = clock.now().max(self.engine.drive().now());
                self.engine.advance(now, &mut self.answers);
            }
            return Ok(false);
        }
        loop {
            let limit = match &self.clock {
                Some(clock) => clock.now().max(self.engine.drive().now()),
                None if self.engine.is_silent() => return Ok(false),
                None => stend_base::SimTime::NEVER,
            };
            let advanced = self.engine.advance(limit, &mut self.answers);
            self.answer();
            match advanced {
                Advanced::Reached => return Ok(false),
                Advanced::More => {}
                Advanced::Cut => {
                    self.cut()?;
                    return Ok(true);
                }
            }
        }
    }

    /// Passes answers to their clients.
    fn answer(&mut self) {
        for answer in self.answers.drain(..) {
            let Some(client) = self.clients.get_mut(&answer.client) else {
                continue;
            };
            let out = client.connection.out();
            client.session.reply(answer.cookie, &answer.ended, out);
            if let Some(clock) = &self.clock {
                self.lateness.add(clock.since(answer.at));
            }
        }
    }

    /// Sends all waiting bytes.
    fn send(&mut self) {
        let mut gone = Vec::new();
        for (id, client) in &mut self.clients {
            if client.connection.has_waiting() && client.connection.send().is_err() {
                gone.push(*id);
            }
        }
        for id in gone {
            self.drop_client(id);
        }
        self.controllers.retain(|_, controller| {
            !controller.connection.has_waiting() || controller.connection.send().is_ok()
        });
    }

    /// Cuts the power: sends the earlier answers, then disconnects the clients.
    fn cut(&mut self) -> std::io::Result<()> {
        self.send();
        self.clients.clear();
        self.last_cut = Some(self.engine.power_cut()?);
        Ok(())
    }

    /// Restarts the clock after virtual time has passed that no client must wait for.
    fn reset_clock(&mut self) {
        if let Pace::Speed(speed) = self.options.pace {
            self.clock = Some(Clock::new(speed, self.engine.drive().now()));
        }
    }

    fn report(&mut self) {
        let due = Instant::now() >= self.next_report;
        if due && self.options.every_second.is_some() {
            let report = self.status();
            self.next_report += Duration::from_secs(1);
            if let Some(tell) = &mut self.options.every_second {
                tell(&report);
            }
        }
    }
}

fn interest(connection: &Connection, reads: bool) -> PollFd<'_> {
    let mut flags = PollFlags::empty();
    if reads {
        flags |= PollFlags::IN;
    }
    if connection.has_waiting() {
        flags |= PollFlags::OUT;
    }
    PollFd::new(connection, flags)
}
