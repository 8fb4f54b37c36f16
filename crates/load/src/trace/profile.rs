//! Synthesised traces: profiles of phases from which requests are drawn.
//!
//! The sums of bytes read and written are exact to the sector (half a sector is rounded up).
//! Everything else (sizes, order, places, bursts, pauses) is the profile's structure, which is
//! assumed unless the profile names a source. The same profile and seed give the same requests on
//! any machine.

use std::path::Path;

use serde::Deserialize;
use stend_base::{Nanos, Op, Rng};
use stend_config::{FileError, SourceText};
use stend_language::{Text, recorded};

use super::replay::DEPTH_MAX;
use super::{Requests, SECTOR_BYTES, Timing, Trace, TraceRequest};

/// Schema of profiles.
pub const SCHEMA: &str = "stend.trace/1";

/// Random offsets are multiples of this, bytes.
const GRAIN_BYTES: u64 = 4096;

/// Longest pause in a profile, µs: a day.
const GAP_US_MAX: u64 = 86_400_000_000;

/// The shipped profiles, by name.
pub const SHIPPED: &[(&str, &str)] = stend_config::shipped!(
    "traces": "photoshop-light", "photoshop-heavy", "illustrator", "indesign", "after-effects",
    "word", "excel", "powerpoint", "world-of-warcraft", "battlefield-3", "game-start",
    "applications-start",
);

/// Certainty of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Published by the source.
    Published,
    /// Assumed by the author of the profile.
    Assumed,
}

impl Status {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Status::Published => "published",
            Status::Assumed => "assumed",
        }
    }
}

/// Sums of bytes read and written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Certainty of these figures.
    pub status: Status,
    /// Source of these figures.
    pub source: String,
}

/// Distribution of the requests of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// The user's action.
    pub title: String,
    /// Share of all bytes read, percent.
    pub read_percent: u64,
    /// Share of all bytes written, percent.
    pub written_percent: u64,
    /// Sizes of reads: bytes, and the weight by number of requests.
    #[serde(default)]
    pub read_sizes: Vec<(u64, u64)>,
    /// Sizes of writes.
    #[serde(default)]
    pub write_sizes: Vec<(u64, u64)>,
    /// Reads that begin where the read before ended, percent.
    #[serde(default)]
    pub read_sequential_percent: u64,
    /// Writes that begin where the write before ended, percent.
    #[serde(default)]
    pub write_sequential_percent: u64,
    /// First byte of the region, MiB.
    pub region_offset_mib: u64,
    /// Size of the region, MiB.
    pub region_mib: u64,
    /// Minimum and maximum of requests issued at one instant.
    pub burst: (u64, u64),
    /// Shortest and longest time from burst to burst, µs.
    pub gap_us: (u64, u64),
    /// A flush after this number of writes; 0 for none.
    #[serde(default)]
    pub flush_after_writes: u64,
    /// A pause after the phase, µs.
    #[serde(default)]
    pub pause_us: u64,
}

/// Replay mode of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "timing")]
pub enum ReplayMode {
    /// Requests are issued at the times of the trace.
    Original,
    /// Requests are issued as fast as possible, with `depth` outstanding.
    Fast {
        /// Requests outstanding.
        depth: u32,
    },
}

impl ReplayMode {
    /// The mode as options of a replay.
    pub fn timing(self) -> (Timing, Option<u32>) {
        match self {
            ReplayMode::Original => (Timing::Original, None),
            ReplayMode::Fast { depth } => (Timing::Fast, Some(depth)),
        }
    }
}

impl Profile {
    /// Returns the limit that accompanies the figures of a trace drawn from the profile with this
    /// seed.
    pub fn limit(&self, seed: u64) -> Text {
        recorded!(
            "limit-synthesised",
            seed = seed.to_string(),
            totals = Text::named("totals", self.totals.status.name()),
            structure = self.structure.clone()
        )
    }
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// [`SCHEMA`].
    schema: String,
    /// Its name.
    pub name: String,
    /// Short description.
    pub title: String,
    /// Source of the structure.
    pub structure: Text,
    /// Sums of bytes.
    pub totals: Totals,
    /// Replay mode.
    pub replay: ReplayMode,
    /// The phases, in order.
    pub phases: Vec<Phase>,
}

