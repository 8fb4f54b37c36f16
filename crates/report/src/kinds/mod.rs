//! Charts and tables of a test, one file for each kind of test.

mod benchmark;
mod curve;
mod endurance;
mod files;
mod ladder;
mod points;
mod response;
mod rounds;
mod sync;
mod traces;

use stend_record::review::{Results, TestResult};

use crate::best;
use crate::chart::ChartData;
use crate::drive::Drive;
use crate::view::{Block, Table};

macro_rules! table {
    ($($(#[$doc:meta])* $module:ident, $key:literal, $variant:ident;)*) => {
        /// Draws the results of a test for all drives.
        fn drawn(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
            match test.results {
                None => Vec::new(),
                $(Some(Results::$variant(_)) => $module::blocks(test, drives, data),)*
            }
        }
    };
}
stend_record::kinds!(table);

/// Returns charts and tables of a test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let mut blocks = drawn(test, drives, data);
    if drives.len() > 1 {
        best::mark(blocks.iter_mut().flat_map(Block::tables_mut));
    }
    let tables = blocks.iter_mut().flat_map(Block::tables_mut);
    tables.for_each(Table::drop_empty_columns);
    blocks
}
