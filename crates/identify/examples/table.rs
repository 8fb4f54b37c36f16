//! t
#[path = "../tests/truth.rs"]
mod truth;
use stend_identify::property::Value;
use truth::*;
fn main() {
    let mut tab: std::collections::BTreeMap<String, [u32; 4]> = Default::default();
    let verbose = std::env::var("V").is_ok();
    for name in std::env::args().skip(1) {
        let Ok(t) = std::fs::read_to_string(format!("/tmp/obs/{name}.json")) else {
            continue;
        };
        let Ok(o) = serde_json::from_str(&t) else {
            continue;
        };
        let i = stend_identify::infer(&name, &o);
        let tr = truth(&stend_drive::Model::shipped(&name).unwrap());
        for p in &i.properties {
            let Some(t) = tr.get(p.id.as_str()) else {
                if verbose {
                    println!(
                        "{name:28} {:26} {:?} {:?} {}",
                        p.id, p.value, p.why_not, p.evidence
                    );
                }
                continue;
            };
            let e = tab.entry(p.id.clone()).or_default();
            let r = if !p.told {
                2
            } else {
                match (t, &p.value, p.present) {
                    (Truth::Present(a), _, Some(b)) => {
                        if *a == b {
                            0
                        } else {
                            1
                        }
                    }
                    (Truth::Quantity(l, h), Some(Value::Quantity(v)), _) => {
                        if p.low.unwrap() <= *h && p.high.unwrap() >= *l {
                            e[3] += 1;
                        }
                        if v >= l && v <= h { 0 } else { 1 }
                    }
                    (Truth::Kind(k), Some(Value::Kind(v)), _) => {
                        if k == v {
                            0
                        } else {
                            1
                        }
                    }
                    _ => 1,
                }
            };
            e[r] += 1;
            if r == 1 || verbose || (r == 2 && *t != Truth::Nothing && std::env::var("U").is_ok()) {
                println!(
                    "{name:28} {:26} {} truth {:?} got {:?} {:?} [{:?} {:?}] {} {:?}",
                    p.id,
                    ["ok", "WRONG", "unk"][r],
                    t,
                    p.present,
                    p.value,
                    p.low,
                    p.high,
                    p.evidence,
                    p.why_not
                );
            }
        }
    }
    for (k, v) in tab {
        println!(
            "{k:28} right {} wrong {} unknown {} (covers {})",
            v[0], v[1], v[2], v[3]
        );
    }
}
