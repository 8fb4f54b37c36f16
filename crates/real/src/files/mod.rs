//! Work on real files, in a fresh subdirectory of a directory target.
//!
//! Everything goes through the kernel's page cache, as a desktop's programs do:
//!
//! - Files are **copied** by `read` and `write` in pieces of 128 KiB. `copy_file_range` and
//!   the like are not used: on btrfs and XFS they may share the data (reflink) instead of
//!   copying it.
//! - An **archive** is a ZIP by Deflate at a fast level; the data is incompressible. The time spent
//!   on Deflate and checksums is subtracted from the result. Meanwhile the kernel may read ahead
//!   and write back, so that the speed is an upper bound: the subtracted time is reported with it.
//! - Before the job, the files are flushed and dropped from the cache: each by `posix_fadvise`, and
//!   as root the machine's whole cache by `drop_caches`, including directories and inodes.
//! - The time ends when `syncfs` has returned: data, directories and the journal are durable.
//!
//! Afterwards the sizes of the created files are compared with the expected ones.

mod deflate;

use std::fs::{self, File, OpenOptions as FileOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Advice, fadvise, syncfs};
use stend_base::Rng;
use stend_language::{Text, recorded};
use stend_load::files::operation::archive_bytes;
use stend_load::files::{FileEntry, FileOp, directory_name};
use stend_record::size::in_both_units;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::files::deflate::{Stopwatch, Timed};
use crate::probe::file::free_bytes;
use crate::process::running::{RunFolder, check_stopping, rest_s};
use stend_load::target::{FilesJob, FilesOutcome, TargetError, directories, failed};

/// Size of one read or write, bytes.
const PIECE_BYTES: usize = 128 << 10;

/// The smallest unit of space that a file takes, bytes.
const BLOCK_BYTES: u64 = 4096;

/// Deflate's second fastest level: at the fastest, the library never stores, and adds 5 % to data
/// that cannot be compressed.
const LEVEL: i64 = 2;

/// Name of the archive.
const ARCHIVE: &str = "archive.zip";

/// Runs the job in a new folder in this directory; during the rest, `check` decides if the job may
/// continue.
pub(crate) fn run(
    directory: &Path,
    job: &FilesJob<'_>,
    check: &dyn Fn() -> Result<(), TargetError>,
) -> Result<FilesOutcome, TargetError> {
    let files = job.files()?;
    check_room(directory, &files)?;
    let folder = RunFolder::new_in(directory)
        .map_err(failed(directory, "no folder for the files can be made"))?;
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    let make = || -> io::Result<bool> {
        fs::create_dir(&from)?;
        fs::create_dir(&to)?;
        match job.op {
            FileOp::Copy | FileOp::Archive => make_files(&from, &files, job.seed)?,
            FileOp::Unarchive => {
                make_archive(&from.join(ARCHIVE), &files, job.seed)?;
            }
        }
        syncfs(File::open(&from)?)?;
        drop_cache(&from)
    };
    let all_dropped = make().map_err(failed(directory, "the files cannot be made"))?;
    rest_s(job.rest_s, check)?;
    let began = Instant::now();
    let work = || -> io::Result<Duration> {
        let deflate = match job.op {
            FileOp::Copy => copy(&from, &to, &files)?,
            FileOp::Archive => archive(&from, &to.join(ARCHIVE), &files)?,
            FileOp::Unarchive => unarchive(&from.join(ARCHIVE), &to)?,
        };
        syncfs(File::open(&to)?)?;
        Ok(deflate)
    };
    let what = format!("the {} failed", job.op.name());
    let deflate = work().map_err(failed(directory, &what))?;
    let whole = began.elapsed();
    check_result(job.op, &to, &files).map_err(failed(directory, "what was made is wrong"))?;
    let mut limits = taken_out(whole, deflate);
    if !all_dropped {
        limits.push(recorded!("limit-inodes"));
    }
    Ok(FilesOutcome {
        files: files.len() as u64,
        directories: directories(&files),
        bytes: job.bytes,
        elapsed_ns: whole.saturating_sub(deflate).as_nanos() as u64,
        requests: None,
        text: job.describe(&files) + &words(job.op),
        limits,
    })
}

