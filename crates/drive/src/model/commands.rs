//! `[nand_commands]`: what dies can do beside one plain operation at a time.

use serde::Deserialize;
use stend_base::Nanos;
use stend_nand::{Abilities, Suspend};

use super::check::Checker;
use super::resolve::micros;
use super::schema::Model;
use super::sourced::{Field, Value};

/// Commands of the dies beyond plain reading, programming and erasing. What is not named is
/// not used.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NandCommands {
    /// Whether all planes of a die work together (the default). Without it each plane's
    /// blocks make superblocks of their own.
    pub multi_plane: Option<Field<bool>>,
    /// Sensing goes on while data leaves over the cache register.
    pub cache_read: Option<Field<bool>>,
    /// Data is taken in while cells program.
    pub cache_program: Option<Field<bool>>,
    /// All pages of a word line are programmed at once: tPROG of that, µs.
    pub one_shot_program_us: Option<Field<f64>>,
    /// A program is interrupted for a read: time until the die can sense, µs.
    pub program_suspend_us: Option<Field<f64>>,
    /// The same for an erase, µs.
    pub erase_suspend_us: Option<Field<f64>>,
    /// What going on with either costs, µs.
    pub resume_us: Option<Field<f64>>,
    /// How many reads one operation lets pass.
    pub suspend_reads_max: Option<Field<u32>>,
}

fn on(field: Option<&Field<bool>>) -> Option<bool> {
    field.map(Value::get)
}

/// Planes that work together.
pub(super) fn planes_together(model: &Model) -> u32 {
    let commands = model.nand_commands.as_ref();
    match commands.and_then(|c| on(c.multi_plane.as_ref())) {
        Some(false) => 1,
        Some(true) | None => model.nand.planes.get(),
    }
}

pub(super) fn one_shot(model: &Model) -> Option<Nanos> {
    let time = model.nand_commands.as_ref()?.one_shot_program_us.as_ref()?;
    Some(micros(time.get()))
}

pub(super) fn abilities(model: &Model) -> Abilities {
    let Some(commands) = &model.nand_commands else {
        return Abilities::default();
    };
    let time = |field: &Option<Field<f64>>| field.as_ref().map(|f| micros(f.get()));
    let (program, erase) = (
        time(&commands.program_suspend_us),
        time(&commands.erase_suspend_us),
    );
    Abilities {
        cache_read: on(commands.cache_read.as_ref()).unwrap_or_default(),
        cache_program: on(commands.cache_program.as_ref()).unwrap_or_default(),
        suspend: (program.is_some() || erase.is_some()).then(|| Suspend {
            program,
            erase,
            resume: time(&commands.resume_us).unwrap_or_default(),
            reads_max: commands.suspend_reads_max.as_ref().map_or(1, Value::get),
        }),
    }
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(commands) = &model.nand_commands else {
        return;
    };
    for (key, field) in [
        ("nand_commands.multi_plane", &commands.multi_plane),
        ("nand_commands.cache_read", &commands.cache_read),
        ("nand_commands.cache_program", &commands.cache_program),
    ] {
        c.optional_source(key, field);
    }
    for (key, field) in [
        (
            "nand_commands.program_suspend_us",
            &commands.program_suspend_us,
        ),
        ("nand_commands.erase_suspend_us", &commands.erase_suspend_us),
        ("nand_commands.resume_us", &commands.resume_us),
    ] {
        c.optional(key, field, 0.0..=10_000.0);
    }
    let one_shot = &commands.one_shot_program_us;
    c.optional(
        "nand_commands.one_shot_program_us",
        one_shot,
        1.0..=100_000.0,
    );
    let suspends = commands.program_suspend_us.is_some() || commands.erase_suspend_us.is_some();
    let reads_max = &commands.suspend_reads_max;
    c.optional("nand_commands.suspend_reads_max", reads_max, 1..=1_000);
    if !suspends {
        let message = "it needs nand_commands.program_suspend_us or erase_suspend_us";
        if let Some(field) = &commands.resume_us {
            c.report("nand_commands.resume_us", field, message.to_string());
        }
        if let Some(field) = &commands.suspend_reads_max {
            c.report(
                "nand_commands.suspend_reads_max",
                field,
                message.to_string(),
            );
        }
    }
}
