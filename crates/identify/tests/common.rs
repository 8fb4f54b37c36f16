//! Drives for tests.

use std::sync::OnceLock;

use stend_identify::observed::Observed;
use stend_identify::property::Identification;
use stend_identify::{Options, infer, probe};
use stend_load::runner::Progress;
use stend_load::target::{Enough, JobOutcome, JobRequest, Observer, Target, TargetError};
use stend_model::{Model, Setting};
use stend_record::review::{Condition, TargetInfo};
use stend_simulated::SimulatedTarget;

/// A shipped model with changed figures.
pub fn model(name: &str, set: &[(&str, &str)]) -> Option<Model> {
    let settings: Vec<(&str, Setting)> = set
        .iter()
        .map(|(key, value)| (*key, value.parse().expect("a value of TOML")))
        .collect();
    Model::shipped(name)
        .expect("a shipped model")
        .with(&settings)
        .ok()
}

/// The demonstration drive with a quarter of its capacity, and changed figures.
pub fn small(set: &[(&str, &str)]) -> Model {
    let quarter = [
        ("nand.blocks_per_plane", "215"),
        ("capacity.user_bytes", "1999998976"),
        ("slc_cache.blocks_per_plane", "40"),
        ("gc.start_superblocks", "5"),
    ];
    model("demo-8gb", &[&quarter, set].concat()).expect("a valid model")
}

/// Observations of a new drive of this model, from its behaviour alone.
pub fn seen(model: Model) -> Observed {
    let mut hidden = Hidden(Box::new(SimulatedTarget::new(model)));
    let mut options = Options {
        seed: 1,
        go_on: &mut |_| true,
        left_s: None,
    };
    probe(&mut hidden, &mut options).expect("the drive is probed")
}

/// Observations of the unchanged small drive.
pub fn seen_plain() -> &'static Observed {
    static SEEN: OnceLock<Observed> = OnceLock::new();
    SEEN.get_or_init(|| seen(small(&[])))
}

/// Properties inferred from the behaviour of a model.
pub fn identified(model: Model) -> Identification {
    infer("hidden", &seen(model))
}

/// A target that hides everything but its answers.
pub struct Hidden(pub Box<dyn Target>);

impl Target for Hidden {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "hidden".to_owned(),
            title: "hidden".to_owned(),
            capacity_bytes: self.0.info().capacity_bytes,
            ..TargetInfo::default()
        }
    }

    fn environment(&self) -> Vec<Condition> {
        Vec::new()
    }

    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        observer: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        let Some(enough) = observer.enough else {
            return self.0.run_observed(job, observer);
        };
        // Flash writes, and the space left before other work begins, cannot be observed outside.
        let mut is = |progress: &Progress| {
            (enough.is)(&Progress {
                flash_written_bytes: None,
                steady_bytes: None,
                ..*progress
            })
        };
        let hidden = Enough {
            every_s: enough.every_s,
            is: &mut is,
        };
        let observer = Observer {
            enough: Some(hidden),
            ..observer
        };
        self.0.run_observed(job, observer)
    }

    fn trim_all(&mut self) -> Result<(), TargetError> {
        self.0.trim_all()
    }

    fn trim_supported(&self) -> bool {
        self.0.trim_supported()
    }

    fn idle(&mut self, seconds: f64) -> Result<(), TargetError> {
        self.0.idle(seconds)
    }

    fn fork(&mut self) -> Option<Box<dyn Target>> {
        Some(Box::new(Hidden(self.0.fork()?)))
    }

    fn can_fork(&self) -> bool {
        self.0.can_fork()
    }
}
