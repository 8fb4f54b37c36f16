//! The host's side of a request: processors that run the driver, and the locks of its queues.
//!
//! A request costs the processor of its thread time on submission and on completion, part of it
//! under the lock of its queue. On a device with one queue, all threads contend for this lock
//! (Bjørling, Axboe, Nellans and Bonnet, "Linux Block IO: Introducing Multi-queue SSD Access on
//! Multi-core Systems", SYSTOR 2013). A processor that waits for a lock spins.
//!
//! Most events of a processor are avoided. A processor that works alone will find its lock free:
//! its two steps are one event, unless another processor starts before it reaches the lock. A
//! submission then only causes an arrival at a known instant: it has no event at all until the
//! processor gets other work. A completion during which nothing else happens ends at once.

use std::collections::VecDeque;

use stend_base::{Lane, Nanos, Request, SimTime};
use stend_model::spec::HostSpec;

use super::arrivals::{Arrivals, Ending};
use crate::sim::env::Env;
use crate::sim::geometry::divider::Divider;
use crate::sim::kind;

const NONE: u32 = u32::MAX;

/// Work of a processor.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum Work {
    Submit(Request),
    /// A submission whose arrival is already on its way.
    Sent(Request),
    Complete(Ending),
}

/// Step of a processor's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Step {
    /// The driver's work that needs no lock.
    Free,
    /// Waiting for the lock.
    Spinning,
    /// The driver's work under the lock.
    Locked,
    /// The driver's work without the lock until this instant, then under it, while no other
    /// processor works.
    Alone(SimTime),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cpu {
    work: Option<Work>,
    step: Step,
    waiting: VecDeque<Work>,
    /// The processor that spins next after this one for the same lock.
    next: u32,
}

/// The lock of a queue.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Lock {
    held: bool,
    /// Processors that spin for it.
    first: u32,
    last: u32,
}

/// The host's processors.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Cpus {
    /// Times without the lock and under it.
    submit_times: (Nanos, Nanos),
    complete_times: (Nanos, Nanos),
    cpus: Vec<Cpu>,
    locks: Vec<Lock>,
    by_cpu: Divider,
    /// Processors that work.
    working: u32,
    /// The working processor whose end has no event, and the instant of that end.
    without_event: Option<(u32, SimTime)>,
    busy_ns: u64,
}

impl Cpus {
    /// `None` if requests cost no processor time.
    pub fn new(host: &HostSpec) -> Option<Box<Cpus>> {
        let spec = host.driver.as_ref()?;
        let cpu = Cpu {
            work: None,
            step: Step::Free,
            waiting: VecDeque::with_capacity(64),
            next: NONE,
        };
        let lock = Lock {
            held: false,
            first: NONE,
            last: NONE,
        };
        let queues = host.pcie.as_ref().map_or(1, |pcie| pcie.queues);
        Some(Box::new(Cpus {
            cpus: vec![cpu; spec.cpus as usize],
            locks: vec![lock; queues as usize],
            by_cpu: Divider::new(spec.cpus),
            submit_times: (spec.submit, spec.queue_lock + spec.submit_registers),
            complete_times: (spec.complete, spec.queue_lock + spec.complete_registers),
            working: 0,
            without_event: None,
            busy_ns: 0,
        }))
    }

    /// Drops the requests that the processors work on.
    pub fn power_cut(&mut self) {
        for cpu in &mut self.cpus {
            cpu.work = None;
            cpu.waiting.clear();
            (cpu.step, cpu.next) = (Step::Free, NONE);
        }
        let free = Lock {
            held: false,
            first: NONE,
            last: NONE,
        };
        self.locks.fill(free);
        self.working = 0;
        self.without_event = None;
    }

