//! `stend traces`: synthesised traces, and the contents of a trace.

use std::fs::OpenOptions;
use std::io::{BufWriter, ErrorKind};
use std::path::Path;

use serde_json::{Value, json};
use stend_language::counted;
use stend_load::trace::profile::SHIPPED;
use stend_load::trace::{
    OPS, Profile, Summary, Synthetic, Trace, TraceFile, iolog, op_name, summary,
};

use crate::args::{TracesArgs, TracesCommand};
use crate::failure::Failure;
use crate::output::{print, print_json, table};

/// A trace that the user named.
pub enum NamedTrace {
    /// Synthesised from a profile.
    Synthetic(Box<Synthetic>),
    /// A file.
    File(TraceFile),
}

impl NamedTrace {
    /// Opens a shipped profile, a profile in a file, or a file with a trace.
    pub fn open(name: &str, seed: u64, only: Option<&str>) -> Result<NamedTrace, Failure> {
        let path = Path::new(name);
        let profile = match Profile::shipped(name) {
            Some(profile) => profile,
            None if name.ends_with(".toml") => Profile::read(path)?,
            None if name.contains('/') || path.exists() => {
                return Ok(NamedTrace::File(TraceFile::open(path, only)?));
            }
            None => return Err(Failure::Input(unknown(name))),
        };
        if only.is_some() {
            return Err(Failure::Input(format!(
                "--only chooses a disk in a file, and `{name}` is synthesised for one disk; leave \
                 it out"
            )));
        }
        Ok(NamedTrace::Synthetic(Box::new(profile.with_seed(seed))))
    }

    /// The trace itself.
    pub fn trace(&self) -> &dyn Trace {
        match self {
            NamedTrace::Synthetic(trace) => &**trace,
            NamedTrace::File(trace) => trace,
        }
    }

    /// Profile of a synthesised trace.
    pub fn profile(&self) -> Option<&Profile> {
        match self {
            NamedTrace::Synthetic(trace) => Some(trace.profile()),
            NamedTrace::File(_) => None,
        }
    }

    /// Describes the trace, for JSON.
    pub fn describe(&self) -> Value {
        let trace = self.trace();
        match self {
            NamedTrace::Synthetic(synthetic) => {
                let profile = synthetic.profile();
                json!({
                    "name": profile.name,
                    "title": profile.title,
                    "kind": "synthesised desktop trace",
                    "structure": profile.structure,
                    "totals": profile.totals.status.name(),
                    "totals_source": profile.totals.source,
                })
            }
            NamedTrace::File(file) => json!({
                "name": trace.name(),
                "title": trace.name(),
                "kind": file.format().name(),
            }),
        }
    }
}

/// A summary as JSON.
pub fn summary_json(sum: &Summary) -> Value {
    let mut ops = serde_json::Map::new();
    for (index, op) in OPS.into_iter().enumerate() {
        ops.insert(
            op_name(op).to_string(),
            json!({ "requests": sum.requests[index], "bytes": sum.bytes[index] }),
        );
    }
    json!({
        "ops": ops,
        "fua_writes": sum.fua,
        "duration_ns": sum.duration.0,
        "end_bytes": sum.end_bytes,
        "out_of_order_requests": sum.out_of_order,
    })
}

pub fn run(args: &TracesArgs) -> Result<(), Failure> {
    match args.command.as_ref().unwrap_or(&TracesCommand::List) {
        TracesCommand::List => list(args.json),
        TracesCommand::Show { name } => show(name, args.json),
        TracesCommand::Make {
            name,
            out,
            seed,
            file,
        } => make(name, out, *seed, file, args.json),
    }
}

