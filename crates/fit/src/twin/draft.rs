//! The model before the fit: its structure from the properties of the drive, the rest from the
//! user's parts, and missing figures from default parts.

use stend_model::PARTS;
use stend_record::load::{Load, Pattern};
use stend_record::review::{PointOp, Review};

use super::TwinError;
use super::parts::{Figure, Layers, Part};
use super::told::{Quantity, Told, most_iops};

/// A logical page, bytes.
const PAGE_BYTES: f64 = 4096.0;

/// Maximum speed of a SATA link, bytes per second.
const SATA_BYTES_PER_S: f64 = 565e6;

/// Minimum spare space of any drive, as a share of the user's capacity, because GC needs some.
const SPARE_LEAST: f64 = 0.02;

/// Figures that determine the speed of a drive, and may be fitted if a part contains their range.
/// Other ranges are kept for drawing plausible versions.
const FITTED: [(&str, &str); 18] = [
    ("controller", "read_command_ns"),
    ("controller", "write_command_ns"),
    ("controller", "read_page_ns"),
    ("controller", "write_page_ns"),
    ("controller", "direction_change_ns"),
    ("controller", "read_l2p_miss_ns"),
    ("controller", "write_l2p_miss_ns"),
    ("dram", "write_buffer_kib"),
    ("dram", "turnaround_ns"),
    ("l2p_cache", "read_us"),
    ("nand", "program_us"),
    ("nand", "read_us"),
    ("nand_commands", "one_shot_program_us"),
    ("power_loss", "journal_program_us"),
    ("slc_cache", "blocks_per_plane"),
    ("slc_cache", "dynamic_blocks_per_plane"),
    ("slc_cache", "read_us"),
    ("slc_cache", "program_us"),
];

/// Figures that determine how fast a drive frees space: sustained writes depend on them, or writes
/// to a full cache.
const FITTED_TO_CURVES: [(&str, &str); 11] = [
    ("controller", "fold_page_ns"),
    ("controller", "gc_page_ns"),
    ("gc", "depth"),
    ("idle", "duty_percent"),
    ("nand", "blocks_per_plane"),
    ("slc_cache", "fold_dies_background"),
    ("slc_cache", "fold_dies_max"),
    ("slc_cache", "fold_pause_us"),
    ("slc_cache", "fold_start_free_mib"),
    ("slc_cache", "fold_start_percent"),
    ("slc_cache", "idle_free_mib"),
];

/// Factors of the range of a figure that determines speed, if no part contains its range: data
/// sheets contain typical values.
const PLAUSIBLE: [f64; 2] = [0.5, 2.0];

/// Inputs of a draft.
pub struct Draft<'a> {
    /// Short name of the model.
    pub name: &'a str,
    /// The review.
    pub review: &'a Review,
    /// The user's parts.
    pub parts: &'a [Part],
    /// Known properties of the drive.
    pub told: &'a Told,
    /// True if curves are fitted: without a curve, and without a cache, no result depends on how
    /// fast the drive frees space.
    pub sustained: bool,
    /// Returns true if a load of a test, by the test's id, may be used: held-out ones must not.
    pub counts: &'a dyn Fn(&str, &Load) -> bool,
}

/// A part that is built into the program.
///
/// # Errors
/// [`TwinError::Parts`] if there is no such part.
pub fn shipped(name: &str) -> Result<Part, TwinError> {
    let known = PARTS.iter().find(|part| part.name == name);
    let part = known.ok_or_else(|| {
        let folder = name.split('/').next().unwrap_or_default();
        let mut of_folder: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        of_folder.retain(|other| other.starts_with(folder));
        TwinError::Parts(format!(
            "{name}: there is no such part, neither as a file nor in the program; {}",
            match of_folder.is_empty() {
                true => "those of the program begin with nand/, controllers/, firmware/ or hosts/"
                    .to_owned(),
                false => format!("in the program there are {}", of_folder.join(", ")),
            }
        ))
    })?;
    Part::parse(name, part.text)
}

