//! What the template lays out: tables, figures and blocks of them.

use stend_language::{say, text};

use crate::bars::BarChart;
use crate::chart::{Axis, Chart, ChartData, ChartKind, Role, Trace};
use crate::drive::Drive;
use crate::number;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it holds, and in which units.
    pub caption: String,
    /// Heads of the columns; the first is the rows'.
    pub columns: Vec<Cell>,
    /// The rows; the first cell of each is its head. A row of one cell heads the group of
    /// rows under it.
    pub rows: Vec<Vec<Cell>>,
    /// Whether it is opened by hand.
    pub folding: Folding,
    /// As wide as it must be, remarks beside the figures; else over the whole width, remarks
    /// under the figures.
    pub fitting: bool,
    /// Whether its cells are words, which stand at the left.
    pub text: bool,
    /// Which of its figures are compared with each other.
    pub compared: Compared,
}

/// Which figures of a table show who is best: they are those of different drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compared {
    /// None.
    #[default]
    Nowhere,
    /// Those of a row: after the rows' heads each drive has so many columns, and its first is
    /// compared with the others' first.
    InRow(usize),
    /// Those of a column: a row is a drive's.
    InColumn,
    /// Those in the same place of all tables and groups of rows with such columns: a table, or a
    /// group, is a drive's. A row is named by so many of its first cells.
    BetweenTables(usize),
}

/// An entry of the menu.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Id of the section.
    pub anchor: String,
    /// A few words.
    pub title: String,
}

impl Contents {
    /// An entry.
    pub fn new(anchor: &str, title: &str) -> Contents {
        Contents {
            anchor: anchor.to_owned(),
            title: title.to_owned(),
        }
    }
}

/// Whether a table stands open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Folding {
    /// Open.
    #[default]
    Open,
    /// Folded on the screen, open on paper.
    OpenOnPaper,
    /// Folded, on paper as well unless opened before printing: long lists.
    Folded,
}

impl Table {
    /// An open table over the whole width.
    pub fn new(
        caption: impl Into<String>,
        columns: impl IntoIterator<Item: Into<Cell>>,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Table {
        Table {
            caption: caption.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
            ..Table::default()
        }
    }

    /// A table with a column for each drive.
    pub fn of_drives(
        caption: impl Into<String>,
        head: &str,
        drives: &[Drive<'_>],
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Table {
        let labels = drives.iter().map(|drive| drive.label.as_str());
        Table::new(caption, std::iter::once(head).chain(labels), rows)
    }

    /// Names of facts, and the facts: as wide as it must be.
    pub fn of_facts(caption: String, rows: Vec<Vec<Cell>>) -> Table {
        Table::new(caption, ["", ""], rows).fitting()
    }

    /// Folded on the screen, open on paper.
    pub fn on_paper(mut self) -> Table {
        self.folding = Folding::OpenOnPaper;
        self
    }

    /// Folded on paper as well.
    pub fn folded(mut self) -> Table {
        self.folding = Folding::Folded;
        self
    }

    /// As wide as it must be.
    pub fn fitting(mut self) -> Table {
        self.fitting = true;
        self
    }

    /// Of words.
    pub fn of_text(mut self) -> Table {
        self.text = true;
        self.fitting()
    }

    /// With the best figures marked, where drives are compared.
    pub fn comparing(mut self, compared: Compared) -> Table {
        self.compared = compared;
        self
    }

    /// Takes away the columns in which no row has a figure. Only of a table of one drive: where
    /// drives stand side by side, it is worth telling that one has no figures.
    pub fn drop_empty_columns(&mut self) {
        if !matches!(self.compared, Compared::BetweenTables(_)) || self.rows.is_empty() {
            return;
        }
        let is_told = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.into_iter().any(|cell| cell.text != number::MISSING)
        };
        let told: Vec<bool> = (0..self.columns.len()).map(is_told).collect();
        for cells in self.rows.iter_mut().chain([&mut self.columns]) {
            let mut told = told.iter();
            cells.retain(|_| told.next() != Some(&false));
        }
    }

    /// Whether the table is folded on the screen.
    pub fn is_folded(&self) -> bool {
        self.folding != Folding::Open
    }

    /// Whether a folded table opens for printing.
    pub fn opens_on_paper(&self) -> bool {
        self.folding == Folding::OpenOnPaper
    }
}

/// A cell: a figure with its unit, and a lesser one under it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// A remark under it; empty for none.
    pub note: String,
    /// What it is compared by; `None` for what is no better or worse than another.
    pub rank: Option<Rank>,
    /// Whether it is the best of those that it is compared with.
    pub best: bool,
}

/// What a figure is compared by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rank {
    /// More is better.
    More(f64),
    /// Less is better.
    Less(f64),
}

