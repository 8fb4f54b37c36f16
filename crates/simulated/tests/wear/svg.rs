//! Charts as SVG, drawn by hand so that the same figures give the same bytes.

use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Plotted area: left, right, top, bottom.
const AREA: [f64; 4] = [66.0, 622.0, 64.0, 304.0];
/// Colours that are dark enough on white, and distinct for colour-blind readers (Okabe and Ito
/// 2008).
const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#7a7a7a", "#aa4499"];

/// Mapping of a value to a position on an axis.
#[derive(Clone, Copy)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long.
    Logarithmic,
}

/// One axis: its label, with the unit, and its marks from the first to the last.
pub struct Axis {
    /// Quantity shown, with the unit.
    pub label: &'static str,
    /// Mapping of values to positions.
    pub scale: Scale,
    /// First and last value.
    pub span: [f64; 2],
    /// Values with a mark, and the text beside it.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Returns an axis with marks at these values, which are also the texts.
    pub fn new(label: &'static str, scale: Scale, span: [f64; 2], ticks: &[f64]) -> Axis {
        let ticks = ticks.iter().map(|&tick| (tick, tick.to_string()));
        Axis {
            label,
            scale,
            span,
            ticks: ticks.collect(),
        }
    }

    /// Returns an axis with a word for each whole number from 0 on: for bars.
    pub fn of_words(label: &'static str, words: &[&str]) -> Axis {
        let ticks = words.iter().enumerate();
        Axis {
            label,
            scale: Scale::Linear,
            span: [-0.5, words.len() as f64 - 0.5],
            ticks: ticks
                .map(|(n, word)| (n as f64, (*word).to_owned()))
                .collect(),
        }
    }

    /// Share of the way along the axis.
    fn share(&self, value: f64) -> f64 {
        let [from, to] = self.span;
        match self.scale {
            Scale::Linear => (value - from) / (to - from),
            Scale::Logarithmic => (value / from).ln() / (to / from).ln(),
        }
    }
}

/// Form in which a series is drawn.
#[derive(Clone, Copy)]
pub enum Form {
    /// Line with a dot at each point.
    Line,
    /// Broken line without dots: the expected values.
    Dashed,
    /// Bars from the bottom, beside those of other series.
    Bars,
}

/// Series of points.
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Form in which the points are drawn.
    pub form: Form,
    /// Positions on both axes.
    pub points: Vec<(f64, f64)>,
}

/// Chart.
pub struct Chart {
    /// Title above the chart.
    pub title: &'static str,
    /// Axis from left to right.
    pub x: Axis,
    /// Axis from bottom to top.
    pub y: Axis,
    /// Part of the vertical axis that is shaded, and its name.
    pub band: Option<([f64; 2], &'static str)>,
    /// Series that are drawn.
    pub series: Vec<Series>,
}

impl Chart {
    /// Returns the picture.
    pub fn svg(&self) -> String {
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" \
             role=\"img\">\n<title>{0}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             fill=\"#ffffff\"/>\n",
            self.title
        );
        text(
            &mut out,
            [AREA[0], 20.0],
            "start",
            "#111111\" font-size=\"14",
            self.title,
        );
        self.frame(&mut out);
        let bars = |s: &&Series| matches!(s.form, Form::Bars);
        let beside = self.series.iter().filter(bars).count();
        let mut bars_so_far = 0;
        for (n, series) in self.series.iter().enumerate() {
            let colour = COLOURS[n % COLOURS.len()];
            match series.form {
                Form::Bars => {
                    self.bars(&mut out, series, colour, (bars_so_far, beside));
                    bars_so_far += 1;
                }
                Form::Line | Form::Dashed => self.line(&mut out, series, colour),
            }
        }
        self.legend(&mut out);
        out + "</svg>\n"
    }

    fn at(&self, (x, y): (f64, f64)) -> [f64; 2] {
        let [left, right, top, bottom] = AREA;
        let x = left + self.x.share(x) * (right - left);
        [x, bottom - self.y.share(y) * (bottom - top)]
    }