impl Profile {
    /// A shipped profile.
    ///
    /// # Panics
    /// Never: shipped profiles are tested.
    pub fn shipped(name: &str) -> Option<Profile> {
        let (name, text) = SHIPPED.iter().find(|(own, _)| *own == name)?;
        let path = format!("traces/{name}.toml");
        Some(Profile::parse(text, &path).expect("shipped profiles are tested"))
    }

    /// Reads a profile from a file.
    ///
    /// # Errors
    /// [`FileError`] with file, line, key, and the allowed values.
    pub fn read(path: &Path) -> Result<Profile, FileError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            FileError::of_file(&name, format!("the profile cannot be read: {error}"))
        })?;
        Profile::parse(&text, &name)
    }

    /// Reads a profile from a text; `path` is for messages.
    ///
    /// # Errors
    /// As [`Profile::read`].
    pub fn parse(text: &str, path: &str) -> Result<Profile, FileError> {
        let text = SourceText { file: path, text };
        let profile: Profile = text.read()?;
        match profile.check() {
            Ok(()) => Ok(profile),
            Err((path, problem)) => text.fail_path(&path, problem),
        }
    }

    /// The same work with a `by`-th of the bytes, of the space and of the pauses: as many requests
    /// at a time, and as many a second, as in the whole profile.
    pub fn scaled(&self, by: u32) -> Profile {
        let by = u64::from(by.max(1));
        let mut profile = self.clone();
        profile.totals.read_bytes /= by;
        profile.totals.written_bytes /= by;
        for phase in &mut profile.phases {
            phase.region_offset_mib /= by;
            phase.region_mib = (phase.region_mib / by).max(1);
            phase.pause_us /= by;
        }
        profile
    }

    /// Checks the profile. An error is the path of the faulty key and what is allowed.
    fn check(&self) -> Result<(), (String, String)> {
        let wrong = |key: &str, problem: String| Err((key.to_owned(), problem));
        if self.schema != SCHEMA {
            let problem = format!("`{}`; this stend reads `{SCHEMA}`", self.schema);
            return wrong("schema", problem);
        }
        if let ReplayMode::Fast { depth } = self.replay
            && !(1..=DEPTH_MAX).contains(&depth)
        {
            return wrong("replay.depth", format!("{depth}; from 1 to {DEPTH_MAX}"));
        }
        for (key, bytes) in [
            ("totals.read_bytes", self.totals.read_bytes),
            ("totals.written_bytes", self.totals.written_bytes),
        ] {
            if bytes > 1 << 50 {
                return wrong(key, format!("{bytes}; at most 2^50"));
            }
        }
        for (index, phase) in self.phases.iter().enumerate() {
            phase
                .check()
                .map_err(|(key, problem)| (format!("phases[{index}].{key}"), problem))?;
        }
        let sum = |part: fn(&Phase) -> u64| self.phases.iter().map(part).sum::<u64>();
        for (key, percent) in [
            ("read_percent", sum(|phase| phase.read_percent)),
            ("written_percent", sum(|phase| phase.written_percent)),
        ] {
            if percent != 100 {
                let problem = format!("the {key} of all add up to {percent}, not to 100");
                return wrong("phases", problem);
            }
        }
        Ok(())
    }

    /// The trace for a seed.
    pub fn with_seed(self, seed: u64) -> Synthetic {
        Synthetic {
            profile: self,
            seed,
        }
    }

    /// Sectors read or written by a phase.
    fn sectors(&self, phase: usize, op: Op) -> u64 {
        let percent = |phase: &Phase| match op {
            Op::Read => phase.read_percent,
            _ => phase.written_percent,
        };
        let bytes = match op {
            Op::Read => self.totals.read_bytes,
            _ => self.totals.written_bytes,
        };
        let total = (bytes + SECTOR_BYTES / 2) / SECTOR_BYTES;
        let before: u64 = self.phases[..phase].iter().map(percent).sum();
        let until = before + percent(&self.phases[phase]);
        total * until / 100 - total * before / 100
    }
}