fn list(as_json: bool) -> Result<(), Failure> {
    let profiles = SHIPPED
        .iter()
        .filter_map(|(name, _)| Profile::shipped(name));
    if as_json {
        let traces: Vec<_> = profiles
            .map(|profile| {
                json!({
                    "name": profile.name,
                    "title": profile.title,
                    "read_bytes": profile.totals.read_bytes,
                    "written_bytes": profile.totals.written_bytes,
                    "totals": profile.totals.status.name(),
                })
            })
            .collect();
        return print_json(&json!({ "schema": "stend.traces/1", "traces": traces }));
    }
    let rows = profiles.map(|profile| {
        [
            profile.name,
            (profile.totals.read_bytes / 1_000_000).to_string(),
            (profile.totals.written_bytes / 1_000_000).to_string(),
            profile.totals.status.name().to_owned(),
            profile.title,
        ]
    });
    let layout = "<20 >6 MB read >6 MB written (<; MB of 10^6)  <";
    let mut text = table(layout, &rows.collect::<Vec<_>>());
    text += "Synthesised desktop traces: the structure of all of them is assumed.\n";
    print(&text)
}

fn show(name: &str, as_json: bool) -> Result<(), Failure> {
    if !as_json && let Some((_, text)) = SHIPPED.iter().find(|(own, _)| *own == name) {
        return print(text);
    }
    let named = NamedTrace::open(name, 1, None)?;
    let sum = summary(named.trace(), None)?;
    if as_json {
        let mut value = json!({ "schema": "stend.trace-show/1" });
        value["trace"] = named.describe();
        value["holds"] = summary_json(&sum);
        return print_json(&value);
    }
    let mut text = match &named {
        NamedTrace::Synthetic(trace) => format!("{}: {}\n", name, trace.profile().title),
        NamedTrace::File(file) => format!("{}: {}\n", name, file.format().name()),
    };
    let ops = OPS.into_iter().zip(sum.requests).zip(sum.bytes);
    let rows = ops.map(|((op, requests), bytes)| {
        [
            op_name(op).to_owned(),
            requests.to_string(),
            bytes.to_string(),
        ]
    });
    let rows = rows.collect::<Vec<_>>();
    text += &table("  <6 >10 requests >14 bytes", &rows);
    text += &format!(
        "  {:.6} s; {} with FUA; up to byte {}; {} out of order\n",
        sum.duration.as_secs_f64(),
        counted(sum.fua, "write"),
        sum.end_bytes,
        counted(sum.out_of_order, "request")
    );
    print(&text)
}

fn make(name: &str, out: &Path, seed: u64, file: &str, as_json: bool) -> Result<(), Failure> {
    let named = NamedTrace::open(name, seed, None)?;
    // The trace is read once before a file is created: a faulty line leaves no file behind.
    let sum = summary(named.trace(), None)?;
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::InvalidInput => Failure::Input(format!("--file: {error}")),
        ErrorKind::AlreadyExists => Failure::Input(format!(
            "{}: there is such a file already; choose another name",
            out.display()
        )),
        _ => Failure::unwritable(out, &error),
    };
    iolog::Writer::new(std::io::sink(), file).map_err(failed)?;
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(out)
        .map_err(failed)?;
    let written = (|| {
        let mut writer = iolog::Writer::new(BufWriter::new(opened), file).map_err(failed)?;
        for request in named.trace().requests()? {
            writer.add(&request?).map_err(failed)?;
        }
        writer.finish().map(drop).map_err(failed)
    })();
    written.inspect_err(|_| {
        let _ = std::fs::remove_file(out);
    })?;
    if as_json {
        let mut value = json!({ "schema": "stend.trace-make/1", "out": out.display().to_string() });
        value["trace"] = named.describe();
        value["holds"] = summary_json(&sum);
        return print_json(&value);
    }
    print(&format!(
        "{}: {} of {}, as fio iolog, version 3{}\n",
        out.display(),
        counted(sum.requests.iter().sum::<u64>(), "request"),
        name,
        match sum.fua {
            0 => String::new(),
            n => format!("; the format cannot say that {n} writes are FUA"),
        }
    ))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
    format!(
        "there is no trace `{name}`, and no file of this name; synthesised traces: {}. A profile \
         ends in .toml",
        names.join(", ")
    )
}
