//! Over-provisioning by the user: the conditions for setting it, and that nothing else changes. Its
//! effect on write amplification is tested with the policies.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};
use stend_drive::{SimDrive, UserBytesError};
use stend_model::Spec;
use stend_model::spec::StreamsSpec;

fn specs() -> [Spec; 3] {
    let mut streams = plain(64, 16, 12_000);
    streams.streams = Some(StreamsSpec {
        host_streams: 2,
        gc_streams: 2,
        heat_group_pages: 8,
        heat_window_percent: 100,
        classify: Nanos(100),
    });
    [plain(64, 16, 12_000), cached(64, 24, 10_000), streams]
}

#[test]
fn a_new_drive_set_to_less_is_a_drive_made_with_less() {
    for spec in specs() {
        let bytes = 8_001 * PAGE;
        let mut smaller = spec.clone();
        smaller.user_bytes = bytes;
        let mut set = SimDrive::new(&spec);
        set.service().set_user_bytes(bytes).expect("it is empty");
        assert_eq!(set.native_bytes(), spec.user_bytes);
        let [set, made] = [set, SimDrive::new(&smaller)].map(|mut drive| {
            assert_eq!(drive.capacity_bytes(), bytes);
            let next = random(&drive, 1);
            burst(&mut drive, Op::Write, 1, 32, 60_000, next);
            let next = random(&drive, 2);
            burst(&mut drive, Op::Read, 1, 32, 5_000, next);
            (drive.trace_hash(), drive.counters())
        });
        assert_eq!(set, made);
    }
}

#[test]
fn a_used_drive_must_be_empty_and_at_rest() {
    for spec in specs() {
        let less = spec.user_bytes / 2 / PAGE * PAGE;
        let pages = spec.user_bytes / PAGE;
        let mut drive = SimDrive::new(&spec);
        drive.keep_content(true);
        let next = random(&drive, 1);
        burst(&mut drive, Op::Write, 1, 32, 3 * pages, next);
        let mapped = (0..pages as u32).filter(|&u| drive.content(u).is_some());
        let refused = UserBytesError::HoldsData {
            pages: mapped.count() as u64,
        };
        assert_eq!(drive.service().set_user_bytes(less), Err(refused));
        assert!(refused.to_string().ends_with("TRIM the whole drive first"));

        drive.submit(request(0, Op::Trim, 0, pages));
        assert_eq!(
            drive.service().set_user_bytes(less),
            Err(UserBytesError::Busy { commands: 1 })
        );
        drive.advance(SimTime::NEVER).expect("the TRIM ends");
        assert_eq!(drive.service().set_user_bytes(less), Ok(()));
        assert_eq!(drive.capacity_bytes(), less);

        // The drive works as before, within its new bounds, and back again.
        for back in [less, spec.user_bytes] {
            drive.service().set_user_bytes(back).expect("it is empty");
            let pages = back / PAGE;
            let mut n = 0;
            burst(&mut drive, Op::Write, 1, 1, 3 * pages, || {
                n += 1;
                n * 7_919 % pages
            });
            assert!((0..pages as u32).all(|u| drive.content(u) == Some(0)));
            rest(&mut drive, Nanos::from_secs(5));
            alone(&mut drive, request(0, Op::Trim, 0, pages));
        }
    }
}

#[test]
fn no_capacity_is_set_that_the_drive_cannot_have() {
    let spec = plain(64, 16, 12_000);
    let mut drive = SimDrive::new(&spec);
    let most = spec.user_bytes;
    for bytes in [0, 4_095, 4_097, most + PAGE] {
        let refused = UserBytesError::OutOfRange { bytes, most };
        assert_eq!(drive.service().set_user_bytes(bytes), Err(refused));
    }
    assert_eq!(drive.capacity_bytes(), most);
    assert_eq!(drive.service().set_user_bytes(PAGE), Ok(()));
    assert_eq!(drive.service().set_user_bytes(most), Ok(()));
}