fn words(op: FileOp) -> String {
    let how = match op {
        FileOp::Copy => "read and written in pieces of 128 KiB; no copy_file_range, no reflink",
        FileOp::Archive | FileOp::Unarchive => {
            "ZIP, Deflate, fast (level 2); the data is incompressible"
        }
    };
    format!(
        "{how}; through the page cache, which held none of the files before; until syncfs has \
         returned\n"
    )
}

/// Note about the subtracted CPU time.
fn taken_out(whole: Duration, deflate: Duration) -> Vec<Text> {
    if deflate.is_zero() {
        return Vec::new();
    }
    vec![recorded!(
        "limit-deflate",
        whole = format!("{:.2} s", whole.as_secs_f64()),
        deflate = format!("{:.2} s", deflate.as_secs_f64())
    )]
}

/// Refuses a job whose files would not fit.
fn check_room(directory: &Path, files: &[FileEntry]) -> Result<(), TargetError> {
    let free_bytes = free_bytes(directory)?;
    let blocks = |file: &FileEntry| file.bytes.div_ceil(BLOCK_BYTES) + 1;
    let one = files.iter().map(blocks).sum::<u64>() * BLOCK_BYTES;
    let needed_bytes = 2 * one.max(archive_bytes(files));
    if needed_bytes <= free_bytes {
        return Ok(());
    }
    Err(TargetError::Failed(format!(
        "{}: the files twice take {}, and {} are free; give a smaller --size, or make room",
        directory.display(),
        in_both_units(needed_bytes),
        in_both_units(free_bytes)
    )))
}

fn path_of(root: &Path, file: &FileEntry) -> PathBuf {
    root.join(directory_name(file.directory)).join(&file.name)
}

fn create(path: &Path) -> io::Result<File> {
    FileOptions::new().write(true).create_new(true).open(path)
}

/// Creates the directories of a set, and then calls a function for each file.
fn each(
    root: &Path,
    files: &[FileEntry],
    mut act: impl FnMut(&FileEntry, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let mut made = None;
    for file in files {
        if made.replace(file.directory) != Some(file.directory) {
            fs::create_dir(root.join(directory_name(file.directory)))?;
        }
        act(file, &path_of(root, file))?;
    }
    Ok(())
}

/// Data that cannot be compressed.
struct Noise(Rng);

impl Noise {
    fn new(seed: u64) -> Noise {
        Noise(Rng::stream(seed, "files/data"))
    }

    fn fill(&mut self, piece: &mut [u8]) {
        for part in piece.chunks_mut(8) {
            let bytes = self.0.next_u64().to_le_bytes();
            part.copy_from_slice(&bytes[..part.len()]);
        }
    }

    /// Writes `bytes` bytes.
    fn write(&mut self, out: &mut dyn Write, bytes: u64) -> io::Result<()> {
        let mut piece = vec![0; PIECE_BYTES];
        let mut left = bytes;
        while left > 0 {
            check_stopping()?;
            let len = left.min(PIECE_BYTES as u64) as usize;
            self.fill(&mut piece[..len]);
            out.write_all(&piece[..len])?;
            left -= len as u64;
        }
        Ok(())
    }
}

fn make_files(root: &Path, files: &[FileEntry], seed: u64) -> io::Result<()> {
    let mut noise = Noise::new(seed);
    each(root, files, |file, path| {
        noise.write(&mut create(path)?, file.bytes)
    })
}

fn make_archive(path: &Path, files: &[FileEntry], seed: u64) -> io::Result<Duration> {
    let mut noise = Noise::new(seed);
    pack(path, files, |file, zip| noise.write(zip, file.bytes))
}

/// Writes an archive with the given data for each file; returns the time spent on Deflate.
fn pack(
    path: &Path,
    files: &[FileEntry],
    mut data: impl FnMut(&FileEntry, &mut dyn Write) -> io::Result<()>,
) -> io::Result<Duration> {
    let (below, own) = (Stopwatch::default(), Stopwatch::default());
    let mut zip = ZipWriter::new(Timed {
        inner: BufWriter::with_capacity(PIECE_BYTES, create(path)?),
        own: below.clone(),
        below: None,
    });
    for file in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL))
            // With Deflate's overhead, it may exceed 4 GiB.
            .large_file(file.bytes > 4_000_000_000);
        let name = format!("{}/{}", directory_name(file.directory), file.name);
        zip.start_file(name, options).map_err(io::Error::from)?;
        let mut above = Timed {
            inner: &mut zip,
            own: own.clone(),
            below: Some(below.clone()),
        };
        data(file, &mut above)?;
    }
    let mut out = zip.finish().map_err(io::Error::from)?;
    out.flush()?;
    Ok(own.spent())
}