/// Removes tables if the flash's part lacks the figures that other parts contain, as drive files do
/// with parts.
fn drop_halves(layers: &mut Layers) {
    let of_flash = [
        ("energy", "read_nj"),
        ("media", "rber_fresh_ppb"),
        ("power_loss", "journal_read_us"),
        ("health", "rated_cycles"),
    ];
    for (table, key) in of_flash {
        if layers.has(table) && layers.get(table, key).is_none() {
            layers.drop_table(table);
        }
    }
    if !layers.has("energy") {
        layers.drop_table("thermal");
    }
}

impl Draft<'_> {
    /// Texts of the model, and of variants with another structure that is unknown: the behaviour of
    /// a full SLC cache, and an L2P that is not completely in DRAM.
    ///
    /// # Errors
    /// Parts that are incompatible, or lack figures without a default.
    pub fn texts(&self) -> Result<Vec<String>, TwinError> {
        let mut texts: Vec<String> = Vec::new();
        for mapped_bytes in [None, self.narrowest_bytes()] {
            for when_full in ["bypass", "wait"] {
                for folds in [Folds::WhenFull, Folds::Always] {
                    let text = self.text(&Untold {
                        when_full,
                        folds,
                        mapped_bytes,
                    })?;
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
            }
        }
        Ok(texts)
    }

    /// Smallest region with random access, if a curve goes beyond it: only then do L2P misses
    /// affect results.
    fn narrowest_bytes(&self) -> Option<u64> {
        let tests = self.review.tests.iter();
        let points = tests.flat_map(|test| {
            let points = test.points().iter();
            points.filter(|point| (self.counts)(&test.id, &point.load))
        });
        let random = points.filter(|point| point.load.pattern == Pattern::Random);
        let least = random.filter_map(|point| point.load.region_bytes).min()?;
        let is_narrow = least < self.review.target.capacity_bytes / 2;
        (self.sustained && is_narrow).then_some(least)
    }

    fn text(&self, untold: &Untold<'_>) -> Result<String, TwinError> {
        let mut layers = Layers::default();
        for part in self.parts {
            layers.lay(part)?;
        }
        self.require(&layers)?;
        let is_mapped = layers.get("controller", "l2p_segments").is_some()
            || self.told.present("map-cache").is_some();
        let cache = self.has_cache(&layers);
        if cache {
            self.slc_mode(&mut layers)?;
            pace_on_chip_copy(&mut layers);
        }
        for usual in self.usual(&layers, cache) {
            layers.lay_below(&shipped(usual)?);
        }
        self.capacity(&mut layers)?;
        match cache {
            true => self.cache(&mut layers, untold),
            false => layers.drop_table("slc_cache"),
        }
        self.mapping(&mut layers);
        if let (false, Some(bytes)) = (is_mapped, untold.mapped_bytes) {
            map_narrowly(&mut layers, bytes);
        }
        self.buffer(&mut layers);
        self.controller(&mut layers);
        self.rest(&mut layers);
        drop_halves(&mut layers);
        settle_ranges(&mut layers, self.sustained || cache);
        Ok(self.head() + &layers.text_of_all())
    }

    fn head(&self) -> String {
        let target = &self.review.target;
        let parts: Vec<&str> = self.parts.iter().map(|part| &*part.name).collect();
        let quoted = |text: String| toml::Value::from(text).to_string();
        format!(
            "# Made by `stend twin` from a review of {}, edition {}, with the parts {}.\n# A \
             figure whose source begins with \"inferred:\" follows from what the drive shows from \
             outside,\n# one with \"fitted: to review\" was adjusted to the review's figures.\n\n\
             schema = \"stend.drive/2\"\nname = {}\ntitle = {}\ndescription = {}\n",
            one_line(&target.title),
            self.review.edition,
            parts.join(", "),
            quoted(self.name.to_owned()),
            quoted(format!("Twin of {}", one_line(&target.title))),
            quoted(format!(
                "A model that stands for {}: made from a review, edition {}.",
                one_line(&target.title),
                self.review.edition
            )),
        )
    }

    fn require(&self, layers: &Layers) -> Result<(), TwinError> {
        for (table, key, kind) in [
            ("nand", "read_us", "the flash (nand/…)"),
            ("nand", "pages_per_block", "the flash (nand/…)"),
            ("nand", "channels", "the controller (controllers/…)"),
            ("controller", "cores", "the controller (controllers/…)"),
        ] {
            if layers.get(table, key).is_none() {
                return Err(TwinError::Parts(format!(
                    "--parts: none of the parts gives {table}.{key}; name a part of {kind}"
                )));
            }
        }
        Ok(())
    }

    /// True if the twin has an SLC cache: from the properties, else from the parts.
    fn has_cache(&self, layers: &Layers) -> bool {
        let told = self.told.present("slc-cache");
        told.unwrap_or_else(|| layers.has("slc_cache"))
    }

    /// Adds the SLC mode of the flash if the user named only the flash.
    fn slc_mode(&self, layers: &mut Layers) -> Result<(), TwinError> {
        if layers.get("slc_cache", "program_us").is_some() {
            return Ok(());
        }
        let flash = self
            .parts
            .iter()
            .find(|p| p.has("nand") && p.name.contains("nand/"));
        let name =
            flash.and_then(|part| Some(format!("{}-slc.toml", part.name.strip_suffix(".toml")?)));
        let slc = name.and_then(|name| shipped(&name).ok());
        match slc {
            Some(slc) => {
                layers.lay_below(&slc);
                Ok(())
            }
            None => Err(TwinError::Parts(
                "the drive has an SLC cache, and no part gives the flash's SLC mode: name one \
                 (nand/…-slc.toml)"
                    .to_owned(),
            )),
        }
    }

    /// Default parts, in the order of precedence.
    fn usual(&self, layers: &Layers, cache: bool) -> Vec<&'static str> {
        let is_fast = self.most_bytes_per_s() > SATA_BYTES_PER_S;
        let nvme = match layers.text("host", "interface") {
            Some(interface) => interface == "pcie-nvme",
            None => is_fast,
        };
        let sata = match layers.text("host", "interface") {
            Some(interface) => interface == "sata-6g",
            None => !is_fast,
        };
        vec![
            match cache {
                true => "firmware/slc-through-controller.toml",
                false => "firmware/no-slc-cache.toml",
            },
            "firmware/usual.toml",
            "firmware/command-variation.toml",
            "firmware/die-credits.toml",
            "firmware/journal.toml",
            "firmware/no-parity.toml",
            "firmware/plain-buffer.toml",
            "firmware/no-throttling.toml",
            "firmware/sata-slumber.toml",
            match nvme {
                true => "firmware/nvme-health.toml",
                false => "firmware/ata-health.toml",
            },
            match nvme {
                true => "hosts/nvme-desktop.toml",
                false => "hosts/sata-desktop.toml",
            },
            match sata {
                true => "hosts/bay-2.5-inch.toml",
                false => "hosts/m2-slot.toml",
            },
        ]
    }

    fn most_bytes_per_s(&self) -> f64 {
        let tests = self.review.tests.iter();
        let points = tests.flat_map(|test| {
            let points = test.points().iter();
            points.filter(|point| (self.counts)(&test.id, &point.load))
        });
        points.map(|point| point.bw_bytes_per_s).fold(0.0, f64::max)
    }

    /// Sets capacity, dies, and blocks of the data area.
    fn capacity(&self, layers: &mut Layers) -> Result<(), TwinError> {
        let user_bytes = self.review.target.capacity_bytes / 4096 * 4096;
        layers.set(
            "capacity",
            "user_bytes",
            Figure::of(
                user_bytes as i64,
                "inferred: capacity under test of the review",
            ),
        );
        let user_bytes = user_bytes as f64;
        let geometry = Geometry::of(layers);
        if layers.get("nand", "dies").is_none() {
            let (dies, why) = self.dies(layers, &geometry, user_bytes)?;
            layers.set("nand", "dies", Figure::of(dies as i64, why));
        }
        let dies = layers.number("nand", "dies").unwrap_or(1.0);
        let block = geometry.superblock_bytes(dies);
        let data = layers
            .number("parity", "data_pages")
            .map_or(1.0, |n| n / (n + 1.0));
        let needed = user_bytes / block / data;
        let least = (needed * (1.0 + SPARE_LEAST))
            .ceil()
            .max(needed.ceil() + 20.0);
        let nominal = geometry.die_bytes.map(|bytes| dies * bytes / block);
        if let Some(spare) = self.told.quantity("over-provisioning-percent") {
            let blocks = |percent: f64| (needed * (1.0 + percent / 100.0)).max(least).round();
            let figure = Figure::of(
                blocks(spare.value) as i64,
                format!(
                    "inferred: over-provisioning of {:.1} % ({:.1} to {:.1} %): {}",
                    spare.value, spare.low, spare.high, spare.evidence
                ),
            );
            let figure = figure.free(blocks(spare.low), blocks(spare.high));
            layers.set("nand", "blocks_per_plane", figure);
        } else if layers.get("nand", "blocks_per_plane").is_none() {
            let usual = nominal
                .map_or(needed * 1.07, |nominal| 0.97 * nominal)
                .max(least);
            let most = nominal.unwrap_or(needed * 1.15).max(usual) * 1.05;
            let figure = Figure::of(
                usual.round() as i64,
                "assumed: what the dies hold, less three hundredths for bad blocks, mapping and \
                 firmware",
            );
            layers.set("nand", "blocks_per_plane", figure.free(least, most.round()));
        }
        Ok(())
    }

    /// Number of dies, with its source.
    fn dies(
        &self,
        layers: &Layers,
        geometry: &Geometry,
        user_bytes: f64,
    ) -> Result<(f64, String), TwinError> {
        let channels = layers.number("nand", "channels").unwrap_or(1.0);
        if let Some(die) = geometry.die_bytes {
            let dies = (user_bytes / die / channels).ceil() * channels;
            let why = format!(
                "inferred: the least multiple of {channels} channels whose dies of {:.0} Gbit hold \
                 the capacity",
                die * 8.0 / f64::from(1 << 30)
            );
            return Ok((dies.max(channels), why));
        }
        let told = self.told.quantity("parallel-dies").ok_or_else(|| {
            TwinError::Parts(
                "the number of dies is not known: no part tells the size of a die (nand.generation \
                 with `… Gbit`) or nand.dies, and no identification the dies that work at once"
                    .to_owned(),
            )
        })?;
        let dies = (told.value / channels).round().max(1.0) * channels;
        let why = format!(
            "inferred: {:.1} dies ({:.0} to {:.0}) that work at once, as a multiple of the \
             channels: {}",
            told.value, told.low, told.high, told.evidence
        );
        Ok((dies, why))
    }

    /// Sets kind, size and policy of the SLC cache.
    fn cache(&self, layers: &mut Layers, untold: &Untold<'_>) {
        self.cache_blocks(layers);
        match self.told.kind("slc-when-full") {
            Some(kind) => {
                let value = match kind {
                    "fold-first" => "wait",
                    _ => "bypass",
                };
                let evidence = self.told.evidence("slc-when-full");
                let figure = Figure::of(value, format!("inferred: {kind}: {evidence}"));
                layers.set("slc_cache", "when_full", figure);
            }
            None => layers.set_if_missing(
                "slc_cache",
                "when_full",
                Figure::of(untold.when_full, "assumed: not known"),
            ),
        }
        if layers.get("slc_cache", "fold_start_free_mib").is_none() {
            // No small step leads from one policy to the other.
            let figure = match untold.folds {
                Folds::WhenFull => {
                    Figure::of(100.0, "assumed: folded in idle time, or when it is full")
                        .free(5.0, 100.0)
                }
                Folds::Always => {
                    Figure::of(10.0, "assumed: folded beside the host's requests").free(1.0, 60.0)
                }
            };
            layers.set_if_missing("slc_cache", "fold_start_percent", figure);
        }
        let fold = Figure::of(3000, "assumed: no source").free(500.0, 20_000.0);
        layers.set_if_missing("controller", "fold_page_ns", fold);
        let cycles = Figure::of(30_000, "assumed: of no account to speed");
        layers.set_if_missing("health", "slc_rated_cycles", cycles);
    }

    /// Sets the numbers of static and dynamic blocks of the SLC cache.
    fn cache_blocks(&self, layers: &mut Layers) {
        let kind = self.told.kind("slc-cache-kind").unwrap_or("static");
        let is_told = self.told.quantity("slc-cache-bytes").is_some();
        if layers.get("slc_cache", "blocks_per_plane").is_some() && !is_told {
            return;
        }
        let size = self.cache_size(layers);
        // Minimum that the format allows, plus a little space to work with.
        let least = match layers.text("slc_cache", "fold_by") {
            Some("on-chip") => 18.0,
            _ => 6.0,
        };
        let all = layers.number("nand", "blocks_per_plane").unwrap_or(64.0);
        let sized = |most: f64| {
            let whole = |blocks: f64| blocks.round().max(least).min(most);
            let figure = Figure::of(whole(size.value) as i64, size.evidence.clone());
            figure.free(whole(size.low), whole(size.high))
        };
        if !["dynamic", "whole-array", "both"].contains(&kind) {
            layers.set("slc_cache", "blocks_per_plane", sized(f64::MAX));
            return;
        }
        let source = format!("inferred: {kind}: {}", self.told.evidence("slc-cache-kind"));
        let own = self.told.quantity("slc-cache-bytes-full");
        let own = own.filter(|_| kind == "both").map_or(0.0, |own| {
            (own.value / slc_superblock_bytes(layers))
                .round()
                .max(least)
        });
        let figure = Figure::of(own as i64, source.clone());
        layers.set("slc_cache", "blocks_per_plane", figure);
        let dynamic = match kind {
            "whole-array" => Figure::of(all as i64, source).free(all / 4.0, all),
            _ => sized(all),
        };
        layers.set("slc_cache", "dynamic_blocks_per_plane", dynamic);
    }

    /// Size of the SLC cache in blocks per plane, and its source.
    fn cache_size(&self, layers: &Layers) -> Quantity {
        const USUAL_SHARE: f64 = 0.015;
        let blocks_of = |bytes: f64| bytes / slc_superblock_bytes(layers);
        if let Some(size) = self.told.quantity("slc-cache-bytes") {
            return Quantity {
                value: blocks_of(size.value),
                low: blocks_of(size.low),
                high: blocks_of(size.high),
                evidence: format!(
                    "inferred: {:.2} GB ({:.2} to {:.2} GB): {}",
                    size.value / 1e9,
                    size.low / 1e9,
                    size.high / 1e9,
                    size.evidence
                ),
            };
        }
        let user_bytes = layers.number("capacity", "user_bytes").unwrap_or(0.0);
        let usual = blocks_of(USUAL_SHARE * user_bytes);
        Quantity {
            value: usual,
            low: usual / 6.0,
            high: usual * 6.0,
            evidence: "assumed: 1.5 % of the capacity".to_owned(),
        }
    }

    /// Sets the L2P: in DRAM, or on flash behind a cache.
    fn mapping(&self, layers: &mut Layers) {
        let user_bytes = layers.number("capacity", "user_bytes").unwrap_or(0.0);
        let table_mib = user_bytes / PAGE_BYTES * 4.0 / f64::from(1 << 20);
        let usual_mib = ((table_mib + 16.0) / 64.0).ceil() * 64.0;
        let has_cache = self.told.present("map-cache") == Some(true);
        let segment_kib = layers
            .number("controller", "l2p_segment_kib")
            .unwrap_or(4096.0);
        if let (true, Some(size)) = (has_cache, self.told.quantity("map-cache-bytes")) {
            let segments = |bytes: f64| (bytes / 1024.0 / segment_kib).round().max(1.0);
            let figure = Figure::of(
                segments(size.value) as i64,
                format!(
                    "inferred: {:.1} GB of mappings at hand ({:.1} to {:.1} GB): {}",
                    size.value / 1e9,
                    size.low / 1e9,
                    size.high / 1e9,
                    size.evidence
                ),
            );
            layers.set("controller", "l2p_segments", figure);
            let at = |us: f64| Figure::of(us, "assumed: about the flash's SLC mode");
            if layers
                .number("controller", "read_l2p_miss_ns")
                .unwrap_or(0.0)
                == 0.0
            {
                layers.set_if_missing("l2p_cache", "read_us", at(40.0).free(20.0, 120.0));
                layers.set_if_missing("l2p_cache", "program_us", at(300.0));
                layers.set_if_missing("l2p_cache", "erase_us", at(5000.0));
                let pages = Figure::of(128, "assumed: a block in SLC mode");
                layers.set_if_missing("l2p_cache", "pages_per_block", pages);
            }
        }
        let figure = Figure::of(
            usual_mib as i64,
            "assumed: the mapping table, 4 bytes for each page of 4 KiB, and some more",
        );
        layers.set_if_missing("dram", "size_mib", figure);
    }

    /// Sets write buffer, read-ahead, and power-loss protection.
    fn buffer(&self, layers: &mut Layers) {
        if let Some(size) = self.told.quantity("write-buffer-bytes") {
            let kib = |bytes: f64| (bytes / 4096.0).round().max(16.0) * 4.0;
            let figure = Figure::of(
                kib(size.value) as i64,
                format!(
                    "inferred: {:.1} MB ({:.1} to {:.1} MB): {}",
                    size.value / 1e6,
                    size.low / 1e6,
                    size.high / 1e6,
                    size.evidence
                ),
            );
            let figure = figure.free(kib(size.low), kib(size.high));
            layers.set("dram", "write_buffer_kib", figure);
        }
        let inferred = |id: &str| format!("inferred: {}", self.told.evidence(id));
        if self.told.present("read-ahead") == Some(false) {
            layers.set(
                "dram",
                "read_ahead_kib",
                Figure::of(0, inferred("read-ahead")),
            );
        }
        if let Some(half) = self.told.present("half-duplex") {
            layers.set(
                "dram",
                "half_duplex",
                Figure::of(half, inferred("half-duplex")),
            );
            if half {
                let figure = Figure::of(
                    2_600_000,
                    "assumed: as of shipped drives with such a buffer",
                );
                layers.set_if_missing("dram", "turnaround_ns", figure.free(2e5, 6e6));
            }
        }
        if let Some(plp) = self.told.present("power-loss-protection") {
            let source = inferred("power-loss-protection");
            layers.set("dram", "plp", Figure::of(plp, source.clone()));
            if plp {
                layers.set("power_loss", "capacitors", Figure::of(true, source));
                // Their hold-up time cannot be observed from outside, and matters only at a power
                // cut.
                let ms = Figure::of(
                    10_000,
                    "assumed: longer than any buffer takes to be written",
                );
                layers.set_if_missing("power_loss", "hold_up_ms", ms);
            }
        }
    }

    /// Sets the costs of commands, from the highest number of requests per second.
    fn controller(&self, layers: &mut Layers) {
        for (key, op, words) in [
            ("read_command_ns", PointOp::Read, "reads"),
            ("write_command_ns", PointOp::Write, "writes"),
        ] {
            let most = most_iops(self.review, op, self.counts);
            let figure = match most {
                Some(iops) => Figure::of(
                    (1e9 / iops).round().clamp(500.0, 60_000.0) as i64,
                    format!("inferred: {iops:.0} random {words} of 4 KiB a second at most"),
                ),
                None => Figure::of(11_000, "assumed: no random access of 4 KiB in the review"),
            };
            let figure = figure.free(1000.0, 60_000.0);
            match most {
                Some(_) => layers.set("controller", key, figure),
                None => layers.set_if_missing("controller", key, figure),
            }
        }
        for (key, usual) in [
            ("read_page_ns", 250),
            ("write_page_ns", 250),
            ("gc_page_ns", 8000),
        ] {
            let usual_ns = f64::from(usual);
            let figure = Figure::of(usual, "assumed: no source");
            let figure = figure.free(usual_ns / 8.0, usual_ns * 8.0);
            layers.set_if_missing("controller", key, figure);
        }
    }

    /// Sets idle work, and figures that do not affect speed.
    fn rest(&self, layers: &mut Layers) {
        let gc = self.told.present("idle-gc");
        let emptying = self.told.present("slc-idle-emptying");
        if let Some(idle) = gc.or(emptying) {
            let id = match gc {
                Some(_) => "idle-gc",
                None => "slc-idle-emptying",
            };
            let source = format!("inferred: {}", self.told.evidence(id));
            layers.set("idle", "enabled", Figure::of(idle, source));
        }
        if let Some(depth) = layers.number("gc", "depth") {
            let figure = Figure::of(depth as i64, "assumed: as in the part").free(1.0, 128.0);
            layers.set("gc", "depth", figure);
        }
        let cycles = Figure::of(1000, "assumed: of no account to speed");
        layers.set_if_missing("health", "rated_cycles", cycles);
        if !layers.has("encryption") {
            layers.none("encryption", "not looked at");
        }
        if layers
            .text("host", "interface")
            .is_some_and(|name| name.starts_with("pcie"))
        {
            let figure = Figure::of("3.0", "assumed: usual");
            layers.set_if_missing("host", "pcie_generation", figure);
            layers.set_if_missing("host", "pcie_lanes", Figure::of(4, "assumed: usual"));
        }
    }
}

