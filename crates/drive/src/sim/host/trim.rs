//! TRIM: addresses are taken away at once, or in pieces that cost a core time; and what is
//! emptied by it may be erased without need.
//!
//! With pieces, the range of a command is noted first: from then on it reads as trimmed
//! (unless the drive is not deterministic), and what is written there meanwhile is no
//! longer meant. Pieces follow one another on a core, at once or after a rest, each behind
//! what the core was given before it.

use std::collections::VecDeque;

use stend_base::Nanos;

use crate::sim::controller::Job;
use crate::sim::host::command::Command;
use crate::sim::map::layout::Pool;
use crate::sim::{SimDrive, kind};
use crate::spec::{Emptying, UNIT_BYTES};

const NONE: u32 = u32::MAX;

/// What a command has noted and is still to be looked at.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Range {
    next: u32,
    end: u32,
    /// The command that ends with it; [`NONE`] if it has ended.
    command: u32,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Trimmer {
    ranges: VecDeque<Range>,
    /// A piece is on a core.
    working: bool,
    /// It rests between two pieces.
    between: bool,
    /// Superblocks may be empty that were not when they were last looked at.
    look: bool,
    /// The superblock being erased, or [`NONE`].
    erasing: u32,
    resting: bool,
}

impl Trimmer {
    pub fn new() -> Trimmer {
        Trimmer {
            ranges: VecDeque::with_capacity(64),
            working: false,
            between: false,
            look: false,
            erasing: NONE,
            resting: false,
        }
    }
}

impl Trimmer {
    /// Whether it works, or rests between two pieces of work.
    pub fn is_busy(&self) -> bool {
        self.working || self.between || self.resting || self.erasing != NONE
    }
}

impl SimDrive {
    /// Time of a TRIM command itself on a core.
    pub(in crate::sim) fn trim_time(&self, command: &Command) -> Nanos {
        let spec = &self.env.spec.trim;
        if !spec.enabled {
            return spec.command;
        }
        let (first, end) = command.units();
        let units = u64::from(end - first);
        let ranges = command.len_bytes.div_ceil(spec.range_bytes_max);
        spec.command + spec.per_range * ranges + Nanos(spec.per_1024_units.0 * units / 1024)
    }

    /// The firmware has looked at a TRIM command.
    pub(in crate::sim) fn trim(&mut self, command: u32) {
        if self.trim_must_wait(command) {
            self.wait_among_writes(command);
        } else {
            self.trim_begins(command);
        }
    }

    pub(in crate::sim) fn trim_begins(&mut self, command: u32) {
        if !self.env.spec.trim.enabled {
            self.command_done(command);
            self.pump_all();
            return;
        }
        let Command {
            offset_bytes,
            len_bytes,
            ..
        } = *self.commands.get(command);
        // Only whole units lose their data: the rest of a partly trimmed one lives.
        let first = offset_bytes.div_ceil(UNIT_BYTES) as u32;
        let end = ((offset_bytes + len_bytes) / UNIT_BYTES) as u32;
        self.read_ahead_forget(first, end);
        self.env.counters.units_trimmed += u64::from(end.saturating_sub(first));
        let Some(work) = &self.env.spec.trim.work else {
            self.trim_now(first, end);
            self.command_done(command);
            self.pump_all();
            self.trim_emptied();
            return;
        };
        let waits = !work.lazy && first < end;
        self.mapping.note(first, end);
        // For a power cut the whole range is trimmed from now on.
        self.log_trim(first, end);
        if first < end {
            self.trimmer.ranges.push_back(Range {
                next: first,
                end,
                command: if waits { command } else { NONE },
            });
        }
        if !waits {
            self.command_done(command);
        }
        self.trim_on();
    }

    fn trim_now(&mut self, first: u32, end: u32) {
        let keep = self.trim_keeps();
        self.log_trim(first, end);
        if first == 0 && end == self.mapping.logical_units() {
            self.mapping.unmap_all(keep);
            return;
        }
        for unit in first..end {
            self.mapping.unmap(unit, keep);
        }
    }