    /// Draws the axes with their marks, and the band behind everything.
    fn frame(&self, out: &mut String) {
        let [left, right, top, bottom] = AREA;
        if let Some(([from, to], name)) = self.band {
            let [_, high] = self.at((self.x.span[0], to));
            let [_, low] = self.at((self.x.span[0], from));
            let (width, height) = (right - left, low - high);
            let _ = writeln!(
                out,
                "<rect x=\"{left:.1}\" y=\"{high:.1}\" width=\"{width:.1}\" \
                 height=\"{height:.1}\" fill=\"#f3e3b3\"/>"
            );
            text(out, [right - 6.0, low - 5.0], "end", "#6b5200", name);
        }
        for (value, word) in &self.y.ticks {
            let [_, y] = self.at((self.x.span[0], *value));
            rule(out, [left, y], [right, y], "#dddddd\" stroke-width=\"1");
            text(out, [left - 6.0, y + 4.0], "end", "#333333", word);
        }
        for (value, word) in &self.x.ticks {
            let [x, _] = self.at((*value, self.y.span[0]));
            rule(
                out,
                [x, bottom],
                [x, bottom + 4.0],
                "#333333\" stroke-width=\"1",
            );
            text(out, [x, bottom + 18.0], "middle", "#333333", word);
        }
        rule(
            out,
            [left, bottom],
            [right, bottom],
            "#333333\" stroke-width=\"1",
        );
        let middle = (left + right) / 2.0;
        text(
            out,
            [middle, HEIGHT - 16.0],
            "middle",
            "#333333",
            self.x.label,
        );
        let y = (top + bottom) / 2.0;
        let turned = format!("#333333\" transform=\"rotate(-90 16 {y:.1})");
        text(out, [16.0, y], "middle", &turned, self.y.label);
    }

    fn line(&self, out: &mut String, series: &Series, colour: &str) {
        let points = series.points.iter().map(|&point| self.at(point));
        let points: Vec<[f64; 2]> = points.collect();
        let path = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}"));
        let path = path.collect::<Vec<_>>().join(" ");
        let dashed = matches!(series.form, Form::Dashed);
        let dashes = if dashed {
            " stroke-dasharray=\"6 4\""
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"2\"{dashes}/>"
        );
        for [x, y] in points.iter().filter(|_| !dashed) {
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"
            );
        }
    }

    /// Draws bars with their heights in figures above them; they are number `nth` of `beside` at
    /// each place.
    fn bars(&self, out: &mut String, series: &Series, colour: &str, (nth, beside): (usize, usize)) {
        let place = self.at((1.0, 0.0))[0] - self.at((0.0, 0.0))[0];
        let width = 0.8 * place / beside as f64;
        let bottom = AREA[3];
        for &(x, height) in &series.points {
            let [middle, y] = self.at((x, height));
            let left = middle + (nth as f64 - beside as f64 / 2.0) * width;
            let (drawn, tall) = (width - 2.0, bottom - y);
            let _ = writeln!(
                out,
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{drawn:.1}\" height=\"{tall:.1}\" \
                 fill=\"{colour}\"/>"
            );
            let above = [left + drawn / 2.0, y - 4.0];
            text(
                out,
                above,
                "middle",
                "#333333\" font-size=\"11",
                &digits(height),
            );
        }
    }

    /// Draws the meaning of each colour, above the plotted area.
    fn legend(&self, out: &mut String) {
        let mut x = AREA[0];
        for (n, series) in self.series.iter().enumerate() {
            let colour = COLOURS[n % COLOURS.len()];
            let dashed = matches!(series.form, Form::Dashed);
            let dashes = if dashed {
                "\" stroke-dasharray=\"6 4"
            } else {
                ""
            };
            let stroke = format!("{colour}\" stroke-width=\"4{dashes}");
            rule(out, [x, 40.0], [x + 18.0, 40.0], &stroke);
            text(out, [x + 23.0, 44.0], "start", "#333333", &series.name);
            x += 40.0 + 6.3 * series.name.chars().count() as f64;
        }
    }
}

/// Formats a value with at most three digits, and at most two after the point.
pub fn digits(value: f64) -> String {
    match value.abs() {
        v if v >= 99.5 => format!("{value:.0}"),
        v if v >= 9.95 => format!("{value:.1}"),
        0.0 => "0".to_owned(),
        _ => format!("{value:.2}"),
    }
}

fn text(out: &mut String, [x, y]: [f64; 2], anchor: &str, fill: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{words}</text>"
    );
}

fn rule(out: &mut String, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], stroke: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\"/>"
    );
}
