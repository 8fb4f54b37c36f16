//! Dies that overlap operations.
//!
//! - **Cache read** (ONFI 4.0, 5.15 "Read Cache"): a sensed page moves to the cache register
//!   and leaves from there while the cells sense the next page.
//! - **Cache program** (ONFI 4.0, 5.20 "Page Cache Program"): the data of the next page
//!   moves to the cache register while the cells program the last.
//! - **Suspend and resume** of programs and erases (vendor-specific commands of most makers): a
//!   read of the host suspends them. Their progress is kept; resuming costs a fixed time. An
//!   operation lets a limited number of reads pass, so that it ends.
//!
//! Cells begin to program when their data has arrived. At that instant the register becomes free.
//! This is an event, in the lane of sensing, only if work waits for the die by then.
//!
//! Simplified: a page in the cache register stays there while reads pass through the die, which
//! needs dies with more than two registers.

use stend_base::{EventQueue, Lane, Nanos, SimTime};

use crate::array::{Array, Class, Finished, Work};

/// Which operations a die overlaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Abilities {
    /// Cache read: the cells sense while data leaves.
    pub cache_read: bool,
    /// Cache program: data arrives while the cells program.
    pub cache_program: bool,
    /// Reads of the host suspend programs and erases.
    pub suspend: Option<Suspend>,
}

/// Suspending programs and erases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Suspend {
    /// From the suspend command in a program until the die can sense; `None`: not suspended.
    pub program: Option<Nanos>,
    /// From the suspend command in an erase until the die can sense; `None`: not suspended.
    pub erase: Option<Nanos>,
    /// Time that resuming takes.
    pub resume: Nanos,
    /// Most reads that one operation lets pass, so that it ends.
    pub reads_max: u32,
}

/// What the cells of a die do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Cells {
    #[default]
    Idle,
    /// They sense, or hold a sensed page until the cache register is free.
    Reading,
    Programming,
    Erasing,
    Copying,
}

/// Whether an operation of the cells has begun: from then on the register is free, and the
/// operation can be suspended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Begin {
    /// It has.
    #[default]
    Passed,
    /// It begins at this instant, without an event, since no work waits for that.
    At(SimTime),
    /// It begins with an event that is scheduled.
    Awaited,
}

/// A page in the cache register that will be programmed next.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Loaded {
    program: Nanos,
    cookie: u64,
    /// When its data has arrived.
    at: SimTime,
}

/// A suspended program or erase.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Suspended {
    cells: Cells,
    cookie: u64,
    left: Nanos,
}

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct State {
    cells: Cells,
    /// When programming or erasing will end.
    ends: SimTime,
    begin: Begin,
    /// Reads that the operation has let pass.
    passed: u32,
    suspended: Option<Suspended>,
    loaded: Option<Loaded>,
    /// Cookie of the read whose data leaves the cache register.
    leaving: Option<u64>,
    /// Sensed, but the cache register is not free.
    held: bool,
}

/// State of dies that overlap operations.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Overlap {
    abilities: Abilities,
    dies: Vec<State>,
}

impl Overlap {
    /// `None` where dies do not overlap operations.
    pub fn new(abilities: Abilities, dies: usize) -> Option<Overlap> {
        (abilities != Abilities::default()).then(|| Overlap {
            abilities,
            dies: vec![State::default(); dies],
        })
    }
}

impl Overlap {
    /// Whether data leaves a cache register.
    pub fn any_leaves(&self) -> bool {
        self.dies.iter().any(|state| state.leaving.is_some())
    }

    /// Cookie of the suspended program or erase of a die.
    pub fn suspended(&self, die: u32) -> Option<u64> {
        self.dies[die as usize].suspended.map(|s| s.cookie)
    }

    /// The power is gone: registers are empty and nothing is under way.
    pub fn power_cut(&mut self) {
        self.dies.fill(State::default());
    }
}

impl Array {
    #[inline]
    fn abilities(&self) -> Abilities {
        self.overlap.as_ref().expect("dies overlap").abilities
    }

    #[inline]
    fn state(&mut self, die: u32) -> &mut State {
        &mut self.overlap.as_mut().expect("dies overlap").dies[die as usize]
    }

    /// Work of `class` has been queued for a busy die.
    pub(crate) fn overlap_waiting(&mut self, queue: &mut EventQueue, die: u32, class: Class) {
        if let Begin::At(at) = self.state(die).begin {
            self.await_begin(queue, die, at);
        }
        match class {
            Class::HostRead => self.suspend(queue, die),
            Class::HostProgram | Class::Background => self.load(queue, die),
        }
    }

