//! Times of flash operations and of commands, with their variation.

use stend_base::{Nanos, splitmix64};
use stend_model::nand::deviation::{ONE, factors, factors_by_row, scaled};
use stend_model::nand::reliability::{HALVINGS_MEAN, halvings_256ths};
use stend_model::spec::{PoolSpec, Spec, VariationSpec};

use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, Row};

/// Streams of random numbers derived from the seed of the variation.
#[derive(Clone, Copy)]
enum Drawn {
    Read = 1,
    Program = 2,
    DieRead = 3,
    DieProgram = 4,
    ReadCommand = 5,
    WriteCommand = 6,
}

/// Times of the flash and of commands.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Times {
    /// tR by mode and row.
    read: [Vec<Nanos>; 2],
    /// tPROG by mode and row; if rows are programmed together, of all of them.
    program: [Vec<Nanos>; 2],
    /// Factors of the dies.
    die_read: Vec<u32>,
    die_program: Vec<u32>,
    /// Time of a read command on a core.
    pub read_command: CommandTime,
    /// Time of a write command on a core.
    pub write_command: CommandTime,
}

impl Times {
    pub fn new(spec: &Spec) -> Times {
        let variation = spec.variation.as_ref();
        let of = |pool: &PoolSpec, program| by_row(variation, pool, program);
        let (slc_read, slc_program) = spec
            .cache
            .as_ref()
            .map(|cache| of(&cache.pool, None))
            .unwrap_or_default();
        let (read, program) = of(&spec.data, spec.one_shot);
        let dies = |drawn, percent: fn(&VariationSpec) -> u32| match variation {
            Some(by) => factors(stream(by, drawn), percent(by), spec.dies),
            None => vec![ONE; spec.dies as usize],
        };
        let command = |time, drawn| CommandTime::new(variation, time, drawn);
        Times {
            read: [slc_read, read],
            program: [slc_program, program],
            die_read: dies(Drawn::DieRead, |by| by.read_die_percent),
            die_program: dies(Drawn::DieProgram, |by| by.program_die_percent),
            read_command: command(spec.controller.read_command, Drawn::ReadCommand),
            write_command: command(spec.controller.write_command, Drawn::WriteCommand),
        }
    }

    /// tR of a page.
    #[inline(always)]
    pub fn read(&self, mode: Mode, row: Row, die: DieId) -> Nanos {
        scaled(
            self.read[mode as usize][row.index()],
            self.die_read[die.index()],
        )
    }

    /// tPROG of a page; if rows are programmed together, of all of them.
    #[inline(always)]
    pub fn program(&self, mode: Mode, row: Row, die: DieId) -> Nanos {
        scaled(
            self.program[mode as usize][row.index()],
            self.die_program[die.index()],
        )
    }
}

/// Time of a command on a core: a constant part, and one that is exponentially distributed.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct CommandTime {
    constant: Nanos,
    /// Mean of the random part.
    random: Nanos,
    seed: u64,
}

impl CommandTime {
    fn new(variation: Option<&VariationSpec>, time: Nanos, drawn: Drawn) -> CommandTime {
        let (percent, seed) =
            variation.map_or((0, 0), |by| (by.command_percent, stream(by, drawn)));
        let random = Nanos(time.0 * u64::from(percent) / 100);
        CommandTime {
            constant: time - random,
            random,
            seed,
        }
    }

    /// Time of the nth command of its kind.
    #[inline(always)]
    pub fn of(&self, nth: u64) -> Nanos {
        if self.random == Nanos::ZERO {
            return self.constant;
        }
        // `stend_base::exponential::minus_ln` is exact, and takes 48 steps.
        let halvings = halvings_256ths(splitmix64(self.seed, nth));
        self.constant + Nanos(self.random.0 * halvings / HALVINGS_MEAN)
    }
}

/// tR and tPROG of each row of a pool; if rows are programmed together, tPROG of all of them.
fn by_row(
    variation: Option<&VariationSpec>,
    pool: &PoolSpec,
    program: Option<Nanos>,
) -> (Vec<Nanos>, Vec<Nanos>) {
    let bits = pool.timing.pages_per_word_line();
    let factors = |drawn, percent: fn(&VariationSpec) -> u32| match variation {
        Some(by) => factors_by_row(stream(by, drawn), percent(by), pool.rows, bits),
        None => vec![ONE; pool.rows as usize],
    };
    let reads = factors(Drawn::Read, |by| by.read_word_line_percent);
    let programs = factors(Drawn::Program, |by| by.program_word_line_percent);
    let timing = &pool.timing;
    let read = |row| scaled(timing.read_at(row), reads[row as usize]);
    let program = |row| {
        let mean = program.unwrap_or(timing.program_at(row));
        scaled(mean, programs[row as usize])
    };
    let rows = 0..pool.rows;
    (
        rows.clone().map(read).collect(),
        rows.map(program).collect(),
    )
}

/// Seed of a stream of random numbers.
fn stream(by: &VariationSpec, drawn: Drawn) -> u64 {
    splitmix64(by.seed, drawn as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_command_is_exponentially_distributed() {
        let time = CommandTime {
            constant: Nanos(3_000),
            random: Nanos(1_000),
            seed: 3,
        };
        let count = 200_000;
        let all: Vec<u64> = (0..count).map(|nth| time.of(nth).0).collect();
        let mean = all.iter().sum::<u64>() as f64 / count as f64;
        assert!((mean - 4_000.0).abs() < 20.0, "{mean}");
        for (above_ns, share) in [(1_000.0, 1.0f64), (2_000.0, 2.0), (4_000.0, 4.0)] {
            let above = all.iter().filter(|&&t| t as f64 > 3_000.0 + above_ns);
            let got = above.count() as f64 / count as f64;
            let expected = (-share).exp();
            // The logarithm is linear between powers of two.
            assert!(
                (got / expected - 1.0).abs() < 0.15,
                "{share}: {got} {expected}"
            );
        }
    }
}
