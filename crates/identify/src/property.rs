//! Inferred properties of a drive: the schema `stend.identify/1`.

use serde::{Deserialize, Serialize};

/// Schema of [`Identification`].
pub const SCHEMA: &str = "stend.identify/1";

/// Inferred properties of a drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Identification {
    /// [`SCHEMA`].
    pub schema: String,
    /// The target as the user named it.
    pub target: String,
    /// Number of observed bytes.
    pub capacity_bytes: u64,
    /// Names of probes that were left out for lack of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// One entry per property, in a fixed order, including unknown ones.
    pub properties: Vec<Property>,
}

impl Identification {
    /// Returns a property by its id.
    pub fn property(&self, id: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.id == id)
    }
}

/// A property of a drive, known or unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// Id of the property, such as `slc-cache-bytes`.
    pub id: String,
    /// True if the property is known.
    pub told: bool,
    /// For a mechanism, true if the drive has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<bool>,
    /// Value of a quantity or a kind; missing if only a range of a quantity is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Lower end of the 90 % interval of a quantity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end; missing if only a lower bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Unit of `value`, `low` and `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Evidence for the property.
    #[serde(default)]
    pub evidence: String,
    /// Reason why it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A quantity in the property's unit.
    Quantity(f64),
    /// One of several kinds.
    Kind(String),
}

impl Property {
    fn told(id: &str, evidence: String) -> Property {
        Property {
            id: id.to_owned(),
            told: true,
            evidence,
            ..Property::default()
        }
    }

    /// A mechanism that the drive has or lacks.
    pub(crate) fn presence(id: &str, present: bool, evidence: String) -> Property {
        Property {
            present: Some(present),
            ..Property::told(id, evidence)
        }
    }

    /// A quantity with its 90 % interval.
    pub(crate) fn quantity(
        id: &str,
        value: f64,
        (low, high): (f64, f64),
        unit: &str,
        evidence: String,
    ) -> Property {
        let ends = (low.min(value), high.max(value));
        Property {
            value: Some(Value::Quantity(value)),
            ..Property::range(id, ends, unit, evidence)
        }
    }

    /// A quantity of which only its 90 % interval is known.
    pub(crate) fn range(id: &str, (low, high): (f64, f64), unit: &str, evidence: String) -> Self {
        Property {
            low: Some(low),
            high: Some(high),
            unit: Some(unit.to_owned()),
            ..Property::told(id, evidence)
        }
    }

    /// A quantity of which only a lower bound is known, with 95 % confidence.
    pub(crate) fn at_least(id: &str, low: f64, unit: &str, evidence: String) -> Property {
        Property {
            low: Some(low),
            unit: Some(unit.to_owned()),
            ..Property::told(id, evidence)
        }
    }

    /// A quantity, or only its range if an end of its interval is further than the share `reach`
    /// from the value.
    pub(crate) fn within(
        reach: f64,
        id: &str,
        value: f64,
        (low, high): (f64, f64),
        unit: &str,
        evidence: String,
    ) -> Property {
        match value - low <= reach && high - value <= reach {
            true => Property::quantity(id, value, (low, high), unit, evidence),
            false => Property::range(id, (low, high), unit, evidence),
        }
    }

    /// One of several kinds.
    pub(crate) fn kind(id: &str, kind: &str, evidence: String) -> Property {
        Property {
            value: Some(Value::Kind(kind.to_owned())),
            ..Property::told(id, evidence)
        }
    }

    /// An unknown property.
    pub(crate) fn unknown(id: &str, why_not: impl Into<String>) -> Property {
        Property {
            id: id.to_owned(),
            why_not: Some(why_not.into()),
            ..Property::default()
        }
    }

    /// True if the property is known to be of this kind.
    pub fn is_kind(&self, kind: &str) -> bool {
        matches!(&self.value, Some(Value::Kind(told)) if self.told && told == kind)
    }

    /// Ends of a quantity of which only a range is known.
    pub fn ends(&self) -> Option<(f64, f64)> {
        match (&self.value, self.low, self.high) {
            (None, Some(low), Some(high)) if self.told => Some((low, high)),
            _ => None,
        }
    }

    /// Lower bound of a quantity without an upper bound.
    pub fn least(&self) -> Option<f64> {
        match (&self.value, self.low, self.high) {
            (None, Some(low), None) if self.told => Some(low),
            _ => None,
        }
    }

    /// Value of a known quantity.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Some(Value::Quantity(value)) if self.told => Some(value),
            _ => None,
        }
    }
}
