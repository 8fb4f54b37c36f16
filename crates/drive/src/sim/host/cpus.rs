//! The host's side of a request: processors that run the driver, and the locks of its
//! queues.
//!
//! A request costs the processor of its thread time on submission and on completion, and
//! of it a part under the lock of its queue: on a device with one queue, all threads take
//! turns there (Bjørling, Axboe, Nellans and Bonnet, "Linux Block IO: Introducing
//! Multi-queue SSD Access on Multi-core Systems", SYSTOR 2013). A processor that waits for
//! a lock spins.
//!
//! A processor that works while no other does will find its lock free: its two steps are one
//! event, until another begins to work before it has come to the lock. If what it does is to
//! submit, all that follows is an arrival of which the instant is known: then it is not even
//! one event, until something else comes that it has to do. If it is to complete, and nothing
//! else happens meanwhile, its end is taken at once.

use std::collections::VecDeque;

use stend_base::{Completion, Lane, Nanos, Request, SimTime};

use crate::sim::host::command::Ending;
use crate::sim::map::divider::Divider;
use crate::sim::{SimDrive, kind};
use crate::spec::HostSpec;

const NONE: u32 = u32::MAX;

/// What a processor has to do.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum Work {
    Submit(Request),
    /// The same, of which the arrival is on its way.
    Sent(Request),
    Complete(Ending),
}

/// How far it is with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Step {
    /// The driver's work that needs no lock.
    Free,
    Spinning,
    Locked,
    /// Without the lock until this instant, then under it, as long as no other works.
    Alone(SimTime),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cpu {
    work: Option<Work>,
    step: Step,
    waiting: VecDeque<Work>,
    /// The processor that spins behind it for the same lock.
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
pub(crate) struct Cpus {
    /// Times without and under the lock.
    submit: (Nanos, Nanos),
    complete: (Nanos, Nanos),
    cpus: Vec<Cpu>,
    locks: Vec<Lock>,
    by_cpu: Divider,
    /// Processors that have something to do.
    working: u32,
    /// Of these, the one whose end is no event, and when that is.
    unseen: Option<(u32, SimTime)>,
    busy_ns: u64,
}

impl Cpus {
    /// `None` where requests cost no processor time.
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
            submit: (spec.submit, spec.queue_lock + spec.submit_registers),
            complete: (spec.complete, spec.queue_lock + spec.complete_registers),
            working: 0,
            unseen: None,
            busy_ns: 0,
        }))
    }

    pub fn things(host: &HostSpec) -> u32 {
        host.driver.as_ref().map_or(0, |driver| driver.cpus)
    }

    /// The requests that they work on are gone.
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
        self.unseen = None;
    }

    /// Time that the processors spent on requests; spinning is not counted.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    fn sender(work: &Work) -> u16 {
        match work {
            Work::Submit(request) | Work::Sent(request) => request.queue,
            Work::Complete(ending) => ending.queue,
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

    /// Time of the present work without and under the lock.
    #[inline]
    fn times(&self, cpu: u32) -> (Nanos, Nanos) {
        match self.current(cpu) {
            Work::Submit(_) | Work::Sent(_) => self.submit,
            Work::Complete(_) => self.complete,
        }
    }
}

impl SimDrive {
    /// The sender has called its driver.
    #[inline(always)]
    pub(in crate::sim) fn host_submits(&mut self, request: Request) {
        if self.cpus.is_none() {
            self.send_off(request, self.env.queue.now());
        } else if !self.cpu_sends_at_once(request) {
            self.cpu_adds(Work::Submit(request));
        }
    }

    /// Whether the processors have nothing to do but this request; the one that does it has
    /// sent it off, then, and its end is no event.
    ///
    /// It is always inlined: a request that is handed over in memory was put there piece by
    /// piece, and is copied from there as a whole at once, which a processor must wait for.
    #[inline(always)]
    fn cpu_sends_at_once(&mut self, request: Request) -> bool {
        self.cpu_has_ended();
        let now = self.env.queue.now();
        let cpus = self.cpus();
        let (free, locked) = cpus.submit;
        if cpus.working > 0 || locked == Nanos::ZERO {
            return false;
        }
        let cpu = cpus.cpu_of_sender(request.queue);
        let ends = now + free + locked;
        let this = &mut cpus.cpus[cpu as usize];
        this.step = Step::Alone(now + free);
        this.work = Some(Work::Sent(request));
        cpus.working = 1;
        cpus.unseen = Some((cpu, ends));
        cpus.busy_ns += (free + locked).0;
        self.send_off(request, ends);
        true
    }