/// Time at which an SLC cache is folded during the host's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Folds {
    /// When it is full; before that only in idle time.
    WhenFull,
    /// As soon as it contains data.
    Always,
}

/// Structure that may be unknown.
struct Untold<'a> {
    /// Behaviour of a full SLC cache.
    when_full: &'a str,
    folds: Folds,
    /// Bytes of the capacity whose L2P is in the cache, if not all.
    mapped_bytes: Option<u64>,
}

/// Sets the pacing of on-chip copy if no part contains it, with ranges: without them, a search
/// could not find a pause.
fn pace_on_chip_copy(layers: &mut Layers) {
    if layers.text("slc_cache", "fold_by") != Some("on-chip") {
        return;
    }
    let source = "assumed: the pace of folding in the background is not known";
    let pause = Figure::of(1000, source).free(0.0, 5000.0);
    layers.set_if_missing("slc_cache", "fold_pause_us", pause);
    let dies = layers.number("nand", "dies").unwrap_or(1.0);
    let at_once = Figure::of(1, source).free(1.0, dies);
    layers.set_if_missing("slc_cache", "fold_dies_background", at_once);
}

/// Caches the L2P of only `bytes` bytes: random access within them has no misses, access beyond
/// them has.
fn map_narrowly(layers: &mut Layers, bytes: u64) {
    let segment_kib = layers.number("controller", "l2p_segment_kib");
    let segments = bytes as f64 / 1024.0 / segment_kib.unwrap_or(4096.0);
    let source = "assumed: the mappings of the narrowest region with random access are at hand";
    let figure = Figure::of(segments.ceil() as i64, source);
    layers.set("controller", "l2p_segments", figure);
    for (key, usual) in [("read_l2p_miss_ns", 2000), ("write_l2p_miss_ns", 8000)] {
        let figure = Figure::of(usual, "assumed: no source");
        layers.set("controller", key, figure.free(100.0, 60_000.0));
    }
}

