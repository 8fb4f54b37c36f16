//! The tested target: a part of the review, and facts about other targets.

use std::borrow::Cow;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use stend_language::Text;

use crate::model::ModelInfo;

/// A named fact, `write cache: on`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RawCondition")]
pub struct Condition {
    /// Id, `write-budget`.
    pub id: Cow<'static, str>,
    /// The one that it states, of several conditions with this id: the state of `state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Value.
    pub value: Text,
}

/// Condition as stored; in `stend.review/1` by its English name.
#[derive(Deserialize)]
struct RawCondition {
    id: Option<String>,
    #[serde(default)]
    name: String,
    of: Option<String>,
    value: Text,
}

impl From<RawCondition> for Condition {
    fn from(raw: RawCondition) -> Condition {
        let (id, of) = match raw.id {
            Some(id) => (id, raw.of),
            None => id_of_name(&raw.name),
        };
        Condition {
            id: id.into(),
            of,
            value: raw.value,
        }
    }
}

/// Returns the id of an English name, and the name in backticks within it: `write-budget` of `write
/// budget`, `state` and `clean` of ``state `clean` ``.
fn id_of_name(name: &str) -> (String, Option<String>) {
    const DIFFERS: &str = "differs from";
    let (name, of) = match (name.split_once('`'), name.strip_prefix(DIFFERS)) {
        (Some((name, of)), _) => (name, Some(of.trim_end_matches('`').to_owned())),
        (None, Some(of)) => (DIFFERS, Some(of.trim_start().to_owned())),
        (None, None) => (name, None),
    };
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    (parts.join("-").to_ascii_lowercase(), of)
}

impl Condition {
    /// Creates a condition.
    pub fn new(id: impl Into<Cow<'static, str>>, value: impl Into<Text>) -> Condition {
        Condition {
            id: id.into(),
            of: None,
            value: value.into(),
        }
    }

    /// Creates one of several conditions with the same id.
    pub fn of(
        id: impl Into<Cow<'static, str>>,
        of: impl Into<String>,
        value: impl Into<Text>,
    ) -> Condition {
        Condition {
            of: Some(of.into()),
            ..Condition::new(id, value)
        }
    }

    /// Its name; the id of a condition that this program does not have.
    pub fn name(&self) -> Text {
        let name = Text::named("condition", &self.id);
        match &self.of {
            Some(of) if ["state", "steady-state-of"].contains(&&*self.id) => {
                name.with("of", state_name(of))
            }
            Some(of) => name.with("of", of.as_str()),
            None => name,
        }
    }

    /// True if both state the same thing, whatever its value.
    pub fn is_like(&self, other: &Condition) -> bool {
        self.id == other.id && self.of == other.of
    }
}

/// Name of a state of an edition; of a user's edition it is its id.
pub fn state_name(id: &str) -> Text {
    Text::named("state-name", id)
}

/// Facts about a target that code looks up. All others are only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactId {
    /// Model as the drive reports it; of a simulated drive, its description.
    Model,
    /// Serial number of a real drive.
    SerialNumber,
    /// Its firmware revision.
    Firmware,
    /// File behind a loop device.
    BackingFile,
    /// Link of a drive that supports a faster one, in words.
    SlowLink,
    /// Year of a model's release.
    ReleaseYear,
    /// Controller.
    Controller,
    /// Interface to the host, `pcie-nvme, 3.0 x4`.
    Interface,
    /// Flash: its generation, dies and pages.
    Flash,
    /// Memory for tables and data.
    Dram,
    /// Capacity beyond the user's.
    OverProvisioning,
    /// Size and use of the SLC cache.
    SlcCache,
    /// Bytes that a drive is rated for, and the years of its warranty.
    RatedLife,
    /// Fingerprint of a simulated drive's model, in words.
    ModelFingerprint,
}

