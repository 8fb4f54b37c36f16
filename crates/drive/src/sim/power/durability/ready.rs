//! Which changes of the log are ready: those whose data no cut can take any more.

use super::NONE;
use crate::sim::SimDrive;
use crate::sim::power::changes::{Entry, Spans};
use crate::spec::PairedPages;

impl SimDrive {
    /// Follows up each event: what has become ready, who waits for it, what can go on.
    #[inline(always)]
    pub(in crate::sim) fn keep_durable(&mut self) {
        if !self.is_quiet() {
            self.follow_up();
        }
    }

    #[inline(never)]
    fn follow_up(&mut self) {
        loop {
            self.find_ready();
            let durability = self.durability.as_mut().expect("the caller looked");
            let satisfied = durability.wanted <= durability.applied;
            if durability.urged && satisfied && !durability.log.is_empty() {
                durability.want_all();
            }
            // Of changes that are joined, all must be ready.
            if durability.wanted > durability.applied + durability.whole as u64 {
                self.press();
            }
            self.pump_journal();
            // Whoever goes on may urge the log in turn.
            let durability = self.durability.as_mut().expect("there is a log");
            let writes = std::mem::take(&mut durability.retry_writes);
            durability.refused &= !writes;
            let all = std::mem::take(&mut durability.retry_all);
            if all {
                self.pump_all();
            } else if writes {
                self.pump_writes();
            } else {
                self.find_far_blocker();
                return;
            }
        }
    }

    /// Whether nothing of what [`SimDrive::keep_durable`] looks for has come about, as after
    /// most events: nobody waits for anything, and what is ready is too little for the journal.
    #[inline(always)]
    fn is_quiet(&mut self) -> bool {
        let moves = self.writer.moves;
        let durability = self.durability.as_mut().expect("there is a log");
        let nobody_waits = durability.wanted <= durability.applied
            && !(durability.urged || durability.retry_writes || durability.retry_all);
        if !nobody_waits || durability.journal.writes() {
            return nobody_waits;
        }
        if durability.named < u64::from(durability.spec.journal_interval_units) {
            return true;
        }
        let (blocker, moved) = (durability.far_blocker, moves != durability.blocked_at);
        durability.blocked_at = moves;
        blocker != NONE && (!moved || self.still_blocks(blocker))
    }

    /// Finds a slot that keeps the ready changes from being enough for the journal, where one
    /// does: the last of them, since it will do so longest.
    fn find_far_blocker(&mut self) {
        let durability = self.durability.as_ref().expect("there is a log");
        let interval = u64::from(durability.spec.journal_interval_units);
        if durability.named < interval
            || durability.whole_units >= interval
            || self.still_blocks(durability.far_blocker)
        {
            return;
        }
        let known = durability.far_change.checked_sub(durability.applied);
        let last = match durability.far_change {
            u64::MAX => self.last_for_journal(interval),
            _ => known.expect("it is in the log") as usize,
        };
        let mut safe = durability.safe;
        // Of changes that are joined, more may be ready than become durable.
        let mut found = (durability.blocker, u64::MAX);
        let first = durability.ready.min(last + 1);
        for (nth, &entry) in durability.log.range(first..=last).enumerate().rev() {
            if let Some(blocker) = self.blocker_of(entry, &mut safe) {
                found = (blocker, durability.applied + (first + nth) as u64);
                break;
            }
        }
        let durability = self.durability.as_mut().expect("there is a log");
        durability.safe = safe;
        (durability.far_blocker, durability.far_change) = found;
    }

    /// The place in the log of the last change that the journal takes when it takes so many
    /// units, which the log has.
    fn last_for_journal(&self, interval: u64) -> usize {
        let durability = self.durability.as_ref().expect("there is a log");
        let (mut place, mut units) = (durability.ready, durability.ready_units);
        for entry in durability.log.range(durability.ready..) {
            units += entry.named();
            if units >= interval {
                break;
            }
            place += 1;
        }
        place.min(durability.log.len() - 1)
    }

    /// Whether a slot that kept another from being safe still does.
    #[inline(always)]
    fn still_blocks(&self, blocker: u32) -> bool {
        blocker != NONE
            && (self.writer.in_buffer(blocker) || self.writer.will_begin(&self.env.layout, blocker))
    }

