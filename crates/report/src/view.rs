//! The parts that the template lays out: tables, figures and blocks of them.

use stend_language::{say, text};

use crate::bars::BarChart;
use crate::chart::{Axis, Chart, ChartData, ChartKind, Coordinate, Role, Trace, Values};
use crate::drive::Drive;
use crate::number;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Content, and its units.
    pub caption: String,
    /// Heads of the columns; the first is that of the row heads.
    pub columns: Vec<Cell>,
    /// The rows; the first cell of each is its head. A row of one cell is the head of the group of
    /// rows below it.
    pub rows: Vec<Vec<Cell>>,
    /// Folding on screen and on paper.
    pub folding: Folding,
    /// True: as wide as its content, remarks beside the figures; false: over the whole width,
    /// remarks below the figures.
    pub fitting: bool,
    /// True if its cells are words, aligned left.
    pub text: bool,
    /// True if each row takes two lines on a narrow screen, so that no column is hidden: the first
    /// and the fourth cell above the others.
    pub stacked: bool,
    /// Figures that are compared with each other.
    pub compared: Compared,
}

/// Figures of a table among which the best is marked: those of different drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compared {
    /// None.
    #[default]
    Nowhere,
    /// Those of a row: after the row head each drive has this many columns, and its first is
    /// compared with the others' first.
    InRow(usize),
    /// Those of a column: each row is a drive.
    InColumn,
    /// Those in the same place of all tables and groups of rows with the same columns: each table,
    /// or each group, is a drive. This many of a row's first cells name it.
    BetweenTables(usize),
}

/// An entry of the menu.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Id of the section.
    pub anchor: String,
    /// Short title.
    pub title: String,
}

impl Contents {
    /// Creates an entry.
    pub fn new(anchor: &str, title: &str) -> Contents {
        Contents {
            anchor: anchor.to_owned(),
            title: title.to_owned(),
        }
    }
}

/// Folding of a table.
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
    /// Creates an open table over the whole width.
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

    /// Creates a table with a column for each drive.
    pub fn of_drives(
        caption: impl Into<String>,
        head: &str,
        drives: &[Drive<'_>],
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Table {
        let labels = drives.iter().map(|drive| drive.label.as_str());
        Table::new(caption, std::iter::once(head).chain(labels), rows)
    }

    /// Creates a table of facts with their names, as wide as its content.
    pub fn of_facts(caption: String, rows: Vec<Vec<Cell>>) -> Table {
        Table::new(caption, ["", ""], rows).fitting()
    }

    /// Folds it on the screen, but not on paper.
    pub fn on_paper(mut self) -> Table {
        self.folding = Folding::OpenOnPaper;
        self
    }

    /// Folds it on paper as well.
    pub fn folded(mut self) -> Table {
        self.folding = Folding::Folded;
        self
    }

    /// Makes it as wide as its content.
    pub fn fitting(mut self) -> Table {
        self.fitting = true;
        self
    }

    /// Lets each row take two lines on a narrow screen.
    pub fn stacked(mut self) -> Table {
        self.stacked = true;
        self
    }

    /// Makes it a table of words.
    pub fn of_text(mut self) -> Table {
        self.text = true;
        self.fitting()
    }

    /// Marks the best figures if drives are compared.
    pub fn comparing(mut self, compared: Compared) -> Table {
        self.compared = compared;
        self
    }

    /// Removes the columns in which no row has a figure. Only in a table of one drive: if drives
    /// are side by side, a missing figure is information.
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

    /// True if the table is folded on the screen.
    pub fn is_folded(&self) -> bool {
        self.folding != Folding::Open
    }

    /// True if a folded table opens for printing.
    pub fn opens_on_paper(&self) -> bool {
        self.folding == Folding::OpenOnPaper
    }
}

/// A cell: a figure with its unit, and a less important one below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// A remark below it; empty for none.
    pub note: String,
    /// Value by which it is compared; `None` if no value is better than another.
    pub rank: Option<Rank>,
    /// True if it is the best of those that it is compared with.
    pub best: bool,
}

