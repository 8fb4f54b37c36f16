//! What is told of a drive: the schema `stend.identify/1`.

use serde::{Deserialize, Serialize};

/// The schema of [`Identification`].
pub const SCHEMA: &str = "stend.identify/1";

/// What was inferred of a drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Identification {
    /// [`SCHEMA`].
    pub schema: String,
    /// The target as the user named it.
    pub target: String,
    /// Bytes that were looked at.
    pub capacity_bytes: u64,
    /// What was to be done and was not, for want of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// One entry a property, in a fixed order: also of those that cannot be told.
    pub properties: Vec<Property>,
}

impl Identification {
    /// A property by its id.
    pub fn property(&self, id: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.id == id)
    }
}

/// A property of a drive, told or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// Which, such as `slc-cache-bytes`.
    pub id: String,
    /// Whether it could be told.
    pub told: bool,
    /// Of a mechanism: whether the drive has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<bool>,
    /// Of a quantity or a kind: what it is; missing where of a quantity a range alone is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Lower end of the 90 % interval of a quantity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end; missing where a quantity is known to be at least so much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Unit of `value`, `low` and `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What it was told from.
    #[serde(default)]
    pub evidence: String,
    /// Why it cannot be told.
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

    /// A mechanism that the drive has, or has not.
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

    /// A quantity of which no more is known than its 90 % interval.
    pub(crate) fn range(id: &str, (low, high): (f64, f64), unit: &str, evidence: String) -> Self {
        Property {
            low: Some(low),
            high: Some(high),
            unit: Some(unit.to_owned()),
            ..Property::told(id, evidence)
        }
    }

    /// A quantity of which no more is known than that it is at least so much, with 95 %.
    pub(crate) fn at_least(id: &str, low: f64, unit: &str, evidence: String) -> Property {
        Property {
            low: Some(low),
            unit: Some(unit.to_owned()),
            ..Property::told(id, evidence)
        }
    }

    /// A quantity; as a range alone where its interval reaches further than so much from the value.
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

    /// What cannot be told.
    pub(crate) fn unknown(id: &str, why_not: impl Into<String>) -> Property {
        Property {
            id: id.to_owned(),
            why_not: Some(why_not.into()),
            ..Property::default()
        }
    }

    /// Whether it was told to be of this kind.
    pub fn is_kind(&self, kind: &str) -> bool {
        matches!(&self.value, Some(Value::Kind(told)) if self.told && told == kind)
    }

    /// The ends of a quantity that was told as a range alone.
    pub fn ends(&self) -> Option<(f64, f64)> {
        match (&self.value, self.low, self.high) {
            (None, Some(low), Some(high)) if self.told => Some((low, high)),
            _ => None,
        }
    }

    /// Returns the lower bound of a quantity that has no upper one.
    pub fn least(&self) -> Option<f64> {
        match (&self.value, self.low, self.high) {
            (None, Some(low), None) if self.told => Some(low),
            _ => None,
        }
    }

    /// The value of a quantity that was told.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Some(Value::Quantity(value)) if self.told => Some(value),
            _ => None,
        }
    }
}
