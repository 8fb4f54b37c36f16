//! A drive that is written until it refuses: a part of the schema `stend.review/1`.

use serde::{Deserialize, Serialize};

use crate::load::SeriesPoint;

/// What was written, how fast, and the drive's health during it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Endurance {
    /// The writes.
    pub load: SeriesPoint,
    /// Bytes of a whole round; the last may be shorter.
    pub round_bytes: u64,
    /// The most that was allowed to be written, bytes; missing where only the drive could end
    /// the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_bytes: Option<u64>,
    /// What the drive is rated to be written in its life, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_bytes: Option<u64>,
    /// Years of its warranty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warranty_years: Option<u32>,
    /// Why it ended.
    pub end: EnduranceEnd,
    /// What the refused write was answered with, in the operating system's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Bytes written in `rounds`.
    pub written_bytes: u64,
    /// Bytes that interrupted rounds may have written in addition, at most; their results are
    /// missing. They count against the budget.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub broken_off_bytes: u64,
    /// Why nothing is known of the drive's health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_health: Option<String>,
    /// The drive's health before the first write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Health>,
    /// The rounds in their order.
    pub rounds: Vec<EnduranceRound>,
    /// What could be done with the drive afterwards; missing of a test under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afterwards: Option<Afterwards>,
}

/// Why a test of endurance ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnduranceEnd {
    /// The drive refused a write.
    Refused,
    /// What was allowed is written, and the drive takes writes as before.
    Budget,
    /// It goes on: the review was interrupted.
    #[default]
    Unfinished,
}

/// One round of writing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnduranceRound {
    /// Bytes that the drive took.
    pub written_bytes: u64,
    /// So many rounds that were taken to be like the one before, and were not simulated: all
    /// figures but bytes and health are of that one. Missing of a round that was measured.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
    /// Bytes a second.
    pub bw_bytes_per_s: f64,
    /// 99.9 % of the requests took no longer, ns; missing of reviews that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p99_9_ns: Option<u64>,
    /// The slowest request, ns.
    pub latency_max_ns: u64,
    /// Bytes placed in flash for each that the host wrote, in this round; missing where the
    /// drive does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// The drive's health after the round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
}

impl Endurance {
    /// All rounds, those that were not simulated among them.
    pub fn rounds_done(&self) -> u64 {
        self.rounds.iter().map(EnduranceRound::count).sum()
    }

    /// Of these, those that were taken to be like the one before.
    pub fn rounds_repeated(&self) -> u64 {
        self.rounds.iter().map(|round| round.repeats).sum()
    }
}

impl EnduranceRound {
    /// The rounds that it stands for.
    pub fn count(&self) -> u64 {
        self.repeats.max(1)
    }
}

/// A drive's health at one instant, as far as the drive reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Bytes that hosts have written in its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_written_bytes: Option<u64>,
    /// Bytes that were placed in flash in its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nand_written_bytes: Option<u64>,
    /// Share of its rated life that is used; above 100 beyond it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<u64>,
    /// Share of its spare blocks that is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare_percent: Option<u64>,
    /// Below it the drive warns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare_threshold_percent: Option<u64>,
    /// Whole hours with power in its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_on_hours: Option<u64>,
    /// Erase cycles of its blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erase_cycles: Option<EraseCycles>,
    /// Blocks, or superblocks where the drive knows no smaller part, that it has taken out of
    /// use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_blocks: Option<u64>,
    /// Programs that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_fails: Option<u64>,
    /// Erases that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erase_fails: Option<u64>,
    /// Read retries: further passes over pages that ECC did not correct at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_retries: Option<u64>,
    /// Pages that no pass corrected and that were rebuilt from parity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilt_pages: Option<u64>,
    /// Times that data could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
    /// °C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<i64>,
    /// Whether it says that it takes no more writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
}

/// Erase cycles of a drive's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EraseCycles {
    /// The fewest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// The mean.
    pub mean: f64,
    /// The most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// What could be done with a drive after the last round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Afterwards {
    /// Whether one more write was refused; missing where none was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_refused: Option<bool>,
    /// Bytes that could be read, of `asked_bytes`. What they hold is not compared.
    pub read_bytes: u64,
    /// Requested bytes: the whole capacity once, ascending, in requests of 128 KiB.
    pub asked_bytes: u64,
    /// Reads that failed.
    pub failed_reads: u64,
    /// Speed of the reads, bytes a second.
    pub bw_bytes_per_s: f64,
    /// The drive's health after the reads; against the last round's it tells what reading took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}
