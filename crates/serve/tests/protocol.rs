//! The protocol compared with its specification (`doc/proto.md` of NBD), byte for byte.

use stend_serve::nbd::{Ended, Errno, Kind, PAYLOAD_BYTES_MAX, ProtocolError, Session};

use crate::common::*;

/// A session in the transmission stage, with or without structured replies.
fn session(structured: bool) -> Session {
    let mut out = Vec::new();
    let mut session = Session::new(export(), &mut out);
    assert_eq!(&out[..18], b"NBDMAGICIHAVEOPT\x00\x03");
    session.feed(&client_flags(3));
    if structured {
        session.feed(&option(8, &[]));
    }
    session.feed(&option(7, &info("demo", &[])));
    assert_eq!(session.next_request(&mut out), Ok(None));
    session
}

/// Answers of a session to an option: pairs of type and data.
fn answers(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let mut out = Vec::new();
    let mut session = Session::new(export(), &mut out);
    session.feed(&client_flags(3));
    session.feed(bytes);
    out.clear();
    assert_eq!(session.next_request(&mut out), Ok(None));
    let mut found = Vec::new();
    let mut rest = &out[..];
    while !rest.is_empty() {
        assert_eq!(rest[..8], 0x0003_e889_0455_65a9u64.to_be_bytes());
        let field = |at: usize| u32::from_be_bytes(rest[at..at + 4].try_into().unwrap());
        let (kind, len) = (field(12), field(16) as usize);
        found.push((kind, rest[20..20 + len].to_vec()));
        rest = &rest[20 + len..];
    }
    found
}

#[test]
fn options_are_answered() {
    let all = answers(&option(6, &info("", &[1, 2, 3])));
    assert_eq!(all.len(), 5);
    // NBD_INFO_EXPORT: size, and flags for supported features (FLUSH, FUA, TRIM, ZEROES, DF,
    // multiple connections).
    assert_eq!(all[0].1[..10], [0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0]);
    assert_eq!(all[0].1[10..], 0x1edu16.to_be_bytes());
    assert_eq!(all[1].1, b"\x00\x01demo");
    assert_eq!(all[3].1[2..6], 512u32.to_be_bytes());
    assert_eq!(all[4], (1, Vec::new()));
    let list = answers(&option(3, &[]));
    assert_eq!(list[0], (2, b"\x00\x00\x00\x04demoa drive".to_vec()));
    let kinds = |bytes: &[u8]| {
        answers(bytes)
            .into_iter()
            .map(|(kind, _)| kind)
            .collect::<Vec<_>>()
    };
    const ERROR: u32 = 1 << 31;
    assert_eq!(kinds(&option(6, &info("other", &[]))), [ERROR + 6]);
    assert_eq!(kinds(&option(7, b"\x00\x00\x00\x09demo")), [ERROR + 3]);
    assert_eq!(kinds(&option(3, b"data")), [ERROR + 3]);
    // STARTTLS, and an unknown option.
    assert_eq!(kinds(&option(5, &[])), [ERROR + 1]);
    assert_eq!(kinds(&option(99, b"?")), [ERROR + 1]);
    // ABORT.
    assert_eq!(kinds(&option(2, &[])), [1]);
}

#[test]
fn the_oldest_way_to_choose_an_export() {
    for (flags, len) in [(1, 134), (3, 10)] {
        let mut out = Vec::new();
        let mut session = Session::new(export(), &mut out);
        session.feed(&client_flags(flags));
        session.feed(&option(1, b"demo"));
        out.clear();
        assert_eq!(session.next_request(&mut out), Ok(None));
        assert_eq!(out.len(), len);
        assert_eq!(out[..8], (1u64 << 20).to_be_bytes());
        assert!(!session.has_ended());
    }
    let mut out = Vec::new();
    let mut session = Session::new(export(), &mut out);
    session.feed(&client_flags(3));
    session.feed(&option(1, b"other"));
    assert_eq!(session.next_request(&mut out), Ok(None));
    assert!(session.has_ended());
}

#[test]
fn requests_are_read() {
    let mut session = session(false);
    let mut out = Vec::new();
    let mut bytes = request(1, WRITE, 7, (4096, 512));
    bytes.extend([0xab; 512]);
    bytes.extend(request(2, WRITE_ZEROES, 8, (0, 1024)));
    // The bytes may arrive in pieces of any size.
    let (a, b) = bytes.split_at(100);
    session.feed(a);
    assert_eq!(session.next_request(&mut out), Ok(None));
    session.feed(b);
    let write = session.next_request(&mut out).unwrap().unwrap();
    assert_eq!(
        (write.cookie, write.kind, write.fua),
        (7, Kind::Write, true)
    );
    assert_eq!((write.offset_bytes, write.len_bytes), (4096, 512));
    assert_eq!(write.data, [0xab; 512]);
    let zeroes = session.next_request(&mut out).unwrap().unwrap();
    assert_eq!(zeroes.kind, Kind::WriteZeroes { may_trim: false });
    assert!(out.is_empty());
    session.feed(&request(0, DISCONNECT, 0, (0, 0)));
    assert_eq!(session.next_request(&mut out), Ok(None));
    assert!(session.has_ended());
}

