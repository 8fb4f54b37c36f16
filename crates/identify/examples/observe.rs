//! obs
use stend_drive::Model;
use stend_target::SimulatedTarget;
fn main() {
    for name in std::env::args().skip(1) {
        let m = Model::shipped(&name).unwrap();
        let t = std::time::Instant::now();
        let mut t1 = SimulatedTarget::new(m);
        let mut last = std::time::Instant::now();
        let mut go = |s: &str| {
            eprintln!("  {:?} before {s}", last.elapsed());
            last = std::time::Instant::now();
            true
        };
        let o = stend_identify::probe(
            &mut t1,
            &mut stend_identify::Options {
                seed: 1,
                go_on: &mut go,
            },
        )
        .unwrap();
        eprintln!("{name} total {:?}", t.elapsed());
        std::fs::write(
            format!("/tmp/obs/{name}.json"),
            serde_json::to_string(&o).unwrap(),
        )
        .unwrap();
    }
}
