//! What a model is made of, in words for a report.

use super::schema::Model;
use super::sourced::Value;
use crate::spec::UNIT_BYTES;

impl Model {
    /// Named facts of the hardware, in the order a reader wants them.
    pub fn facts(&self) -> Vec<(String, String)> {
        let nand = &self.nand;
        let spec = self.spec();
        let mut facts = vec![
            ("model".to_string(), self.description.clone()),
            ("controller".to_string(), self.controller.name.get()),
            ("interface".to_string(), self.host.in_words()),
            (
                "flash".to_string(),
                format!(
                    "{}: {} dies on {} channels, {} planes, pages of {} KiB",
                    nand.generation.get(),
                    nand.dies.get(),
                    nand.channels.get(),
                    nand.planes.get(),
                    nand.page_kib.get()
                ),
            ),
            (
                "DRAM".to_string(),
                format!("{} MiB", self.dram.size_mib.get()),
            ),
        ];
        if let Some(capacity) = crate::sim::capacity(&spec) {
            let data = capacity.main_units * UNIT_BYTES;
            let spare = 100.0 * (data as f64 / spec.user_bytes as f64 - 1.0);
            facts.push((
                "over-provisioning".to_string(),
                format!("{spare:.1} % of the user's capacity in the main area"),
            ));
        }
        facts.push(("SLC cache".to_string(), self.cache_in_words()));
        facts.push((
            "parity".to_string(),
            spec.parity_data.map_or("none".to_string(), |data| {
                format!("one page for every {data} of data")
            }),
        ));
        facts.push(("TRIM".to_string(), self.trim.in_words()));
        if let Some(promise) = self.trim.promise_in_words() {
            facts.push(("read after TRIM".to_string(), promise.to_string()));
        }
        facts.push((
            "model fingerprint".to_string(),
            format!("{:016x} (FNV-1a of the model)", self.fingerprint),
        ));
        facts
    }
}
