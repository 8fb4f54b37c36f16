//! Readings of loose words: tests if a finding changes when its words are read otherwise.
//!
//! A reading states the bound chosen for words that leave it open, such as "slightly" or "among the
//! best". A wider reading allows 1.5 times as much and demands 1/1.5 as much, a narrower one the
//! reverse: of a tolerance, or of the distance from level that is allowed or demanded. A place
//! moves by one. A finding turns if it fails and would hold with all of its readings wider, or
//! holds and would fail with all of them narrower.

use super::{ABOUT_PERCENT, Bounds, Check, Relation};

/// Alternative reading of loose words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Passes more.
    Wider,
    /// Passes less.
    Narrower,
}

/// Factor by which a bound moves.
const STEP: f64 = 1.5;

impl Reading {
    /// Moves a distance that a bound allows.
    fn allowed(self, distance: f64) -> f64 {
        match self {
            Reading::Wider => distance * STEP,
            Reading::Narrower => distance / STEP,
        }
    }

    /// Moves a distance that a bound demands.
    fn demanded(self, distance: f64) -> f64 {
        match self {
            Reading::Wider => distance / STEP,
            Reading::Narrower => distance * STEP,
        }
    }

    /// Moves a lower bound relative to `level`: a bound below it allows a deviation, a bound above
    /// it demands a distance.
    fn least(self, bound: f64, level: f64) -> f64 {
        match bound < level {
            true => level - self.allowed(level - bound),
            false => level + self.demanded(bound - level),
        }
    }

    /// Moves an upper bound in the same way.
    fn most(self, bound: f64, level: f64) -> f64 {
        match bound > level {
            true => level + self.allowed(bound - level),
            false => level - self.demanded(level - bound),
        }
    }

    fn bounds(self, bounds: &Bounds, level: f64) -> Bounds {
        let least = bounds.at_least.or(bounds.above);
        let most = bounds.at_most.or(bounds.below);
        // Each of two bounds moves relative to their middle.
        let level = match (least, most) {
            (Some(least), Some(most)) => f64::midpoint(least, most),
            _ => level,
        };
        let tolerance = bounds.tolerance_percent.unwrap_or(ABOUT_PERCENT);
        Bounds {
            about: bounds.about,
            tolerance_percent: bounds.about.map(|_| self.allowed(tolerance)),
            above: bounds.above.map(|bound| self.least(bound, level)),
            below: bounds.below.map(|bound| self.most(bound, level)),
            at_least: bounds.at_least.map(|bound| self.least(bound, level)),
            at_most: bounds.at_most.map(|bound| self.most(bound, level)),
        }
    }

    fn place(self, place: usize, last: bool, of: usize) -> usize {
        match (self == Reading::Wider) == last {
            true => (place + 1).min(of),
            false => place.saturating_sub(1).max(1),
        }
    }

    /// Returns a check with its words read otherwise; `None` if it has no reading or its reading
    /// quotes no loose word.
    pub(super) fn of(self, check: &Check) -> Option<Check> {
        let quotes = |reading: &String| reading.contains('"');
        if !check.reading.as_ref().is_some_and(quotes) {
            return None;
        }
        let mut check = check.clone();
        match &mut check.relation {
            // The level of a plain value is zero.
            Relation::Value(bounds) => *bounds = self.bounds(bounds, 0.0),
            Relation::Ratio { bounds, .. } => *bounds = self.bounds(bounds, 1.0),
            Relation::Order { .. } => return None,
            // A place with both bounds has no room to move.
            Relation::Place {
                at_most: Some(_),
                at_least: Some(_),
                ..
            } => return None,
            Relation::Place {
                at_most,
                at_least,
                among,
            } => {
                *at_most = at_most.map(|place| self.place(place, true, among.len()));
                *at_least = at_least.map(|place| self.place(place, false, among.len()));
            }
        }
        Some(check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_readings_allow_more_and_demand_less() {
        let (wider, narrower) = (Reading::Wider, Reading::Narrower);
        // At most 10 % below; a third more.
        assert!((wider.least(0.9, 1.0) - 0.85).abs() < 1e-12);
        assert!((wider.least(1.33, 1.0) - 1.22).abs() < 1e-12);
        assert!((narrower.least(1.3, 1.0) - 1.45).abs() < 1e-12);
        // Up to 5 % ahead; half of it or less.
        assert!((wider.most(1.06, 1.0) - 1.09).abs() < 1e-12);
        assert!((narrower.most(0.7, 1.0) - 0.55).abs() < 1e-12);
        // Scatter of 40 % or more; below 15 %.
        assert!((wider.least(40.0, 0.0) - 40.0 / 1.5).abs() < 1e-12);
        assert!((wider.most(15.0, 0.0) - 22.5).abs() < 1e-12);
        // The first three; the lower half of ten.
        let places = |place, last| {
            let read = |reading: Reading| reading.place(place, last, 10);
            (read(wider), read(narrower))
        };
        assert_eq!(places(3, true), (4, 2));
        assert_eq!(places(6, false), (5, 7));
        assert_eq!(places(1, true), (2, 1));
        assert_eq!(places(10, false), (9, 10));
        // From 1.5 to 2.5 s: each bound moves from their middle.
        let both = Bounds {
            at_least: Some(1.5),
            at_most: Some(2.5),
            ..Bounds::default()
        };
        let moved = wider.bounds(&both, 0.0);
        assert_eq!((moved.at_least, moved.at_most), (Some(1.25), Some(2.75)));
    }

    #[test]
    fn only_loose_words_are_read_otherwise() {
        let check = |reading: Option<&str>| Check {
            figure: "f".to_owned(),
            drives: Vec::new(),
            relation: Relation::Value(Bounds {
                about: Some(5.0),
                ..Bounds::default()
            }),
            reading: reading.map(str::to_owned),
        };
        assert_eq!(Reading::Wider.of(&check(None)), None);
        assert_eq!(Reading::Wider.of(&check(Some("at 80 % reads"))), None);
        let read = Reading::Wider.of(&check(Some("\"about\": within 10 %")));
        let Some(Relation::Value(bounds)) = read.map(|check| check.relation) else {
            panic!("it is read otherwise");
        };
        assert_eq!(bounds.tolerance_percent, Some(15.0));
    }
}
