//! The drive's data: contents in a sparse file, and older contents that a power cut may restore.
//!
//! The file holds the contents that a read returns now. Contents that a completed request has
//! replaced are kept until the drive reports that the request is durable, because a cut may undo
//! it: [`Undo`]. After a cut, the drive reports, for each page in question, the tag of the request
//! whose data it holds, and the file is changed to match.

mod file;
mod undo;

use std::collections::BTreeSet;
use std::io;

use stend_drive::{LogicalPage, SimDrive};

pub use file::{DataError, DataFile, Identity, beside};
use undo::{Old, Undo};

use crate::PAGE_BYTES;

/// Contents of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Zeroes.
    Zeroes,
}

/// A write in the drive.
#[derive(Clone, Debug)]
pub struct Written {
    /// Tag of the write.
    pub tag: u32,
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes.
    pub len_bytes: u64,
    /// Contents.
    pub payload: Payload,
}

impl Written {
    fn pages(&self) -> std::ops::Range<u32> {
        let end = (self.offset_bytes + self.len_bytes).div_ceil(PAGE_BYTES);
        (self.offset_bytes / PAGE_BYTES) as u32..end as u32
    }

    /// Copies the part of the write that falls into a page.
    fn apply(&self, page: u32, to: &mut [u8; PAGE_BYTES as usize]) {
        let first = u64::from(page) * PAGE_BYTES;
        let begin = self.offset_bytes.max(first);
        let end = (self.offset_bytes + self.len_bytes).min(first + PAGE_BYTES);
        let to = &mut to[(begin - first) as usize..(end - first) as usize];
        match &self.payload {
            Payload::Zeroes => to.fill(0),
            Payload::Bytes(bytes) => {
                let from = (begin - self.offset_bytes) as usize;
                to.copy_from_slice(&bytes[from..from + to.len()]);
            }
        }
    }
}

/// The data of a drive.
#[derive(Debug)]
pub struct Data {
    file: DataFile,
    /// Old contents; only if a cut may undo completed requests.
    undo: Option<Undo>,
    /// Pages whose completed writes are not in the file because writing it failed: reading them is
    /// an error until they are completely written, or trimmed.
    lost: BTreeSet<u32>,
    /// Only if a cut may undo completed requests: pages and tags of writes after which the pages
    /// were lost. Such a page may be valid again, and return to the state after such a write.
    lost_by: BTreeSet<(u32, u32)>,
    /// The file still holds contents that are durably removed.
    stale: bool,
}

impl Data {
    /// The data in a file; `may_undo` is true if a cut may undo completed requests.
    pub fn new(file: DataFile, may_undo: bool) -> Data {
        Data {
            file,
            undo: may_undo.then(Undo::default),
            lost: BTreeSet::new(),
            lost_by: BTreeSet::new(),
            stale: false,
        }
    }

    /// True if the file contains every completed write.
    pub fn is_whole(&self) -> bool {
        self.lost.is_empty() && !self.stale
    }

    /// Number of 4 KiB pages whose completed writes are not in the file.
    pub fn lost_pages(&self) -> usize {
        self.lost.len()
    }

    /// The file.
    pub fn file(&mut self) -> &mut DataFile {
        &mut self.file
    }

    /// Number of 4 KiB pages of which contents older than those in the file are kept.
    pub fn undo_pages(&self) -> usize {
        self.undo.as_ref().map_or(0, Undo::pages)
    }

