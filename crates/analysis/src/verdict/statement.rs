//! The statements that a verdict can make.

use stend_language::Text;
use stend_record::load::Load;
use stend_record::review::{Link, Pattern};

use super::lasting::{Back, Fall, Rank};
use crate::figures::Unit;
use crate::headline::Group;
use crate::shortened::Spoiled;

/// A sentence of a verdict, with its figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// The kind of drive, by its sequential speeds.
    Sequential {
        /// Name of the drive.
        drive: String,
        /// True if that is the name of a model, false for a path.
        is_model: bool,
        /// Speed of reads, bytes a second.
        read_bytes_per_s: f64,
        /// Speed of writes, bytes a second.
        write_bytes_per_s: f64,
        /// Loads of the two.
        loads: [Load; 2],
        /// Comparison of the speeds with a limit.
        class: SpeedClass,
    },
    /// Standing among its rivals.
    Standing {
        /// Names of the rivals.
        rivals: Vec<String>,
        /// Standing.
        standing: Standing,
    },
    /// One of several rivals that leads by a factor.
    Outlier {
        /// Name of the rival.
        rival: String,
        /// Area in which it leads.
        area: Group,
        /// Its speed as a multiple of the drive's.
        ratio: f64,
    },
    /// Writing for long.
    Lasting {
        /// Order of the offsets.
        pattern: Pattern,
        /// Unit of the speeds.
        unit: Unit,
        /// First speed.
        start: f64,
        /// Last speed.
        end: f64,
        /// Bytes written in all.
        written_bytes: u64,
        /// Form of the fall; `None` if it keeps its speed.
        fall: Option<Fall>,
        /// Rank of the last speed.
        rank: Rank,
    },
    /// Recovery after a rest.
    Rest {
        /// Without TRIM.
        idle: Back,
        /// With TRIM, if measured.
        trim: Option<Back>,
    },
    /// A use that it suits, with the reason.
    Suits(Suits),
    /// A use that it does not suit or another warning, with the reason.
    Beware(Beware),
}

/// Comparison of sequential speeds with the limit of the link or with classes of drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpeedClass {
    /// Both reads and writes come close to the link's limit.
    AtLimit {
        /// The link.
        link: Link,
        /// True if both reach it.
        full: bool,
    },
    /// Only reads come close to the link's limit.
    ReadsAtLimit {
        /// The link.
        link: Link,
        /// True if they reach it.
        full: bool,
        /// True if writes reach less than half of the link's limit.
        writes_slowly: bool,
    },
    /// Reads do not reach the link's limit.
    BelowLimit(Link),
    /// Reads at depth 1 do not reach the link's limit; greater depths were not measured.
    OneAtATime,
    /// The link is unknown: no faster than a hard disk.
    HardDisk,
    /// The link is unknown: as fast as drives with SATA.
    Sata,
    /// The link is unknown: faster than SATA.
    BeyondSata,
}

/// A drive's standing among its rivals, by areas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// Level in all areas.
    Level,
    /// Ahead in one or more, most in this one, and behind in none.
    Ahead {
        /// True if it is ahead in all areas.
        throughout: bool,
        /// Area of the widest lead, with the ratio.
        most: (Group, f64),
    },
    /// Behind in one or more, most in this one, and ahead in none.
    Behind {
        /// True if it is behind in all areas.
        throughout: bool,
        /// Area of the widest deficit, with the ratio.
        most: (Group, f64),
    },
    /// Ahead in some, behind in others.
    Mixed {
        /// Area of the widest lead, with the ratio.
        ahead: (Group, f64),
        /// Area of the widest deficit, with the ratio.
        behind: (Group, f64),
    },
}

/// A use that a drive suits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suits {
    /// A desktop.
    Desktop {
        /// Mean latency of a small read, ns.
        latency_ns: f64,
        /// True if that is as quick as such drives are.
        quick: bool,
        /// True if it is known to slow down only after more bytes than a desktop writes in a day.
        day: bool,
        /// True if it suits games as well.
        games: bool,
    },
    /// A database: durable writes are quick.
    Database {
        /// Mean latency, ns.
        commit_ns: f64,
    },
    /// A server that mostly reads.
    ReadServer {
        /// Small random reads a second.
        iops: f64,
        /// Requests at a time.
        depth: u32,
    },
}

/// Warnings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beware {
    /// The drive refused writes before its rated life was over.
    EarlyEnd {
        /// Bytes written.
        written_bytes: u64,
        /// Bytes that it is rated for.
        rated_bytes: u64,
    },
    /// The drive stands still, or answers a request late.
    Stalls {
        /// Seconds with next to no answer; 0 if only the slowest request is known.
        total_s: f64,
        /// The longest of these times, s.
        longest_s: f64,
        /// The slowest request, ns; 0 if it is not known.
        slowest_ns: u64,
    },
    /// Durable writes are slow: unsuited to a database.
    SlowCommits {
        /// Mean latency, ns.
        commit_ns: f64,
    },
    /// Small reads wait long, even on a desktop.
    SlowReads {
        /// Mean latency, ns.
        latency_ns: f64,
    },
    /// A mix of reads and writes is slower than either alone.
    Mix {
        /// Order of the offsets.
        pattern: Pattern,
        /// Share of reads, percent.
        read_percent: u32,
        /// Unit of the speeds.
        unit: Unit,
        /// Speed of the slowest mix.
        slowest: f64,
        /// Speed of reads alone.
        reads: f64,
        /// Speed of writes alone.
        writes: f64,
    },
    /// Writing for long comes in surges: nine tenths of the last samples lie between these speeds.
    Uneven {
        /// Unit of the speeds.
        unit: Unit,
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// Deleting a file delays reads.
    Deletion {
        /// Latency of the slowest read, ns.
        slowest_ns: f64,
        /// Size of the file, bytes.
        file_bytes: u64,
    },
}

/// Reasons why a verdict is not a full one.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// No test has finished.
    NoTest,
    /// Every duration was multiplied by this.
    Scaled(f64),
    /// Tests that the shortened run does not support.
    Spoiled(Vec<Spoiled>),
    /// Tests that something other than the drive answered.
    Doubted(Vec<String>),
    /// A drive's link was slower than the drive: the drive, and the link.
    SlowLink(String, Text),
    /// Tests are missing; these failed.
    Unfinished(Vec<String>),
    /// Rivals that were measured in another way.
    UnlikeRivals(Vec<String>),
}
