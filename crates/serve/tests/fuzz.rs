//! Random bytes at the socket: no panic, no endless loop, and no more memory than the largest
//! request. `STEND_FUZZ=N` sets the number of runs.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use stend_serve::nbd::{PAYLOAD_BYTES_MAX, Session};

use crate::common::*;

fn runner() -> TestRunner {
    let cases = std::env::var("STEND_FUZZ").ok();
    TestRunner::new(Config {
        cases: cases.and_then(|n| n.parse().ok()).unwrap_or(2_000),
        failure_persistence: None,
        ..Config::default()
    })
}

/// A request like one of a client.
fn any_request() -> impl Strategy<Value = Vec<u8>> {
    let head = (0u16..4, 0u16..9, any::<u64>(), 0u64..1 << 21, 0u32..1 << 14);
    head.prop_map(|(flags, kind, cookie, offset, len)| {
        let range = (offset & !511, len & !511);
        let mut bytes = request(flags, kind, cookie, range);
        if kind == WRITE {
            bytes.resize(bytes.len() + range.1 as usize, 0x55);
        }
        bytes
    })
}

/// A message like one of a client.
fn part() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof![Just("demo".to_owned()), Just(String::new()), ".{0,8}"];
    let infos = proptest::collection::vec(0u16..6, 0..4);
    let named = (6u32..8, name, infos);
    let any_option = (0u32..12, proptest::collection::vec(any::<u8>(), 0..40));
    prop_oneof![
        1 => (0u32..4).prop_map(client_flags),
        1 => named.prop_map(|(kind, name, infos)| option(kind, &info(&name, &infos))),
        1 => any_option.prop_map(|(kind, data)| option(kind, &data)),
        1 => proptest::collection::vec(any::<u8>(), 0..64),
        30 => any_request(),
    ]
}

/// Feeds a session in pieces; returns the number of requests.
fn run(bytes: &[u8], piece: usize) -> usize {
    let mut out = Vec::new();
    let mut session = Session::new(export(), &mut out);
    let mut requests = 0;
    for piece in bytes.chunks(piece) {
        session.feed(piece);
        loop {
            match session.next_request(&mut out) {
                Err(_) => return requests,
                Ok(None) => break,
                Ok(Some(request)) => {
                    requests += 1;
                    assert!(request.offset_bytes + request.len_bytes <= 1 << 20);
                    assert!(request.data.len() <= PAYLOAD_BYTES_MAX as usize);
                }
            }
        }
        out.clear();
    }
    requests
}

#[test]
fn no_bytes_disturb_the_server() {
    let parts = proptest::collection::vec(part(), 0..12);
    let flip = proptest::option::of((any::<prop::sample::Index>(), any::<u8>()));
    let mut total = 0;
    let input = (parts, flip, 1usize..5_000, any::<bool>());
    runner()
        .run(&input, |(parts, flip, piece, begins_well)| {
            let mut bytes = match begins_well {
                true => [client_flags(3), option(7, &info("", &[]))].concat(),
                false => Vec::new(),
            };
            bytes.extend(parts.concat());
            if let (Some((at, value)), false) = (flip, bytes.is_empty()) {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            // The requests do not depend on the sizes of the pieces.
            prop_assert_eq!(run(&bytes, piece), run(&bytes, usize::MAX));
            Ok(())
        })
        .unwrap();
    // The strategy generates sessions that reach the requests.
    let mut tree_runner = TestRunner::deterministic();
    for _ in 0..200 {
        let parts = proptest::collection::vec(part(), 1..8);
        let tree = parts.new_tree(&mut tree_runner).unwrap();
        let bytes = [
            client_flags(3),
            option(7, &info("", &[])),
            tree.current().concat(),
        ]
        .concat();
        total += run(&bytes, 999);
    }
    assert!(total > 20, "{total}");
}
