//! Access to the properties of an identification.

use stend_identify::property::{Identification, Property, Value};
use stend_record::load::Load;
use stend_record::review::{PointOp, Review};

/// A quantity with its interval, and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The value.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Evidence, for people.
    pub evidence: String,
}

/// Known properties of the drive.
#[derive(Clone, Debug, Default)]
pub struct Told {
    identification: Identification,
}

impl Told {
    /// Creates the access to an identification; without one, no property is known.
    pub fn of(identification: Option<&Identification>) -> Told {
        Told {
            identification: identification.cloned().unwrap_or_default(),
        }
    }

    fn property(&self, id: &str) -> Option<&Property> {
        let property = self.identification.property(id)?;
        property.told.then_some(property)
    }

    /// True if the drive has a mechanism; `None` if unknown.
    pub fn present(&self, id: &str) -> Option<bool> {
        self.property(id)?.present
    }

    /// Kind of a property.
    pub fn kind(&self, id: &str) -> Option<&str> {
        match self.property(id)?.value.as_ref()? {
            Value::Kind(kind) => Some(kind),
            Value::Quantity(_) => None,
        }
    }

    /// A quantity; for a range, its middle; for a lower bound, the bound, with twice the bound as
    /// the upper end (assumed).
    pub fn quantity(&self, id: &str) -> Option<Quantity> {
        let property = self.property(id)?;
        let middle = || property.ends().map(|(low, high)| f64::midpoint(low, high));
        let known = property.number().or_else(middle);
        let value = known.or(property.least())?;
        let reach = if known.is_none() { 2.0 } else { 1.0 };
        Some(Quantity {
            value,
            low: property.low.unwrap_or(value),
            high: property.high.unwrap_or(reach * value),
            evidence: property.evidence.clone(),
        })
    }

    /// Evidence for a property, or a text that there is none.
    pub fn evidence(&self, id: &str) -> &str {
        let said = self.property(id).map(|property| property.evidence.as_str());
        said.filter(|said| !said.is_empty())
            .unwrap_or("the identification gives no evidence")
    }
}

/// Highest number of requests per second in a review, for random 4 KiB pages in one direction,
/// among the allowed loads.
pub fn most_iops(
    review: &Review,
    op: PointOp,
    counts: &dyn Fn(&str, &Load) -> bool,
) -> Option<f64> {
    const PAGE_BYTES: u64 = 4096;
    let tests = review.tests.iter();
    let points = tests.flat_map(|test| {
        let points = test.points().iter();
        points.filter(|point| counts(&test.id, &point.load))
    });
    let of_pages = points.filter(|p| p.load.op == op && p.load.block_bytes == PAGE_BYTES);
    of_pages.map(|point| point.iops).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_range_alone_the_middle_counts() {
        let range = Property {
            id: "slc-cache-bytes".to_owned(),
            told: true,
            low: Some(3e9),
            high: Some(5e9),
            ..Property::default()
        };
        let identification = Identification {
            properties: vec![range],
            ..Identification::default()
        };
        let told = Told::of(Some(&identification));
        let size = told.quantity("slc-cache-bytes").expect("told");
        assert_eq!((size.low, size.value, size.high), (3e9, 4e9, 5e9));
        assert_eq!(told.quantity("over-provisioning-percent"), None);
        let mut least = identification;
        least.properties[0].high = None;
        let least = Told::of(Some(&least));
        let size = least.quantity("slc-cache-bytes").expect("told");
        assert_eq!((size.low, size.value, size.high), (3e9, 3e9, 6e9));
    }
}
