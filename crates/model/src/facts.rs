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

fn cache(spec: &Spec) -> Text {
    let Some(cache) = &spec.cache else {
        return recorded!("value-none");
    };
    let row_bytes = u64::from(spec.dies * spec.pages_per_mp_page) * PAGE_BYTES;
    let gb = |superblocks: u32| {
        let rows = u64::from(superblocks) * u64::from(cache.pool.rows);
        let gb = (rows * row_bytes) as f64 / 1e9;
        let decimals = if gb < 1.0 { 2 } else { 1 };
        format!("{gb:.decimals$}")
    };
    let (own, dynamic) = (cache.pool.superblocks, cache.dynamic_superblocks);
    let size = match (own, dynamic) {
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