    /// Returns the contents of a range.
    ///
    /// # Errors
    /// Errors of reading the file, and an error if a part of the range is lost.
    pub fn read(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<Vec<u8>> {
        let end_bytes = offset_bytes + len_bytes;
        let pages = (offset_bytes / PAGE_BYTES) as u32..end_bytes.div_ceil(PAGE_BYTES) as u32;
        if self.lost.range(pages.clone()).next().is_some() {
            return Err(io::Error::other("what was written there is lost"));
        }
        let mut data = vec![0; len_bytes as usize];
        self.file.read(offset_bytes, &mut data)?;
        let trimmed = self.undo.iter().flat_map(|undo| undo.trimmed_in(&pages));
        for (begin, end) in trimmed {
            let from = (u64::from(begin) * PAGE_BYTES).max(offset_bytes);
            let to = (u64::from(end) * PAGE_BYTES).min(end_bytes);
            data[(from - offset_bytes) as usize..(to - offset_bytes) as usize].fill(0);
        }
        Ok(data)
    }

    /// Applies a completed write, which is durable once the drive's durable change count has
    /// reached `changes`.
    ///
    /// # Errors
    /// Errors of reading or writing the file.
    pub fn written(&mut self, write: &Written, changes: u64) -> io::Result<()> {
        let result = self.keep(write, changes);
        if result.is_err() {
            self.lost.extend(write.pages());
        } else {
            self.restored(write.offset_bytes, write.offset_bytes + write.len_bytes);
        }
        if self.undo.is_some() {
            let lost = self.lost.range(write.pages());
            self.lost_by.extend(lost.map(|&page| (page, write.tag)));
        }
        result
    }

    fn keep(&mut self, write: &Written, changes: u64) -> io::Result<()> {
        if let Some(undo) = &mut self.undo {
            for page in write.pages() {
                undo.replaced(&mut self.file, page, Some(write.tag), changes)?;
            }
        }
        match &write.payload {
            Payload::Bytes(bytes) => self.file.write(write.offset_bytes, bytes),
            Payload::Zeroes => self.file.zero(write.offset_bytes, write.len_bytes),
        }
    }

    /// A page has returned to its contents after the write of this tag, or to older ones.
    fn undone(&mut self, page: u32, tag: Option<u32>) {
        match tag.is_some_and(|tag| self.lost_by.contains(&(page, tag))) {
            true => self.lost.insert(page),
            false => self.lost.remove(&page),
        };
    }

    /// Pages that were completely replaced are no longer lost.
    fn restored(&mut self, offset_bytes: u64, end_bytes: u64) {
        let whole = offset_bytes.div_ceil(PAGE_BYTES) as u32..(end_bytes / PAGE_BYTES) as u32;
        self.lost.retain(|page| !whole.contains(page));
    }

    /// Applies the pages of a refused write that the drive holds nevertheless: those with its tag.
    ///
    /// # Errors
    /// Errors of reading or writing the file.
    pub fn written_in_part(&mut self, write: &Written, drive: &SimDrive) -> io::Result<()> {
        for page in write.pages() {
            if drive.content(page) == Some(write.tag) {
                self.write_page(write, page)?;
            }
        }
        Ok(())
    }

    fn write_page(&mut self, write: &Written, page: u32) -> io::Result<()> {
        let data = self.file.read_page(page)?;
        let mut data = data.unwrap_or_else(|| Box::new([0; PAGE_BYTES as usize]));
        write.apply(page, &mut data);
        self.file.write(u64::from(page) * PAGE_BYTES, &data[..])
    }

    /// Applies a completed TRIM: its whole pages hold nothing.
    ///
    /// # Errors
    /// Errors of reading or writing the file.
    pub fn trimmed(&mut self, offset_bytes: u64, len_bytes: u64, changes: u64) -> io::Result<()> {
        let begin = offset_bytes.div_ceil(PAGE_BYTES) as u32;
        let end = ((offset_bytes + len_bytes) / PAGE_BYTES) as u32;
        match &mut self.undo {
            _ if begin >= end => return Ok(()),
            Some(undo) => undo.trimmed_range(&mut self.file, (begin, end), changes)?,
            None => self.file.zero_pages(begin, end)?,
        }
        self.restored(offset_bytes, offset_bytes + len_bytes);
        Ok(())
    }

    /// Erases everything.
    ///
    /// # Errors
    /// Errors of writing the file.
    pub fn erased(&mut self) -> io::Result<()> {
        if let Some(undo) = &mut self.undo {
            *undo = Undo::default();
        }
        self.file.zero_pages(0, self.file.pages())?;
        self.lost.clear();
        self.lost_by.clear();
        self.stale = false;
        Ok(())
    }

    /// Discards the old contents that changes up to `durable_changes`, now durable, have replaced.
    ///
    /// # Errors
    /// Errors of writing the file.
    pub fn settle(&mut self, durable_changes: u64) -> io::Result<()> {
        let settled = match &mut self.undo {
            Some(undo) => undo.settle(&mut self.file, durable_changes),
            None => Ok(()),
        };
        self.stale |= settled.is_err();
        settled
    }

    /// Makes the file match the drive after a power cut. `under_way` are the writes that had not
    /// completed. Returns the numbers of changed 4 KiB pages; lost ones are included.
    ///
    /// # Errors
    /// Errors of reading or writing the file.
    pub fn cut(&mut self, drive: &SimDrive, under_way: &[Written]) -> io::Result<CutPages> {
        let mut changed = CutPages::default();
        let undo = self.undo.as_mut().map(std::mem::take).unwrap_or_default();
        let (pages, trimmed) = undo.into_parts();
        let tags: BTreeSet<u32> = under_way.iter().map(|write| write.tag).collect();
        for (page, versions) in pages {
            let tag = drive.content(page);
            // The remains of a write under way are applied below, on the completed contents.
            if tag.is_some_and(|tag| tags.contains(&tag)) {
                continue;
            }
            let Some(old) = versions.at(tag) else {
                continue;
            };
            changed.undone += 1;
            match old {
                Old::Bytes(bytes) => self.file.write(u64::from(page) * PAGE_BYTES, &bytes[..])?,
                Old::Nothing => self.file.zero_pages(page, page + 1)?,
            }
            self.undone(page, tag);
        }
        for (begin, end) in trimmed {
            for page in begin..end {
                match drive.logical_page(page) {
                    LogicalPage::Unwritten => self.file.zero_pages(page, page + 1)?,
                    _ => {
                        changed.undone += 1;
                        self.undone(page, drive.content(page));
                    }
                }
            }
        }
        for write in under_way {
            for page in write.pages() {
                if drive.content(page) == Some(write.tag) {
                    self.write_page(write, page)?;
                    changed.not_acknowledged += 1;
                }
            }
        }
        Ok(changed)
    }
}

/// Effect of a power cut on 4 KiB pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct CutPages {
    /// Pages that have returned to their contents before a completed write or TRIM.
    pub undone: u64,
    /// Pages with the contents of a write that had not completed.
    pub not_acknowledged: u64,
}

