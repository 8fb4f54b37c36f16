//! The host interface: the host's processors, requests and completions on their way, command
//! queues, the link, and the throttling of arrivals.
//!
//! It does not depend on the rest of the drive. Its methods return the next action of the drive.

mod arrivals;
mod command;
mod cpus;
mod link;
mod throttle;

use stend_base::{Completion, Lane, Nanos, Request, SimTime};
use stend_model::spec::{Spec, WHOLE_PPM};

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::ids::CommandId;
use crate::sim::kind;
use arrivals::{Arrivals, Completions, Ending};
pub(in crate::sim) use command::{Command, Commands, Handling};
use cpus::Cpus;
use link::Link;
pub(in crate::sim) use link::LinkDone;
use throttle::{ArrivalThrottle, Verdict};

/// The host interface of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Host {
    pub commands: Commands,
    link: Link,
    /// Present only if requests cost the host processor time.
    cpus: Option<Box<Cpus>>,
    arrivals: Arrivals,
    completions: Completions,
    throttle: ArrivalThrottle,
    /// Share of the time in which commands are admitted, parts per million.
    share_ppm: u32,
    /// True if an arrival may have to wait: the drive sleeps, is throttled, or computes no
    /// temperature at present.
    holds_arrivals: bool,
}

impl Host {
    pub fn new(spec: &Spec) -> Host {
        Host {
            commands: Commands::new(spec),
            link: Link::new(&spec.host),
            cpus: Cpus::new(&spec.host),
            arrivals: Arrivals::new(),
            completions: Completions::new(),
            throttle: ArrivalThrottle::default(),
            share_ppm: WHOLE_PPM,
            // The first arrival starts the steps of the temperature.
            holds_arrivals: spec.thermal.is_some(),
        }
    }

    /// Drops everything under way at a power cut.
    pub fn power_cut(&mut self, spec: &Spec) {
        self.commands = Commands::new(spec);
        self.link.power_cut();
        if let Some(cpus) = &mut self.cpus {
            cpus.power_cut();
        }
        self.arrivals.clear();
        self.completions.clear();
        self.throttle = ArrivalThrottle::default();
        self.holds_arrivals = spec.thermal.is_some();
    }

    /// Busy times of the link and of the host's processors; spinning is not counted.
    pub fn counters(&self) -> Counters {
        Counters {
            link_busy_ns: self.link.busy_ns(),
            cpu_busy_ns: self.cpus.as_ref().map_or(0, |cpus| cpus.busy_ns()),
            ..Counters::default()
        }
    }

    /// True if anything is on its way over the link.
    pub fn link_is_busy(&self) -> bool {
        self.link.is_busy()
    }

    /// True if no request is outstanding.
    #[inline]
    pub fn is_silent(&self) -> bool {
        self.commands.outstanding() == 0
    }
}

/// Path from the sender to the controller, and back.
impl Host {
    /// Submits a request of a thread.
    #[inline(always)]
    pub fn submit(&mut self, env: &mut Env, request: Request) {
        self.commands.submitted();
        match &mut self.cpus {
            None => self.arrivals.send(env, request, env.queue.now()),
            Some(cpus) => cpus.submit(env, &mut self.arrivals, request),
        }
    }

    /// Takes the request that arrives at the present instant.
    #[inline(always)]
    pub fn take_arrival(&mut self, env: &mut Env) -> Request {
        self.arrivals.take(env)
    }

    /// Starts a request as a command. Returns it if the controller has it already; otherwise
    /// [`LinkDone::Fetched`] follows.
    #[inline(always)]
    pub fn start(
        &mut self,
        env: &mut Env,
        request: &Request,
        handling: Handling,
    ) -> Option<CommandId> {
        let command = self.commands.start(request, handling);
        self.link.fetch(env, command).then_some(command)
    }

    /// Queues the transfer of data requested by a read.
    #[inline(always)]
    pub fn send_read(&mut self, env: &mut Env, command: CommandId, bytes: u32) {
        self.link.send_read(env, &mut self.commands, command, bytes);
    }

    /// Queues the transfer of data to be written.
    #[inline(always)]
    pub fn request_write(&mut self, env: &mut Env, command: CommandId, bytes: u32) {
        self.link
            .request_write(env, &mut self.commands, command, bytes);
    }

    /// Handles the end of a link operation.
    #[inline(always)]
    pub fn link_done(&mut self, env: &mut Env, source: u32) -> LinkDone {
        self.link.done(env, &mut self.commands, source)
    }

