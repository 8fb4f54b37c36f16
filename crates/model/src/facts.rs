//! The hardware of a model in words, for a report.

use crate::schema::Model;
use crate::schema::key::named;
use crate::schema::spec::{Emptying, PAGE_BYTES, Spec, WhenFull};
use crate::schema::tables::trim::PROMISES;

impl Model {
    /// Named facts of the hardware, in the order of the report.
    pub fn facts(&self) -> Vec<(String, String)> {
        let nand = &self.nand;
        let spec = self.spec();
        let flash = format!(
            "{}: {} dies on {} channels, {} planes, pages of {} KiB",
            nand.generation.value, spec.dies, spec.channels, nand.planes.value, nand.page_kib.value
        );
        let over_provisioning = crate::geometry::layout::capacity(&spec).map(|capacity| {
            let data = capacity.data_pages * PAGE_BYTES;
            let spare = 100.0 * (data as f64 / spec.user_bytes as f64 - 1.0);
            format!("{spare:.1} % of the user's capacity in the data area")
        });
        let parity = match spec.parity_data {
            None => "none".to_owned(),
            Some(data) => format!("one page for every {data} of data"),
        };
        let promise = self.trim.deterministic.as_ref();
        let promise = promise.map(|promise| named(&PROMISES, promise).to_owned());
        let encryption = self.encryption.as_ref();
        let encryption = encryption.map(|encryption| encryption.algorithm.value.clone());
        let fingerprint = format!("{:016x} (FNV-1a of the model)", self.fingerprint);
        let facts = [
            ("model", Some(self.description.clone())),
            (
                "release year",
                self.release_year
                    .as_ref()
                    .map(|year| year.value.to_string()),
            ),
            ("controller", Some(self.controller.name.value.clone())),
            ("interface", Some(self.interface())),
            ("flash", Some(flash)),
            ("DRAM", Some(format!("{} MiB", self.dram.size_mib.value))),
            ("over-provisioning", over_provisioning),
            ("SLC cache", Some(cache_in_words(&spec))),
            ("parity", Some(parity)),
            ("TRIM", Some(self.trim_in_words())),
            ("read after TRIM", promise),
            ("encryption", encryption),
            ("model fingerprint", Some(fingerprint)),
        ];
        let known = facts.into_iter();
        known
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }

    /// Rated life, bytes written; `None` if the model does not state it.
    pub fn rated_bytes(&self) -> Option<u64> {
        let rated = self.health.as_ref()?.rated_written_tb.as_ref()?;
        Some(u64::from(rated.value) * 1_000_000_000_000)
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

    fn trim_in_words(&self) -> String {
        let trim = &self.trim;
        if !trim.enabled.value {
            return "accepted and forgotten".to_string();
        }
        let words = match (trim.reaches_cache.value, trim.lazy.value) {
            (true, false) => "frees at once",
            (true, true) => "noted at once, freed later",
            (false, false) => "frees the data area at once, the SLC cache when it is folded",
            (false, true) => {
                "noted at once; frees the data area later, the SLC cache when it is folded"
            }
        };
        let alone = match trim.queued.value {
            true => "",
            false => "; not queued: it waits for all other commands, and they for it",
        };
        format!("{words}{alone}")
    }
}

fn cache_in_words(spec: &Spec) -> String {
    let Some(cache) = &spec.cache else {
        return "none".to_string();
    };
    let row_bytes = u64::from(spec.dies * spec.pages_per_mp_page) * PAGE_BYTES;
    let gb = |superblocks: u32| {
        let rows = u64::from(superblocks) * u64::from(cache.pool.rows);
        let gb = (rows * row_bytes) as f64 / 1e9;
        let decimals = if gb < 1.0 { 2 } else { 1 };
        format!("{gb:.decimals$} GB with parity")
    };
    let own = cache.pool.superblocks;
    let mut words = Vec::new();
    if own > 0 {
        words.push(format!("static, {}, in every die", gb(own)));
    }
    if cache.dynamic_superblocks > 0 {
        let most = gb(cache.dynamic_superblocks);
        words.push(format!("dynamic, up to {most}, in the data area"));
    }
    let enters = match cache.bypass_from_bytes {
        None => "every write enters it".to_string(),
        Some(bytes) => format!("writes below {} KiB enter it", bytes / 1024),
    };
    let full = match cache.when_full {
        WhenFull::Wait => "",
        WhenFull::Bypass => " while there is room",
    };
    let folds = match cache.emptying {
        Emptying::OnChip => "on-chip copy",
        Emptying::Controller => "the controller",
    };
    format!("{}; {enters}{full}, {folds} folds it", words.join(", and "))
}
