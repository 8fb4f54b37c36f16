//! The host's side of a request: processors that run the driver, and the locks of its
//! queues.
//!
//! A request costs the processor of its thread time on submission and on completion, and
//! of it a part under the lock of its queue: on a device with one queue, all threads take
//! turns there (Bjørling, Axboe, Nellans and Bonnet, "Linux Block IO: Introducing
//! Multi-queue SSD Access on Multi-core Systems", SYSTOR 2013). A processor that waits for
//! a lock spins.

use std::collections::VecDeque;

use stend_base::{Completion, Lane, Nanos, Request};

use crate::sim::host::command::Ending;
use crate::sim::{SimDrive, kind};
use crate::spec::{DriverSpec, HostSpec};

const NONE: u32 = u32::MAX;

/// What a processor has to do.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum Work {
    Submit(Request),
    Complete(Ending),
}

/// How far it is with the first of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Step {
    /// The driver's work that needs no lock.
    Free,
    Spinning,
    Locked,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cpu {
    work: VecDeque<Work>,
    step: Step,
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
    spec: DriverSpec,
    cpus: Vec<Cpu>,
    locks: Vec<Lock>,
    busy_ns: u64,
}

impl Cpus {
    /// `None` where requests cost no processor time.
    pub fn new(host: &HostSpec) -> Option<Box<Cpus>> {
        let spec = host.driver.clone()?;
        let cpu = Cpu {
            work: VecDeque::with_capacity(64),
            step: Step::Free,
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
            spec,
            busy_ns: 0,
        }))
    }

    pub fn things(host: &HostSpec) -> u32 {
        host.driver.as_ref().map_or(0, |driver| driver.cpus)
    }

    /// The requests that they work on are gone.
    pub fn power_cut(&mut self) {
        for cpu in &mut self.cpus {
            cpu.work.clear();
            (cpu.step, cpu.next) = (Step::Free, NONE);
        }
        let free = Lock {
            held: false,
            first: NONE,
            last: NONE,
        };
        self.locks.fill(free);
    }

    /// Time that the processors spent on requests; spinning is not counted.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    fn sender(work: &Work) -> u16 {
        match work {
            Work::Submit(request) => request.queue,
            Work::Complete(ending) => ending.queue,
        }
    }

    fn cpu_of(&self, work: &Work) -> u32 {
        u32::from(Cpus::sender(work)) % self.spec.cpus
    }

    fn current(&self, cpu: u32) -> Work {
        *self.cpus[cpu as usize]
            .work
            .front()
            .expect("a processor works on something")
    }

    fn lock_of(&self, cpu: u32) -> usize {
        usize::from(Cpus::sender(&self.current(cpu))) % self.locks.len()
    }

    /// Time of the present work without and under the lock.
    fn times(&self, cpu: u32) -> (Nanos, Nanos) {
        let spec = &self.spec;
        match self.current(cpu) {
            Work::Submit(_) => (spec.submit, spec.queue_lock + spec.submit_registers),
            Work::Complete(_) => (spec.complete, spec.queue_lock + spec.complete_registers),
        }
    }
}

impl SimDrive {
    /// The sender has called its driver.
    #[inline]
    pub(in crate::sim) fn host_submits(&mut self, request: Request) {
        match self.cpus {
            None => self.send_off(request),
            Some(_) => self.cpu_adds(Work::Submit(request)),
        }
    }

    /// The host has been interrupted for a completion; it, if the sender knows at once.
    #[inline(always)]
    pub(in crate::sim) fn host_interrupted(&mut self, ending: Ending) -> Option<Completion> {
        if self.cpus.is_some() {
            self.cpu_adds(Work::Complete(ending));
            return None;
        }
        Some(self.host_ends(ending))
    }

    #[inline(always)]
    fn host_ends(&mut self, ending: Ending) -> Completion {
        self.host_got_completion();
        Completion {
            tag: ending.tag,
            at: self.queue.now(),
            status: ending.status,
        }
    }

    fn cpus(&mut self) -> &mut Cpus {
        self.cpus
            .as_mut()
            .expect("requests cost the host something")
    }

    fn cpu_adds(&mut self, work: Work) {
        let cpus = self.cpus();
        let cpu = cpus.cpu_of(&work);
        let queue = &mut cpus.cpus[cpu as usize].work;
        queue.push_back(work);
        if queue.len() == 1 {
            self.cpu_begins(cpu);
        }
    }

    fn cpu_begins(&mut self, cpu: u32) {
        let cpus = self.cpus();
        cpus.cpus[cpu as usize].step = Step::Free;
        let (free, _) = cpus.times(cpu);
        self.cpu_works(cpu, free);
    }

    fn cpu_works(&mut self, cpu: u32, time: Nanos) {
        self.cpus().busy_ns += time.0;
        let at = self.queue.now() + time;
        self.queue.schedule(Lane::Timer, at, kind::CPU, cpu);
    }

    /// A processor has ended a step; the completion that the sender now knows of, if it was
    /// the last of one.
    pub(in crate::sim) fn cpu_done(&mut self, cpu: u32) -> Option<Completion> {
        let cpus = self.cpus();
        let (_, locked) = cpus.times(cpu);
        if cpus.cpus[cpu as usize].step == Step::Free && locked > Nanos::ZERO {
            self.cpu_locks(cpu);
            return None;
        }
        if cpus.cpus[cpu as usize].step == Step::Locked {
            self.cpu_unlocks(cpu);
        }
        let queue = &mut self.cpus().cpus[cpu as usize].work;
        let work = queue.pop_front().expect("a processor works on something");
        if !queue.is_empty() {
            self.cpu_begins(cpu);
        }
        match work {
            Work::Submit(request) => self.send_off(request),
            Work::Complete(ending) => return Some(self.host_ends(ending)),
        }
        None
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