/// Copies from a reader to a writer. `io::copy` would let the kernel copy by itself.
fn transfer(from: &mut dyn Read, to: &mut dyn Write, piece: &mut [u8]) -> io::Result<()> {
    loop {
        check_stopping()?;
        match from.read(piece)? {
            0 => return Ok(()),
            len => to.write_all(&piece[..len])?,
        }
    }
}

fn copy(from: &Path, to: &Path, files: &[FileEntry]) -> io::Result<Duration> {
    let mut piece = vec![0; PIECE_BYTES];
    each(to, files, |file, path| {
        let mut source = File::open(path_of(from, file))?;
        transfer(&mut source, &mut create(path)?, &mut piece)
    })?;
    Ok(Duration::ZERO)
}

fn archive(from: &Path, to: &Path, files: &[FileEntry]) -> io::Result<Duration> {
    let mut piece = vec![0; PIECE_BYTES];
    pack(to, files, |file, zip| {
        transfer(&mut File::open(path_of(from, file))?, zip, &mut piece)
    })
}

fn unarchive(from: &Path, to: &Path) -> io::Result<Duration> {
    let (below, own) = (Stopwatch::default(), Stopwatch::default());
    let source = Timed {
        inner: BufReader::with_capacity(PIECE_BYTES, File::open(from)?),
        own: below.clone(),
        below: None,
    };
    let mut zip = ZipArchive::new(source).map_err(io::Error::from)?;
    let mut piece = vec![0; PIECE_BYTES];
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).map_err(io::Error::from)?;
        let name = file
            .enclosed_name()
            .ok_or_else(|| io::Error::other("a name in the archive leads out of it"))?;
        let path = to.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut above = Timed {
            inner: &mut file,
            own: own.clone(),
            below: Some(below.clone()),
        };
        // Deflate returns smaller pieces than those in which files are written.
        let mut out = BufWriter::with_capacity(PIECE_BYTES, create(&path)?);
        transfer(&mut above, &mut out, &mut piece)?;
        out.flush()?;
    }
    Ok(own.spent())
}

/// Drops everything below a directory from the cache. Returns false if directories and inodes may
/// have stayed there.
fn drop_cache(root: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            drop_files(&entry.path())?;
        } else {
            drop_file(&entry.path())?;
        }
    }
    Ok(fs::write("/proc/sys/vm/drop_caches", "3\n").is_ok())
}

fn drop_files(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        drop_file(&entry?.path())?;
    }
    Ok(())
}

fn drop_file(path: &Path) -> io::Result<()> {
    check_stopping()?;
    fadvise(File::open(path)?, 0, None, Advice::DontNeed)?;
    Ok(())
}

/// Compares the result with the expected one: names and sizes, or the archive's directory.
fn check_result(op: FileOp, to: &Path, files: &[FileEntry]) -> io::Result<()> {
    let wrong = |what: String| Err(io::Error::other(what));
    if op == FileOp::Archive {
        let archive = File::open(to.join(ARCHIVE))?;
        let (len, stored) = (archive.metadata()?.len(), archive_bytes(files));
        // The data is stored without compression, and without much overhead.
        if len.abs_diff(stored) > stored / 100 {
            return wrong(format!("the archive has {len} bytes, not about {stored}"));
        }
        let zip = ZipArchive::new(BufReader::new(archive)).map_err(io::Error::from)?;
        let bytes = zip.decompressed_size().unwrap_or_default();
        let expected: u128 = files.iter().map(|file| u128::from(file.bytes)).sum();
        if zip.len() != files.len() || bytes != expected {
            return wrong(format!(
                "the archive holds {} files with {bytes} bytes, not {} with {expected}",
                zip.len(),
                files.len()
            ));
        }
        return Ok(());
    }
    for file in files {
        let path = path_of(to, file);
        let bytes = path.metadata()?.len();
        if bytes != file.bytes {
            return wrong(format!(
                "{} has {bytes} bytes, not {}",
                path.display(),
                file.bytes
            ));
        }
    }
    Ok(())
}