    /// Counts what is ready. Nothing that happens to the log makes it fewer, and it does not
    /// matter when it is counted, but before it is used.
    pub(in crate::sim) fn find_ready(&mut self) {
        let durability = self.durability.as_ref().expect("there is a log");
        if self.still_blocks(durability.blocker) {
            return;
        }
        let mut safe = durability.safe;
        let (mut ready, mut ready_units) = (durability.ready, durability.ready_units);
        let (mut whole, mut whole_units) = (durability.whole, durability.whole_units);
        let mut blocker = None;
        for &entry in durability.log.range(ready..) {
            blocker = self.blocker_of(entry, &mut safe);
            if blocker.is_some() {
                break;
            }
            ready += 1;
            ready_units += entry.named();
            if entry.ends {
                (whole, whole_units) = (ready, ready_units);
            }
        }
        let durability = self.durability.as_mut().expect("there is a log");
        durability.blocker = blocker.unwrap_or(NONE);
        durability.safe = safe;
        (durability.ready, durability.ready_units) = (ready, ready_units);
        (durability.whole, durability.whole_units) = (whole, whole_units);
    }

    /// A slot that keeps a change from being ready. `safe` are known to be safe.
    #[inline]
    fn blocker_of(&self, entry: Entry, safe: &mut Spans) -> Option<u32> {
        let (to, units) = entry.places()?;
        let bits = self.env.layout.unit_bits;
        let (mut next, end) = (to >> bits, ((to + units - 1) >> bits) + 1);
        while next < end {
            let slot = next;
            next += 1;
            if safe.has(slot) {
                continue;
            }
            let (first, end) = self.safe_from(slot);
            if first < end {
                safe.add(first, end);
                continue;
            }
            let blocker = self.blocker(slot);
            if blocker.is_some() {
                return blocker;
            }
            safe.add(slot, slot + 1);
        }
        None
    }

    /// Slots that are safe, from one on; none where it is not, or cannot be told that soon.
    #[inline(never)]
    fn safe_from(&self, slot: u32) -> (u32, u32) {
        const NONE_SAFE: (u32, u32) = (0, 0);
        if self.writer.in_buffer(slot) {
            return NONE_SAFE;
        }
        let durability = self.durability.as_ref().expect("there is a log");
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let shape = self.env.layout.shape(self.superblocks.mode(superblock));
        let first = slot - within;
        let pads = durability.spec.paired_pages == PairedPages::Pad;
        let paired = pads && self.superblocks.is_open(superblock);
        let from = match paired {
            true => first + shape.first_of_word_lines(within),
            false => slot,
        };
        let end = first + self.writer.begun_so_far(superblock).min(shape.slots);
        let end = self.writer.first_unprogrammed(from..end).unwrap_or(end);
        match paired {
            true if end <= slot => NONE_SAFE,
            true => (slot, first + shape.whole_word_lines(end - first)),
            false => (slot, end),
        }
    }

    /// The first slot that must be programmed before a change is ready.
    fn awaited_slot(&self, entry: Entry) -> Option<u32> {
        let (to, units) = entry.places()?;
        let bits = self.env.layout.unit_bits;
        let slots = to >> bits..=(to + units - 1) >> bits;
        slots.into_iter().find(|&slot| !self.is_safe(slot))
    }

    /// The slots that share a word line with a slot, itself among them.
    pub(in crate::sim) fn word_line(&self, slot: u32) -> impl Iterator<Item = u32> + use<> {
        let superblock = self.env.layout.superblock_of_slot(slot);
        self.env
            .layout
            .word_line(slot, self.superblocks.mode(superblock))
    }

    /// Whether no cut can take a slot any more.
    pub(in crate::sim) fn is_safe(&self, slot: u32) -> bool {
        self.blocker(slot).is_none()
    }

    /// The slot, itself or another of its word line, that keeps a slot from being safe.
    fn blocker(&self, slot: u32) -> Option<u32> {
        if self.writer.in_buffer(slot) {
            return Some(slot);
        }
        let durability = self.durability.as_ref().expect("there is a log");
        if durability.spec.paired_pages != PairedPages::Pad {
            return None;
        }
        let (superblock, within) = self.env.layout.within_superblock(slot);
        if !self.superblocks.is_open(superblock) {
            return None;
        }
        let (first, begun) = (slot - within, self.writer.begun_so_far(superblock));
        let shape = self.env.layout.shape(self.superblocks.mode(superblock));
        let mut line = shape.word_line(within);
        let awaited = line.find(|&w| w >= begun || self.writer.in_buffer(first + w));
        awaited.map(|w| first + w)
    }

    /// Fills up what the first change that is not ready waits for.
    fn press(&mut self) {
        let durability = self.durability.as_ref().expect("there is a log");
        let Some(&entry) = durability.log.get(durability.ready) else {
            return;
        };
        let Some(slot) = self.awaited_slot(entry) else {
            return;
        };
        let upto = match durability.spec.paired_pages {
            PairedPages::Pad => self.word_line(slot).last(),
            PairedPages::OneShot | PairedPages::Unprotected => None,
        };
        self.fill_to(upto.unwrap_or(slot));
    }
}
