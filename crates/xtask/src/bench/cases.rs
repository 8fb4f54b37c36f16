//! The cases: drive, work and aim of each.

use serde_json::{Value, json};

use crate::failure::Failure;

/// One case.
pub struct Case {
    /// Name as typed.
    pub name: &'static str,
    /// Description in one line.
    pub what: &'static str,
    /// Speed aim.
    pub aim: Aim,
    /// Reason why the case runs only if it is named; `None` for a case that runs by default.
    pub only_by_name: Option<&'static str>,
    drive: Drive,
    work: Work,
}

/// Speed aim of a case.
#[derive(Clone, Copy)]
pub enum Aim {
    /// Minimum number of requests per second in the measured phase.
    RequestsPerS(f64),
    /// Maximum wall-clock time of the whole process, s.
    ProcessWallS(f64),
    /// Maximum cost of a request of the measured phase, as a multiple of that of another case.
    CostRatio {
        /// The other case.
        to: &'static str,
        /// The multiple.
        most: f64,
    },
    /// No aim of its own: the named case is compared with this one.
    Reference(&'static str),
    /// No aim: only compared with records.
    None,
}

/// Drive of a case.
#[derive(Clone, Copy)]
enum Drive {
    /// The model of this name.
    Shipped(&'static str),
    /// The 850 PRO with another capacity, bytes.
    Scaled(u64),
    /// The 850 PRO with its addressable capacity reduced so that its spare space has this share, in
    /// percent of the addressable capacity.
    Spare(u64),
}

/// Work of a case.
#[derive(Clone, Copy)]
enum Work {
    /// Job files, one after another, on one drive.
    Jobs {
        /// Job files that prepare the drive.
        prepare: &'static [Phase],
        /// Job file that is measured.
        measured: Phase,
    },
    /// A whole review of a shipped model, which is measured completely.
    Review {
        /// Tests, as typed; by default all.
        tests: Option<&'static str>,
        /// Number of concurrent tests; defaults to the number of CPUs.
        threads: Option<usize>,
        /// Factor for the duration of every measurement.
        duration_scale: f64,
    },
}

/// One job.
#[derive(Clone, Copy)]
struct Phase {
    rw: &'static str,
    block_kib: u64,
    depth: u32,
    amount: Amount,
}

/// Amount of work in a phase.
#[derive(Clone, Copy)]
enum Amount {
    /// Multiples of the drive's capacity.
    Capacities(u64),
    /// This many requests.
    Requests(u64),
    /// The work of this many virtual seconds.
    Seconds(u64),
}

impl Phase {
    const fn new(rw: &'static str, block_kib: u64, depth: u32, amount: Amount) -> Phase {
        Phase {
            rw,
            block_kib,
            depth,
            amount,
        }
    }

