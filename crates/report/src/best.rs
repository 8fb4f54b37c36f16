//! Marks the best figures of tables that compare drives: they are bold.

use std::collections::{BTreeMap, BTreeSet};

use stend_language::text;

use crate::view::{Cell, Compared, Rank, Table};

/// Figures this close to the best are best as well: they may be printed as the same.
const CLOSE_SHARE: f64 = 0.999;

/// Prefix of the name of a row that is a part of the one above it.
pub const PART: &str = "↳";

/// Place of a figure: those of one place are compared.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The table's number, or the heads of its columns if tables are compared.
    table: (usize, Vec<String>),
    /// The row's number, or its name if tables are compared.
    row: (usize, String),
    column: usize,
}

/// Figures to compare by place, with the numbers of their tables.
type Places<'t> = BTreeMap<Place, Vec<(usize, &'t mut Cell)>>;

/// Marks the best figures of the tables, and explains the mark in their captions.
pub fn mark<'t>(tables: impl IntoIterator<Item = &'t mut Table>) {
    let mut tables: Vec<&mut Table> = tables.into_iter().collect();
    let mut places: Places<'_> = BTreeMap::new();
    for (number, table) in tables.iter_mut().enumerate() {
        gather(number, table, &mut places);
    }
    let mut compared = BTreeSet::new();
    for cells in places.into_values().filter(|cells| cells.len() > 1) {
        compared.extend(cells.iter().map(|(number, _)| *number));
        mark_best(cells.into_iter().map(|(_, cell)| cell).collect());
    }
    for number in compared {
        let caption = &mut tables[number].caption;
        *caption = text!("table-caption-best", caption = caption.as_str());
    }
}

/// Adds the figures of a table to their places.
fn gather<'t>(number: usize, table: &'t mut Table, places: &mut Places<'t>) {
    let heads = || table.columns.iter().map(|cell| cell.text.clone()).collect();
    let of_table = match table.compared {
        Compared::BetweenTables(_) => (0, heads()),
        _ => (number, Vec::new()),
    };
    let mut whole = String::new();
    for (nth, row) in table.rows.iter_mut().enumerate() {
        let named_by = match table.compared {
            Compared::BetweenTables(cells) => cells,
            _ => 1,
        };
        let names = row.iter().take(named_by).map(|cell| cell.text.as_str());
        let head = names.collect::<Vec<&str>>().join(" ");
        let name = match head.starts_with(PART) {
            true => format!("{whole} {head}"),
            false => {
                whole.clone_from(&head);
                head
            }
        };
        for (column, cell) in row.iter_mut().enumerate() {
            let (row, column) = match table.compared {
                Compared::Nowhere => continue,
                Compared::InRow(columns) => (
                    (nth, String::new()),
                    (column + columns - 1) % columns.max(1),
                ),
                Compared::InColumn => ((0, String::new()), column),
                Compared::BetweenTables(_) => ((0, name.clone()), column),
            };
            let place = Place {
                table: of_table.clone(),
                row,
                column,
            };
            if cell.rank.is_some() {
                places.entry(place).or_default().push((number, cell));
            }
        }
    }
}

/// Marks the best of the figures to compare; none if all are alike.
fn mark_best(cells: Vec<&mut Cell>) {
    // The greatest is best: for figures that should be small, the greatest reciprocal.
    let merit = |cell: &Cell| match cell.rank {
        Some(Rank::More(value)) => value,
        Some(Rank::Less(value)) => 1.0 / value,
        None => f64::NAN,
    };
    let greatest = cells.iter().map(|cell| merit(cell)).fold(0.0, f64::max);
    let is_best = |cell: &Cell| merit(cell) >= CLOSE_SHARE * greatest;
    if !cells.iter().all(|cell| is_best(cell)) {
        for cell in cells {
            cell.best = is_best(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(compared: Compared, rows: &[(&str, &[Cell])]) -> Table {
        let rows = rows.iter().map(|(head, cells)| {
            let head = Cell::from(*head);
            std::iter::once(head).chain(cells.iter().cloned()).collect()
        });
        Table::new("C", ["", "a", "b"], rows).comparing(compared)
    }

    fn more(value: f64) -> Cell {
        Cell::from("x").more(value)
    }

    fn less(value: f64) -> Cell {
        Cell::from("x").less(value)
    }

    fn best(table: &Table) -> Vec<Vec<bool>> {
        let rows = table.rows.iter();
        rows.map(|row| row[1..].iter().map(|cell| cell.best).collect())
            .collect()
    }

    #[test]
    fn the_best_of_a_row_or_a_column_is_marked() {
        let rows: [(&str, &[Cell]); 3] = [
            ("one", &[more(1.0), more(2.0)]),
            ("two", &[less(1.0), less(2.0)]),
            // They are printed as the same, and if all are the same none is best.
            ("three", &[more(1.0), more(1.0005)]),
        ];
        let mut of_rows = table(Compared::InRow(1), &rows);
        mark([&mut of_rows]);
        let expected = [[false, true], [true, false], [false, false]];
        assert_eq!(best(&of_rows), expected);
        assert_eq!(of_rows.caption, "C; bold: the best of the drives");
        let mut of_columns = table(Compared::InColumn, &rows[..1]);
        mark([&mut of_columns]);
        assert_eq!(best(&of_columns), [[false, false]]);
        assert_eq!(of_columns.caption, "C", "nothing was compared");
        let mut nowhere = table(Compared::Nowhere, &rows);
        mark([&mut nowhere]);
        assert_eq!(best(&nowhere).concat(), [false; 6]);
    }

    #[test]
    fn tables_are_compared_by_the_names_of_their_rows() {
        let of = |rows: &[(&str, &[Cell])]| table(Compared::BetweenTables(1), rows);
        let mut own = of(&[
            ("read", &[less(3.0)]),
            ("↳ part", &[less(1.0)]),
            ("write", &[less(2.0)]),
            ("↳ part", &[less(9.0)]),
        ]);
        // A group for each of two rivals.
        let mut rivals = of(&[
            ("write", &[less(4.0)]),
            ("↳ part", &[less(5.0)]),
            ("read", &[less(2.0)]),
            ("↳ part", &[less(2.0)]),
            ("read", &[less(1.0)]),
        ]);
        mark([&mut own, &mut rivals]);
        assert_eq!(best(&own).concat(), [false, true, true, false]);
        assert_eq!(best(&rivals).concat(), [false, true, false, false, true]);
        // If rows share their first cell, the second one distinguishes them.
        let rest = |trim: &str, value| vec!["30 s".into(), trim.into(), more(value)];
        let of = |no, yes| {
            let rows = [rest("no", no), rest("yes", yes)];
            Table::new("C", ["", "a", "b"], rows).comparing(Compared::BetweenTables(2))
        };
        let (mut own, mut rival) = (of(1.0, 9.0), of(2.0, 8.0));
        mark([&mut own, &mut rival]);
        assert_eq!(best(&own).concat(), [false, false, false, true]);
        assert_eq!(best(&rival).concat(), [false, true, false, false]);
    }
}