impl FactId {
    /// Returns the fact's id in reviews and in the lab.
    pub const fn name(self) -> &'static str {
        match self {
            FactId::Model => "model",
            FactId::SerialNumber => "serial-number",
            FactId::Firmware => "firmware",
            FactId::BackingFile => "backing-file",
            FactId::SlowLink => "slow-link",
            FactId::ReleaseYear => "release-year",
            FactId::Controller => "controller",
            FactId::Interface => "interface",
            FactId::Flash => "flash",
            FactId::Dram => "dram",
            FactId::OverProvisioning => "over-provisioning",
            FactId::SlcCache => "slc-cache",
            FactId::RatedLife => "rated-life",
            FactId::ModelFingerprint => "model-fingerprint",
        }
    }
}

/// The tested target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetInfo {
    /// The name as the user typed it.
    pub name: String,
    /// The drive's marketing name, with the differences of its model from the shipped one; or the
    /// path.
    pub title: String,
    /// Method of measurement.
    pub kind: TargetKind,
    /// Capacity under test, bytes.
    pub capacity_bytes: u64,
    /// Model of a simulated drive; missing for real targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelInfo>,
    /// Link between the drive and its host, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Price that the user entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Further facts (model, serial number, firmware, controller, NAND …).
    #[serde(default)]
    pub facts: Vec<Condition>,
}

impl TargetInfo {
    /// The value of a fact.
    pub fn fact(&self, id: FactId) -> Option<&Text> {
        self.named(id.name())
    }

    fn named(&self, id: &str) -> Option<&Text> {
        let found = self.facts.iter().find(|fact| fact.id == id);
        found.map(|fact| &fact.value)
    }

    /// Smallest request of a real drive, to which all sizes and offsets are aligned, bytes; `None`
    /// if it is not known.
    pub fn logical_block_bytes(&self) -> Option<u64> {
        let bytes = self.named("logical-block-bytes")?.in_english();
        bytes.parse().ok().filter(|bytes| *bytes > 0)
    }

    /// Fingerprint of the model of a simulated drive; empty if it is not known.
    pub fn fingerprint(&self) -> &str {
        let model = self.model.as_ref();
        model.map_or("", |model| &model.fingerprint)
    }

    /// Sets the fields that were only facts in `stend.review/1`: model, link and price.
    pub fn convert(&mut self) {
        if self.model.is_none()
            && let Some(digits) = self.fact(FactId::ModelFingerprint)
        {
            self.model = Some(ModelInfo {
                fingerprint: digits.in_english().chars().take(16).collect(),
                title: self.title.clone(),
                ..ModelInfo::default()
            });
        }
        if self.link.is_none() {
            let words = |text: &Text| text.in_english();
            let interface = self.fact(FactId::Interface).map(words);
            let interface = interface.and_then(|name| Link::of_interface(&name));
            let link = || Link::of_words(&self.named("link").map(words)?);
            self.link = interface.or_else(link);
        }
        let price = self.named("price").map(Text::in_english);
        let typed = price.as_deref().and_then(|words| words.split_once(','));
        // A price in other words stays a fact.
        if let Some(price) = typed.and_then(|(typed, _)| typed.parse().ok()) {
            self.price = Some(price);
            self.facts.retain(|fact| fact.id != "price");
        }
    }
}

/// Method of measuring a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// Simulated drive: measured in virtual time, by the model.
    #[default]
    Simulated,
    /// Regular file: measured by fio.
    File,
    /// Directory: measured by fio on a file in it, and by work on files beside it.
    Directory,
    /// Block device: measured by fio.
    BlockDevice,
}

/// Link between a drive and its host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "bus", rename_all = "kebab-case")]
pub enum Link {
    /// SATA.
    Sata {
        /// Signalling rate, Gbit/s: 1.5, 3 or 6.
        gbit_per_s: f64,
    },
    /// PCIe.
    Pcie {
        /// Transfers a second on each lane, in 10⁹.
        gt_per_s: f64,
        /// Lanes.
        lanes: u32,
    },
}

