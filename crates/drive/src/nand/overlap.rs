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

use stend_model::nand::{Abilities, Class};

use super::dies::{Dies, Work};

/// Activity of the cells of a die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Cells {
    #[default]
    Idle,
    /// The cells sense, or hold a sensed page until the cache register is free.
    Reading,
    Programming,
    Erasing,
    Copying,
}

/// Beginning of an operation of the cells: from then on the register is free, and the operation can
/// be suspended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Begin {
    /// The operation has begun.
    #[default]
    Passed,
    /// The operation begins at this instant, without an event, since no work waits for that.
    At(SimTime),
    /// The operation begins with an event that is scheduled.
    Awaited,
}

/// Page in the cache register that will be programmed next.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Loaded {
    program: Nanos,
    cookie: u64,
    /// Instant at which its data has arrived.
    at: SimTime,
    /// Number of reads that have passed it.
    passed: u32,
}

/// Suspended program or erase.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Suspended {
    cells: Cells,
    cookie: u64,
    left: Nanos,
}

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct State {
    cells: Cells,
    /// Instant at which programming or erasing will end.
    ends: SimTime,
    begin: Begin,
    /// Number of reads that the operation has let pass.
    passed: u32,
    suspended: Option<Suspended>,
    loaded: Option<Loaded>,
    /// Cookie of the read whose data leaves the cache register.
    leaving: Option<u64>,
    /// True if a page is sensed, but the cache register is not free.
    held: bool,
}

/// State of dies that overlap operations.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Overlap {
    abilities: Abilities,
    dies: Vec<State>,
}

impl Overlap {
    /// Returns `None` if dies do not overlap operations.
    pub fn new(abilities: Abilities, dies: usize) -> Option<Overlap> {
        (abilities != Abilities::default()).then(|| Overlap {
            abilities,
            dies: vec![State::default(); dies],
        })
    }

    /// True if data leaves a cache register.
    pub fn any_leaves(&self) -> bool {
        self.dies.iter().any(|state| state.leaving.is_some())
    }

    /// Cookie of the suspended program or erase of a die.
    pub fn suspended(&self, die: u32) -> Option<u64> {
        self.dies[die as usize].suspended.map(|s| s.cookie)
    }

    /// Cuts the power: empties the registers and drops all operations.
    pub fn power_cut(&mut self) {
        self.dies.fill(State::default());
    }
    #[inline]
    fn state(&mut self, die: u32) -> &mut State {
        &mut self.dies[die as usize]
    }

    /// Handles work of `class` that has been queued for a busy die.
    pub fn work_waits(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32, class: Class) {
        if let Begin::At(at) = self.state(die).begin {
            self.await_begin(dies, queue, die, at);
        }
        match class {
            Class::HostRead => self.suspend(dies, queue, die),
            Class::HostProgram | Class::Background => self.load(dies, queue, die),
        }
    }

    /// Begins `work` on an idle die.
    pub fn start(
        &mut self,
        dies: &mut Dies,
        queue: &mut EventQueue,
        die: u32,
        work: Work,
        cookie: u64,
    ) {
        self.begin(dies, queue, die, work, cookie, Nanos::ZERO);
    }

    /// Begins work on idle cells, which can sense after `delay`.
    fn begin(
        &mut self,
        dies: &mut Dies,
        queue: &mut EventQueue,
        die: u32,
        work: Work,
        cookie: u64,
        delay: Nanos,
    ) {
        let now = queue.now();
        dies.begin(die, now, cookie);
        match work {
            Work::Read { sense, bytes } => {
                dies.sense(die, bytes);
                self.state(die).cells = Cells::Reading;
                dies.schedule(queue, Lane::Sense, now + delay + sense, die);
            }
            Work::Program { program, bytes } => {
                let begins = dies.load(die, now, bytes);
                self.cells_begin(dies, queue, die, Cells::Programming, begins, program);
            }
            Work::OnDie { busy } => self.begin_on_die(dies, queue, die, Cells::Copying, busy),
            Work::Erase { erase } => self.begin_on_die(dies, queue, die, Cells::Erasing, erase),
        }
    }

    /// Begins an operation that needs no channel.
    #[cold]
    fn begin_on_die(
        &mut self,
        dies: &mut Dies,
        queue: &mut EventQueue,
        die: u32,
        cells: Cells,
        time: Nanos,
    ) {
        dies.count_on_die();
        self.cells_begin(dies, queue, die, cells, queue.now(), time);
    }

    /// Begins an operation of the cells of a die, of length `time`, at `begins`.
    #[inline(always)]
    fn cells_begin(
        &mut self,
        dies: &mut Dies,
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
        dies.schedule(queue, Lane::Work, ends, die);
        if begins > queue.now() && dies.any_waits(die) {
            self.await_begin(dies, queue, die, begins);
        }
    }

    /// Schedules the beginning of the cells' operation at the instant `at` as an event, since work
    /// waits for the die.
    fn await_begin(&mut self, dies: &Dies, queue: &mut EventQueue, die: u32, at: SimTime) {
        self.state(die).begin = if dies.has_passed(queue, at, die) {
            Begin::Passed
        } else {
            dies.schedule(queue, Lane::Sense, at, die);
            Begin::Awaited
        };
    }

