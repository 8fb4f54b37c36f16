//! Charts and tables of a test, one file for each kind of test.

use stend_record::review::TestResult;

use crate::best;
use crate::chart::ChartData;
use crate::drive::Drive;
use crate::view::{Block, Table};

/// Draws the results of a kind for all drives; empty for a test without such results.
type Blocks = fn(&TestResult, &[Drive<'_>], &mut ChartData) -> Vec<Block>;

macro_rules! table {
    ($($(#[$doc:meta])* $module:ident, $key:literal, $variant:ident;)*) => {
        $($(#[$doc])* mod $module;)*

        const KINDS: &[Blocks] = &[$($module::blocks),*];
    };
}
stend_record::kinds!(table);

/// Returns charts and tables of a test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let of_kinds = KINDS.iter().flat_map(|kind| kind(test, drives, data));
    let mut blocks: Vec<Block> = of_kinds.collect();
    if drives.len() > 1 {
        best::mark(blocks.iter_mut().flat_map(Block::tables_mut));
    }
    let tables = blocks.iter_mut().flat_map(Block::tables_mut);
    tables.for_each(Table::drop_empty_columns);
    blocks
}
