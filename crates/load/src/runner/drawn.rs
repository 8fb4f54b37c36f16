//! Random choices of a job: directions, offsets and lengths of its requests.

use stend_base::{Device, Rng};

use super::plan::Plan;
use super::request::SYNC;
use super::special::Special;
use crate::jobfile::{BlockSizes, Direction, Distribution, Generator, Mix};
use crate::pattern::zoned::Zoned;
use crate::pattern::{Ahead, Lengths, RandomBlocks, RandomMap};

/// Offsets of the random requests of one direction.
#[derive(Debug)]
struct Blocks {
    source: Ahead,
    unit_bytes: u64,
    /// Blocks touched in a pass, if requests have several lengths.
    map: Option<RandomMap>,
}

/// The sources of a job's requests.
#[derive(Debug)]
pub(super) struct Drawn {
    mix: Mix,
    read_percent: u64,
    mix_rng: Rng,
    random: bool,
    region_start: u64,
    region_bytes: u64,
    wraps: bool,
    lengths: [Lengths; 3],
    special: Option<Box<Special>>,
    /// Offset of the next sequential request of each direction.
    positions: [u64; 3],
    /// Sources of blocks; both directions of a mixed job share the first if their blocks are alike,
    /// as fio's directions share one map.
    blocks: Vec<Blocks>,
    blocks_of: [usize; 3],
    /// True if the end of a pass over the blocks does not end the job: it wraps, or sizes differ,
    /// so that bytes and not blocks determine the end.
    repeats: [bool; 3],
}

impl Drawn {
    pub fn new(plan: &Plan<'_>, stream: impl Fn(&str) -> Rng) -> Drawn {
        let spec = plan.spec;
        let sizes = |d: Direction| &spec.block_sizes[d as usize];
        let lengths = Direction::ALL.map(|d| {
            let rng = stream(&format!("length/{}", d.name()));
            Lengths::new(sizes(d).clone(), rng)
        });
        let (blocks, blocks_of) = blocks(plan, &stream);
        // Zones repeat the blocks of the first one.
        let wraps = plan.wraps || spec.zones.is_strided;
        let repeats = Direction::ALL
            .map(|d| wraps || blocks.len() > 1 || !matches!(sizes(d), BlockSizes::Fixed(_)));
        Drawn {
            mix: spec.rw.mix,
            read_percent: u64::from(spec.read_percent),
            mix_rng: stream("mix"),
            random: spec.rw.random,
            region_start: plan.region_start,
            region_bytes: plan.region_bytes,
            wraps,
            lengths,
            special: Special::new(plan, &stream).map(Box::new),
            positions: [0; 3],
            blocks,
            blocks_of,
            repeats,
        }
    }

    /// The direction of the next request, unless one was drawn before and is still pending.
    #[inline(always)]
    pub fn direction(&mut self, pending: &mut Option<Direction>) -> Direction {
        match self.mix {
            Mix::Only(direction) => direction,
            Mix::TrimWrite => match self.special.as_ref().and_then(|special| special.trimmed) {
                Some(_) => Direction::Write,
                None => Direction::Trim,
            },
            Mix::ReadWrite => match pending.take() {
                Some(pending) => pending,
                None if self.mix_rng.below(100) < self.read_percent => Direction::Read,
                None => Direction::Write,
            },
        }
    }

    /// The other direction of a mixed job, if it is ever drawn.
    pub fn other(&self, direction: Direction) -> Option<Direction> {
        let (other, percent) = match (self.mix, direction) {
            (Mix::Only(_) | Mix::TrimWrite, _) => return None,
            (Mix::ReadWrite, Direction::Read) => (Direction::Write, 100 - self.read_percent),
            (Mix::ReadWrite, _) => (Direction::Read, self.read_percent),
        };
        (percent > 0).then_some(other)
    }

    /// Offset and length of the next request; `None` at the end of the region, if that ends the
    /// job.
    #[inline(always)]
    pub fn place(&mut self, direction: Direction) -> Option<(u64, u64)> {
        match self.special {
            None => self.place_plain(direction),
            Some(_) => self.place_special(direction),
        }
    }

    #[inline(never)]
    fn place_special(&mut self, direction: Direction) -> Option<(u64, u64)> {
        let index = direction as usize;
        let special = self.special.as_mut()?;
        if direction == Direction::Write
            && let Some(place) = special.trimmed.take()
        {
            return Some(place);
        }
        if let Some(zone) = &mut special.zone
            && zone.advance(self.region_bytes)
        {
            self.positions[index] = 0;
        }
        let place = if !self.random {
            let from = special.skipped(self.positions[index], self.region_bytes)?;
            self.positions[index] = from;
            self.place_plain(direction)?
        } else if special.follows(direction)
            && let Some(len) =
                self.lengths[index].next_bytes(self.region_bytes - self.positions[index])
        {
            (self.region_start + self.positions[index], len)
        } else {
            self.place_plain(direction)?
        };
        self.positions[index] = place.0 - self.region_start + place.1;
        let zone = self.special.as_mut().and_then(|s| s.zone.as_mut());
        if let Some(zone) = zone {
            return zone.place(place, self.region_start + self.region_bytes);
        }
        if self.mix == Mix::TrimWrite
            && let Some(special) = &mut self.special
        {
            special.trimmed = Some(place);
        }
        Some(place)
    }

