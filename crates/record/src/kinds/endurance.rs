//! A drive that is written until it refuses: a part of the schema `stend.review/2`.

use serde::{Deserialize, Serialize};

use crate::load::SeriesPoint;

/// The amount written, the speed, and the drive's health meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Endurance {
    /// The writes.
    pub load: SeriesPoint,
    /// Bytes of a whole round; the last may be shorter.
    pub round_bytes: u64,
    /// The most that was allowed to be written, bytes; missing if only the drive could end the
    /// test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_bytes: Option<u64>,
    /// Rated amount written in the drive's life, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_bytes: Option<u64>,
    /// Years of its warranty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warranty_years: Option<u32>,
    /// Cause of the end.
    pub end: EnduranceEnd,
    /// Error of the refused write, in the operating system's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Bytes written in `rounds`.
    pub written_bytes: u64,
    /// Maximum of bytes that interrupted rounds may have written in addition; their results are
    /// missing. They count against the budget.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub broken_off_bytes: u64,
    /// Reason why the drive's health is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_health: Option<String>,
    /// The drive's health before the first write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Health>,
    /// The rounds in their order.
    pub rounds: Vec<EnduranceRound>,
    /// State of the drive afterwards; missing for a test under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afterwards: Option<Afterwards>,
}

/// Cause of the end of a test of endurance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnduranceEnd {
    /// The drive refused a write.
    Refused,
    /// The allowed amount is written, and the drive still accepts writes.
    Budget,
    /// The test is not finished: the review was interrupted.
    #[default]
    Unfinished,
}

/// One round of writing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnduranceRound {
    /// Bytes that the drive accepted.
    pub written_bytes: u64,
    /// Number of rounds that this entry stands for, which were treated as repetitions of the one
    /// before and not simulated: all figures except bytes and health are of that one. Missing for a
    /// measured round.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
    /// Bytes a second.
    pub bw_bytes_per_s: f64,
    /// 99.9th percentile of the latencies, ns; missing in reviews without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p99_9_ns: Option<u64>,
    /// The slowest request, ns.
    pub latency_max_ns: u64,
    /// Bytes placed in flash for each byte that the host wrote, in this round; missing if the drive
    /// does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// The drive's health after the round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
}

impl Endurance {
    /// Number of all rounds, with those that were not simulated.
    pub fn rounds_done(&self) -> u64 {
        self.rounds.iter().map(EnduranceRound::count).sum()
    }

    /// Number of rounds that were treated as repetitions of the one before.
    pub fn rounds_repeated(&self) -> u64 {
        self.rounds.iter().map(|round| round.repeats).sum()
    }
}

impl EnduranceRound {
    /// Number of rounds that the entry stands for.
    pub fn count(&self) -> u64 {
        self.repeats.max(1)
    }
}

/// A drive's health at one instant, as far as the drive reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Bytes written by hosts in its life.
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
    /// Spare percentage below which the drive warns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare_threshold_percent: Option<u64>,
    /// Whole hours with power in its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_on_hours: Option<u64>,
    /// Erase cycles of its blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erase_cycles: Option<EraseCycles>,
    /// Blocks that it has retired, or superblocks if the drive reports no smaller unit.
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
    /// True if it reports that it accepts no more writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
}

/// Erase cycles of a drive's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EraseCycles {
    /// Minimum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// Mean.
    pub mean: f64,
    /// Maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// State of a drive after the last round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Afterwards {
    /// True if one more write was refused; missing if none was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_refused: Option<bool>,
    /// Bytes that could be read, of `asked_bytes`. Their content is not compared.
    pub read_bytes: u64,
    /// Requested bytes: the whole capacity once, ascending, in requests of 128 KiB.
    pub asked_bytes: u64,
    /// Reads that failed.
    pub failed_reads: u64,
    /// Speed of the reads, bytes a second.
    pub bw_bytes_per_s: f64,
    /// The drive's health after the reads; the difference from the last round's is the effect of
    /// reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}
