//! The hardware of a model in words, for a report.

use stend_language::{Text, recorded};

use crate::schema::Model;
use crate::schema::key::named;
use crate::schema::spec::{Emptying, PAGE_BYTES, Spec, WhenFull};
use crate::schema::tables::trim::PROMISES;

impl Model {
    /// Facts of the hardware by their ids, in the order of the report.
    pub fn facts(&self) -> Vec<(&'static str, Text)> {
        let nand = &self.nand;
        let spec = self.spec();
        let flash = recorded!(
            "fact-value-flash",
            flash = Text::named("flash", &nand.generation.value),
            dies = spec.dies,
            channels = spec.channels,
            planes = nand.planes.value,
            kib = nand.page_kib.value
        );
        let over_provisioning = crate::geometry::layout::capacity(&spec).map(|capacity| {
            let data = capacity.data_pages * PAGE_BYTES;
            let spare = 100.0 * (data as f64 / spec.user_bytes as f64 - 1.0);
            recorded!(
                "fact-value-over-provisioning",
                share = format!("{spare:.1}")
            )
        });
        let parity = match spec.parity_data {
            None => recorded!("value-none"),
            Some(data) => recorded!("fact-value-parity", pages = data),
        };
        let promise = self.trim.deterministic.as_ref();
        let promise = promise.map(|promise| named(&PROMISES, promise).into());
        let encryption = self.encryption.as_ref();
        let encryption = encryption.map(|encryption| encryption.algorithm.value.as_str().into());
        let fingerprint = format!("{:016x}", self.fingerprint);
        let dram = format!("{} MiB", self.dram.size_mib.value);
        let year = self.release_year.as_ref();
        let facts = [
            ("model", Some(self.description())),
            (
                "release-year",
                year.map(|year| year.value.to_string().into()),
            ),
            (
                "controller",
                Some(Text::named("controller", &self.controller.name.value)),
            ),
            ("interface", Some(self.interface().into())),
            ("flash", Some(flash)),
            ("dram", Some(recorded!("figure", figure = dram))),
            ("over-provisioning", over_provisioning),
            ("slc-cache", Some(cache(&spec))),
            ("rated-life", self.rated_life()),
            ("parity", Some(parity)),
            ("trim", Some(self.trim_fact())),
            ("read-after-trim", promise),
            ("encryption", encryption),
            (
                "model-fingerprint",
                Some(recorded!("fact-value-fingerprint", hash = fingerprint)),
            ),
        ];
        let known = facts.into_iter();
        known.filter_map(|(id, value)| Some((id, value?))).collect()
    }

    /// The description; of a shipped model it is a message.
    fn description(&self) -> Text {
        let told = Text::named("drive", &self.name);
        match told.in_english() == self.description {
            true => told,
            false => self.description.as_str().into(),
        }
    }

    /// Rated life, bytes written; `None` if the model does not state it.
    pub fn rated_bytes(&self) -> Option<u64> {
        let rated = self.health.as_ref()?.rated_written_tb.as_ref()?;
        Some(u64::from(rated.value) * 1_000_000_000_000)
    }

    fn rated_life(&self) -> Option<Text> {
        let tb = self.rated_bytes()? / 1_000_000_000_000;
        Some(match self.warranty_years() {
            Some(years) => recorded!("fact-value-rated-life-years", tb = tb, years = years),
            None => recorded!("fact-value-rated-life", tb = tb),
        })
    }

    /// Years of the warranty; `None` if the model does not state them.
    pub fn warranty_years(&self) -> Option<u32> {
        let years = self.health.as_ref()?.warranty_years.as_ref()?;
        Some(years.value)
    }

    /// Interface with the generation and lanes of PCIe: `sata-6g`, `pcie-nvme, 3.0 x4`.
    pub fn interface(&self) -> String {
        let name = &self.host.interface.value;
        match (&self.host.pcie_generation, &self.host.pcie_lanes) {
            (Some(generation), Some(lanes)) => {
                format!("{name}, {} x{}", generation.value, lanes.value)
            }
            _ => name.clone(),
        }
    }

