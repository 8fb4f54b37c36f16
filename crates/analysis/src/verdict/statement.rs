//! What a verdict can state.

use stend_record::review::Pattern;

use super::lasting::{Back, Fall, Rank};
use super::link::Link;
use crate::figures::Unit;
use crate::headline::Group;
use crate::shortened::Spoiled;

/// A sentence of a verdict, with its figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// What kind of drive it is, by its sequential speeds.
    Sequential {
        /// What it is called.
        drive: String,
        /// That is the name of a model, and not a path.
        is_model: bool,
        /// Bytes a second.
        read_bytes_per_s: f64,
        /// Bytes a second.
        write_bytes_per_s: f64,
        /// What the speeds are set against.
        class: SpeedClass,
    },
    /// How it stands to its rivals.
    Standing {
        /// What they are called.
        rivals: Vec<String>,
        /// How.
        standing: Standing,
    },
    /// Of several rivals, one that leads by a factor.
    Outlier {
        /// What it is called.
        rival: String,
        /// In what.
        area: Group,
        /// Its speed as a multiple of the drive's.
        ratio: f64,
    },
    /// How it writes for long.
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
        /// How it falls; `None` where it keeps its speed.
        fall: Option<Fall>,
        /// What the last speed is worth.
        rank: Rank,
    },
    /// What comes back after a rest.
    Rest {
        /// Without TRIM.
        idle: Back,
        /// With TRIM, where that was measured.
        trim: Option<Back>,
    },
    /// A use that it suits, with the reason.
    Suits(Suits),
    /// A use that it does not suit, or what to beware of, with the reason.
    Beware(Beware),
}

/// What sequential speeds are set against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpeedClass {
    /// Both are what the link allows.
    AtLimit(Link),
    /// Reading is.
    ReadsAtLimit {
        /// The link.
        link: Link,
        /// Writing reaches less than half of what the link allows.
        writes_slowly: bool,
    },
    /// Reading is not.
    BelowLimit(Link),
    /// Reading is not, one request at a time, and more at a time were not measured.
    OneAtATime,
    /// The link is not known: no faster than a hard disk.
    HardDisk,
    /// The link is not known: as fast as drives with SATA.
    Sata,
    /// The link is not known: faster than SATA.
    BeyondSata,
}

/// How a drive stands to its rivals, by areas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// Level in all areas.
    Level,
    /// Ahead in one or more, most in this one, and behind in none.
    Ahead {
        /// All areas are ahead.
        throughout: bool,
        /// Where it is furthest ahead.
        most: (Group, f64),
    },
    /// Behind in one or more, most in this one, and ahead in none.
    Behind {
        /// All areas are behind.
        throughout: bool,
        /// Where it is furthest behind.
        most: (Group, f64),
    },
    /// Ahead in some, behind in others.
    Mixed {
        /// Where it is furthest ahead.
        ahead: (Group, f64),
        /// Where it is furthest behind.
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
        /// That is as quick as such drives are.
        quick: bool,
        /// It is known to slow down only after more than a desktop writes in a day.
        day: bool,
        /// It suits games as well.
        games: bool,
    },
    /// A database: a durable write takes this long, ns.
    Database {
        /// Mean latency, ns.
        commit_ns: f64,
    },
    /// A server that mostly reads.
    ReadServer {
        /// Small random reads a second.
        iops: f64,
        /// How many at a time.
        depth: u32,
    },
}

/// What to beware of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beware {
    /// The drive refused writes before its rated life was over.
    EarlyEnd {
        /// Bytes written.
        written_bytes: u64,
        /// Bytes that it is rated for.
        rated_bytes: u64,
    },
    /// Durable writes are slow: no drive for a database.
    SlowCommits {
        /// Mean latency, ns.
        commit_ns: f64,
    },
    /// Small reads wait long, even on a desktop.
    SlowReads {
        /// Mean latency, ns.
        latency_ns: f64,
    },
    /// Reading and writing at once is slower than either alone.
    Mix {
        /// Order of the offsets.
        pattern: Pattern,
        /// Share of reads, percent.
        read_percent: u32,
        /// Of the speeds.
        unit: Unit,
        /// The slowest mix.
        slowest: f64,
        /// Reads alone.
        reads: f64,
        /// Writes alone.
        writes: f64,
    },
    /// Writing for long comes in surges: nine tenths of the last samples lie between these speeds.
    Uneven {
        /// Of the speeds.
        unit: Unit,
        /// The lower.
        low: f64,
        /// The higher.
        high: f64,
    },
    /// Deleting a file holds reads up.
    Deletion {
        /// The slowest read, ns.
        slowest_ns: f64,
        /// Bytes of the file.
        file_bytes: u64,
    },
}

/// What a verdict lacks.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// No test has finished.
    NoTest,
    /// Every measurement was multiplied by this.
    Scaled(f64),
    /// Tests that the shortened run does not support.
    Spoiled(Vec<Spoiled>),
    /// Tests that something else than the drive has answered.
    Doubted(Vec<String>),
    /// The link of a drive was slower than it could use: the drive, and the link.
    SlowLink(String, String),
    /// Tests are missing, these since they failed.
    Unfinished(Vec<String>),
    /// Rivals that were not measured in the same way.
    UnlikeRivals(Vec<String>),
}
