//! Sockets, in one thread that waits for all of them and for the drive.
//!
//! One thread is enough: a request costs the simulation about a microsecond and the sockets some
//! more, and handing requests from thread to thread would take longer than both.

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

/// Below this, an end that is awaited is waited for without sleep: to sleep and wake takes about as
/// long.
const SPIN: Duration = Duration::from_micros(150);

/// How much too early a sleep ends, so that waking does not make an answer late.
const WAKE: Duration = Duration::from_micros(80);

/// What the drive does by itself while no one waits is done at least so often.
const BACKGROUND: Duration = Duration::from_micros(500);

/// Writes whose data is written between two looks at the sockets, some µs each.
const SETTLED: usize = 8;

/// Bytes that are read from a socket at a time.
const READ_BYTES: usize = 256 << 10;

/// What doing something to the drive does to its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// A range was trimmed: first byte and length.
    Trimmed(u64, u64),
    /// Everything was erased.
    Erased,
}

/// Does to a drive what a command of `stend drive` says: what to answer, and what it does to the
/// data; or why not.
pub type Act = dyn FnMut(&mut SimulatedTarget, &Value) -> Result<(Value, Effect), TargetError>;

/// Is told how a server is.
pub type Tell = dyn FnMut(&Report);

/// What a server is to do, beside serving.
pub struct Options {
    /// How virtual time passes.
    pub pace: Pace,
    /// Called every second with how the server is.
    pub every_second: Option<Box<Tell>>,
    /// Commands of `stend drive`.
    pub act: Box<Act>,
    /// Readable when the server is to end.
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
    /// Commands that wait until no request is under way: who gave them.
    pending: Vec<(u64, Command)>,
    /// Writes that have been answered are not in the data yet.
    unsettled: bool,
    stopping: bool,
}

/// What was told of a server that has ended.
pub struct Outcome {
    /// Drive, data and log.
    pub engine: Engine,
    /// Of its answers; `None` at full speed.
    pub lateness: Option<Summary>,
}

/// A socket that has something.
#[derive(Clone, Copy)]
enum Ready {
    Client(u64),
    Controller(u64),
    Listener,
    ControlListener,
    Stop,
}

impl Server {
    /// A server that listens at these sockets.
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

    /// What new clients are told of the drive.
    fn describe(&mut self) {
        let model = self.engine.model();
        self.export.name = model.name.clone();
        self.export.description = format!("{}, simulated", model.title);
        self.export.size_bytes = self.engine.drive().capacity_bytes();
    }

    /// Serves until it is to end: a signal, or the command `stop`. Requests under way end first.
    ///
    /// # Errors
    /// As waiting for sockets, or writing the data after a power cut, fails.
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

    /// Waits until a socket has something or the drive does something.
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

    /// How long to wait at most; `None` for as long as it takes.
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

    /// A new client; a drive without power is not there.
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
            // What it was answered last, if it still listens.
            let _ = client.connection.send();
            self.engine.forget(id);
        }
    }

    /// Lets the drive work up to now; at full speed until it has answered everything. Returns
    /// whether the power was cut.
    fn advance(&mut self) -> std::io::Result<bool> {
        if !self.engine.drive().has_power() {
            // Time passes all the same.
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

    /// Hands answers to their clients.
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

    /// Sends what waits.
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

    /// Cuts the power: clients are gone, once they have been told what was answered before.
    fn cut(&mut self) -> std::io::Result<()> {
        self.send();
        self.clients.clear();
        self.last_cut = Some(self.engine.power_cut()?);
        Ok(())
    }

    /// Time has passed in the drive that nobody is to wait for.
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