    /// The host has been interrupted for a completion; it, if the sender knows at once, or
    /// before anything else happens and by `limit`.
    #[inline(always)]
    pub(in crate::sim) fn host_interrupted(
        &mut self,
        ending: Ending,
        limit: SimTime,
    ) -> Option<Completion> {
        if self.cpus.is_some() && !self.cpu_ends_at_once(&ending, limit) {
            self.cpu_adds(Work::Complete(ending));
            return None;
        }
        Some(self.host_ends(ending))
    }

    /// Whether the processors have nothing to do but this completion, and the one that does it
    /// comes to its end before anything else happens and by `limit`; it has, then.
    #[inline(never)]
    fn cpu_ends_at_once(&mut self, ending: &Ending, limit: SimTime) -> bool {
        self.cpu_has_ended();
        let now = self.env.queue.now();
        let cpus = self.cpus();
        let (free, locked) = cpus.complete;
        let ends = now + free + locked;
        if cpus.working > 0 || locked == Nanos::ZERO || ends > limit {
            return false;
        }
        let cpu = cpus.cpu_of_sender(ending.queue);
        if !self
            .env
            .queue
            .take_at_once(Lane::Timer, ends, kind::CPU, cpu)
        {
            return false;
        }
        self.cpus().busy_ns += (free + locked).0;
        self.trace(kind::CPU, cpu);
        true
    }

    #[inline(always)]
    fn host_ends(&mut self, ending: Ending) -> Completion {
        self.host_got_completion();
        Completion {
            tag: ending.tag,
            at: self.env.queue.now(),
            status: ending.status,
        }
    }

    fn cpus(&mut self) -> &mut Cpus {
        self.cpus
            .as_mut()
            .expect("requests cost the host something")
    }

    /// Notes the end of what a processor has done, where that was no event.
    #[inline]
    fn cpu_has_ended(&mut self) {
        let unseen = self.cpus().unseen;
        if let Some((cpu, ends)) = unseen
            && self.env.queue.has_passed(Lane::Timer, ends, kind::CPU, cpu)
        {
            let cpus = self.cpus();
            cpus.unseen = None;
            let this = &mut cpus.cpus[cpu as usize];
            (this.work, this.step) = (None, Step::Free);
            cpus.working -= 1;
        }
    }

    #[inline(never)]
    fn cpu_adds(&mut self, work: Work) {
        self.cpu_has_ended();
        let cpus = self.cpus();
        let cpu = cpus.cpu_of(&work);
        let this = &mut cpus.cpus[cpu as usize];
        if this.work.is_some() {
            this.waiting.push_back(work);
            self.cpu_is_seen(cpu);
            return;
        }
        this.work = Some(work);
        cpus.working += 1;
        if cpus.working == 2 {
            self.cpu_has_company(cpu);
        }
        self.cpu_begins(cpu);
    }

    #[inline(always)]
    fn cpu_begins(&mut self, cpu: u32) {
        let now = self.env.queue.now();
        let cpus = self.cpus();
        let (free, locked) = cpus.times(cpu);
        if cpus.working == 1 && locked > Nanos::ZERO {
            let this = &mut cpus.cpus[cpu as usize];
            this.step = Step::Alone(now + free);
            if let Some(Work::Submit(request)) = this.work
                && this.waiting.is_empty()
            {
                let ends = now + free + locked;
                this.work = Some(Work::Sent(request));
                cpus.unseen = Some((cpu, ends));
                cpus.busy_ns += (free + locked).0;
                return self.send_off(request, ends);
            }
            return self.cpu_works(cpu, free + locked);
        }
        cpus.cpus[cpu as usize].step = Step::Free;
        self.cpu_works(cpu, free);
    }

    /// The end of what a processor does has to be an event.
    fn cpu_is_seen(&mut self, cpu: u32) {
        let cpus = self.cpus();
        if let Some((_, ends)) = cpus.unseen.filter(|unseen| unseen.0 == cpu) {
            cpus.unseen = None;
            self.env.queue.schedule(Lane::Timer, ends, kind::CPU, cpu);
        }
    }

