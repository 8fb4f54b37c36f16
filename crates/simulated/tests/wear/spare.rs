//! Over-provisioning by the user: the capacity that the host leaves unused is space in which
//! garbage collection finds superblocks with fewer pages to move.

use std::sync::OnceLock;

use stend_base::{Device, Op};
use stend_drive::SimDrive;
use stend_model::spec::PAGE_BYTES;

use crate::load::{around, fill, random, run, write_to_the_end};
use crate::page::Case;
use crate::small::{LIFE_PART, flash_bytes, small};
use crate::svg::{Axis, Chart, Form, Scale, Series, digits};

/// Capacity with which the drive is made, percent of the flash.
const MADE_WITH: u64 = 93;
const SET_ASIDE: [u64; 5] = [0, 7, 14, 21, 28];

/// Life of a drive.
#[derive(Clone, Copy)]
struct Life {
    /// Bytes of the host per byte of flash.
    written: f64,
    write_amplification: f64,
}

struct Measured {
    random: Vec<Life>,
    /// Lives with the least and the most capacity set aside.
    in_order: [Life; 2],
    cycles: u32,
}

/// Life of a drive that is used, trimmed, limited to a smaller capacity, and written until it is
/// worn out.
fn life(set_aside: u64, in_order: bool) -> Life {
    let spec = small("crucial-mx100-256gb", MADE_WITH);
    let flash = flash_bytes(&spec);
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive, spec.user_bytes);
    let pages = spec.user_bytes / PAGE_BYTES;
    run(&mut drive, (Op::Trim, pages, 1), || 0);
    let bytes = flash * (MADE_WITH - set_aside) / 100 / PAGE_BYTES * PAGE_BYTES;
    drive.service().set_user_bytes(bytes).expect("it is empty");
    let all = drive.capacity_bytes();
    fill(&mut drive, all);
    match in_order {
        true => write_to_the_end(&mut drive, 32, around(all / PAGE_BYTES, 32)),
        false => write_to_the_end(&mut drive, 1, random(all / PAGE_BYTES, 1, "life")),
    };
    let health = drive.health();
    Life {
        written: health.host_written_bytes as f64 / flash as f64,
        write_amplification: health.nand_written_bytes as f64 / health.host_written_bytes as f64,
    }
}

fn measured() -> &'static Measured {
    static MEASURED: OnceLock<Measured> = OnceLock::new();
    MEASURED.get_or_init(|| {
        let spec = small("crucial-mx100-256gb", MADE_WITH);
        Measured {
            random: SET_ASIDE.map(|percent| life(percent, false)).to_vec(),
            in_order: [SET_ASIDE[0], SET_ASIDE[4]].map(|percent| life(percent, true)),
            cycles: spec.blocks.expect("its blocks wear").life_cycles[1],
        }
    })
}

/// Expected life: the endurance of the flash divided by the write amplification.
fn expected(m: &Measured, life: Life) -> f64 {
    m.in_order[0].written * m.in_order[0].write_amplification / life.write_amplification
}

pub fn case() -> Case {
    let m = measured();
    let part = f64::from(LIFE_PART);
    let line = |name: &str, form, y: &dyn Fn(Life) -> f64| Series {
        name: name.to_owned(),
        form,
        points: SET_ASIDE
            .iter()
            .zip(&m.random)
            .map(|(&x, &life)| (x as f64, y(life)))
            .collect(),
    };
    let ends = [SET_ASIDE[0], SET_ASIDE[4]].iter().zip(&m.in_order);
    let in_order = ends.map(|(&x, life)| (x as f64, life.written * part));
    let chart = Chart {
        title: "Over-provisioning by the user: writes until the drive is worn out",
        x: Axis::new(
            "set aside by the user, % of the flash",
            Scale::Linear,
            [0.0, 28.0],
            &SET_ASIDE.map(|percent| percent as f64),
        ),
        y: Axis::new(
            "host writes until the end, capacities of the flash",
            Scale::Linear,
            [0.0, 4000.0],
            &[0.0, 1000.0, 2000.0, 3000.0, 4000.0],
        ),
        band: None,
        series: vec![
            line("at random", Form::Line, &|life| life.written * part),
            line("in order ÷ write amplification", Form::Dashed, &|life| {
                expected(m, life) * part
            }),
            Series {
                name: "in order".to_owned(),
                form: Form::Line,
                points: in_order.collect(),
            },
        ],
    };
    let gain = m.random[4].written / m.random[0].written;
    Case {
        picture: "wear-spare.svg",
        svg: chart.svg(),
        figures: vec![
            ("spare.wa.least", digits(m.random[4].write_amplification)),
            ("spare.wa.most", digits(m.random[0].write_amplification)),
            ("spare.life.least", digits(m.random[0].written * part)),
            ("spare.life.most", digits(m.random[4].written * part)),
            ("spare.gain", digits(gain)),
            ("spare.order", digits(m.in_order[0].written * part)),
            ("spare.cycles", (m.cycles * LIFE_PART).to_string()),
        ],
    }
}

#[test]
fn space_set_aside_lengthens_life_under_random_writes_alone() {
    let m = measured();
    let grows = |two: &[Life]| two[1].written > 1.1 * two[0].written;
    assert!(m.random.windows(2).all(grows));
    // With 7 % spare space, greedy collection moves (1 + r) / 2r (Agarwal and Marrow, 2010), 7.1
    // with r = 0.07 / 0.93; writes of the same page that meet in the buffer of such a small drive
    // are written once.
    let [least, most] = [&m.random[4], &m.random[0]].map(|life| life.write_amplification);
    assert!(
        (6.2..7.1).contains(&most) && (1.5..1.7).contains(&least),
        "{most}, {least}"
    );
    for &life in &m.random {
        let ratio = life.written / expected(m, life);
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
    }
    // Data overwritten in order leaves nothing to move, so that spare capacity gains nothing.
    for life in &m.in_order {
        assert!(life.write_amplification < 1.01);
        let ratio = life.written / m.in_order[0].written;
        assert!((0.98..1.02).contains(&ratio), "{ratio}");
    }
}