    /// Ends a command for the controller. Returns true if the host learns it at once and
    /// [`Host::report`] follows; otherwise [`LinkDone::Reported`] comes first.
    #[inline(always)]
    pub fn ends(&mut self, env: &mut Env, command: CommandId) -> bool {
        self.link.report(env, command)
    }

    /// Sends the completion of a command whose end has crossed the link, and frees its slot.
    /// Returns its sender if a request waits in the sender's queue: see
    /// [`Commands::take_waiting`].
    #[inline(always)]
    pub fn report(&mut self, env: &mut Env, command: CommandId) -> Option<u16> {
        let (ended, others_wait) = self.commands.end(command);
        self.completions.send(env, ended);
        others_wait.then_some(ended.sender)
    }

    /// Interrupts the host for a completion. Returns it if the sender learns of it at once, or
    /// before anything else happens and by `limit`.
    #[inline(always)]
    pub fn interrupt(&mut self, env: &mut Env, limit: SimTime) -> Option<Completion> {
        let ending = self.completions.take(env)?;
        if self.cpus.is_some() && self.costs_time(env, ending, limit) {
            return None;
        }
        Some(self.completed(env, &ending))
    }

    /// Returns true if a processor of the host has to process a completion first; it then begins.
    #[inline(never)]
    fn costs_time(&mut self, env: &mut Env, ending: Ending, limit: SimTime) -> bool {
        let cpus = self.cpus.as_mut().expect("requests cost the host time");
        if cpus.completes_at_once(env, &ending, limit) {
            return false;
        }
        cpus.complete(env, &mut self.arrivals, ending);
        true
    }

    /// Ends a step of a processor of the host. Returns the completion, which the sender now learns,
    /// if this was its last step.
    pub fn cpu_done(&mut self, env: &mut Env, cpu: u32) -> Option<Completion> {
        let cpus = self.cpus.as_mut().expect("requests cost the host time");
        let ending = cpus.done(env, &mut self.arrivals, cpu)?;
        Some(self.completed(env, &ending))
    }

    #[inline(always)]
    fn completed(&mut self, env: &Env, ending: &Ending) -> Completion {
        self.commands.completed();
        Completion {
            tag: ending.tag(),
            at: env.now(),
            status: ending.status(),
        }
    }
}

/// Arrivals that have to wait.
impl Host {
    /// True if an arrival may have to wait.
    #[inline(always)]
    pub fn holds_arrivals(&self) -> bool {
        self.holds_arrivals
    }

    /// Makes arrivals wait, if they must, from now on.
    pub fn hold_arrivals(&mut self) {
        self.holds_arrivals = true;
    }

    /// Schedules the present arrival again, at `at`.
    pub fn arrives_again(&mut self, env: &mut Env, at: SimTime) {
        env.queue.schedule(Lane::Arrival, at, kind::ARRIVAL, 0);
    }

    /// Changes the share of the time in which commands are admitted, parts per million: below the
    /// whole, arrivals are held except for that share of each period.
    pub fn set_share(&mut self, env: &Env, share_ppm: u32) {
        let was_whole = self.share_ppm == WHOLE_PPM;
        self.share_ppm = share_ppm;
        if was_whole && share_ppm < WHOLE_PPM {
            self.holds_arrivals = true;
            self.throttle.open(env.now(), period(env), share_ppm);
        }
    }

    /// Returns true if the present arrival has to wait because of heat; it is then scheduled again.
    pub fn is_throttled(&mut self, env: &mut Env) -> bool {
        if self.share_ppm == WHOLE_PPM {
            self.holds_arrivals = false;
            return false;
        }
        let others = self.commands.any();
        let (now, share_ppm) = (env.now(), self.share_ppm);
        match self.throttle.arrival(now, period(env), share_ppm, others) {
            Verdict::Admitted => false,
            Verdict::Held => true,
            Verdict::Again(at) => {
                self.arrives_again(env, at);
                true
            }
        }
    }

    /// True if arrivals are held and no command is in the drive: [`Host::drained`] follows.
    #[inline(always)]
    pub fn has_drained(&self) -> bool {
        self.holds_arrivals && !self.commands.any()
    }

    /// Notes that all commands have ended while arrivals were held.
    #[cold]
    pub fn drained(&mut self, env: &mut Env) {
        if let Some(at) = self.throttle.drained(env.now(), self.share_ppm) {
            self.arrives_again(env, at);
        }
    }
}

/// The period in which a throttled drive works and rests.
fn period(env: &Env) -> Nanos {
    env.spec
        .thermal
        .as_ref()
        .expect("only a drive with heat is throttled")
        .period
}