    /// Whether units that lie in the cache keep their place until they are folded.
    fn trim_keeps(&self) -> bool {
        !self.env.spec.trim.reaches_cache && self.limits.emptying == Some(Emptying::OnChip)
    }

    /// End of the next piece of a range.
    fn piece_end(&self, range: &Range) -> u32 {
        let work = self
            .env
            .spec
            .trim
            .work
            .as_ref()
            .expect("TRIM goes by pieces");
        range.end.min(range.next.saturating_add(work.piece_units))
    }

    /// Gives a core the next piece, if there is one.
    fn trim_on(&mut self) {
        let Some(range) = self.trimmer.ranges.front() else {
            return;
        };
        if self.trimmer.working || self.trimmer.between {
            return;
        }
        let units = self.mapping.noted_in(range.next, self.piece_end(range));
        let work = self
            .env
            .spec
            .trim
            .work
            .as_ref()
            .expect("TRIM goes by pieces");
        let core = match work.lazy {
            true => self.env.spec.controller.core_background,
            false => self.env.spec.controller.core_write,
        };
        let time = work.per_unit * u64::from(units);
        self.trimmer.working = true;
        self.controller
            .submit(&mut self.env.queue, core, Job::Trimmed, time);
    }

    /// A piece has been looked at.
    pub(in crate::sim) fn trim_piece_done(&mut self) {
        self.trimmer.working = false;
        let range = *self.trimmer.ranges.front().expect("a piece was worked on");
        let end = self.piece_end(&range);
        let keep = self.trim_keeps();
        self.mapping.unmap_noted(range.next, end, keep);
        if end == range.end {
            self.trimmer.ranges.pop_front();
            if range.command != NONE {
                self.command_done(range.command);
            }
        } else if let Some(front) = self.trimmer.ranges.front_mut() {
            front.next = end;
        }
        let work = self
            .env
            .spec
            .trim
            .work
            .as_ref()
            .expect("TRIM goes by pieces");
        if let Some(pause) = work.pause {
            self.trimmer.between = true;
            self.set_timer(pause, kind::TRIM_PIECE_PAUSE);
        }
        self.trim_on();
        self.pump_all();
        self.trim_emptied();
    }

    pub(in crate::sim) fn trim_piece_pause_ends(&mut self) {
        self.trimmer.between = false;
        self.trim_on();
    }

    /// Addresses were taken away: superblocks may be empty by it.
    fn trim_emptied(&mut self) {
        if self.env.spec.trim.erase_pause.is_some() {
            self.trimmer.look = true;
            self.trim_erases();
        }
    }

    /// Erases the next superblock of the main area in which nothing is valid.
    fn trim_erases(&mut self) {
        if !self.trimmer.look || self.trimmer.resting || self.trimmer.erasing != NONE {
            return;
        }
        let main = *self.env.layout.pool(Pool::Main);
        let range = main.first_superblock..main.first_superblock + main.superblocks;
        let empty = |&s: &u32| self.superblocks.is_closed(s) && self.mapping.valid_in(s) == 0;
        let Some(superblock) = range.into_iter().find(empty) else {
            self.trimmer.look = false;
            return;
        };
        self.superblocks.leave(superblock);
        self.free_slots[Pool::Main as usize] += self.slots(Pool::Main, 1);
        self.trimmer.erasing = superblock;
        self.env.counters.superblocks_trimmed += 1;
        self.let_go(superblock);
    }

    /// A superblock has been erased, for whatever reason.
    pub(in crate::sim) fn trim_erased(&mut self, superblock: u32) {
        if self.trimmer.erasing != superblock {
            return;
        }
        self.trimmer.erasing = NONE;
        self.trimmer.resting = true;
        let pause = self.env.spec.trim.erase_pause;
        self.set_timer(
            pause.expect("only such a drive erases so"),
            kind::TRIM_PAUSE,
        );
    }

    pub(in crate::sim) fn trim_pause_ends(&mut self) {
        self.trimmer.resting = false;
        self.trim_erases();
    }
}
