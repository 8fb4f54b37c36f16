//! Tables that are not part of the lab, such as that of a study.

use stend_record::study::{Cell, Study, StudyRow};

/// Kinds of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Real,
    /// `true` or `false`.
    Flag,
    /// Text.
    Text,
}

/// A table: columns of one kind each; any cell may be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of the table and of its files.
    pub name: String,
    /// The columns.
    pub columns: Vec<(String, Kind)>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Returns the rows of a study: number, model, factors, seed, job, outcomes, and errors. If its
    /// durations differ from those of its editions, each row has their factor.
    pub fn of_study(study: &Study) -> Table {
        let column = |name: &str, kind| (name.to_owned(), kind);
        let mut columns = vec![column("row", Kind::Integer), column("model", Kind::Text)];
        for (at, name) in study.factors.iter().enumerate() {
            let kinds = study.rows.iter().map(|row| kind_of(&row.factors[at]));
            columns.push(column(name, kinds.reduce(common).unwrap_or(Kind::Text)));
        }
        columns.push(column("seed", Kind::Integer));
        columns.push(column("job", Kind::Text));
        let scaled = study.duration_scale != 1.0;
        if scaled {
            columns.push(column("duration_scale", Kind::Real));
        }
        let outcomes = study.outcomes.iter();
        columns.extend(outcomes.map(|name| column(name, Kind::Real)));
        columns.push(column("error", Kind::Text));
        let row = |row: &StudyRow| {
            let mut cells = vec![
                Cell::Whole(row.number as i64),
                Cell::Text(row.model.clone()),
            ];
            cells.extend(row.factors.iter().cloned());
            cells.push(Cell::Whole(row.seed as i64));
            cells.push(Cell::Text(row.job.clone()));
            cells.extend(scaled.then_some(Cell::Real(study.duration_scale)));
            let outcomes = study.outcomes.iter().map(|name| row.outcome(name));
            cells.extend(outcomes.map(|value| value.map_or(Cell::Empty, Cell::Real)));
            cells.push(row.error.clone().map_or(Cell::Empty, Cell::Text));
            cells
        };
        Table {
            name: study.name.clone(),
            columns,
            rows: study.rows.iter().map(row).collect(),
        }
    }
}

fn kind_of(cell: &Cell) -> Kind {
    match cell {
        Cell::Flag(_) => Kind::Flag,
        Cell::Whole(_) => Kind::Integer,
        Cell::Real(_) => Kind::Real,
        Cell::Text(_) | Cell::Empty => Kind::Text,
    }
}

/// Returns the kind that holds the cells of both.
fn common(one: Kind, other: Kind) -> Kind {
    match (one, other) {
        (one, other) if one == other => one,
        (Kind::Integer, Kind::Real) | (Kind::Real, Kind::Integer) => Kind::Real,
        _ => Kind::Text,
    }
}