impl Link {
    /// Returns the link of a model's interface: `sata-6g`, or `pcie-nvme, 3.0 x4` with its
    /// generation and lanes.
    pub fn of_interface(interface: &str) -> Option<Link> {
        match interface {
            "sata-3g" => return Some(Link::Sata { gbit_per_s: 3.0 }),
            "sata-6g" => return Some(Link::Sata { gbit_per_s: 6.0 }),
            _ => {}
        }
        let (_, speed) = interface.strip_prefix("pcie-")?.split_once(", ")?;
        let (generation, lanes) = speed.split_once(" x")?;
        let gt_per_s = match generation {
            "1.0" | "1.1" => 2.5,
            "2.0" => 5.0,
            "3.0" => 8.0,
            "4.0" => 16.0,
            "5.0" => 32.0,
            _ => return None,
        };
        Some(Link::Pcie {
            gt_per_s,
            lanes: lanes.parse().ok()?,
        })
    }

    /// Parses the text of [`Link::words`].
    fn of_words(words: &str) -> Option<Link> {
        let mut parts = words.split(", ");
        let (bus, speed) = (parts.next()?, parts.next()?);
        let rate: f64 = speed.split(' ').next()?.parse().ok()?;
        match bus {
            "SATA" => Some(Link::Sata { gbit_per_s: rate }),
            "PCIe" => Some(Link::Pcie {
                gt_per_s: rate,
                lanes: parts.next()?.split(' ').next()?.parse().ok()?,
            }),
            _ => None,
        }
    }

    /// Returns `SATA` or `PCIe`.
    pub fn bus(self) -> &'static str {
        match self {
            Link::Sata { .. } => "SATA",
            Link::Pcie { .. } => "PCIe",
        }
    }

    /// Formats `SATA, 6.0 Gbps`, `PCIe, 8.0 GT/s, 4 lanes`.
    pub fn words(self) -> String {
        match self {
            Link::Sata { gbit_per_s } => format!("SATA, {gbit_per_s:.1} Gbps"),
            Link::Pcie { gt_per_s, lanes } => {
                let plural = if lanes == 1 { "" } else { "s" };
                format!("PCIe, {gt_per_s:.1} GT/s, {lanes} lane{plural}")
            }
        }
    }
}

/// Price of a drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawPrice")]
pub struct Price {
    /// Amount with the digits that the user typed, `79.90`.
    amount: String,
    /// Currency, `EUR`.
    currency: String,
}

#[derive(Deserialize)]
struct RawPrice {
    amount: String,
    currency: String,
}

impl TryFrom<RawPrice> for Price {
    type Error = String;

    fn try_from(raw: RawPrice) -> Result<Price, String> {
        format!("{} {}", raw.amount, raw.currency).parse()
    }
}

/// Parses an amount above 0 and a currency of at most 8 characters: `79.90 EUR`.
impl FromStr for Price {
    type Err = String;

    fn from_str(text: &str) -> Result<Price, String> {
        let wrong = || format!("`{text}` is not an amount and currency, such as \"79.90 EUR\"");
        let (amount, currency) = text.trim().split_once(' ').ok_or_else(wrong)?;
        let currency = currency.trim();
        // A comma is the decimal point of most of Europe; in `1,234 EUR` it may separate thousands.
        let comma = amount.split_once(',').filter(|(_, cents)| cents.len() != 3);
        let amount = comma.map_or_else(
            || amount.to_owned(),
            |(whole, cents)| format!("{whole}.{cents}"),
        );
        let is_plain = |c: char| c.is_ascii_digit() || c == '.';
        let is_amount = amount.chars().all(is_plain) && amount.parse().is_ok_and(|n: f64| n > 0.0);
        let is_word = (1..=8).contains(&currency.chars().count())
            && !currency.contains(|c: char| c.is_whitespace() || c.is_control());
        match is_amount && is_word {
            true => Ok(Price {
                amount,
                currency: currency.to_owned(),
            }),
            false => Err(wrong()),
        }
    }
}

impl Price {
    /// Amount with the digits that the user typed.
    pub fn amount(&self) -> &str {
        &self.amount
    }

    /// Currency as the user typed it.
    pub fn currency(&self) -> &str {
        &self.currency
    }