impl Phase {
    /// Checks the phase. An error is the faulty key and what is allowed.
    fn check(&self) -> Result<(), (&'static str, String)> {
        let depth = u64::from(DEPTH_MAX);
        for (key, (low, high), min, max) in [
            ("burst", self.burst, 1, depth),
            ("gap_us", self.gap_us, 0, GAP_US_MAX),
        ] {
            if low > high || low < min || high > max {
                let problem = format!("[{low}, {high}]; two ascending numbers from {min} to {max}");
                return Err((key, problem));
            }
        }
        for (key, value, min, max) in [
            ("pause_us", self.pause_us, 0, GAP_US_MAX),
            ("region_mib", self.region_mib, 1, 1 << 30),
            ("region_offset_mib", self.region_offset_mib, 0, 1 << 30),
            ("read_percent", self.read_percent, 0, 100),
            ("written_percent", self.written_percent, 0, 100),
            (
                "read_sequential_percent",
                self.read_sequential_percent,
                0,
                100,
            ),
            (
                "write_sequential_percent",
                self.write_sequential_percent,
                0,
                100,
            ),
        ] {
            if !(min..=max).contains(&value) {
                return Err((key, format!("{value}; from {min} to {max}")));
            }
        }
        for (key, sizes, percent) in [
            ("read_sizes", &self.read_sizes, self.read_percent),
            ("write_sizes", &self.write_sizes, self.written_percent),
        ] {
            if percent > 0 && sizes.is_empty() {
                return Err((key, format!("none, for {percent} % of the bytes")));
            }
            for &(bytes, weight) in sizes {
                let whole = bytes > 0 && bytes.is_multiple_of(SECTOR_BYTES);
                if !whole || bytes > self.region_mib << 20 {
                    let problem =
                        format!("{bytes} bytes; a multiple of {SECTOR_BYTES}, at most the region");
                    return Err((key, problem));
                }
                if !(1..=1_000_000).contains(&weight) {
                    return Err((key, format!("weight {weight}; from 1 to 1000000")));
                }
            }
        }
        Ok(())
    }
}

/// A profile with a seed.
#[derive(Clone, Debug)]
pub struct Synthetic {
    profile: Profile,
    seed: u64,
}

impl Synthetic {
    /// Profile of the trace.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }
}

impl Trace for Synthetic {
    fn name(&self) -> String {
        self.profile.name.clone()
    }

    fn requests(&self) -> Result<Requests<'_>, FileError> {
        Ok(Box::new(Generator {
            profile: &self.profile,
            seed: self.seed,
            next_phase: 0,
            phase: None,
            now_us: 0,
            line: 0,
        }))
    }
}

/// Draws requests.
struct Generator<'a> {
    profile: &'a Profile,
    seed: u64,
    next_phase: usize,
    phase: Option<PhaseState<'a>>,
    now_us: u64,
    line: u64,
}

/// One direction of a phase.
struct Direction<'a> {
    op: Op,
    sectors_left: u64,
    sizes: &'a [(u64, u64)],
    weights: u64,
    /// Mean size, sectors, at least 1.
    mean: u64,
    sequential_percent: u64,
    /// Offset of the next sequential request, bytes.
    next_bytes: u64,
}

/// State of the phase that is being drawn.
struct PhaseState<'a> {
    phase: &'a Phase,
    rng: Rng,
    directions: [Direction<'a>; 2],
    burst_left: u64,
    writes: u64,
    flush_is_due: bool,
}

