//! Data files: files that belong to a drive and others, and reading them.

use std::fs;

use stend_serve::data::{Data, DataError, DataFile, Identity, Payload, Written};

const CAPACITY: u64 = 1 << 22;

fn identity(history: Option<u64>) -> Identity {
    Identity::new("demo", CAPACITY, history)
}

fn refused(result: Result<DataFile, DataError>) -> String {
    match result {
        Err(DataError::Refused(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_file_is_written_that_is_not_the_drives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, "somebody's").unwrap();
    let why = refused(DataFile::named(&path, &identity(Some(1)), true));
    assert!(why.contains("exists already"), "{why}");
    assert_eq!(fs::read(&path).unwrap(), b"somebody's");
    fs::remove_file(&path).unwrap();

    let mut file = DataFile::named(&path, &identity(Some(1)), false).unwrap();
    file.note_served(&identity(Some(1))).unwrap();
    file.write(4096, &[7; 512]).unwrap();
    let why = refused(DataFile::named(&path, &identity(Some(1)), true));
    assert!(why.contains("served already"), "{why}");
    drop(file);
    // The server was not ended properly.
    let why = refused(DataFile::named(&path, &identity(Some(1)), false));
    assert!(why.contains("killed"), "{why}");
    let file = DataFile::named(&path, &identity(Some(1)), true).unwrap();
    let mut read = [0; 512];
    file.read(4096, &mut read).unwrap();
    assert_eq!(read, [7; 512]);
    file.note(&identity(Some(2))).unwrap();
    drop(file);
    let why = refused(DataFile::named(&path, &identity(Some(1)), false));
    assert!(why.contains("another history"), "{why}");
    let other = Identity::new("other", CAPACITY, Some(2));
    let why = refused(DataFile::named(&path, &other, true));
    assert!(why.contains("the data of demo"), "{why}");
    DataFile::named(&path, &identity(Some(2)), false).unwrap();
}

fn write(tag: u32, offset_bytes: u64, bytes: Vec<u8>) -> Written {
    Written {
        tag,
        offset_bytes,
        len_bytes: bytes.len() as u64,
        payload: Payload::Bytes(bytes),
    }
}

#[test]
fn what_is_trimmed_reads_as_zeroes_before_it_is_durable() {
    let mut data = Data::new(DataFile::unnamed(CAPACITY).unwrap(), true);
    data.written(&write(1, 0, vec![1; 5 * 4096]), 1).unwrap();
    data.settle(1).unwrap();
    assert_eq!(data.undo_pages(), 0);
    data.trimmed(4096 - 512, 2 * 4096 + 512, 2).unwrap();
    let expected = |data: &Data, zeroes: std::ops::Range<usize>| {
        let mut all = vec![1; 5 * 4096];
        all[zeroes].fill(0);
        assert_eq!(data.read(0, 5 * 4096).unwrap(), all);
    };
    expected(&data, 4096..3 * 4096);
    assert_eq!(data.read(2 * 4096 + 512, 512).unwrap(), [0; 512]);
    // A sector written into a trimmed page is surrounded by zeroes.
    data.written(&write(3, 2 * 4096 + 512, vec![9; 512]), 3)
        .unwrap();
    let page = data.read(2 * 4096, 4096).unwrap();
    assert_eq!(page[..512], [0; 512]);
    assert_eq!(page[512..1024], [9; 512]);
    assert_eq!(page[1024..], [0; 3072]);
    data.settle(2).unwrap();
    assert_eq!(data.undo_pages(), 1);
    data.settle(3).unwrap();
    assert_eq!(data.undo_pages(), 0);
    assert_eq!(data.read(4096, 4096).unwrap(), [0; 4096]);
    // Overlapping ranges are merged.
    data.trimmed(0, 4096, 4).unwrap();
    data.trimmed(0, 4 * 4096, 5).unwrap();
    data.settle(4).unwrap();
    assert_eq!(data.read(0, 4096).unwrap(), [0; 4096]);
    data.settle(5).unwrap();
    assert_eq!(
        data.read(0, 5 * 4096).unwrap()[..4 * 4096],
        vec![0; 4 * 4096]
    );
    data.erased().unwrap();
    assert_eq!(data.read(0, CAPACITY).unwrap(), vec![0; CAPACITY as usize]);
}
