//! What streams come to in a drive.

use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};

use super::SimDrive;
use crate::Model;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::Lpn;
use crate::spec::{PAGE_BYTES, StreamsSpec};

/// After a load of which nine of ten writes go to the first tenth of the data.
fn skewed(host_streams: u32, gc_streams: u32) -> SimDrive {
    let model = Model::shipped("samsung-850-pro-256gb").expect("it is shipped");
    let mut spec = model.spec();
    (spec.data.rows, spec.data.superblocks) = (8, 200);
    spec.gc.policy = crate::spec::Policy::CostBenefit;
    spec.user_bytes = 150 * 8 * u64::from(spec.dies * spec.pages_per_mp_page) * PAGE_BYTES;
    spec.streams = Some(StreamsSpec {
        host_streams,
        gc_streams,
        heat_group_pages: 1,
        heat_window_percent: 400,
        classify: Nanos::ZERO,
    });
    let mut drive = SimDrive::new(&spec);
    let pages = spec.user_bytes / PAGE_BYTES;
    let mut rng = Rng::stream(1, "skew");
    for n in 0..7 * pages {
        let offset = match rng.ratio(9, 10) {
            _ if n < pages => n,
            true => rng.below(pages / 10),
            false => pages / 10 + rng.below(pages - pages / 10),
        };
        drive.submit(Request {
            tag: 0,
            op: Op::Write,
            offset_bytes: offset * PAGE_BYTES,
            len_bytes: PAGE_BYTES,
            ..Request::default()
        });
        if n % 32 == 31 {
            while drive
                .advance(SimTime::NEVER)
                .is_some_and(|_| !drive.host.is_silent())
            {}
        }
    }
    drive
}

/// Of all pairs of valid pages in a full superblock of this generation, the share in
/// which both are hot or both are cold; and how many such superblocks there are.
fn purity(drive: &SimDrive, generation: u8) -> (f64, u32) {
    let data_area = drive.env.layout.pool(Pool::Data);
    let pages = drive.store.ftl.l2p.logical_pages();
    let mut hot_and_all = vec![(0u64, 0u64); data_area.superblocks as usize];
    for lpn in 0..pages {
        let mp_page = drive
            .store
            .ftl
            .l2p
            .lookup(Lpn(lpn))
            .mp_page(drive.env.layout.page_bits);
        let superblock = drive.env.layout.superblock_of(mp_page);
        let of = &mut hot_and_all[(superblock - data_area.first_superblock) as usize];
        of.0 += u64::from(lpn < pages / 10);
        of.1 += 1;
    }
    let (mut alike, mut pairs, mut found) = (0, 0, 0);
    for (nth, (hot, all)) in hot_and_all.into_iter().enumerate() {
        let superblock = data_area.first_superblock + nth as u32;
        if drive.store.ftl.superblocks.is_closed(superblock)
            && drive.store.ftl.superblocks.generation(superblock) == generation
        {
            alike += hot * hot + (all - hot) * (all - hot);
            pairs += all * all;
            found += 1;
        }
    }
    (alike as f64 / pairs as f64, found)
}

#[test]
fn hot_and_cold_data_of_the_host_lie_apart() {
    let (mixed, apart) = (purity(&skewed(1, 1), 0), purity(&skewed(2, 1), 0));
    println!("mixed {mixed:?}, apart {apart:?}");
    assert!(mixed.1 > 10 && apart.1 > 10);
    assert!(apart.0 > 0.97 && mixed.0 < 0.8, "{apart:?}, {mixed:?}");
}

#[test]
fn the_survivors_of_a_generation_enter_the_next_up_to_the_last() {
    let drive = skewed(1, 3);
    let found = [0, 1, 2, 3, 4].map(|generation| purity(&drive, generation));
    println!("{found:?}");
    assert!(found[1].1 > 0 && found[2].1 > 0 && found[3].1 > 0);
    assert_eq!(found[4].1, 0);
    // What survives longer is colder.
    assert!(found[3].0 > 0.97 && found[3].0 > found[1].0, "{found:?}");
    let two = skewed(1, 1);
    assert_eq!([2, 3].map(|generation| purity(&two, generation).1), [0, 0]);
}