    /// A processor that has sent a request off may come to that later than was thought.
    fn cpu_takes_back(&mut self, cpu: u32) {
        let this = &mut self.cpus().cpus[cpu as usize];
        let Some(Work::Sent(request)) = this.work else {
            return;
        };
        this.work = Some(Work::Submit(request));
        // It was alone: nobody has sent anything since.
        self.arrivals.pop_back();
        if self.arrivals.is_empty() {
            self.env.queue.cancel_in(Lane::Arrival, kind::ARRIVAL, 0);
        }
    }

    /// A second processor begins to work: the first one may not be alone when it comes to its
    /// lock.
    #[inline(never)]
    fn cpu_has_company(&mut self, second: u32) {
        let now = self.env.queue.now();
        let cpus = self.cpus();
        let alone = |cpu: &Cpu| match cpu.step {
            Step::Alone(at) => Some(at),
            _ => None,
        };
        let mut others = (0u32..).zip(&cpus.cpus).filter(|other| other.0 != second);
        let Some((first, at)) = others.find_map(|(nth, cpu)| Some((nth, alone(cpu)?))) else {
            return;
        };
        self.cpu_is_seen(first);
        let cpus = self.cpus();
        if at < now {
            cpus.cpus[first as usize].step = Step::Locked;
            let lock = cpus.lock_of(first);
            cpus.locks[lock].held = true;
            return;
        }
        let (_, locked) = cpus.times(first);
        cpus.busy_ns -= locked.0;
        cpus.cpus[first as usize].step = Step::Free;
        self.env.queue.cancel_in(Lane::Timer, kind::CPU, first);
        self.env.queue.schedule(Lane::Timer, at, kind::CPU, first);
        self.cpu_takes_back(first);
    }

    #[inline(always)]
    fn cpu_works(&mut self, cpu: u32, time: Nanos) {
        self.cpus().busy_ns += time.0;
        let at = self.env.queue.now() + time;
        self.env.queue.schedule(Lane::Timer, at, kind::CPU, cpu);
    }

    /// A processor has ended a step; the completion that the sender now knows of, if it was
    /// the last of one.
    pub(in crate::sim) fn cpu_done(&mut self, cpu: u32) -> Option<Completion> {
        let cpus = self.cpus();
        match cpus.cpus[cpu as usize].step {
            Step::Free if cpus.times(cpu).1 > Nanos::ZERO => {
                self.cpu_locks(cpu);
                return None;
            }
            Step::Locked => self.cpu_unlocks(cpu),
            Step::Free | Step::Spinning | Step::Alone(_) => {}
        }
        let cpus = self.cpus();
        let this = &mut cpus.cpus[cpu as usize];
        this.step = Step::Free;
        let work = this.work.take().expect("a processor works on something");
        this.work = this.waiting.pop_front();
        let goes_on = this.work.is_some();
        if let Work::Submit(request) = work {
            // Before what comes next is on its way.
            self.send_off(request, self.env.queue.now());
        }
        if !goes_on {
            self.cpus().working -= 1;
        } else {
            self.cpu_begins(cpu);
        }
        match work {
            Work::Submit(_) | Work::Sent(_) => None,
            Work::Complete(ending) => Some(self.host_ends(ending)),
        }
    }

    fn cpu_locks(&mut self, cpu: u32) {
        let cpus = self.cpus();
        let lock = cpus.lock_of(cpu);
        let lock = &mut cpus.locks[lock];
        if !lock.held {
            lock.held = true;
            return self.cpu_has_lock(cpu);
        }
        let before = std::mem::replace(&mut lock.last, cpu);
        if before == NONE {
            lock.first = cpu;
        } else {
            cpus.cpus[before as usize].next = cpu;
        }
        cpus.cpus[cpu as usize].step = Step::Spinning;
        cpus.cpus[cpu as usize].next = NONE;
    }

    fn cpu_has_lock(&mut self, cpu: u32) {
        let cpus = self.cpus();
        cpus.cpus[cpu as usize].step = Step::Locked;
        let (_, locked) = cpus.times(cpu);
        self.cpu_works(cpu, locked);
    }

    fn cpu_unlocks(&mut self, cpu: u32) {
        let cpus = self.cpus();
        let lock = cpus.lock_of(cpu);
        let lock = &mut cpus.locks[lock];
        let next = lock.first;
        if next == NONE {
            lock.held = false;
            return;
        }
        lock.first = cpus.cpus[next as usize].next;
        if lock.first == NONE {
            lock.last = NONE;
        }
        self.cpu_has_lock(next);
    }
}
