//! The benchmark of a test, and the profile that it names.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{EditionError, PatternEntry, Source, State, pattern};
use crate::edition::benchmark::{Benchmark, Order, Profile, Row, SCHEMA, SHIPPED};

/// Most passes of a row and direction.
const PASSES_MAX: u32 = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BenchmarkEntry {
    state: Spanned<String>,
    profile: Spanned<String>,
    mix: Option<Spanned<bool>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileEntry {
    schema: Spanned<String>,
    id: Spanned<String>,
    title: String,
    region_bytes: Spanned<u64>,
    passes: Spanned<u32>,
    discarded_passes: Spanned<u32>,
    order: OrderEntry,
    pass_s: Spanned<f64>,
    pause_s: Spanned<f64>,
    mix_read_percent: Option<Spanned<u32>>,
    row: Spanned<Vec<RowEntry>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OrderEntry {
    ReadsFirst,
    RowByRow,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowEntry {
    name: Spanned<String>,
    pattern: PatternEntry,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    threads: Spanned<u32>,
}

impl Source<'_> {
    pub(super) fn benchmark(
        &self,
        entry: &BenchmarkEntry,
        states: &[State],
    ) -> Result<Benchmark, EditionError> {
        let profile = self.profile(&entry.profile)?;
        let mix = entry.mix.as_ref().is_some_and(|mix| *mix.get_ref());
        if mix && profile.mix_read_percent.is_none() {
            return self.fail(
                entry.mix.as_ref().unwrap_or(&Spanned::new(0..0, mix)),
                format!(
                    "the profile `{}` has no `mix_read_percent`: it has no mix",
                    profile.id
                ),
            );
        }
        Ok(Benchmark {
            state: self.state_index(&entry.state, states)?,
            profile,
            mix,
        })
    }

    /// A profile by its name, or from a file beside the edition's own.
    fn profile(&self, place: &Spanned<String>) -> Result<Profile, EditionError> {
        let name = place.get_ref().as_str();
        if let Some((id, text)) = SHIPPED.iter().find(|(id, _)| *id == name) {
            return parse(text, &format!("editions/benchmarks/{id}.toml (built in)"));
        }
        if Path::new(name).extension().is_none_or(|e| e != "toml") {
            let names: Vec<&str> = SHIPPED.iter().map(|(id, _)| *id).collect();
            return self.fail(
                place,
                format!(
                    "there is no profile `{name}`; there are: {}. A file of your own ends in .toml",
                    names.join(", ")
                ),
            );
        }
        let path = self.beside(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => parse(&text, &path.display().to_string()),
            Err(error) => self.fail(
                place,
                format!("{}: the profile cannot be read: {error}", path.display()),
            ),
        }
    }
}

/// Reads a profile; `file` is its name in errors.
fn parse(text: &str, file: &str) -> Result<Profile, EditionError> {
    let source = Source { text, file };
    let raw: ProfileEntry = source.text().read()?;
    if raw.schema.get_ref() != SCHEMA {
        return source.fail(&raw.schema, format!("must be \"{SCHEMA}\""));
    }
    source.id(&raw.id)?;
    source.region(Some(&raw.region_bytes))?;
    if !(1..=PASSES_MAX).contains(raw.passes.get_ref()) {
        return source.fail(&raw.passes, format!("from 1 to {PASSES_MAX} passes count"));
    }
    if *raw.discarded_passes.get_ref() > PASSES_MAX {
        let problem = format!("at most {PASSES_MAX} passes are discarded");
        return source.fail(&raw.discarded_passes, problem);
    }
    if let Some(share) = &raw.mix_read_percent
        && !(1..=99).contains(share.get_ref())
    {
        return source.fail(share, "a mix has from 1 to 99 percent reads");
    }
    Ok(Profile {
        region_bytes: *raw.region_bytes.get_ref(),
        passes: *raw.passes.get_ref(),
        discarded_passes: *raw.discarded_passes.get_ref(),
        order: match raw.order {
            OrderEntry::ReadsFirst => Order::ReadsFirst,
            OrderEntry::RowByRow => Order::RowByRow,
        },
        pass_s: source.duration(&raw.pass_s)?,
        pause_s: source.pause(&raw.pause_s)?,
        mix_read_percent: raw.mix_read_percent.map(Spanned::into_inner),
        rows: source.rows(&raw.row)?,
        id: raw.id.into_inner(),
        title: raw.title,
    })
}

impl Source<'_> {
    fn rows(&self, entries: &Spanned<Vec<RowEntry>>) -> Result<Vec<Row>, EditionError> {
        let mut rows: Vec<Row> = Vec::new();
        for entry in entries.get_ref() {
            // A result is known by its row's name.
            if rows.iter().any(|row| row.name == *entry.name.get_ref()) {
                return self.fail(&entry.name, "two rows have this name");
            }
            rows.push(Row {
                name: entry.name.get_ref().clone(),
                pattern: pattern(entry.pattern),
                block_bytes: self.block(&entry.block_bytes, *entry.block_bytes.get_ref())?,
                queue_depth: self.count(&entry.queue_depth, *entry.queue_depth.get_ref())?,
                threads: self.count(&entry.threads, *entry.threads.get_ref())?,
            });
        }
        if rows.is_empty() {
            return self.fail(entries, "a profile has at least one `[[row]]`");
        }
        Ok(rows)
    }
}