impl Cell {
    /// A cell with a remark.
    pub fn noted(text: impl Into<String>, note: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            note: note.into(),
            ..Cell::default()
        }
    }

    /// With the interval of what it shows, where that is the mean of repeated values.
    pub fn sure_of(mut self, values: &[f64]) -> Cell {
        self.text = number::sure_of(self.text, values);
        self
    }

    /// With the figure that it shows, of which more is better.
    pub fn more(mut self, value: f64) -> Cell {
        self.rank = Some(Rank::More(value));
        self
    }

    /// With the figure that it shows, of which less is better.
    pub fn less(mut self, value: f64) -> Cell {
        self.rank = Some(Rank::Less(value));
        self
    }
}

/// A dash where there is nothing.
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Cell {
        cell.map_or_else(|| number::MISSING.into(), Into::into)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::noted(text, "")
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::noted(text, "")
    }
}

/// A chart's place in the page, with the table under it.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Id of the container.
    pub id: String,
    /// Title over the chart.
    pub title: String,
    /// What the chart shows, for those who do not see it.
    pub label: String,
    /// A sentence on how to read it; empty for none.
    pub note: String,
    /// Number of traces that the script must draw.
    pub traces: usize,
    /// Height to keep free, CSS pixels.
    pub height_px: u32,
    /// Whether it takes the whole width.
    pub wide: bool,
    /// Whether half of the width is enough on paper.
    pub half_on_paper: bool,
    /// The numbers; missing where the block's tables hold them.
    pub table: Option<Table>,
}

/// Bars, figures side by side, and tables under all of them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Charts of bars.
    pub bars: Vec<BarChart>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// The tables.
    pub tables: Vec<Table>,
}

impl Block {
    /// Figures without bars, and tables under them.
    pub fn drawn(figures: Vec<Figure>, tables: Vec<Table>) -> Block {
        Block {
            bars: Vec::new(),
            figures,
            tables,
        }
    }
}

impl Block {
    /// The tables, also those under figures.
    pub fn tables_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        let under = self.figures.iter_mut();
        let under = under.filter_map(|figure| figure.table.as_mut());
        under.chain(&mut self.tables)
    }
}

impl Chart {
    /// Puts the chart among the page's data and gives its place.
    pub fn place(mut self, data: &mut ChartData, table: Option<Table>) -> Figure {
        self.id = format!("chart-{}", data.charts.len() + 1);
        // In a legend, a name without a line is looked for in vain.
        self.traces.retain(Trace::is_drawn);
        let temperatures = |trace: &Trace| trace.role == Role::Temperature;
        if self.traces.iter().any(temperatures) {
            self.y2 = Some(Axis::new(&say("axis-temperature"), "°C"));
        }
        let mut names: Vec<&str> = Vec::new();
        for trace in &self.traces {
            if !names.contains(&trace.name.as_str()) {
                names.push(&trace.name);
            }
        }
        let form = match self.kind {
            ChartKind::Lines => "chart-label-lines",
            ChartKind::Dots => "chart-label-dots",
        };
        let label = text!(form, title = &self.title, names = names.join("; "));
        let figure = Figure {
            id: self.id.clone(),
            title: self.title.clone(),
            label,
            note: std::mem::take(&mut self.note),
            traces: self.traces.len(),
            height_px: self.height_px,
            wide: self.wide,
            // What is written on the chart must fit in.
            half_on_paper: self.marks.is_empty() && names.len() <= 4,
            table,
        };
        data.charts.push(self);
        figure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Coordinate;

    #[test]
    fn a_trace_without_a_point_is_not_in_the_legend() {
        let trace = |name: &str, ys: [Option<f64>; 2]| {
            let xs = [1.0, 2.0].map(Coordinate::Figure);
            Trace::own(name, 0, Role::Line, xs, ys.map(Coordinate::from))
        };
        let chart = Chart {
            traces: vec![
                trace("median", [Some(1.0), None]),
                trace("99.999 %", [None, None]),
            ],
            ..Chart::default()
        };
        let mut data = ChartData::default();
        let figure = chart.place(&mut data, None);
        assert_eq!(figure.traces, 1);
        assert_eq!(data.charts[0].traces[0].name, "median");
        assert!(!figure.label.contains("99.999"), "{}", figure.label);
    }

    #[test]
    fn a_column_without_a_figure_is_dropped_where_it_is_one_drive_s() {
        let missing = || Cell::from(number::MISSING);
        let table = || {
            let row = |figure: Cell| vec!["depth 1".into(), figure, missing()];
            let rows = [vec!["A".into()], row("5 µs".into()), row(missing())];
            Table::new("", ["load", "99 %", "99.999 %"], rows)
        };
        let columns = |compared| {
            let mut table = table().comparing(compared);
            table.drop_empty_columns();
            let rows = table.rows.iter().map(Vec::len).collect::<Vec<_>>();
            (table.columns.len(), rows)
        };
        assert_eq!(columns(Compared::BetweenTables(1)), (2, vec![1, 2, 2]));
        assert_eq!(columns(Compared::InRow(1)), (3, vec![1, 3, 3]));
    }
}