/// Geometry of the flash.
struct Geometry {
    planes: f64,
    page_bytes: f64,
    block_pages: f64,
    /// Bytes of a die, from the name of its generation.
    die_bytes: Option<f64>,
}

impl Geometry {
    fn of(layers: &Layers) -> Geometry {
        let number = |key: &str| layers.number("nand", key).unwrap_or(1.0);
        let generation = layers.text("nand", "generation").unwrap_or_default();
        Geometry {
            planes: number("planes"),
            page_bytes: number("page_kib") * 1024.0,
            block_pages: number("pages_per_block"),
            die_bytes: gbit(generation).map(|gbit| gbit * f64::from(1 << 30) / 8.0),
        }
    }

    /// Bytes of a superblock in the native mode.
    fn superblock_bytes(&self, dies: f64) -> f64 {
        dies * self.planes * self.block_pages * self.page_bytes
    }
}

/// User data in a superblock of the SLC cache, bytes.
fn slc_superblock_bytes(layers: &Layers) -> f64 {
    let number = |table: &str, key: &str| layers.number(table, key);
    let geometry = Geometry::of(layers);
    let dies = number("nand", "dies").unwrap_or(1.0);
    let pages = number("slc_cache", "pages_per_block").unwrap_or(64.0);
    let data = number("parity", "data_pages").map_or(1.0, |n| n / (n + 1.0));
    dies * geometry.planes * pages * geometry.page_bytes * data
}

