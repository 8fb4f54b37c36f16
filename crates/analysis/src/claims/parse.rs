//! Parses the text of an article's file to a checked [`Article`].
//!
//! serde reads the text into the types below, which mirror the file and keep the positions of
//! values that can be wrong. Then names are resolved and contradictions found.

use std::collections::BTreeMap;

use serde::Deserialize;
use stend_config::{FileError, Problem, SourceText, Spanned};

use super::figure::{
    Figure, Of, OfBenchmark, OfCurve, OfFiles, OfPoints, OfResponse, OfTraces, ResponseMetric,
};
use super::{ABOUT_PERCENT, Article, Bounds, By, Check, Experiment, Finding, Relation, SCHEMA};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    id: Spanned<String>,
    title: String,
    edition: Spanned<String>,
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
    points: Option<OfPoints>,
    curve: Option<Spanned<OfCurve>>,
    response: Option<Spanned<OfResponse>>,
    benchmark: Option<OfBenchmark>,
    traces: Option<OfTraces>,
    files: Option<OfFiles>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindingEntry {
    id: Spanned<String>,
    text: String,
    not_checked: Option<String>,
    when_not: Option<String>,
    #[serde(default)]
    experiment: Vec<ExperimentEntry>,
    check: Spanned<Vec<Spanned<CheckEntry>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentEntry {
    drive: Spanned<String>,
    figure: Spanned<String>,
    values: Spanned<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckEntry {
    figure: Spanned<String>,
    drives: Spanned<Vec<String>>,
    value: Option<Spanned<Bounds>>,
    ratio: Option<Spanned<RatioEntry>>,
    order: Option<Spanned<OrderEntry>>,
    place: Option<Spanned<PlaceEntry>>,
    reading: Option<String>,
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

/// Reason why a part of a curve is rejected.
const EMPTY_PART: &str = "it ends before it begins; let the `to_` be above the `from_`";

/// True if both bounds are given and the part ends where it begins, or before.
fn ends_first<T: PartialOrd>(from: Option<T>, to: Option<T>) -> bool {
    from.zip(to).is_some_and(|(from, to)| from >= to)
}

/// The text being parsed, and the names known so far.
struct Source<'a> {
    text: SourceText<'a>,
    drives: Vec<String>,
    /// Groups of drives.
    groups: BTreeMap<String, Vec<String>>,
    figures: BTreeMap<String, Figure>,
}

pub(super) fn parse(text: &str, file: &str) -> Result<Article, FileError> {
    let text = SourceText { file, text };
    let raw: File = text.read()?;
    let source = Source {
        text,
        drives: Vec::new(),
        groups: BTreeMap::new(),
        figures: BTreeMap::new(),
    };
    source.article(raw)
}

impl Source<'_> {
    fn fail<T, R>(
        &self,
        place: &Spanned<T>,
        key: &str,
        problem: impl Into<String>,
    ) -> Result<R, FileError> {
        self.text.fail_key(place, key, problem)
    }

    fn id(&self, id: &Spanned<String>, key: &str) -> Result<(), FileError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.get_ref().is_empty() || !id.get_ref().chars().all(allowed) {
            return self.fail(id, key, "a name is made of a-z, 0-9 and `-`");
        }
        Ok(())
    }

    fn article(mut self, raw: File) -> Result<Article, FileError> {
        if raw.schema.get_ref() != SCHEMA {
            return self.fail(&raw.schema, "schema", format!("must be \"{SCHEMA}\""));
        }
        self.id(&raw.id, "id")?;
        self.names(&raw)?;
        for (name, entry) in raw.figure {
            self.id(&name, "figure")?;
            let figure = self.figure(&name, entry)?;
            self.figures.insert(name.into_inner(), figure);
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
            findings.push(self.finding(entry)?);
        }
        let used: Vec<&str> = findings
            .iter()
            .flat_map(|finding| &finding.checks)
            .flat_map(|check| check.looks_at())
            .map(|(_, figure)| figure)
            .collect();
        let mut figures = self.figures.iter();
        if let Some((name, figure)) = figures.find(|(name, _)| !used.contains(&name.as_str())) {
            return Err(FileError::from(Problem {
                file: self.text.file.to_owned(),
                line: Some(figure.line),
                key: Some(name.clone()),
                message: "no check looks at this figure".to_owned(),
            }));
        }
        Ok(Article {
            id: raw.id.into_inner(),
            title: raw.title,
            edition_line: self.text.line(raw.edition.span().start),
            edition: raw.edition.into_inner(),
            subjects: raw.subjects.into_inner(),
            rivals: raw.rivals.into_inner(),
            figures: self.figures,
            findings,
        })
    }

    fn names(&mut self, raw: &File) -> Result<(), FileError> {
        let (subjects, rivals) = (raw.subjects.get_ref(), raw.rivals.get_ref());
        if subjects.is_empty() {
            return self.fail(&raw.subjects, "subjects", "an article is about a drive");
        }
        let drives: Vec<String> = subjects.iter().chain(rivals).cloned().collect();
        if let Some(twice) = (1..drives.len()).find(|&i| drives[..i].contains(&drives[i])) {
            let problem = format!("{} is named twice", drives[twice]);
            return match twice < subjects.len() {
                true => self.fail(&raw.subjects, "subjects", problem),
                false => self.fail(&raw.rivals, "rivals", problem),
            };
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
        (self.drives, self.groups) = (drives, groups);
        Ok(())
    }

    /// Returns the drives of a list that may name drives and groups.
    fn drives(&self, list: &Spanned<Vec<String>>, key: &str) -> Result<Vec<String>, FileError> {
        let mut drives: Vec<String> = Vec::new();
        for name in list.get_ref() {
            let one = std::slice::from_ref(name);
            let members = match self.groups.get(name) {
                Some(group) => group.as_slice(),
                None if self.drives.contains(name) => one,
                None => {
                    let groups: Vec<&str> = self.groups.keys().map(String::as_str).collect();
                    let problem = format!(
                        "{name} is neither a drive of this article ({}) nor a group ({})",
                        self.drives.join(", "),
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
        let kinds = [
            entry.points.map(Of::Points),
            entry.curve.map(|curve| self.curve(curve)).transpose()?,
            entry
                .response
                .map(|response| self.response(response))
                .transpose()?,
            entry.benchmark.map(Of::Benchmark),
            entry.traces.map(Of::Traces),
            entry.files.map(Of::Files),
        ];
        let mut kinds = kinds.into_iter().flatten();
        let (Some(of), None) = (kinds.next(), kinds.next()) else {
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
            line: self.text.line(name.span().start),
        })
    }

    fn curve(&self, place: Spanned<OfCurve>) -> Result<Of, FileError> {
        let curve = place.get_ref();
        let is_empty = ends_first(curve.from_s, curve.to_s)
            || ends_first(curve.from_bytes, curve.to_bytes)
            || ends_first(curve.from_capacities, curve.to_capacities);
        if is_empty {
            return self.fail(&place, "curve", EMPTY_PART);
        }
        if curve.is_bounded() && !curve.metric.is_of_a_part() {
            let problem =
                "only `iops`, `bw_bytes_per_s` and `scatter_percent` are of a part of a curve";
            return self.fail(&place, "metric", problem);
        }
        if curve.metric.is_of_a_step() != curve.step.is_some() || curve.step == Some(0) {
            let problem = "`step`, from 1, goes with `step_iops`, `step_end_bytes` and \
                `step_end_capacities`, and with these only";
            return self.fail(&place, "step", problem);
        }
        Ok(Of::Curve(place.into_inner()))
    }

    fn response(&self, place: Spanned<OfResponse>) -> Result<Of, FileError> {
        let response = place.get_ref();
        if ends_first(response.from_s, response.to_s) {
            return self.fail(&place, "response", EMPTY_PART);
        }
        let bounded = response.from_s.or(response.to_s).is_some();
        if bounded && response.metric != ResponseMetric::Iops {
            return self.fail(&place, "metric", "only `iops` is of a part of the time");
        }
        Ok(Of::Response(place.into_inner()))
    }

    fn finding(&self, entry: FindingEntry) -> Result<Finding, FileError> {
        if entry.check.get_ref().is_empty() {
            return self.fail(&entry.check, "check", "a finding has at least one check");
        }
        let checks = entry.check.get_ref().iter();
        let checks: Result<Vec<Check>, FileError> = checks.map(|check| self.check(check)).collect();
        let experiments = entry.experiment.iter();
        let experiments: Result<Vec<_>, FileError> =
            experiments.map(|one| self.experiment(one)).collect();
        Ok(Finding {
            id: entry.id.into_inner(),
            text: entry.text,
            not_checked: entry.not_checked,
            when_not: entry.when_not,
            experiments: experiments?,
            checks: checks?,
        })
    }

    fn experiment(&self, entry: &ExperimentEntry) -> Result<Experiment, FileError> {
        let drive = &entry.drive;
        let one = Spanned::new(drive.span(), vec![drive.get_ref().clone()]);
        let drives = self.drives(&one, "drive")?;
        let [drive] = &drives[..] else {
            return self.fail(drive, "drive", "an experiment is made on one drive");
        };
        let Some((table, key)) = entry.figure.get_ref().split_once('.') else {
            let problem = "expected a figure of a drive's file, as \"controller.gc_page_ns\"";
            return self.fail(&entry.figure, "figure", problem);
        };
        if entry.values.get_ref().is_empty() {
            return self.fail(
                &entry.values,
                "values",
                "an experiment tries at least one value",
            );
        }
        Ok(Experiment {
            drive: drive.clone(),
            table: table.to_owned(),
            key: key.to_owned(),
            values: entry.values.get_ref().clone(),
            line: self.text.line(entry.figure.span().start),
        })
    }

    fn check(&self, place: &Spanned<CheckEntry>) -> Result<Check, FileError> {
        let entry = place.get_ref();
        self.known(&entry.figure)?;
        let drives = self.drives(&entry.drives, "drives")?;
        let relations = [
            entry.value.as_ref().map(|value| self.value(value)),
            entry
                .ratio
                .as_ref()
                .map(|ratio| self.ratio(ratio, &entry.figure)),
            entry.order.as_ref().map(|order| self.order(order)),
            entry.place.as_ref().map(|place| self.place(place, &drives)),
        ];
        let mut relations = relations.into_iter().flatten();
        let (Some(relation), None) = (relations.next(), relations.next()) else {
            let problem = "a check has one of `value`, `ratio`, `order`, `place`";
            return self.fail(place, "check", problem);
        };
        let relation = relation?;
        self.compares(place, &drives, &relation)?;
        if entry.reading.is_none() && relation.needs_reading() {
            let problem = "missing: how the words were read, where they are not a number with \
                \"about\" or an order";
            return self.fail(place, "reading", problem);
        }
        Ok(Check {
            figure: entry.figure.get_ref().clone(),
            drives,
            relation,
            reading: entry.reading.clone(),
        })
    }

    /// Rejects a comparison of a drive only with itself.
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

    fn known(&self, figure: &Spanned<String>) -> Result<(), FileError> {
        if self.figures.contains_key(figure.get_ref()) {
            return Ok(());
        }
        let names: Vec<&str> = self.figures.keys().map(String::as_str).collect();
        let problem = format!("there is no such figure; there are: {}", names.join(", "));
        self.fail(figure, "figure", problem)
    }

    fn value(&self, place: &Spanned<Bounds>) -> Result<Relation, FileError> {
        Ok(Relation::Value(self.bounds(place, *place.get_ref())?))
    }

    fn bounds<T>(&self, place: &Spanned<T>, bounds: Bounds) -> Result<Bounds, FileError> {
        if bounds.about.is_none() && bounds.tolerance_percent.is_some() {
            let problem = "a tolerance is that of `about`";
            return self.fail(place, "tolerance_percent", problem);
        }
        if bounds == Bounds::default() {
            let problem = "no bound: one of `about`, `above`, `below`, `at_least`, `at_most`";
            return self.fail(place, "value", problem);
        }
        let Bounds {
            about,
            above,
            below,
            at_least,
            at_most,
            tolerance_percent,
        } = bounds;
        let all = [about, above, below, at_least, at_most, tolerance_percent];
        if let Some(value) = all.into_iter().flatten().find(|value| !value.is_finite()) {
            let problem = format!("{value} is not a finite number");
            return self.fail(place, "value", problem);
        }
        let least = bounds.at_least.or(bounds.above);
        let most = bounds.at_most.or(bounds.below);
        let none_between = least.zip(most).is_some_and(|(least, most)| least >= most);
        if none_between || bounds.about_percent() < 0.0 {
            return self.fail(place, "value", "no number lies within these bounds");
        }
        Ok(bounds)
    }

    fn ratio(
        &self,
        place: &Spanned<RatioEntry>,
        own: &Spanned<String>,
    ) -> Result<Relation, FileError> {
        let entry = place.get_ref();
        let figure = entry.figure.as_ref().unwrap_or(own);
        self.known(figure)?;
        let units = [own, figure].map(|name| self.figures[name.get_ref()].unit());
        if units[0] != units[1] {
            let problem = format!(
                "{} is in other units than {}",
                figure.get_ref(),
                own.get_ref()
            );
            return self.fail(figure, "figure", problem);
        }
        let against = match &entry.against {
            Some(list) => Some(self.drives(list, "against")?),
            None => None,
        };
        let bounds = Bounds {
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

    fn order(&self, place: &Spanned<OrderEntry>) -> Result<Relation, FileError> {
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
            than: self.drives(list, key)?,
        })
    }

    fn place(&self, place: &Spanned<PlaceEntry>, drives: &[String]) -> Result<Relation, FileError> {
        let entry = place.get_ref();
        let among = self.drives(&entry.among, "among")?;
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
    /// True if its bounds depend on a reading of the article's words.
    fn needs_reading(&self) -> bool {
        let exact = |bounds: &Bounds| {
            let others = Bounds {
                about: None,
                tolerance_percent: None,
                ..*bounds
            };
            let about = bounds.about.is_some() && bounds.about_percent() == ABOUT_PERCENT;
            about && others == Bounds::default()
        };
        match self {
            Relation::Value(bounds) => !exact(bounds),
            Relation::Ratio { .. } | Relation::Place { .. } => true,
            Relation::Order { .. } => false,
        }
    }
}