#[test]
fn what_cannot_be_done_is_refused_and_the_session_goes_on() {
    let mut session = session(false);
    const MIB: u64 = 1 << 20;
    for (flags, kind, range, errno) in [
        (0, READ, (0, 100), 22u32),
        (0, READ, (1, 512), 22),
        (0, READ, (0, 0), 22),
        (0, READ, (MIB, 512), 22),
        (0, READ, (u64::MAX - 511, 512), 22),
        (0, READ, (0, PAYLOAD_BYTES_MAX + 512), 22),
        (16, READ, (0, 512), 22),
        (0, TRIM, (MIB - 512, 1024), 28),
        (0, WRITE_ZEROES, (0, 0xffff_fe00), 28),
        (0, FLUSH, (0, 512), 22),
        (0, 5, (0, 512), 22),
        (0, 7, (0, 512), 22),
    ] {
        let mut out = Vec::new();
        session.feed(&request(flags, kind, 9, range));
        assert_eq!(session.next_request(&mut out), Ok(None), "{kind} {range:?}");
        assert_eq!(out[..4], 0x6744_6698u32.to_be_bytes());
        assert_eq!(out[4..8], errno.to_be_bytes(), "{kind} {range:?}");
        assert_eq!(out[8..16], 9u64.to_be_bytes());
    }
    let mut out = Vec::new();
    session.feed(&request(0, FLUSH, 10, (0, 0)));
    assert!(session.next_request(&mut out).unwrap().is_some());
}

#[test]
fn what_is_no_protocol_ends_the_connection() {
    let ends = |bytes: &[u8]| {
        let mut out = Vec::new();
        let mut session = Session::new(export(), &mut out);
        session.feed(bytes);
        session.next_request(&mut out).unwrap_err()
    };
    assert_eq!(ends(&client_flags(4)), ProtocolError::Flags);
    assert_eq!(
        ends(&[client_flags(3), b"GET / HTTP/1.1\r\n".to_vec()].concat()),
        ProtocolError::Option
    );
    let mut long = [client_flags(3), option(7, &[])].concat();
    long.truncate(long.len() - 4);
    long.extend(u32::MAX.to_be_bytes());
    assert_eq!(ends(&long), ProtocolError::Option);
    for bytes in [
        vec![0; 28],
        request(0, WRITE, 0, (0, PAYLOAD_BYTES_MAX + 512)),
    ] {
        let mut session = session(false);
        session.feed(&bytes);
        let ended = session.next_request(&mut Vec::new());
        assert_eq!(ended, Err(ProtocolError::Request));
    }
}

#[test]
fn replies_of_both_kinds() {
    let data = vec![1, 2, 3, 4];
    let read = Ended::Read {
        offset_bytes: 512,
        data: data.clone(),
    };
    let failed = Ended::Failed {
        errno: Errno::Io,
        is_read: true,
    };
    let reply = |structured: bool, ended: &Ended| {
        let mut out = Vec::new();
        session(structured).reply(3, ended, &mut out);
        out
    };
    let cookie = 3u64.to_be_bytes();
    let simple = |errno: u32| {
        [
            &0x6744_6698u32.to_be_bytes()[..],
            &errno.to_be_bytes(),
            &cookie,
        ]
        .concat()
    };
    assert_eq!(reply(false, &read), [simple(0), data.clone()].concat());
    assert_eq!(reply(false, &failed), simple(5));
    assert_eq!(reply(true, &Ended::Done), simple(0));
    let chunk = |kind: u16, len: u32| {
        let magic = 0x668e_33efu32.to_be_bytes();
        [
            &magic[..],
            &1u16.to_be_bytes(),
            &kind.to_be_bytes(),
            &cookie,
            &len.to_be_bytes(),
        ]
        .concat()
    };
    assert_eq!(
        reply(true, &read),
        [chunk(1, 12), 512u64.to_be_bytes().to_vec(), data].concat()
    );
    assert_eq!(
        reply(true, &failed),
        [chunk(0x8001, 6), vec![0, 0, 0, 5, 0, 0]].concat()
    );
}