/// The number before the word `Gbit`.
fn gbit(words: &str) -> Option<f64> {
    let before = words
        .split("Gbit")
        .next()
        .filter(|before| *before != words)?;
    before.split_whitespace().last()?.parse().ok()
}

/// Removes control characters, which could end a comment.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Keeps ranges for the fit if the figure determines speed, and otherwise for drawing. The entries
/// of a list share one range, from multiples of the smallest to multiples of the largest.
fn settle_ranges(layers: &mut Layers, sustained: bool) {
    let one_shot = layers.get("nand_commands", "one_shot_program_us").is_some();
    for (table, key, figure) in layers.figures_mut() {
        let ends = figure.get("value").and_then(ends);
        let of_curves = sustained && FITTED_TO_CURVES.contains(&(table, key));
        let replaced = one_shot && (table, key) == ("nand", "program_us");
        let fitted = (of_curves || FITTED.contains(&(table, key))) && !replaced;
        let range = |key: &str| {
            let list = figure.get(key)?.as_array()?;
            Some([number(&list[0])?, number(&list[1])?])
        };
        let ratio = match (fitted, range("free"), range("free_ratio")) {
            (true, None, Some(ratio)) => ratio,
            (true, None, None) => PLAUSIBLE,
            (false, Some(_), _) => {
                figure.remove("free");
                continue;
            }
            _ => continue,
        };
        if let Some(ends) = ends.filter(|ends| ends[0] > 0.0) {
            let is_whole = figure["value"].is_integer();
            let bounds = [0, 1].map(|end| match is_whole {
                true => toml::Value::from((ends[end] * ratio[end]).round() as i64),
                false => toml::Value::from(ends[end] * ratio[end]),
            });
            figure.remove("free_ratio");
            figure.insert("free".to_owned(), bounds.to_vec().into());
        }
    }
}