    /// Job file for a drive of this capacity. The section's name makes its random numbers differ
    /// from those of other phases.
    fn job(&self, section: &str, capacity_bytes: u64) -> String {
        let map = if self.rw.starts_with("rand") {
            "norandommap\n"
        } else {
            ""
        };
        let amount = match self.amount {
            Amount::Capacities(n) => format!("io_size={}", n * capacity_bytes),
            Amount::Requests(n) => format!("io_size={}", n * self.block_kib * 1024),
            Amount::Seconds(n) => format!("time_based\nruntime={n}"),
        };
        format!(
            "[{section}]\nrw={}\nbs={}k\niodepth={}\n{map}{amount}\n",
            self.rw, self.block_kib, self.depth
        )
    }
}

/// Settings that replace those of a model, by their keys.
pub type Settings = Vec<(&'static str, u64)>;

/// Returns the text of a shipped model, by its name, with other figures.
pub type Shown<'a> = &'a dyn Fn(&str, &Settings) -> Result<String, Failure>;

/// A drive model.
pub struct ModelText {
    /// Name of the model.
    pub name: String,
    /// Text of its file, with all parts.
    pub text: String,
    /// Addressable capacity, bytes.
    pub user_bytes: u64,
}

impl ModelText {
    /// # Panics
    /// If the text lacks name or capacity.
    fn new(text: String) -> ModelText {
        let line = |key: &str| {
            let mut values = text.lines().filter_map(|line| line.strip_prefix(key));
            values
                .next()
                .unwrap_or_else(|| panic!("the model lacks {key}"))
        };
        let digits = |c: &char| c.is_ascii_digit() || *c == '_';
        let value: String = line("user_bytes = { value = ")
            .chars()
            .take_while(digits)
            .collect();
        ModelText {
            name: line("name = ").trim_matches('"').to_owned(),
            user_bytes: value.replace('_', "").parse().expect("bytes are a number"),
            text,
        }
    }
}

/// Capacity of a drive in a smoke run, or of the smaller of two, bytes.
const SMOKE_BYTES: u64 = 1 << 30;

const FILL: Phase = Phase::new("write", 128, 32, Amount::Capacities(1));
/// The model that is scaled to other capacities.
const SCALED: &str = "samsung-850-pro-256gb";
const SAMSUNG: Drive = Drive::Shipped(SCALED);
const SANDISK: Drive = Drive::Shipped("sandisk-ultra-ii-240gb");
const GROWTH: Work = jobs(
    &[
        FILL,
        Phase::new("randwrite", 128, 32, Amount::Capacities(1)),
    ],
    Phase::new("randwrite", 4, 32, Amount::Requests(10_000_000)),
);

const SPARE: Work = jobs(
    &[FILL, Phase::new("randwrite", 4, 32, Amount::Capacities(1))],
    Phase::new("randwrite", 4, 32, Amount::Requests(25_000_000)),
);

const fn jobs(prepare: &'static [Phase], measured: Phase) -> Work {
    Work::Jobs { prepare, measured }
}

/// All cases, in the order in which they run.
pub const CASES: &[Case] = &[
    Case {
        name: "random-write-steady",
        what: "850 PRO 256 GB, filled, overwritten twice at random; 25,000,000 random 4 KiB \
               writes, depth 32",
        aim: Aim::RequestsPerS(2.5e6),
        only_by_name: None,
        drive: SAMSUNG,
        work: jobs(
            &[FILL, Phase::new("randwrite", 4, 32, Amount::Capacities(2))],
            Phase::new("randwrite", 4, 32, Amount::Requests(25_000_000)),
        ),
    },
    Case {
        name: "random-write-spare-13",
        what: "the same with 13 % spare room, overwritten once before",
        aim: Aim::RequestsPerS(4e6),
        only_by_name: None,
        drive: Drive::Spare(13),
        work: SPARE,
    },
    Case {
        name: "random-write-spare-28",
        what: "the same with 28 % spare room, overwritten once before",
        aim: Aim::RequestsPerS(6e6),
        only_by_name: None,
        drive: Drive::Spare(28),
        work: SPARE,
    },
    Case {
        name: "random-read-qd32",
        what: "850 PRO 256 GB, filled; 50,000,000 random 4 KiB reads, depth 32",
        aim: Aim::RequestsPerS(8e6),
        only_by_name: None,
        drive: SAMSUNG,
        work: jobs(
            &[FILL],
            Phase::new("randread", 4, 32, Amount::Requests(50_000_000)),
        ),
    },
    Case {
        name: "random-read-qd1",
        what: "850 PRO 256 GB, filled; 20,000,000 random 4 KiB reads, depth 1",
        aim: Aim::RequestsPerS(8e6),
        only_by_name: None,
        drive: SAMSUNG,
        work: jobs(
            &[FILL],
            Phase::new("randread", 4, 1, Amount::Requests(20_000_000)),
        ),
    },
    Case {
        name: "sequential-write",
        what: "Ultra II 240 GB, fresh; all of it written in order, 128 KiB, depth 32",
        aim: Aim::ProcessWallS(0.4),
        only_by_name: None,
        drive: SANDISK,
        work: jobs(&[], FILL),
    },
    Case {
        name: "sequential-write-850-pro",
        what: "850 PRO 256 GB, fresh; all of it written in order, 128 KiB, depth 32",
        aim: Aim::ProcessWallS(0.4),
        only_by_name: None,
        drive: SAMSUNG,
        work: jobs(&[], FILL),
    },
    Case {
        name: "degradation",
        what: "Ultra II 240 GB, fresh; two virtual hours of random 4 KiB writes, depth 32",
        aim: Aim::ProcessWallS(12.0),
        only_by_name: None,
        drive: SANDISK,
        work: jobs(&[], Phase::new("randwrite", 4, 32, Amount::Seconds(7200))),
    },
    Case {
        name: "degradation-review",
        what: "Ultra II 240 GB: stend review --tests degradation --threads 1: the same, then \
               the curves after rest and after TRIM, and the report",
        aim: Aim::None,
        only_by_name: None,
        drive: SANDISK,
        work: Work::Review {
            tests: Some("degradation"),
            threads: Some(1),
            duration_scale: 1.0,
        },
    },
    Case {
        name: "review-2014",
        what: "Ultra II 240 GB: stend review, all tests, all processors, with the report",
        aim: Aim::ProcessWallS(45.0),
        only_by_name: None,
        drive: SANDISK,
        work: Work::Review {
            tests: None,
            threads: None,
            duration_scale: 1.0,
        },
    },
    Case {
        name: "growth-128gb",
        what: "850 PRO scaled to 128 GB, filled, overwritten at random in 128 KiB; 10,000,000 \
               random 4 KiB writes, depth 32",
        aim: Aim::Reference("growth-4tb"),
        only_by_name: None,
        drive: Drive::Scaled(128_000_000_000),
        work: GROWTH,
    },
    Case {
        name: "growth-4tb",
        what: "the same scaled to 4 TB",
        aim: Aim::CostRatio {
            to: "growth-128gb",
            most: 2.0,
        },
        only_by_name: Some("takes about 5 GB of memory, and ten minutes"),
        drive: Drive::Scaled(4_000_000_000_000),
        work: GROWTH,
    },
    Case {
        name: "large-8tb",
        what: "the same scaled to 8 TB, filled; 200 GB of random 4 KiB writes, depth 32",
        aim: Aim::None,
        only_by_name: Some("takes about 5 GB of memory, and two minutes"),
        drive: Drive::Scaled(8_000_000_000_000),
        work: jobs(
            &[FILL],
            Phase::new("randwrite", 4, 32, Amount::Requests(200_000_000_000 / 4096)),
        ),
    },
];

impl Case {
    /// Returns the case of this name.
    pub fn find(name: &str) -> Result<&'static Case, Failure> {
        CASES.iter().find(|case| case.name == name).ok_or_else(|| {
            let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
            Failure::Input(format!(
                "there is no benchmark `{name}`; there are {}",
                names.join(", ")
            ))
        })
    }

    /// Model of the case.
    pub fn model(&self, smoke: bool, shown: Shown<'_>) -> Result<ModelText, Failure> {
        let (name, settings) = match (self.drive, smoke) {
            (Drive::Shipped(name), false) => (name, Settings::new()),
            (Drive::Shipped("sandisk-ultra-ii-240gb"), true) => ("demo-8gb", Settings::new()),
            (Drive::Spare(percent), false) => (SCALED, with_spare(percent)),
            (Drive::Shipped(_) | Drive::Spare(_), true) => (SCALED, scaled(SMOKE_BYTES, Some(8))),
            (Drive::Scaled(user_bytes), false) => (SCALED, scaled(user_bytes, None)),
            // The two sizes remain different.
            (Drive::Scaled(user_bytes), true) => {
                let factor = if user_bytes > 1_000_000_000_000 { 2 } else { 1 };
                (SCALED, scaled(factor * SMOKE_BYTES, Some(8)))
            }
        };
        Ok(ModelText::new(shown(name, &settings)?))
    }

    /// Request to `stend bench-case` for this model.
    pub fn request(&self, smoke: bool, model: &ModelText) -> Value {
        match self.work(smoke) {
            Work::Jobs { prepare, measured } => {
                let job = |(index, phase): (usize, &Phase)| {
                    phase.job(&format!("prepare-{}", index + 1), model.user_bytes)
                };
                json!({ "jobs": {
                    "name": self.name,
                    "model": model.text,
                    "prepare": prepare.iter().enumerate().map(job).collect::<Vec<_>>(),
                    "measured": measured.job("measured", model.user_bytes),
                }})
            }
            Work::Review {
                tests,
                threads,
                duration_scale,
            } => json!({ "review": {
                "drive": model.name,
                "tests": tests.map(|list| list.split(',').collect::<Vec<_>>()),
                "threads": threads,
                "duration_scale": duration_scale,
            }}),
        }
    }

    /// True if its process simulates at most one drive.
    pub fn has_one_drive(&self) -> bool {
        matches!(self.work, Work::Jobs { .. })
    }

    /// Work of the case.
    fn work(&self, smoke: bool) -> Work {
        match self.work {
            work if !smoke => work,
            Work::Jobs { prepare, measured } => Work::Jobs {
                prepare,
                measured: Phase {
                    amount: match measured.amount {
                        Amount::Requests(_) => Amount::Requests(20_000),
                        Amount::Seconds(_) => Amount::Seconds(2),
                        whole @ Amount::Capacities(_) => whole,
                    },
                    ..measured
                },
            },
            Work::Review { tests, threads, .. } => Work::Review {
                tests,
                threads,
                duration_scale: 0.001,
            },
        }
    }
}

/// Figures of the 850 PRO with another capacity: its blocks grow with its capacity, and its DRAM
/// and L2P cache with its mapping table. `pages_per_block` allows a drive so small that superblocks
/// of the real size would leave too few spare ones.
fn scaled(user_bytes: u64, pages_per_block: Option<u64>) -> Settings {
    // Figures of the original.
    const USER_BYTES: u64 = 256_060_514_304;
    const BLOCKS: u64 = 1_820;
    const SPARE_BLOCKS: u64 = 37;
    const PAGES: u64 = 384;
    let pages = pages_per_block.unwrap_or(PAGES);
    // 128 bits: the product of terabytes, blocks and pages exceeds 64 bits.
    let blocks = (u128::from(user_bytes) * u128::from(BLOCKS * PAGES))
        .div_ceil(u128::from(USER_BYTES * pages)) as u64;
    let map_mib = (user_bytes / 4096 * 4).div_ceil(1 << 20);
    vec![
        ("capacity.user_bytes", user_bytes),
        ("nand.pages_per_block", pages),
        ("nand.blocks_per_plane", blocks),
        (
            "blocks.spare_blocks_per_die",
            blocks * SPARE_BLOCKS / BLOCKS,
        ),
        (
            "controller.l2p_segments",
            user_bytes.div_ceil(4 << 20).next_power_of_two(),
        ),
        // Beside the mapping table, for write buffer and read-ahead: 9 MiB.
        ("dram.size_mib", (map_mib + 9).next_power_of_two()),
    ]
}

/// Capacity of the 850 PRO with another share of spare space.
fn with_spare(percent: u64) -> Settings {
    // The whole flash without its bad blocks, 256 GiB; the capacity is a multiple of 4 KiB.
    const FLASH_BYTES: u64 = 256 << 30;
    let user_bytes = FLASH_BYTES * 100 / (100 + percent) / 4096 * 4096;
    vec![("capacity.user_bytes", user_bytes)]
}

impl std::fmt::Display for Aim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Aim::RequestsPerS(least) => write!(f, "at least {} M requests/s", least / 1e6),
            Aim::ProcessWallS(most) => write!(f, "at most {most} s for the whole process"),
            Aim::CostRatio { to, most } => {
                write!(f, "a request costs at most {most} times that of {to}")
            }
            Aim::Reference(other) => write!(f, "none, {other} is compared with it"),
            Aim::None => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use stend_load::JobFile;
    use stend_model::{Model, Setting};

