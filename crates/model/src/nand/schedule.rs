//! Scheduling of a die: the choice of the class of waiting work that is next.
//!
//! Reads of the host go before its programs, and these before the drive's own work, as in MQSim
//! (Tavakkol et al., FAST 2018). A strict order starves the lower classes for as long as a higher
//! one has work: under deep queues of reads no program ends, and buffer, journal and garbage
//! collection stand still. [`Credits`] bound that, as `writes_starved` does in the deadline
//! scheduler of Linux: after a number of operations that have passed it, waiting work of a lower
//! class is next. Suspending an operation that is under way (Wu and He, FAST 2012) has a bound of
//! its own, [`super::Suspend::reads_max`].

/// Class of work. A lower number comes first when its die becomes free, unless the die's
/// [`Scheduling`] decides otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Class {
    /// A host waits for the data.
    HostRead = 0,
    /// Host data leaves the buffer.
    HostProgram = 1,
    /// Work of the drive itself: garbage collection, folding, erasing.
    Background = 2,
}

/// Number of classes.
pub const CLASSES: usize = 3;

/// Waiting work of a die, by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// True if work of the class waits.
    pub waits: [bool; CLASSES],
    /// Number of operations of higher classes that have begun while work of the class waited.
    pub passed: [u32; CLASSES],
}

/// Policy that chooses among the classes with waiting work. It only chooses; the die acts.
pub trait Schedule {
    /// Class of the die's next operation; `None` if nothing waits.
    fn next(&self, waiting: &Waits) -> Option<usize>;
}

/// Policy that always chooses the highest class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strict;

impl Schedule for Strict {
    #[inline(always)]
    fn next(&self, waiting: &Waits) -> Option<usize> {
        waiting.waits.iter().position(|&waits| waits)
    }
}

/// Policy that chooses the highest class until enough of its operations have passed a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Credits {
    /// Number of reads of the host that may pass a waiting program of its data.
    pub program_after: u32,
    /// Number of operations of the host that may pass waiting work of the drive itself.
    pub background_after: u32,
}

impl Schedule for Credits {
    #[inline(always)]
    fn next(&self, waiting: &Waits) -> Option<usize> {
        let owed = |class: Class, after: u32| {
            let class = class as usize;
            (waiting.waits[class] && waiting.passed[class] >= after).then_some(class)
        };
        owed(Class::Background, self.background_after)
            .or_else(|| owed(Class::HostProgram, self.program_after))
            .or_else(|| Strict.next(waiting))
    }
}

/// Policies that a drive may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Scheduling {
    /// [`Strict`].
    #[default]
    Strict,
    /// [`Credits`].
    Credits(Credits),
}

impl Schedule for Scheduling {
    #[inline(always)]
    fn next(&self, waiting: &Waits) -> Option<usize> {
        match self {
            Scheduling::Strict => Strict.next(waiting),
            Scheduling::Credits(credits) => credits.next(waiting),
        }
    }
}

impl Scheduling {
    /// Number of reads that may pass a program whose data is already in the register of its die.
    #[inline]
    pub fn reads_past_program(&self) -> u32 {
        match self {
            Scheduling::Strict => u32::MAX,
            Scheduling::Credits(credits) => credits.program_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_classes_are_next_when_enough_has_passed_them() {
        let credits = Credits {
            program_after: 2,
            background_after: 5,
        };
        let next = |waits, passed| credits.next(&Waits { waits, passed });
        assert_eq!(next([false; 3], [0; 3]), None);
        assert_eq!(next([true; 3], [0, 1, 4]), Some(0));
        assert_eq!(next([true; 3], [0, 2, 4]), Some(1));
        assert_eq!(next([true; 3], [0, 2, 5]), Some(2));
        assert_eq!(next([true, false, true], [0, 2, 4]), Some(0));
        assert_eq!(
            Strict.next(&Waits {
                waits: [false, true, true],
                passed: [9; 3]
            }),
            Some(1)
        );
    }
}