    /// Interface in the few characters of a table: `SATA`, `NVMe 3.0 x4`, `AHCI 2.0 x2`.
    pub fn interface_short(&self) -> String {
        let protocol = match self.host.interface.value.as_str() {
            "sata-6g" => return "SATA".to_owned(),
            "pcie-nvme" => "NVMe",
            "pcie-ahci" => "AHCI",
            other => other,
        };
        let link = self.interface();
        let link = link.split_once(", ").map(|(_, link)| link);
        link.map_or_else(|| protocol.to_owned(), |link| format!("{protocol} {link}"))
    }

    /// Flash in the few characters of a table: `64-layer TLC`, `16 nm MLC`.
    pub fn flash_short(&self) -> String {
        let cells = ["SLC", "MLC", "TLC", "QLC"];
        let bits = self.nand.read_us.value.len();
        let cells = cells.get(bits.wrapping_sub(1)).copied().unwrap_or_default();
        let words: Vec<&str> = self.nand.generation.value.split([' ', ',']).collect();
        let layers = words.iter().find(|word| word.ends_with("-layer"));
        let process = words.windows(2).find(|pair| pair[1] == "nm");
        match (layers, process) {
            (Some(layers), _) => format!("{layers} {cells}"),
            (None, Some(process)) => format!("{} {cells}", process.join(" ")),
            (None, None) => cells.to_owned(),
        }
    }

    /// Size of the SLC cache; `None` without one.
    pub fn slc_cache_size(&self) -> Option<SlcCacheSize> {
        cache_size(&self.spec())
    }

    fn trim_fact(&self) -> Text {
        let trim = &self.trim;
        if !trim.enabled.value {
            return recorded!("fact-value-trim-none");
        }
        let what = match (trim.reaches_cache.value, trim.lazy.value) {
            (true, false) => recorded!("fact-value-trim-once"),
            (true, true) => recorded!("fact-value-trim-later"),
            (false, false) => recorded!("fact-value-trim-data"),
            (false, true) => recorded!("fact-value-trim-data-later"),
        };
        match trim.queued.value {
            true => what,
            false => recorded!("fact-value-trim-alone", what = what),
        }
    }
}

/// Bytes that an SLC cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlcCacheSize {
    /// Its blocks hold no other data.
    pub static_bytes: u64,
    /// At most, in blocks that are free.
    pub dynamic_bytes_max: u64,
}

fn cache_size(spec: &Spec) -> Option<SlcCacheSize> {
    let cache = spec.cache.as_ref()?;
    let row_bytes = u64::from(spec.dies * spec.pages_per_mp_page) * PAGE_BYTES;
    let bytes = |superblocks: u32| u64::from(superblocks) * u64::from(cache.pool.rows) * row_bytes;
    Some(SlcCacheSize {
        static_bytes: bytes(cache.pool.superblocks),
        dynamic_bytes_max: bytes(cache.dynamic_superblocks),
    })
}

fn cache(spec: &Spec) -> Text {
    let (Some(cache), Some(size)) = (&spec.cache, cache_size(spec)) else {
        return recorded!("value-none");
    };
    let gb = |bytes: u64| {
        let gb = bytes as f64 / 1e9;
        let decimals = if gb < 1.0 { 2 } else { 1 };
        format!("{gb:.decimals$}")
    };
    let size = match (size.static_bytes, size.dynamic_bytes_max) {
        (own, 0) => recorded!("fact-value-cache-static", gb = gb(own)),
        (0, most) => recorded!("fact-value-cache-dynamic", most = gb(most)),
        (own, most) => recorded!("fact-value-cache-both", gb = gb(own), most = gb(most)),
    };
    let below = match cache.bypass_from_bytes {
        None => "",
        Some(_) => "-below",
    };
    let room = match cache.when_full {
        WhenFull::Wait => "",
        WhenFull::Bypass => "-room",
    };
    let folds = match cache.emptying {
        Emptying::OnChip => "on-chip",
        Emptying::Controller => "controller",
    };
    let use_of_it = recorded!(
        format!("fact-value-cache{below}{room}-{folds}"),
        cache = size
    );
    match cache.bypass_from_bytes {
        None => use_of_it,
        Some(bytes) => use_of_it.with("kib", bytes / 1024),
    }
}