/// Value by which a figure is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rank {
    /// More is better.
    More(f64),
    /// Less is better.
    Less(f64),
}

impl Cell {
    /// Creates a cell with a remark.
    pub fn noted(text: impl Into<String>, note: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            note: note.into(),
            ..Cell::default()
        }
    }

    /// Adds the interval of its figure, if that is the mean of repeated values.
    pub fn sure_of(mut self, values: &[f64]) -> Cell {
        self.text = number::sure_of(self.text, values);
        self
    }

    /// Sets its figure, of which more is better.
    pub fn more(mut self, value: f64) -> Cell {
        self.rank = Some(Rank::More(value));
        self
    }

    /// Sets its figure, of which less is better.
    pub fn less(mut self, value: f64) -> Cell {
        self.rank = Some(Rank::Less(value));
        self
    }
}

/// Missing values become a dash.
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

/// A chart's place in the page, with the table below it.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Id of the container.
    pub id: String,
    /// Title over the chart.
    pub title: String,
    /// Description of the chart for people who do not see it.
    pub label: String,
    /// A sentence on reading the chart; empty for none.
    pub note: String,
    /// Number of traces that the script must draw.
    pub traces: usize,
    /// Height to reserve, CSS pixels.
    pub height_px: u32,
    /// True if it takes the whole width.
    pub wide: bool,
    /// True if half of the width is enough on paper.
    pub half_on_paper: bool,
    /// The numbers; `None` if the block's tables contain them.
    pub table: Option<Table>,
}

/// Bars, figures side by side, and tables below all of them.
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
    /// Creates a block of figures without bars, with tables below them.
    pub fn drawn(figures: Vec<Figure>, tables: Vec<Table>) -> Block {
        Block {
            bars: Vec::new(),
            figures,
            tables,
        }
    }
}

impl Block {
    /// Returns the tables, including those below figures.
    pub fn tables_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        let under = self.figures.iter_mut();
        let under = under.filter_map(|figure| figure.table.as_mut());
        under.chain(&mut self.tables)
    }
}

impl Chart {
    /// Adds the chart to the page's data and returns its place.
    pub fn place(mut self, data: &mut ChartData, table: Option<Table>) -> Figure {
        self.id = format!("chart-{}", data.charts.len() + 1);
        // A name without a line must not be in the legend.
        self.traces.retain(Trace::is_drawn);
        self.y2 = temperature_axis(&self.traces);
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
            // Labels on the chart must fit.
            half_on_paper: self.marks.is_empty() && names.len() <= 4,
            table,
        };
        data.charts.push(self);
        figure
    }
}

/// Least range of an axis of temperatures, °C: over less, noise would look like warming.
const CELSIUS_MIN: f64 = 10.0;

/// Returns the axis of temperatures, if any trace has them.
fn temperature_axis(traces: &[Trace]) -> Option<Axis> {
    let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
    for trace in traces {
        let Values::Own { y, .. } = &trace.values else {
            continue;
        };
        for place in y.iter().filter(|_| trace.role == Role::Temperature) {
            if let Coordinate::Figure(celsius) = place {
                (least, greatest) = (least.min(*celsius), greatest.max(*celsius));
            }
        }
    }
    let more = ((CELSIUS_MIN - (greatest - least)) / 2.0).max(0.5);
    (least <= greatest).then(|| Axis {
        range: Some([least - more, greatest + more].map(|celsius| celsius.round())),
        ..Axis::new(&say("axis-temperature"), "°C")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_that_are_alike_are_drawn_over_ten_degrees() {
        let range = |celsius: [f64; 3]| {
            let points = celsius.map(|celsius| (1.0, celsius));
            let trace = Trace::through("A", 0, Role::Temperature, points);
            temperature_axis(&[trace]).and_then(|axis| axis.range)
        };
        assert_eq!(range([43.6, 43.7, 43.6]), Some([39.0, 49.0]));
        assert_eq!(range([30.0, 61.0, 70.0]), Some([30.0, 71.0]));
        assert_eq!(temperature_axis(&[]).map(|axis| axis.range), None);
    }

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