    #[inline(always)]
    fn place_plain(&mut self, direction: Direction) -> Option<(u64, u64)> {
        let index = direction as usize;
        if self.random {
            let blocks = &mut self.blocks[self.blocks_of[index]];
            if blocks.map.is_some() {
                return self.place_by_map(index);
            }
            let block = match blocks.source.next_index() {
                Some(block) => block,
                None if self.repeats[index] => blocks.source.next_index()?,
                None => return None,
            };
            let offset = block * blocks.unit_bytes;
            let len = self.lengths[index].next_bytes(self.region_bytes - offset)?;
            return Some((self.region_start + offset, len));
        }
        let position = &mut self.positions[index];
        let len = match self.lengths[index].next_bytes(self.region_bytes - *position) {
            Some(len) => len,
            None if self.wraps => {
                *position = 0;
                self.lengths[index].next_bytes(self.region_bytes)?
            }
            None => return None,
        };
        let offset = self.region_start + *position;
        *position += len;
        Some((offset, len))
    }

    /// Same as [`Drawn::place`], at a block that the pass has not touched, and up to the next one
    /// that it has.
    fn place_by_map(&mut self, index: usize) -> Option<(u64, u64)> {
        let blocks = &mut self.blocks[self.blocks_of[index]];
        let map = blocks.map.as_mut()?;
        let block = loop {
            // As in fio, the next untouched block instead of a touched one.
            match map.next_untouched(blocks.source.next_index()?) {
                Some(block) => break block,
                None if self.wraps => map.clear(),
                None => return None,
            }
        };
        let offset = block * blocks.unit_bytes;
        let wanted = self.lengths[index].next_bytes(self.region_bytes - offset)?;
        let touched = map.touch(block, wanted.div_ceil(blocks.unit_bytes));
        let len = wanted.min(touched * blocks.unit_bytes);
        Some((self.region_start + offset, len))
    }

    /// Announces to a device the requests after the one of `kind` that is to be submitted, if
    /// offsets were drawn ahead with its own.
    #[inline]
    pub fn tell_ahead(&mut self, kind: u8, device: &impl Device) {
        if !self.random || kind >= SYNC || self.special.is_some() {
            return;
        }
        let blocks = &mut self.blocks[self.blocks_of[usize::from(kind)]];
        let Some([near, far]) = blocks.source.take_fresh() else {
            return;
        };
        let offset = |block: u64| self.region_start + block * blocks.unit_bytes;
        far.for_each(|block| device.expect(offset(block)));
        if kind == Direction::Write as u8 {
            near.for_each(|block| device.expect_write(offset(block)));
        }
    }
}

fn blocks(plan: &Plan<'_>, stream: impl Fn(&str) -> Rng) -> (Vec<Blocks>, [usize; 3]) {
    let spec = plan.spec;
    let mut of = [0; 3];
    if !spec.rw.random {
        return (Vec::new(), of);
    }
    let map = !spec.norandommap && spec.block_align_bytes.is_none();
    let shape = |d: Direction| {
        let min = spec.block_sizes[d as usize].min();
        (
            min,
            spec.block_align_bytes
                .map_or(min, |align| align[d as usize]),
            &spec.access_zones[d as usize],
        )
    };
    let mut made: Vec<Blocks> = Vec::new();
    let mut shapes = Vec::new();
    let is_mapped = |d: Direction| {
        let several = !matches!(spec.block_sizes[d as usize], BlockSizes::Fixed(_));
        let by_map = (spec.generator, spec.distribution);
        several && map && by_map == (Generator::Random, Distribution::Uniform)
    };
    let used = || Direction::ALL.into_iter().filter(|d| spec.rw.uses(*d));
    for direction in used() {
        let own = shape(direction);
        if let Some(same) = shapes.iter().position(|shape| *shape == own) {
            of[direction as usize] = same;
            continue;
        }
        of[direction as usize] = made.len();
        shapes.push(own);
        let (min, unit_bytes, zones) = own;
        // As in fio's `last_block`: the last block with room for the smallest length.
        let region_bytes = match spec.zones.zone_bytes() {
            Some(zone) => zone.min(plan.region_bytes),
            None => plan.region_bytes,
        };
        let len = (region_bytes - min.saturating_sub(unit_bytes)) / unit_bytes;
        // Directions that share the blocks share the map.
        let mut alike = used().filter(|d| shape(*d) == own);
        let mapped = alike.any(is_mapped).then(|| RandomMap::new(len));
        let orders = map && mapped.is_none();
        let rng = stream(&format!("offset/{}", direction.name()));
        let source = match spec.distribution {
            Distribution::Zoned if !zones.is_empty() => {
                RandomBlocks::Zoned(Zoned::new(len, unit_bytes, zones, rng))
            }
            distribution => RandomBlocks::new(len, orders, spec.generator, distribution, rng),
        };
        made.push(Blocks {
            source: Ahead::new(source),
            unit_bytes,
            map: mapped,
        });
    }
    (made, of)
}