    /// The price as the user typed it.
    pub fn typed(&self) -> String {
        format!("{} {}", self.amount, self.currency)
    }

    /// Price of a GB (10⁹ bytes) of a capacity, in the currency.
    pub fn per_gb(&self, capacity_bytes: u64) -> f64 {
        let amount: f64 = self.amount.parse().unwrap_or_default();
        amount / (capacity_bytes as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pcie(gt_per_s: f64, lanes: u32) -> Option<Link> {
        Some(Link::Pcie { gt_per_s, lanes })
    }

    #[test]
    fn links_follow_from_interfaces_and_from_their_words() {
        for (interface, link) in [
            ("sata-6g", Some(Link::Sata { gbit_per_s: 6.0 })),
            ("pcie-nvme, 3.0 x4", pcie(8.0, 4)),
            ("pcie-ahci, 2.0 x2", pcie(5.0, 2)),
            ("pcie-nvme", None),
            ("usb", None),
        ] {
            assert_eq!(Link::of_interface(interface), link, "{interface}");
        }
        for (words, link) in [
            ("SATA, 3.0 Gbps", Some(Link::Sata { gbit_per_s: 3.0 })),
            ("PCIe, 8.0 GT/s, 4 lanes", pcie(8.0, 4)),
            ("PCIe, 2.5 GT/s, 1 lane", pcie(2.5, 1)),
            ("USB", None),
            ("PCIe", None),
        ] {
            assert_eq!(Link::of_words(words), link, "{words}");
            assert!(link.is_none_or(|link| link.words() == words));
        }
    }

    #[test]
    fn ids_follow_from_the_names_of_the_first_schema() {
        for (name, id, of) in [
            ("SLC cache", "slc-cache", None),
            ("device size (bytes)", "device-size-bytes", None),
            ("state `clean`", "state", Some("clean")),
            ("edition's SHA-256", "edition-s-sha-256", None),
            ("differs from demo-8gb", "differs-from", Some("demo-8gb")),
        ] {
            assert_eq!(id_of_name(name), (id.to_owned(), of.map(str::to_owned)));
        }
    }

    #[test]
    fn facts_of_the_first_schema_become_fields() {
        let fact = |name: &str, value: &str| -> Condition {
            let stored = serde_json::json!({ "name": name, "value": value });
            serde_json::from_value(stored).unwrap()
        };
        let mut target = TargetInfo {
            title: "Example".to_owned(),
            facts: vec![
                fact("interface", "pcie-nvme, 3.0 x4"),
                fact("price", "79.90 EUR, 0.333 EUR per GB (10⁹ bytes)"),
                fact(
                    "model fingerprint",
                    "28e197b0817a9981 (FNV-1a of the model)",
                ),
            ],
            ..TargetInfo::default()
        };
        target.convert();
        assert_eq!(target.fingerprint(), "28e197b0817a9981");
        assert_eq!(target.link, pcie(8.0, 4));
        let price = target.price.clone().unwrap();
        assert_eq!(price.typed(), "79.90 EUR");
        assert!((price.per_gb(240_000_000_000) - 79.9 / 240.0).abs() < 1e-9);
        assert_eq!(target.facts.len(), 2);
        let converted = target.clone();
        target.convert();
        assert_eq!(target, converted);
        let mut other = TargetInfo {
            facts: vec![fact("price", "a gift")],
            ..TargetInfo::default()
        };
        other.convert();
        assert_eq!((other.price, other.facts.len()), (None, 1));
        let json = r#"{"amount":"79.90","currency":"EUR"}"#;
        assert_eq!(serde_json::to_string(&price).unwrap(), json);
        assert_eq!(serde_json::from_str::<Price>(json).unwrap(), price);
        assert_eq!("79,90 EUR".parse::<Price>(), Ok(price));
        for wrong in ["1,234 EUR", "1.234,50 EUR", "79,9,0 EUR"] {
            assert!(wrong.parse::<Price>().is_err(), "{wrong}");
        }
        let wrong = json.replace("79.90", "many");
        assert!(serde_json::from_str::<Price>(&wrong).is_err());
    }
}