/// Converts a TOML value to a number.
fn number(value: &toml::Value) -> Option<f64> {
    let whole = value.as_integer().map(|whole| whole as f64);
    value.as_float().or(whole)
}

/// A number twice; for a list of numbers the smallest and the largest.
fn ends(value: &toml::Value) -> Option<[f64; 2]> {
    let list = value
        .as_array()
        .map_or(std::slice::from_ref(value), |list| list);
    let numbers: Option<Vec<f64>> = list.iter().map(number).collect();
    let numbers = numbers?;
    let least = numbers.iter().copied().reduce(f64::min)?;
    let greatest = numbers.iter().copied().reduce(f64::max)?;
    Some([least, greatest])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds of a figure of `[nand]` in the fit.
    fn bounds_of(key: &str, figure: &str) -> [f64; 2] {
        let text = format!("schema = \"stend.part/2\"\n[nand]\n{key} = {figure}\n");
        let mut layers = Layers::default();
        layers.lay(&Part::parse("mine", &text).unwrap()).unwrap();
        settle_ranges(&mut layers, true);
        let figure = layers.get("nand", key).unwrap();
        assert!(!figure.contains_key("free_ratio"), "{figure}");
        let free = figure["free"].as_array().unwrap();
        [0, 1].map(|end| number(&free[end]).unwrap())
    }

    #[test]
    fn bounds_of_a_list_contain_each_of_its_entries() {
        let tlc = "value = [400.0, 1900.0, 4300.0], source = \"assumed\"";
        let bounds = |figure: &str| bounds_of("program_us", &format!("{{ {figure} }}"));
        assert_eq!(bounds(tlc), [200.0, 8600.0]);
        let ratio = bounds(&format!("{tlc}, free_ratio = [0.9, 1.1]"));
        assert!((ratio[0] - 360.0).abs() < 1e-9 && (ratio[1] - 4730.0).abs() < 1e-9);
        assert_eq!(
            bounds(&format!("{tlc}, free = [300, 5000]")),
            [300.0, 5000.0]
        );
        assert_eq!(
            bounds("value = 250.0, source = \"assumed\""),
            [125.0, 500.0]
        );
        let whole = "{ value = 1001, source = \"assumed\" }";
        assert_eq!(bounds_of("blocks_per_plane", whole), [501.0, 2002.0]);
    }

    #[test]
    fn sizes_of_dies_are_read_from_the_generations_name() {
        assert_eq!(gbit("Samsung 32-layer V-NAND TLC, 128 Gbit"), Some(128.0));
        assert_eq!(gbit("planar TLC"), None);
        assert_eq!(gbit("Gbit"), None);
    }
}