    pub(crate) fn overlap_start(
        &mut self,
        queue: &mut EventQueue,
        die: u32,
        work: Work,
        cookie: u64,
    ) {
        self.begin(queue, die, work, cookie, Nanos::ZERO);
    }

    /// Begins `work` on idle cells, which can sense after `delay`.
    fn begin(&mut self, queue: &mut EventQueue, die: u32, work: Work, cookie: u64, delay: Nanos) {
        let now = queue.now();
        let this = &mut self.dies[die as usize];
        this.busy = true;
        this.cookie = cookie;
        this.began = now;
        let kind = self.kind_die;
        match work {
            Work::Read { sense, bytes } => {
                this.bytes = bytes;
                self.counters.reads += 1;
                self.state(die).cells = Cells::Reading;
                queue.schedule(Lane::Sense, now + delay + sense, kind, die);
            }
            Work::Program { program, bytes } => {
                self.counters.programs += 1;
                let begins = self.transfer(die, now, bytes);
                self.cells_begin(queue, die, Cells::Programming, begins, program);
            }
            Work::OnDie { busy } => self.begin_on_die(queue, die, Cells::Copying, busy),
            Work::Erase { erase } => self.begin_on_die(queue, die, Cells::Erasing, erase),
        }
    }

    /// Begins an operation that needs no channel.
    #[cold]
    fn begin_on_die(&mut self, queue: &mut EventQueue, die: u32, cells: Cells, time: Nanos) {
        self.counters.on_die += 1;
        self.cells_begin(queue, die, cells, queue.now(), time);
    }

    #[inline(always)]
    fn cells_begin(
        &mut self,
        queue: &mut EventQueue,
        die: u32,
        cells: Cells,
        begins: SimTime,
        time: Nanos,
    ) {
        let ends = begins + time;
        let state = self.state(die);
        state.cells = cells;
        state.ends = ends;
        state.passed = 0;
        state.begin = match begins == queue.now() {
            true => Begin::Passed,
            false => Begin::At(begins),
        };
        queue.schedule(Lane::Work, ends, self.kind_die, die);
        if begins > queue.now() && self.any_waits(die) {
            self.await_begin(queue, die, begins);
        }
    }

    /// Work waits for a die whose cells begin at the instant `at`.
    fn await_begin(&mut self, queue: &mut EventQueue, die: u32, at: SimTime) {
        let kind = self.kind_die;
        self.state(die).begin = if queue.has_passed(Lane::Sense, at, kind, die) {
            Begin::Passed
        } else {
            queue.schedule(Lane::Sense, at, kind, die);
            Begin::Awaited
        };
    }

    /// Cells have sensed, or begin to program data that has arrived.
    pub(crate) fn overlap_sensed(&mut self, queue: &mut EventQueue, die: u32) {
        if self.state(die).cells != Cells::Reading {
            self.state(die).begin = Begin::Passed;
            self.suspend(queue, die);
            self.load(queue, die);
            return;
        }
        if self.abilities().cache_read {
            if self.state(die).leaving.is_some() {
                self.state(die).held = true;
            } else {
                self.leave(queue, die);
            }
            return;
        }
        let bytes = self.dies[die as usize].bytes;
        let end = self.transfer(die, queue.now(), bytes);
        queue.schedule(Lane::Move, end, self.kind_die, die);
    }

    /// A sensed page leaves over the cache register; the cells go on.
    fn leave(&mut self, queue: &mut EventQueue, die: u32) {
        let this = &self.dies[die as usize];
        let (bytes, cookie) = (this.bytes, this.cookie);
        let end = self.transfer(die, queue.now(), bytes);
        queue.schedule(Lane::Move, end, self.kind_die, die);
        self.state(die).leaving = Some(cookie);
        self.cells_free(queue, die);
    }

    pub(crate) fn overlap_ended(
        &mut self,
        queue: &mut EventQueue,
        lane: Lane,
        die: u32,
    ) -> Finished {
        let left = (lane == Lane::Move).then(|| self.state(die).leaving.take());
        if let Some(Some(cookie)) = left {
            if std::mem::take(&mut self.state(die).held) {
                self.leave(queue, die);
            }
            return Finished { cookie };
        }
        let cookie = self.dies[die as usize].cookie;
        self.cells_free(queue, die);
        Finished { cookie }
    }