    /// Time that the processors spent on requests, ns; spinning is not counted.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    fn sender(work: &Work) -> u16 {
        match work {
            Work::Submit(request) | Work::Sent(request) => request.queue,
            Work::Complete(ending) => ending.queue(),
        }
    }

    fn cpu_of(&self, work: &Work) -> u32 {
        self.cpu_of_sender(Cpus::sender(work))
    }

    #[inline]
    fn cpu_of_sender(&self, sender: u16) -> u32 {
        self.by_cpu.divide(u32::from(sender)).1
    }

    #[inline]
    fn current(&self, cpu: u32) -> &Work {
        let work = self.cpus[cpu as usize].work.as_ref();
        work.expect("a processor works on something")
    }

    fn lock_of(&self, cpu: u32) -> usize {
        match self.locks.len() {
            1 => 0,
            several => usize::from(Cpus::sender(self.current(cpu))) % several,
        }
    }

    /// Times of the present work without the lock and under it.
    #[inline]
    fn times(&self, cpu: u32) -> (Nanos, Nanos) {
        match self.current(cpu) {
            Work::Submit(_) | Work::Sent(_) => self.submit_times,
            Work::Complete(_) => self.complete_times,
        }
    }

    /// Starts the submission of a request by the driver of its sender.
    #[inline(always)]
    pub fn submit(&mut self, env: &mut Env, arrivals: &mut Arrivals, request: Request) {
        if !self.sends_at_once(env, arrivals, request) {
            self.add(env, arrivals, Work::Submit(request));
        }
    }

    /// Starts the work on a completion for which [`Cpus::completes_at_once`] has returned false.
    pub fn complete(&mut self, env: &mut Env, arrivals: &mut Arrivals, ending: Ending) {
        self.add(env, arrivals, Work::Complete(ending));
    }

    /// Sends the request at once if the processors have no other work; the end of the processor's
    /// work then has no event. Returns true if it was sent.
    ///
    /// Always inlined, so that the request is passed in registers: it is written field by field,
    /// and copying it as a whole right after that would stall on store-to-load forwarding.
    #[inline(always)]
    fn sends_at_once(&mut self, env: &mut Env, arrivals: &mut Arrivals, request: Request) -> bool {
        self.note_end(env);
        let now = env.queue.now();
        let (free, locked) = self.submit_times;
        if self.working > 0 || locked == Nanos::ZERO {
            return false;
        }
        let cpu = self.cpu_of_sender(request.queue);
        let ends = now + free + locked;
        let this = &mut self.cpus[cpu as usize];
        this.step = Step::Alone(now + free);
        this.work = Some(Work::Sent(request));
        self.working = 1;
        self.without_event = Some((cpu, ends));
        self.busy_ns += (free + locked).0;
        arrivals.send(env, request, ends);
        true
    }

    /// Passes the time of a completion at once if the processors have no other work and its work
    /// ends before anything else happens and by `limit`. Returns true if it did.
    #[inline(never)]
    pub fn completes_at_once(&mut self, env: &mut Env, ending: &Ending, limit: SimTime) -> bool {
        self.note_end(env);
        let now = env.queue.now();
        let (free, locked) = self.complete_times;
        let ends = now + free + locked;
        if self.working > 0 || locked == Nanos::ZERO || ends > limit {
            return false;
        }
        let cpu = self.cpu_of_sender(ending.queue());
        if !env.queue.take_at_once(Lane::Timer, ends, kind::CPU, cpu) {
            return false;
        }
        self.busy_ns += (free + locked).0;
        env.trace(kind::CPU, cpu);
        true
    }

    /// Notes the end of a processor's work that had no event.
    #[inline]
    fn note_end(&mut self, env: &Env) {
        if let Some((cpu, ends)) = self.without_event
            && env.queue.has_passed(Lane::Timer, ends, kind::CPU, cpu)
        {
            self.without_event = None;
            let this = &mut self.cpus[cpu as usize];
            (this.work, this.step) = (None, Step::Free);
            self.working -= 1;
        }
    }

    #[inline(never)]
    fn add(&mut self, env: &mut Env, arrivals: &mut Arrivals, work: Work) {
        self.note_end(env);
        let cpu = self.cpu_of(&work);
        let this = &mut self.cpus[cpu as usize];
        if this.work.is_some() {
            this.waiting.push_back(work);
            self.schedule_end(env, cpu);
            return;
        }
        this.work = Some(work);
        self.working += 1;
        if self.working == 2 {
            self.second_begins(env, arrivals, cpu);
        }
        self.begin(env, arrivals, cpu);
    }

    #[inline(always)]
    fn begin(&mut self, env: &mut Env, arrivals: &mut Arrivals, cpu: u32) {
        let now = env.queue.now();
        let (free, locked) = self.times(cpu);
        if self.working == 1 && locked > Nanos::ZERO {
            let this = &mut self.cpus[cpu as usize];
            this.step = Step::Alone(now + free);
            if let Some(Work::Submit(request)) = this.work
                && this.waiting.is_empty()
            {
                let ends = now + free + locked;
                this.work = Some(Work::Sent(request));
                self.without_event = Some((cpu, ends));
                self.busy_ns += (free + locked).0;
                return arrivals.send(env, request, ends);
            }
            return self.work_for(env, cpu, free + locked);
        }
        self.cpus[cpu as usize].step = Step::Free;
        self.work_for(env, cpu, free);
    }

    /// Schedules an event for the end of a processor's work that had none.
    fn schedule_end(&mut self, env: &mut Env, cpu: u32) {
        if let Some((_, ends)) = self.without_event.filter(|of| of.0 == cpu) {
            self.without_event = None;
            env.queue.schedule(Lane::Timer, ends, kind::CPU, cpu);
        }
    }

    /// Withdraws a request that a processor has sent ahead of time: it may have to wait for its
    /// lock.
    fn take_back(&mut self, env: &mut Env, arrivals: &mut Arrivals, cpu: u32) {
        let this = &mut self.cpus[cpu as usize];
        let Some(Work::Sent(request)) = this.work else {
            return;
        };
        this.work = Some(Work::Submit(request));
        // The processor was alone: nothing has been sent since.
        arrivals.take_back(env);
    }

    /// Prepares for a second processor that begins to work: the first may find its lock held.
    #[inline(never)]
    fn second_begins(&mut self, env: &mut Env, arrivals: &mut Arrivals, second: u32) {
        let now = env.queue.now();
        let alone = |cpu: &Cpu| match cpu.step {
            Step::Alone(at) => Some(at),
            _ => None,
        };
        let mut others = (0u32..).zip(&self.cpus).filter(|other| other.0 != second);
        let Some((first, at)) = others.find_map(|(nth, cpu)| Some((nth, alone(cpu)?))) else {
            return;
        };
        self.schedule_end(env, first);
        if at < now {
            self.cpus[first as usize].step = Step::Locked;
            let lock = self.lock_of(first);
            self.locks[lock].held = true;
            return;
        }
        let (_, locked) = self.times(first);
        self.busy_ns -= locked.0;
        self.cpus[first as usize].step = Step::Free;
        env.queue.cancel_in(Lane::Timer, kind::CPU, first);
        env.queue.schedule(Lane::Timer, at, kind::CPU, first);
        self.take_back(env, arrivals, first);
    }

    #[inline(always)]
    fn work_for(&mut self, env: &mut Env, cpu: u32, time: Nanos) {
        self.busy_ns += time.0;
        let at = env.queue.now() + time;
        env.queue.schedule(Lane::Timer, at, kind::CPU, cpu);
    }

    /// Ends a step of a processor. Returns the completion if this was its last step.
    pub fn done(&mut self, env: &mut Env, arrivals: &mut Arrivals, cpu: u32) -> Option<Ending> {
        match self.cpus[cpu as usize].step {
            Step::Free if self.times(cpu).1 > Nanos::ZERO => {
                self.lock(env, cpu);
                return None;
            }
            Step::Locked => self.unlock(env, cpu),
            Step::Free | Step::Spinning | Step::Alone(_) => {}
        }
        let this = &mut self.cpus[cpu as usize];
        this.step = Step::Free;
        let work = this.work.take().expect("a processor works on something");
        this.work = this.waiting.pop_front();
        let goes_on = this.work.is_some();
        if let Work::Submit(request) = work {
            // Sent before the next request can be.
            arrivals.send(env, request, env.queue.now());
        }
        if goes_on {
            self.begin(env, arrivals, cpu);
        } else {
            self.working -= 1;
        }
        match work {
            Work::Submit(_) | Work::Sent(_) => None,
            Work::Complete(ending) => Some(ending),
        }
    }

    fn lock(&mut self, env: &mut Env, cpu: u32) {
        let lock = self.lock_of(cpu);
        let lock = &mut self.locks[lock];
        if !lock.held {
            lock.held = true;
            return self.lock_taken(env, cpu);
        }
        let before = std::mem::replace(&mut lock.last, cpu);
        if before == NONE {
            lock.first = cpu;
        } else {
            self.cpus[before as usize].next = cpu;
        }
        self.cpus[cpu as usize].step = Step::Spinning;
        self.cpus[cpu as usize].next = NONE;
    }

    fn lock_taken(&mut self, env: &mut Env, cpu: u32) {
        self.cpus[cpu as usize].step = Step::Locked;
        let (_, locked) = self.times(cpu);
        self.work_for(env, cpu, locked);
    }

    fn unlock(&mut self, env: &mut Env, cpu: u32) {
        let lock = self.lock_of(cpu);
        let lock = &mut self.locks[lock];
        let next = lock.first;
        if next == NONE {
            lock.held = false;
            return;
        }
        lock.first = self.cpus[next as usize].next;
        if lock.first == NONE {
            lock.last = NONE;
        }
        self.lock_taken(env, next);
    }
}
