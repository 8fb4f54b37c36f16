//! Latencies of reads spread as page types do: at depth 1, of drives that are full and at rest.

use stend_base::{Device, Nanos, Op};
use stend_drive::SimDrive;
use stend_model::spec::Spec;
use stend_model::{Model, SHIPPED};

use crate::tests::common::{alone, fill, random, request, rest};

/// Latencies of 4 KiB reads at depth 1, ascending, ns.
fn latencies(spec: &Spec) -> Vec<u64> {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_secs(600));
    let mut next = random(&drive, 7);
    let mut all: Vec<u64> = (0..4_000)
        .map(|_| alone(&mut drive, request(0, Op::Read, next(), 1)).0)
        .collect();
    assert!(drive.capacity_bytes() > 0);
    all.sort_unstable();
    all
}

/// 99.9 % over the median.
fn tail(spec: &Spec) -> f64 {
    let all = latencies(spec);
    all[all.len() * 999 / 1_000] as f64 / all[all.len() / 2] as f64
}

#[test]
fn reads_of_tlc_spread_by_page_type_and_alike_page_types_do_not() {
    let mut seen = 0;
    for shipped in SHIPPED {
        let model = Model::shipped(shipped.name).expect("it is shipped");
        let Ok(model) = model.scaled(32) else {
            continue;
        };
        let mut spec = model.spec();
        if spec.data.timing.read.len() != 3 {
            continue;
        }
        let with = tail(&spec);
        spec.data.timing.read = vec![spec.data.timing.read[1]; 3];
        let without = tail(&spec);
        println!("{}: {with:.2}, alike {without:.2}", shipped.name);
        assert!((1.1..2.5).contains(&with), "{}: {with}", shipped.name);
        // Data in an SLC cache is read faster, in less than half of the reads.
        assert!(without < with, "{}: {without}", shipped.name);
        seen += 1;
    }
    assert!(seen > 6, "{seen}");
}