impl<'a> Direction<'a> {
    fn new(profile: &'a Profile, index: usize, op: Op) -> Direction<'a> {
        let phase = &profile.phases[index];
        let (sizes, sequential_percent) = match op {
            Op::Read => (&phase.read_sizes, phase.read_sequential_percent),
            _ => (&phase.write_sizes, phase.write_sequential_percent),
        };
        let weights: u64 = sizes.iter().map(|size| size.1).sum();
        let bytes: u64 = sizes
            .iter()
            .map(|size| size.0 / SECTOR_BYTES * size.1)
            .sum();
        Direction {
            op,
            sectors_left: profile.sectors(index, op),
            sizes,
            weights,
            mean: (bytes / weights.max(1)).max(1),
            sequential_percent,
            next_bytes: phase.region_offset_mib << 20,
        }
    }

    fn draw(&mut self, rng: &mut Rng, phase: &Phase) -> (u64, u64) {
        let mut at = rng.below(self.weights);
        let size = self.sizes.iter().find(|size| {
            let here = at < size.1;
            at = at.wrapping_sub(size.1);
            here
        });
        let bytes = size.expect("the weights add up").0;
        let len = bytes.min(self.sectors_left * SECTOR_BYTES);
        let begin = phase.region_offset_mib << 20;
        let end = begin + (phase.region_mib << 20);
        let sequential = rng.ratio(self.sequential_percent, 100) && self.next_bytes + len <= end;
        let offset = if sequential {
            self.next_bytes
        } else {
            begin + rng.below((end - begin - len) / GRAIN_BYTES + 1) * GRAIN_BYTES
        };
        self.sectors_left -= len / SECTOR_BYTES;
        self.next_bytes = offset + len;
        (offset, len)
    }
}

impl<'a> PhaseState<'a> {
    fn new(profile: &'a Profile, index: usize, seed: u64) -> PhaseState<'a> {
        let name = format!("trace/{}/{index}", profile.name);
        PhaseState {
            phase: &profile.phases[index],
            rng: Rng::stream(seed, &name),
            directions: [
                Direction::new(profile, index, Op::Read),
                Direction::new(profile, index, Op::Write),
            ],
            burst_left: 0,
            writes: 0,
            flush_is_due: false,
        }
    }

    /// The next request, by its operation, offset and length; `None` at the phase's end.
    fn draw(&mut self) -> Option<(Op, u64, u64)> {
        if std::mem::take(&mut self.flush_is_due) {
            return Some((Op::Flush, 0, 0));
        }
        let [reads, writes] = &mut self.directions;
        // In proportion to the requests left of each, so that both end together.
        let left = (
            reads.sectors_left * writes.mean,
            writes.sectors_left * reads.mean,
        );
        if left == (0, 0) {
            return None;
        }
        let direction = match self.rng.ratio(left.0, left.0 + left.1) {
            true => reads,
            false => writes,
        };
        let (offset, len) = direction.draw(&mut self.rng, self.phase);
        if direction.op == Op::Write && self.phase.flush_after_writes > 0 {
            self.writes += 1;
            self.flush_is_due = self.writes.is_multiple_of(self.phase.flush_after_writes);
        }
        Some((direction.op, offset, len))
    }

    fn between(&mut self, (low, high): (u64, u64)) -> u64 {
        low + self.rng.below(high - low + 1)
    }
}

impl Iterator for Generator<'_> {
    type Item = Result<TraceRequest, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(phase) = &mut self.phase else {
                if self.next_phase == self.profile.phases.len() {
                    return None;
                }
                self.phase = Some(PhaseState::new(self.profile, self.next_phase, self.seed));
                self.next_phase += 1;
                continue;
            };
            if phase.burst_left == 0 {
                phase.burst_left = phase.between(phase.phase.burst);
                // The first burst of the trace is issued at once.
                if self.line > 0 {
                    self.now_us += phase.between(phase.phase.gap_us);
                }
            }
            let Some((op, offset_bytes, len_bytes)) = phase.draw() else {
                self.now_us += phase.phase.pause_us;
                self.phase = None;
                continue;
            };
            if op != Op::Flush {
                phase.burst_left -= 1;
            }
            self.line += 1;
            return Some(Ok(TraceRequest {
                at: Nanos(self.now_us * 1000),
                op,
                offset_bytes,
                len_bytes,
                fua: false,
                line: self.line,
            }));
        }
    }
}
