//! Requests on their way to the drive, and completions on their way to the host.

use std::collections::VecDeque;

use stend_base::{Lane, Request, SimTime, Status};

use super::command::Outcome;
use crate::sim::env::Env;
use crate::sim::kind;

/// A request on its way to the drive.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Arrival {
    at: SimTime,
    request: Request,
}

/// Requests on their way to the drive, in order. Only the first has an event.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Arrivals(VecDeque<Arrival>);

impl Arrivals {
    pub fn new() -> Arrivals {
        Arrivals(VecDeque::with_capacity(64))
    }

    /// Sends a request that the host's driver hands over at an instant, no earlier than those
    /// before.
    #[inline(always)]
    pub fn send(&mut self, env: &mut Env, request: Request, handed_over: SimTime) {
        let at = handed_over + env.spec.host.submit;
        if self.0.is_empty() {
            env.queue.schedule(Lane::Arrival, at, kind::ARRIVAL, 0);
        }
        self.0.push_back(Arrival { at, request });
    }

    /// Withdraws the request sent last, as if it had not been sent.
    pub fn take_back(&mut self, env: &mut Env) {
        self.0.pop_back();
        if self.0.is_empty() {
            env.queue.cancel_in(Lane::Arrival, kind::ARRIVAL, 0);
        }
    }

    /// Takes the request that arrives at the present instant.
    #[inline(always)]
    pub fn take(&mut self, env: &mut Env) -> Request {
        let Arrival { request, .. } = self.0.pop_front().expect("an arrival is pending");
        if let Some(next) = self.0.front() {
            // The next may be late if this one was held.
            let at = next.at.max(env.queue.now());
            env.queue.schedule(Lane::Arrival, at, kind::ARRIVAL, 0);
        }
        request
    }

    /// Drops everything on its way.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// A command that has ended, on its way to the sender. It is two words, so that it is passed in
/// registers: fields that were just stored one by one are copied as one only after all stores have
/// ended (store-to-load forwarding).
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Ending {
    /// Instant of the host's interrupt.
    at: SimTime,
    /// Bits from the lowest on: the request's tag in 32 bits, the number of the sending thread in
    /// 16, the status.
    what: u64,
}

impl Ending {
    #[inline(always)]
    fn new(at: SimTime, of: Outcome) -> Ending {
        let status = match of.status {
            Status::Ok => 0,
            Status::WriteProtected => 1,
            Status::MediaError => 2,
        };
        let what = u64::from(of.tag) | u64::from(of.sender) << 32 | status << 48;
        Ending { at, what }
    }

    /// The tag of its request.
    #[inline(always)]
    pub fn tag(&self) -> u32 {
        self.what as u32
    }

    /// Number of the sending thread.
    #[inline(always)]
    pub fn queue(&self) -> u16 {
        (self.what >> 32) as u16
    }

    /// Status of the command.
    #[inline(always)]
    pub fn status(&self) -> Status {
        match self.what >> 48 {
            0 => Status::Ok,
            1 => Status::WriteProtected,
            _ => Status::MediaError,
        }
    }
}

/// Completions on their way to the host, in order. Only the first has an event.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Completions(VecDeque<Ending>);

impl Completions {
    pub fn new() -> Completions {
        Completions(VecDeque::with_capacity(64))
    }

    /// Sends the completion of a command that ends at the present instant.
    #[inline(always)]
    pub fn send(&mut self, env: &mut Env, ended: Outcome) {
        let at = env.now() + env.spec.host.complete;
        if self.0.is_empty() {
            env.queue
                .schedule(Lane::Completion, at, kind::COMPLETION, 0);
        }
        self.0.push_back(Ending::new(at, ended));
    }

    /// Takes the completion for which the host is interrupted at the present instant.
    #[inline(always)]
    pub fn take(&mut self, env: &mut Env) -> Option<Ending> {
        let ending = self.0.pop_front()?;
        if let Some(next) = self.0.front() {
            env.queue
                .schedule(Lane::Completion, next.at, kind::COMPLETION, 0);
        }
        Some(ending)
    }

    /// Drops everything on its way.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
