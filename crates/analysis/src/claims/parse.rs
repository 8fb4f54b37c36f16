//! From the text of an article's file to a checked [`Article`].
//!
//! serde reads the text into the shapes below, which mirror the file and keep the place of
//! what can be wrong; then names are resolved and contradictions found.

use std::collections::BTreeMap;

use serde::Deserialize;
use stend_config::{FileError, Problem, Spanned, Text};
use stend_record::review::{Pattern, PointOp};

use super::figure::{
    Aggregate, CurveMetric, Figure, Of, PointMetric, ResponseMetric, Select, Span,
};
use super::{ABOUT_PERCENT, Article, Bounds, By, Check, Finding, Relation, SCHEMA};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    id: Spanned<String>,
    title: String,
    edition: String,
    subjects: Spanned<Vec<String>>,
    rivals: Spanned<Vec<String>>,
    #[serde(default)]
    groups: BTreeMap<String, Spanned<Vec<String>>>,
    figure: BTreeMap<Spanned<String>, FigureEntry>,
    finding: Spanned<Vec<FindingEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureEntry {
    title: String,
    test: String,
    points: Option<PointsEntry>,
    curve: Option<Spanned<CurveEntry>>,
    response: Option<Spanned<ResponseEntry>>,
    benchmark: Option<BenchmarkEntry>,
    traces: Option<TracesEntry>,
    files: Option<FilesEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointsEntry {
    op: Option<PointOp>,
    pattern: Option<Pattern>,
    block_bytes: Option<u64>,
    queue_depth: Option<u32>,
    threads: Option<u32>,
    read_percent: Option<u32>,
    metric: PointMetric,
    #[serde(default)]
    over: Aggregate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CurveEntry {
    name: String,
    metric: CurveMetric,
    step: Option<usize>,
    from_s: Option<f64>,
    to_s: Option<f64>,
    from_bytes: Option<u64>,
    to_bytes: Option<u64>,
    from_capacities: Option<f64>,
    to_capacities: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponseEntry {
    name: String,
    metric: ResponseMetric,
    from_s: Option<f64>,
    to_s: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BenchmarkEntry {
    row: String,
    op: PointOp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TracesEntry {
    trace: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesEntry {
    set: Option<String>,
    #[serde(default)]
    over: Aggregate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindingEntry {
    id: Spanned<String>,
    text: String,
    not_checked: Option<String>,
    when_not: Option<String>,
    check: Spanned<Vec<Spanned<CheckEntry>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckEntry {
    figure: Spanned<String>,
    drives: Spanned<Vec<String>>,
    value: Option<Spanned<BoundsEntry>>,
    ratio: Option<Spanned<RatioEntry>>,
    order: Option<Spanned<OrderEntry>>,
    place: Option<Spanned<PlaceEntry>>,
    reading: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundsEntry {
    about: Option<f64>,
    tolerance_percent: Option<f64>,
    above: Option<f64>,
    below: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RatioEntry {
    figure: Option<Spanned<String>>,
    against: Option<Spanned<Vec<String>>>,
    by: Option<By>,
    about: Option<f64>,
    tolerance_percent: Option<f64>,
    above: Option<f64>,
    below: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderEntry {
    more_than: Option<Spanned<Vec<String>>>,
    less_than: Option<Spanned<Vec<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceEntry {
    among: Spanned<Vec<String>>,
    at_most: Option<usize>,
    at_least: Option<usize>,
}

/// The text under examination.
struct Source<'a>(Text<'a>);

/// Names of drives, and of groups of them.
struct Names {
    drives: Vec<String>,
    groups: BTreeMap<String, Vec<String>>,
}

pub(super) fn parse(text: &str, file: &str) -> Result<Article, FileError> {
    let source = Source(Text { file, text });
    let raw: File = source.0.read()?;
    source.article(raw)
}

impl Source<'_> {
    fn fail<T, R>(
        &self,
        place: &Spanned<T>,
        key: &str,
        problem: impl Into<String>,
    ) -> Result<R, FileError> {
        self.0.fail_key(place, key, problem)
    }

    fn id(&self, id: &Spanned<String>, key: &str) -> Result<(), FileError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.get_ref().is_empty() || !id.get_ref().chars().all(allowed) {
            return self.fail(id, key, "a name is made of a-z, 0-9 and `-`");
        }
        Ok(())
    }

    fn article(&self, raw: File) -> Result<Article, FileError> {
        if raw.schema.get_ref() != SCHEMA {
            return self.fail(&raw.schema, "schema", format!("must be \"{SCHEMA}\""));
        }
        self.id(&raw.id, "id")?;
        let names = self.names(&raw)?;
        let mut figures = BTreeMap::new();
        for (name, entry) in raw.figure {
            self.id(&name, "figure")?;
            let figure = self.figure(&name, entry)?;
            figures.insert(name.into_inner(), figure);
        }
        if raw.finding.get_ref().is_empty() {
            return self.fail(&raw.finding, "finding", "there is at least one finding");
        }
        let mut findings: Vec<Finding> = Vec::new();
        for entry in raw.finding.into_inner() {
            self.id(&entry.id, "id")?;
            if findings.iter().any(|f| f.id == *entry.id.get_ref()) {
                return self.fail(&entry.id, "id", "another finding has this name");
            }
            findings.push(self.finding(entry, &names, &figures)?);
        }
        let used: Vec<&str> = findings
            .iter()
            .flat_map(|finding| &finding.checks)
            .flat_map(|check| check.looks_at())
            .map(|(_, figure)| figure)
            .collect();
        if let Some((name, figure)) = figures.iter().find(|(n, _)| !used.contains(&n.as_str())) {
            return Err(FileError::from(Problem {
                file: self.0.file.to_owned(),
                line: Some(figure.line),
                key: Some(name.clone()),
                message: "no check looks at this figure".to_owned(),
            }));
        }
        Ok(Article {
            id: raw.id.into_inner(),
            title: raw.title,
            edition: raw.edition,
            subjects: raw.subjects.into_inner(),
            rivals: raw.rivals.into_inner(),
            figures,
            findings,
        })
    }

    fn names(&self, raw: &File) -> Result<Names, FileError> {
        let (subjects, rivals) = (raw.subjects.get_ref(), raw.rivals.get_ref());
        if subjects.is_empty() {
            return self.fail(&raw.subjects, "subjects", "an article is about a drive");
        }
        let drives: Vec<String> = subjects.iter().chain(rivals).cloned().collect();
        if let Some(twice) = (1..drives.len()).find(|&i| drives[..i].contains(&drives[i])) {
            let twice = &drives[twice];
            return self.fail(&raw.rivals, "rivals", format!("{twice} is named twice"));
        }
        let mut groups = BTreeMap::from([
            ("all".to_owned(), drives.clone()),
            ("subjects".to_owned(), subjects.clone()),
            ("rivals".to_owned(), rivals.clone()),
        ]);
        for (name, members) in &raw.groups {
            if groups.contains_key(name) || drives.contains(name) {
                return self.fail(members, name, "something else has this name");
            }
            if let Some(other) = members.get_ref().iter().find(|m| !drives.contains(m)) {
                let problem =
                    format!("{other} is neither among the article's `subjects` nor its `rivals`");
                return self.fail(members, name, problem);
            }
            groups.insert(name.clone(), members.get_ref().clone());
        }
        Ok(Names { drives, groups })
    }

    /// Drives by their own names and by those of groups.
    fn drives(
        &self,
        list: &Spanned<Vec<String>>,
        key: &str,
        names: &Names,
    ) -> Result<Vec<String>, FileError> {
        let mut drives: Vec<String> = Vec::new();
        for name in list.get_ref() {
            let one = std::slice::from_ref(name);
            let members = match names.groups.get(name) {
                Some(group) => group.as_slice(),
                None if names.drives.contains(name) => one,
                None => {
                    let groups: Vec<&str> = names.groups.keys().map(String::as_str).collect();
                    let problem = format!(
                        "{name} is neither a drive of this article ({}) nor a group ({})",
                        names.drives.join(", "),
                        groups.join(", ")
                    );
                    return self.fail(list, key, problem);
                }
            };
            for member in members {
                if !drives.contains(member) {
                    drives.push(member.clone());
                }
            }
        }
        if drives.is_empty() {
            return self.fail(list, key, "names no drive");
        }
        Ok(drives)
    }

    fn figure(&self, name: &Spanned<String>, entry: FigureEntry) -> Result<Figure, FileError> {
        let mut kinds = Vec::new();
        if let Some(points) = entry.points {
            kinds.push(Of::Points {
                select: Select {
                    op: points.op,
                    pattern: points.pattern,
                    block_bytes: points.block_bytes,
                    queue_depth: points.queue_depth,
                    threads: points.threads,
                    read_percent: points.read_percent,
                },
                metric: points.metric,
                over: points.over,
            });
        }
        if let Some(curve) = entry.curve {
            kinds.push(self.curve(&curve)?);
        }
        if let Some(response) = entry.response {
            kinds.push(self.response(&response)?);
        }
        if let Some(benchmark) = entry.benchmark {
            kinds.push(Of::Benchmark {
                row: benchmark.row,
                op: benchmark.op,
            });
        }
        kinds.extend(entry.traces.map(|of| Of::Traces { trace: of.trace }));
        kinds.extend(entry.files.map(|of| Of::Files {
            set: of.set,
            over: of.over,
        }));
        let (Some(of), true) = (kinds.pop(), kinds.is_empty()) else {
            return self.fail(
                name,
                name.get_ref(),
                "a figure has one of `points`, `curve`, `response`, `benchmark`, `traces`, `files`",
            );
        };
        Ok(Figure {
            title: entry.title,
            test: entry.test,
            of,
            line: self.0.line(name.span().start),
        })
    }

    fn curve(&self, place: &Spanned<CurveEntry>) -> Result<Of, FileError> {
        let entry = place.get_ref();
        let span = Span {
            from_s: entry.from_s,
            to_s: entry.to_s,
            from_bytes: entry.from_bytes,
            to_bytes: entry.to_bytes,
            from_capacities: entry.from_capacities,
            to_capacities: entry.to_capacities,
        };
        if span != Span::default() && !entry.metric.is_of_a_span() {
            let problem =
                "only `iops`, `bw_bytes_per_s` and `scatter_percent` are of a part of a curve";
            return self.fail(place, "metric", problem);
        }
        if entry.metric.is_of_a_step() != entry.step.is_some() || entry.step == Some(0) {
            let problem = "`step`, from 1, goes with `step_iops`, `step_end_bytes` and `step_end_capacities`, and with these only";
            return self.fail(place, "step", problem);
        }
        Ok(Of::Curve {
            name: entry.name.clone(),
            metric: entry.metric,
            span,
            step: entry.step,
        })
    }

    fn response(&self, place: &Spanned<ResponseEntry>) -> Result<Of, FileError> {
        let entry = place.get_ref();
        let span = Span {
            from_s: entry.from_s,
            to_s: entry.to_s,
            ..Span::default()
        };
        if span != Span::default() && !entry.metric.is_of_a_span() {
            return self.fail(place, "metric", "only `iops` is of a part of the time");
        }
        Ok(Of::Response {
            name: entry.name.clone(),
            metric: entry.metric,
            span,
        })
    }

    fn finding(
        &self,
        entry: FindingEntry,
        names: &Names,
        figures: &BTreeMap<String, Figure>,
    ) -> Result<Finding, FileError> {
        if entry.check.get_ref().is_empty() {
            return self.fail(&entry.check, "check", "a finding has at least one check");
        }
        let checks = entry.check.get_ref().iter();
        let checks: Result<Vec<Check>, FileError> = checks
            .map(|check| self.check(check, names, figures))
            .collect();
        Ok(Finding {
            id: entry.id.into_inner(),
            text: entry.text,
            not_checked: entry.not_checked,
            when_not: entry.when_not,
            checks: checks?,
        })
    }

    fn check(
        &self,
        place: &Spanned<CheckEntry>,
        names: &Names,
        figures: &BTreeMap<String, Figure>,
    ) -> Result<Check, FileError> {
        let entry = place.get_ref();
        self.known(&entry.figure, figures)?;
        let drives = self.drives(&entry.drives, "drives", names)?;
        let mut relations = Vec::new();
        if let Some(value) = &entry.value {
            relations.push(Relation::Value(self.bounds(value, *value.get_ref())?));
        }
        if let Some(ratio) = &entry.ratio {
            relations.push(self.ratio(ratio, &entry.figure, names, figures)?);
        }
        if let Some(order) = &entry.order {
            relations.push(self.order(order, names)?);
        }
        if let Some(place) = &entry.place {
            relations.push(self.place(place, &drives, names)?);
        }
        let (Some(relation), true) = (relations.pop(), relations.is_empty()) else {
            let problem = "a check has one of `value`, `ratio`, `order`, `place`";
            return self.fail(place, "check", problem);
        };
        self.compares(place, &drives, &relation)?;
        if entry.reading.is_none() && relation.needs_reading() {
            let problem = "missing: how the words were read, where they are not a number with \"about\" or an order";
            return self.fail(place, "reading", problem);
        }
        Ok(Check {
            figure: entry.figure.get_ref().clone(),
            drives,
            relation,
            reading: entry.reading.clone(),
        })
    }

    /// A drive compared with itself alone would pass or fail whatever it is.
    fn compares(
        &self,
        place: &Spanned<CheckEntry>,
        drives: &[String],
        relation: &Relation,
    ) -> Result<(), FileError> {
        let others = match relation {
            Relation::Value(_) => return Ok(()),
            Relation::Ratio {
                figure, against, ..
            } => match against {
                Some(against) => against,
                None if figure != place.get_ref().figure.get_ref() => return Ok(()),
                None => {
                    let problem = "a ratio needs another `figure`, or drives to be `against`";
                    return self.fail(place, "ratio", problem);
                }
            },
            Relation::Order { than, .. } => than,
            Relation::Place { among, .. } => among,
        };
        match drives
            .iter()
            .find(|drive| others.iter().all(|o| o == *drive))
        {
            Some(drive) => {
                let problem = format!("{drive} is compared with itself alone");
                self.fail(place, "drives", problem)
            }
            None => Ok(()),
        }
    }

    fn known(
        &self,
        figure: &Spanned<String>,
        figures: &BTreeMap<String, Figure>,
    ) -> Result<(), FileError> {
        if figures.contains_key(figure.get_ref()) {
            return Ok(());
        }
        let names: Vec<&str> = figures.keys().map(String::as_str).collect();
        let problem = format!("there is no such figure; there are: {}", names.join(", "));
        self.fail(figure, "figure", problem)
    }

    fn bounds<T>(&self, place: &Spanned<T>, raw: BoundsEntry) -> Result<Bounds, FileError> {
        if raw.about.is_none() && raw.tolerance_percent.is_some() {
            let problem = "a tolerance is that of `about`";
            return self.fail(place, "tolerance_percent", problem);
        }
        let percent = raw.tolerance_percent.unwrap_or(ABOUT_PERCENT);
        let bounds = Bounds {
            about: raw.about.map(|middle| (middle, percent)),
            above: raw.above,
            below: raw.below,
            at_least: raw.at_least,
            at_most: raw.at_most,
        };
        if bounds == Bounds::default() {
            let problem = "no bound: one of `about`, `above`, `below`, `at_least`, `at_most`";
            return self.fail(place, "value", problem);
        }
        let least = bounds.at_least.or(bounds.above);
        let most = bounds.at_most.or(bounds.below);
        if least.zip(most).is_some_and(|(least, most)| least >= most) || percent < 0.0 {
            return self.fail(place, "value", "no number lies within these bounds");
        }
        Ok(bounds)
    }

    fn ratio(
        &self,
        place: &Spanned<RatioEntry>,
        own: &Spanned<String>,
        names: &Names,
        figures: &BTreeMap<String, Figure>,
    ) -> Result<Relation, FileError> {
        let entry = place.get_ref();
        let figure = entry.figure.as_ref().unwrap_or(own);
        self.known(figure, figures)?;
        let quantities = [own, figure].map(|name| figures[name.get_ref()].quantity());
        if quantities[0] != quantities[1] {
            let problem = format!(
                "{} is in other units than {}",
                figure.get_ref(),
                own.get_ref()
            );
            return self.fail(figure, "figure", problem);
        }
        let against = match &entry.against {
            Some(list) => Some(self.drives(list, "against", names)?),
            None => None,
        };
        let bounds = BoundsEntry {
            about: entry.about,
            tolerance_percent: entry.tolerance_percent,
            above: entry.above,
            below: entry.below,
            at_least: entry.at_least,
            at_most: entry.at_most,
        };
        Ok(Relation::Ratio {
            figure: figure.get_ref().clone(),
            against,
            by: entry.by.unwrap_or_default(),
            bounds: self.bounds(place, bounds)?,
        })
    }

    fn order(&self, place: &Spanned<OrderEntry>, names: &Names) -> Result<Relation, FileError> {
        let (more, key, list) = match (&place.get_ref().more_than, &place.get_ref().less_than) {
            (Some(list), None) => (true, "more_than", list),
            (None, Some(list)) => (false, "less_than", list),
            _ => {
                let problem = "an order has one of `more_than`, `less_than`";
                return self.fail(place, "order", problem);
            }
        };
        Ok(Relation::Order {
            more,
            than: self.drives(list, key, names)?,
        })
    }

    fn place(
        &self,
        place: &Spanned<PlaceEntry>,
        drives: &[String],
        names: &Names,
    ) -> Result<Relation, FileError> {
        let entry = place.get_ref();
        let among = self.drives(&entry.among, "among", names)?;
        if let Some(drive) = drives.iter().find(|drive| !among.contains(drive)) {
            let problem = format!("{drive} is not among them");
            return self.fail(&entry.among, "among", problem);
        }
        let least = entry.at_least.unwrap_or(1);
        let most = entry.at_most.unwrap_or(among.len());
        if least < 1 || most > among.len() || least > most || (least == 1 && most == among.len()) {
            let problem = format!(
                "`at_least` and `at_most` leave some of the places 1 to {}, not all and not none",
                among.len()
            );
            return self.fail(place, "place", problem);
        }
        Ok(Relation::Place {
            among,
            at_most: entry.at_most,
            at_least: entry.at_least,
        })
    }
}

impl Relation {
    /// Whether its bounds are a matter of reading.
    fn needs_reading(&self) -> bool {
        let exact = |bounds: &Bounds| match bounds.about {
            Some((_, percent)) => {
                percent == ABOUT_PERCENT
                    && *bounds
                        == Bounds {
                            about: bounds.about,
                            ..Bounds::default()
                        }
            }
            None => false,
        };
        match self {
            Relation::Value(bounds) => !exact(bounds),
            Relation::Ratio { .. } | Relation::Place { .. } => true,
            Relation::Order { .. } => false,
        }
    }
}
