//! A benchmark as its users know it, as data: rows measured several times, of which the best
//! pass counts. Profiles lie in `editions/benchmarks/`.

use stend_record::review::{Pattern, PointOp};

use super::Load;

/// The name and version of a profile's file format.
pub const SCHEMA: &str = "stend.benchmark/1";

macro_rules! shipped {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../editions/benchmarks/", $name, ".toml")),
        )
    };
}

/// Profiles that are part of the program: name and text.
pub(super) const SHIPPED: [(&str, &str); 5] = [
    shipped!("crystaldiskmark-3"),
    shipped!("crystaldiskmark-5"),
    shipped!("crystaldiskmark-8"),
    shipped!("crystaldiskmark-8-nvme"),
    shipped!("crystaldiskmark-9"),
];

/// A test of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// Index in [`super::Edition::states`] of the state it starts from.
    pub state: usize,
    /// What is measured.
    pub profile: Profile,
    /// Whether the mix is measured as well.
    pub mix: bool,
}

/// What a benchmark measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name.
    pub id: String,
    /// For people.
    pub title: String,
    /// Size of its file, which lies at the beginning of the target, bytes.
    pub region_bytes: u64,
    /// Passes that count, of each row and direction.
    pub passes: u32,
    /// Passes before them that do not.
    pub discarded_passes: u32,
    /// In which order rows and directions are measured.
    pub order: Order,
    /// Time a pass, s.
    pub pass_s: f64,
    /// Rest between one row or direction and the next, s.
    pub pause_s: f64,
    /// Share of reads in its mix, percent; `None` for a benchmark without one.
    pub mix_read_percent: Option<u32>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// In which order rows and directions are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The reads of all rows, then the writes of all, then the mixes.
    ReadsFirst,
    /// Of each row its reads, its writes and its mix.
    RowByRow,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As users know it, `Seq Q32T1`.
    pub name: String,
    /// Order of the offsets.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Queue depth of each thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
}

/// A row in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell<'e> {
    pub(crate) row: &'e str,
    pub(crate) load: Load,
}

impl Benchmark {
    /// What is measured, in its order.
    pub(crate) fn cells(&self) -> Vec<Cell<'_>> {
        let profile = &self.profile;
        let mut ops = vec![(PointOp::Read, 100), (PointOp::Write, 0)];
        if let Some(share) = profile.mix_read_percent.filter(|_| self.mix) {
            ops.push((PointOp::Mixed, share));
        }
        let cell = |row: &'_ Row, (op, read_percent)| Load {
            op,
            pattern: row.pattern,
            block_bytes: row.block_bytes,
            queue_depth: row.queue_depth,
            threads: row.threads,
            read_percent,
            region_bytes: Some(profile.region_bytes),
        };
        let rows = profile.rows.iter();
        let pairs: Vec<_> = match profile.order {
            Order::RowByRow => rows
                .flat_map(|row| ops.iter().map(move |op| (row, *op)))
                .collect(),
            Order::ReadsFirst => ops
                .iter()
                .flat_map(|op| rows.clone().map(move |row| (row, *op)))
                .collect(),
        };
        let cells = pairs.into_iter().map(|(row, op)| Cell {
            row: &row.name,
            load: cell(row, op),
        });
        cells.collect()
    }
}
