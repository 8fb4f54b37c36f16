//! What the template lays out: tables, figures and blocks of them.

use crate::chart::{Axis, Chart, ChartData, ChartKind, Mark, Role, Trace};

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
    /// How wide it is laid out.
    pub width: Width,
}

/// How a table is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// Over the whole width, remarks under the figures.
    #[default]
    Full,
    /// As wide as it must be, remarks beside the figures.
    Fitting,
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

    /// Folded on the screen.
    pub fn on_paper(self) -> Table {
        Table {
            folding: Folding::OpenOnPaper,
            ..self
        }
    }

    /// Folded on paper as well.
    pub fn folded(self) -> Table {
        Table {
            folding: Folding::Folded,
            ..self
        }
    }

    /// As wide as it must be.
    pub fn fitting(self) -> Table {
        Table {
            width: Width::Fitting,
            ..self
        }
    }

    /// Whether the table is folded on the screen.
    pub fn is_folded(&self) -> bool {
        self.folding != Folding::Open
    }

    /// Whether the table is only as wide as it must be.
    pub fn is_fitting(&self) -> bool {
        self.width == Width::Fitting
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
}

impl Cell {
    /// A cell with a remark.
    pub fn noted(text: impl Into<String>, note: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            note: note.into(),
        }
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
    /// The numbers; missing where the block's tables hold them.
    pub table: Option<Table>,
}

/// Figures side by side, and tables under all of them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The figures.
    pub figures: Vec<Figure>,
    /// The tables.
    pub tables: Vec<Table>,
}

/// The axis of temperatures, where there is a trace on it.
fn temperature_axis(traces: &[Trace]) -> Option<Axis> {
    let any = traces.iter().any(|trace| trace.role == Role::Temperature);
    any.then(|| Axis {
        title: "Temperature, °C".into(),
        unit: "°C".into(),
        ..Axis::default()
    })
}

/// A chart before it has a place; by default one of lines.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Title over the chart.
    pub title: String,
    /// A sentence on how to read it; empty for none.
    pub note: String,
    /// Bars, lines or dots.
    pub kind: ChartKind,
    /// Height, CSS pixels.
    pub height_px: u32,
    /// Whether it takes the whole width.
    pub wide: bool,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub traces: Vec<Trace>,
    /// Marked places on the horizontal axis.
    pub marks: Vec<Mark>,
}

impl Default for Draft {
    fn default() -> Draft {
        Draft {
            title: String::new(),
            note: String::new(),
            kind: ChartKind::Lines,
            height_px: 380,
            wide: false,
            x: Axis::default(),
            y: Axis::default(),
            traces: Vec::new(),
            marks: Vec::new(),
        }
    }
}

impl Draft {
    /// Puts the chart among the page's data and gives its place.
    pub fn place(self, data: &mut ChartData, table: Option<Table>) -> Figure {
        let id = format!("chart-{}", data.charts.len() + 1);
        let mut names: Vec<&str> = Vec::new();
        for trace in &self.traces {
            if !names.contains(&trace.name.as_str()) {
                names.push(&trace.name);
            }
        }
        let form = match self.kind {
            ChartKind::Bars => "Bar chart",
            ChartKind::Lines => "Line chart",
            ChartKind::Dots => "Chart of samples as dots and their means as lines",
        };
        let label = format!(
            "{form}: {}. Shown: {}. The tables under the chart hold its numbers.",
            self.title,
            names.join("; ")
        );
        let figure = Figure {
            id: id.clone(),
            title: self.title.clone(),
            label,
            note: self.note,
            traces: self.traces.len(),
            height_px: self.height_px,
            wide: self.wide,
            table,
        };
        data.charts.push(Chart {
            id,
            title: self.title,
            kind: self.kind,
            height_px: self.height_px,
            x: self.x,
            y: self.y,
            y2: temperature_axis(&self.traces),
            traces: self.traces,
            marks: self.marks,
        });
        figure
    }
}