    /// Handles an event of sensing: cells have sensed, or begin to program data that has arrived.
    pub fn sensed(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32) {
        if self.state(die).cells != Cells::Reading {
            self.state(die).begin = Begin::Passed;
            self.suspend(dies, queue, die);
            self.load(dies, queue, die);
        } else if !self.abilities.cache_read {
            dies.send(queue, die);
        } else if self.state(die).leaving.is_some() {
            self.state(die).held = true;
        } else {
            self.leave(dies, queue, die);
        }
    }

    /// Moves a sensed page out through the cache register; the cells begin the next operation.
    fn leave(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32) {
        dies.send(queue, die);
        self.state(die).leaving = Some(dies.cookie(die));
        self.cells_free(dies, queue, die);
    }

    /// Handles the end of an operation of a die. Returns its cookie.
    pub fn ended(&mut self, dies: &mut Dies, queue: &mut EventQueue, lane: Lane, die: u32) -> u64 {
        let left = (lane == Lane::Move).then(|| self.state(die).leaving.take());
        if let Some(Some(cookie)) = left {
            if std::mem::take(&mut self.state(die).held) {
                self.leave(dies, queue, die);
            }
            return cookie;
        }
        let cookie = dies.cookie(die);
        self.cells_free(dies, queue, die);
        cookie
    }

    /// Ends the operation of the cells of a die and begins the next one.
    fn cells_free(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32) {
        let now = queue.now();
        dies.end(die, now);
        let reads_wait = dies.read_waits(die);
        let state = self.state(die);
        state.cells = Cells::Idle;
        if let Some(suspended) = state.suspended {
            if reads_wait && self.may_pass(die) {
                self.begin_read(dies, queue, die, Nanos::ZERO);
            } else {
                self.resume(dies, queue, die, suspended);
            }
            return;
        }
        if reads_wait && self.passes_loaded(dies, die) {
            self.begin_read(dies, queue, die, Nanos::ZERO);
            return;
        }
        if let Some(loaded) = self.state(die).loaded.take() {
            let begins = now.max(loaded.at);
            dies.begin(die, now, loaded.cookie);
            self.cells_begin(dies, queue, die, Cells::Programming, begins, loaded.program);
            self.load(dies, queue, die);
            return;
        }
        if let Some(next) = dies.next_waiting(die) {
            self.begin(dies, queue, die, next.work(), next.cookie, Nanos::ZERO);
        }
    }

    /// Counts a read that passes the page in the cache register, if it may: dies that can suspend
    /// let as many do so as may pass a waiting program. Returns true if it may.
    fn passes_loaded(&mut self, dies: &Dies, die: u32) -> bool {
        let suspends = self.abilities.suspend.is_some();
        let Some(loaded) = &mut self.state(die).loaded else {
            return false;
        };
        let passes = suspends && loaded.passed < dies.reads_past_program();
        loaded.passed += u32::from(passes);
        passes
    }

    /// Begins the oldest read of the host that waits for a die, which can sense after `delay`.
    fn begin_read(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32, delay: Nanos) {
        let next = dies.take_waiting(die, Class::HostRead as usize);
        self.begin(dies, queue, die, next.work(), next.cookie, delay);
    }

    /// Moves the data of the next program to the die while the cells program.
    #[inline(always)]
    fn load(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32) {
        let state = &self.dies[die as usize];
        let free = state.cells == Cells::Programming && state.begin == Begin::Passed;
        if self.abilities.cache_program && free && state.loaded.is_none() {
            self.load_next(dies, queue, die);
        }
    }

    #[inline(never)]
    fn load_next(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32) {
        let Some((class, Work::Program { program, bytes })) = dies.peek_waiting(die) else {
            return;
        };
        let cookie = dies.take_waiting(die, class).cookie;
        let at = dies.load(die, queue.now(), bytes);
        self.state(die).loaded = Some(Loaded {
            program,
            cookie,
            at,
            passed: 0,
        });
    }

    /// Suspends the operation of the cells for the waiting reads, if that is allowed and saves
    /// time.
    #[inline]
    fn suspend(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32) {
        if dies.read_waits(die) {
            self.suspend_for_reads(dies, queue, die);
        }
    }

    fn suspend_for_reads(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32) {
        let Some(suspend) = self.abilities.suspend else {
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
        dies.cancel_end(queue, die);
        dies.count_suspension();
        self.state(die).suspended = Some(Suspended {
            cells: state.cells,
            cookie: dies.end(die, now),
            left,
        });
        self.begin_read(dies, queue, die, delay);
    }

    /// Counts a read that the operation lets pass, if it may. Returns true if it may.
    fn may_pass(&mut self, die: u32) -> bool {
        let most = self.abilities.suspend.map_or(0, |s| s.reads_max);
        let state = self.state(die);
        let may = state.passed < most;
        state.passed += u32::from(may);
        may
    }

    fn resume(&mut self, dies: &mut Dies, queue: &mut EventQueue, die: u32, suspended: Suspended) {
        let resume = self.abilities.suspend.map_or(Nanos::ZERO, |s| s.resume);
        let now = queue.now();
        dies.begin(die, now, suspended.cookie);
        let passed = self.state(die).passed;
        self.state(die).suspended = None;
        let begins = now + resume;
        self.cells_begin(dies, queue, die, suspended.cells, begins, suspended.left);
        self.state(die).passed = passed;
        self.load(dies, queue, die);
    }
}