    /// The cells of a die have ended an operation: the next begins.
    fn cells_free(&mut self, queue: &mut EventQueue, die: u32) {
        let now = queue.now();
        let this = &mut self.dies[die as usize];
        this.busy = false;
        self.counters.die_busy_ns += now.since(this.began).0;
        let reads_wait = !this.waiting[Class::HostRead as usize].is_empty();
        let state = self.state(die);
        state.cells = Cells::Idle;
        if let Some(suspended) = state.suspended {
            if reads_wait && self.may_pass(die) {
                let next = self.take_waiting(die, Class::HostRead as usize);
                self.begin(queue, die, next.work(), next.cookie, Nanos::ZERO);
            } else {
                self.resume(queue, die, suspended);
            }
            return;
        }
        // A page in the register lets reads pass if dies can suspend.
        let passing = reads_wait && self.abilities().suspend.is_some();
        if !passing && let Some(loaded) = self.state(die).loaded.take() {
            let begins = now.max(loaded.at);
            let this = &mut self.dies[die as usize];
            (this.busy, this.cookie, this.began) = (true, loaded.cookie, now);
            self.cells_begin(queue, die, Cells::Programming, begins, loaded.program);
            self.load(queue, die);
            return;
        }
        if let Some(next) = self.next_waiting(die) {
            self.begin(queue, die, next.work(), next.cookie, Nanos::ZERO);
        }
    }

    /// Moves the data of the next program to the die while the cells program.
    #[inline(always)]
    fn load(&mut self, queue: &mut EventQueue, die: u32) {
        let overlap = self.overlap.as_ref().expect("dies overlap");
        let state = &overlap.dies[die as usize];
        let free = state.cells == Cells::Programming && state.begin == Begin::Passed;
        if overlap.abilities.cache_program && free && state.loaded.is_none() {
            self.load_next(queue, die);
        }
    }

    #[inline(never)]
    fn load_next(&mut self, queue: &mut EventQueue, die: u32) {
        let Some((class, Work::Program { program, bytes })) = self.peek_waiting(die) else {
            return;
        };
        let next = self.take_waiting(die, class);
        self.counters.programs += 1;
        let at = self.transfer(die, queue.now(), bytes);
        self.state(die).loaded = Some(Loaded {
            program,
            cookie: next.cookie,
            at,
        });
    }

    /// Suspends the operation of the cells for the reads that wait, if it may and saves time.
    #[inline]
    fn suspend(&mut self, queue: &mut EventQueue, die: u32) {
        if !self.dies[die as usize].waiting[Class::HostRead as usize].is_empty() {
            self.suspend_for_reads(queue, die);
        }
    }

    fn suspend_for_reads(&mut self, queue: &mut EventQueue, die: u32) {
        let Some(suspend) = self.abilities().suspend else {
            return;
        };
        let now = queue.now();
        let state = *self.state(die);
        let Some(delay) = (match state.cells {
            Cells::Programming => suspend.program,
            Cells::Erasing => suspend.erase,
            Cells::Idle | Cells::Reading | Cells::Copying => None,
        }) else {
            return;
        };
        let left = Nanos(state.ends.0.saturating_sub(now.0));
        if state.begin != Begin::Passed || left <= delay || !self.may_pass(die) {
            return;
        }
        queue.cancel_in(Lane::Work, self.kind_die, die);
        let this = &self.dies[die as usize];
        let cookie = this.cookie;
        self.counters.die_busy_ns += now.since(this.began).0;
        self.counters.suspensions += 1;
        self.state(die).suspended = Some(Suspended {
            cells: state.cells,
            cookie,
            left,
        });
        let next = self.take_waiting(die, Class::HostRead as usize);
        self.begin(queue, die, next.work(), next.cookie, delay);
    }

    /// Whether the operation lets one more read pass. If so, it is counted.
    fn may_pass(&mut self, die: u32) -> bool {
        let most = self.abilities().suspend.map_or(0, |s| s.reads_max);
        let state = self.state(die);
        let may = state.passed < most;
        state.passed += u32::from(may);
        may
    }

    fn resume(&mut self, queue: &mut EventQueue, die: u32, suspended: Suspended) {
        let resume = self.abilities().suspend.map_or(Nanos::ZERO, |s| s.resume);
        let now = queue.now();
        let this = &mut self.dies[die as usize];
        (this.busy, this.cookie, this.began) = (true, suspended.cookie, now);
        let passed = self.state(die).passed;
        self.state(die).suspended = None;
        let begins = now + resume;
        self.cells_begin(queue, die, suspended.cells, begins, suspended.left);
        self.state(die).passed = passed;
        self.load(queue, die);
    }
}