    use super::*;

    fn shown(name: &str, settings: &Settings) -> Result<String, Failure> {
        let original = Model::shipped(name).expect("the cases name shipped models");
        let settings: Vec<_> = settings
            .iter()
            .map(|(key, value)| (key, Setting::Whole(value.cast_signed())))
            .collect();
        let model = original.with(&settings);
        Ok(model.unwrap_or_else(|error| panic!("{error}")).text)
    }

    fn model(text: &ModelText) -> Model {
        Model::parse(&text.text, &text.name).unwrap_or_else(|error| panic!("{error}"))
    }

    fn scaled_to(user_bytes: u64) -> Model {
        let text = shown(SCALED, &scaled(user_bytes, None)).unwrap();
        model(&ModelText::new(text))
    }

    #[test]
    fn every_case_has_a_drive_and_jobs_that_fit() {
        for case in CASES {
            for smoke in [false, true] {
                let text = case.model(smoke, &shown).unwrap();
                let model = model(&text);
                assert_eq!(text.name, model.name);
                assert_eq!(text.user_bytes, model.capacity.user_bytes.value);
                let request = case.request(smoke, &text);
                let Some(jobs) = request.get("jobs") else {
                    assert_eq!(request["review"]["drive"], text.name);
                    continue;
                };
                let prepare = jobs["prepare"].as_array().unwrap().iter();
                for job in prepare.chain([&jobs["measured"]]) {
                    let job = job.as_str().unwrap();
                    JobFile::parse(job).unwrap_or_else(|error| panic!("{job}{error}"));
                }
            }
        }
    }

    #[test]
    fn scaled_drives_differ_in_size_alone() {
        let (small, large) = (scaled_to(128_000_000_000), scaled_to(4_000_000_000_000));
        let ratio = |of: fn(&Model) -> f64| of(&large) / of(&small);
        assert_eq!(ratio(|m| m.capacity.user_bytes.value as f64), 31.25);
        let blocks = ratio(|m| f64::from(m.nand.blocks_per_plane.value));
        assert!((blocks / 31.25 - 1.0).abs() < 0.001, "{blocks}");
        let mut spec = large.spec();
        let other = small.spec();
        spec.user_bytes = other.user_bytes;
        spec.data.superblocks = other.data.superblocks;
        spec.controller.l2p_segments = other.controller.l2p_segments;
        spec.blocks.clone_from(&other.blocks);
        assert_eq!(spec, other);
    }

    #[test]
    fn unscaled_counts_are_those_of_the_original() {
        let original = Model::shipped(SCALED).unwrap().spec();
        assert_eq!(scaled_to(original.user_bytes).spec(), original);
    }
}