#[cfg(test)]
mod tests {
    use stend_base::{Device, Op, Request, SimTime};
    use stend_model::Model;

    use super::*;

    const PAGE: usize = PAGE_BYTES as usize;

    fn write(tag: u32) -> Written {
        Written {
            tag,
            offset_bytes: 0,
            len_bytes: PAGE_BYTES,
            payload: Payload::Bytes(vec![tag as u8; PAGE]),
        }
    }

    /// A drive whose first page holds the contents of a write with this tag.
    fn drive_with(tag: u32) -> SimDrive {
        let model = Model::shipped("demo-8gb").expect("it is shipped");
        let mut drive = SimDrive::new(&model.spec());
        drive.keep_content(true);
        drive.submit(Request {
            tag,
            op: Op::Write,
            offset_bytes: 0,
            len_bytes: PAGE_BYTES,
            queue: 0,
            fua: false,
        });
        drive.advance(SimTime::NEVER).expect("it is written");
        drive
    }

    /// Data in which write 2 is lost, and the page was then written again or trimmed.
    fn lost_and_restored(then: impl Fn(&mut Data) -> io::Result<()>) -> Data {
        let folder = tempfile::tempdir().unwrap();
        let identity = Identity::new("demo", 1 << 22, None);
        let file = DataFile::named(&folder.path().join("data"), &identity, false).unwrap();
        let mut data = Data::new(file, true);
        data.written(&write(1), 1).unwrap();
        data.settle(1).unwrap();
        data.file().take_writes(false);
        data.written(&write(2), 2).unwrap_err();
        assert!(!data.is_whole() && data.lost_pages() == 1);
        data.read(0, 512).unwrap_err();
        then(&mut data).unwrap_err();
        assert!(!data.is_whole(), "what fails restores nothing");
        data.file().take_writes(true);
        then(&mut data).unwrap();
        assert!(data.is_whole());
        data.read(0, PAGE_BYTES).unwrap();
        data
    }

    /// Reading lost data that a power cut has restored is an error, and does not return the file's
    /// contents.
    #[test]
    fn a_cut_brings_no_lost_data_back() {
        let drive = drive_with(2);
        for mut data in [
            lost_and_restored(|data| data.written(&write(3), 3)),
            lost_and_restored(|data| data.trimmed(0, PAGE_BYTES, 3)),
        ] {
            let cut = data.cut(&drive, &[]).unwrap();
            assert_eq!(cut.undone, 1);
            assert_eq!(data.lost_pages(), 1);
            data.read(0, 512).unwrap_err();
        }
        // Once the lost write itself is undone, the page is no longer lost.
        let mut data = lost_and_restored(|data| data.written(&write(3), 3));
        data.cut(&drive_with(1), &[]).unwrap();
        assert!(data.is_whole());
        assert_eq!(data.read(0, PAGE_BYTES).unwrap(), vec![1; PAGE]);
    }
}
