//! Opens a target: the file or device at its path, or a file or subdirectory created for it.
//!
//! In a directory, everything is created in one fresh subdirectory, which is removed when the
//! target is dropped, or when a signal ends stend. It contains a file for fio, whose space is also
//! used for work on files. Earlier contents of the directory are neither read nor changed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use stend_load::target::{TargetError, failed};
use stend_record::review::TargetKind;
use stend_record::size::in_both_units;

use crate::options::OpenOptions;
use crate::probe::device::Device;
use crate::probe::file::{check_free_space, folder_of, new_file, part_of, usable_size};
use crate::probe::path_kind::{PathKind, refuse_loop_in_memory, refuse_memory};
use crate::probe::system::{SystemRoot, names_in};
use crate::process::running::{FOLDER_PREFIX, TargetFolder};
use crate::safety::consent::quoted;
use crate::safety::device_claim::{DeviceAction, claim};
use crate::safety::file_claim::{self, claim_file};
use crate::safety::file_mark::LeftMarked;
use crate::safety::opened_target::{Opened, Subdirectory};
use crate::safety::read_only;

/// Opens the target at a path.
pub(crate) fn open(
    root: &SystemRoot,
    path: &Path,
    options: &OpenOptions,
) -> Result<Opened, TargetError> {
    let size_bytes = options.size_bytes;
    match PathKind::of(path)? {
        found if options.read_only => read_only::open(root, path, found, size_bytes),
        PathKind::Device(number, node) => {
            refuse_loop_in_memory(root, path, &Device::known(root, path, number)?)?;
            let (claimed, device) = claim(root, &node, number, options, &DeviceAction::Test)?;
            Ok(Opened {
                _other_nodes: claimed.others,
                ..Opened::of_device(node, claimed.file, device, size_bytes)?
            })
        }
        PathKind::Directory => directory(root, path, size_bytes),
        PathKind::File => existing(root, path, options),
        PathKind::Nothing => create(root, path, size_bytes),
    }
}

/// Opens an existing file that may be overwritten; the size in `options` selects a part of it.
fn existing(root: &SystemRoot, path: &Path, options: &OpenOptions) -> Result<Opened, TargetError> {
    refuse_memory(root, path, path)?;
    let (file, mark) = claim_file(root, path, options, "a test overwrites everything in")?;
    let failed = failed(path, "cannot be reached");
    let has_bytes = file.metadata().map_err(&failed)?.len();
    let remedy = "give a smaller size, leave --size out to use the whole file, or remove the \
                  file, and it is created again";
    let size_bytes = part_of(path, has_bytes, options.size_bytes, remedy)?;
    let path = fs::canonicalize(path).map_err(&failed)?;
    let marked = mark.then(|| LeftMarked::of(&file)).flatten();
    Ok(Opened {
        _marked: marked,
        ..Opened::of_file(root, path, file, size_bytes, true)
    })
}

/// Creates a file and reserves its space, so that no test fails for lack of it.
fn create(root: &SystemRoot, path: &Path, size_bytes: Option<u64>) -> Result<Opened, TargetError> {
    let parent = folder_of(path)?;
    let Some(size_bytes) = size_bytes else {
        return Err(TargetError::Input(format!(
            "{}: there is no such drive model, device or file; to test a new file of this name \
             say how large it shall be: --size 8GiB",
            path.display()
        )));
    };
    let size_bytes = usable_size(path, size_bytes)?;
    refuse_memory(root, path, &parent)?;
    check_free_space(path, &parent, size_bytes)?;
    let path = parent.join(path.file_name().unwrap_or_default());
    let file = new_file(&path, &parent, size_bytes)?;
    file_claim::lock(root, &path, &file)?;
    Ok(Opened {
        created: true,
        _marked: LeftMarked::of(&file),
        ..Opened::of_file(root, path, file, size_bytes, true)
    })
}

/// Name of the file for fio in a subdirectory.
const FILE_NAME: &str = "target.bin";

/// Subdirectories that reviews of a directory have left when they were killed; `own` is that of
/// this review. The lock on the directory excludes a review under way.
fn left_folders(directory: &Path, own: &Path) -> Vec<PathBuf> {
    let names = names_in(directory).into_iter();
    let ours = names.filter(|name| name.starts_with(FOLDER_PREFIX));
    let folders = ours.map(|name| directory.join(name));
    let left = folders.filter(|folder| folder != own && folder.join(FILE_NAME).is_file());
    left.collect()
}

/// Describes folders that killed reviews have left, with the command that removes them; empty if
/// there is none.
pub(crate) fn left_words(folders: &[PathBuf]) -> String {
    let Some(first) = folders.first() else {
        return String::new();
    };
    let bytes: u64 = folders
        .iter()
        .filter_map(|of| bytes_of(&of.join(FILE_NAME)))
        .sum();
    let names: Vec<String> = folders
        .iter()
        .map(|of| quoted(&of.to_string_lossy()))
        .collect();
    format!(
        "{}: {} left by killed reviews: {} of their files can be freed with rm -r {}",
        first.parent().unwrap_or(first).display(),
        match folders.len() {
            1 => "a folder is".to_owned(),
            several => format!("{several} folders are"),
        },
        in_both_units(bytes),
        names.join(" ")
    )
}

fn bytes_of(file: &Path) -> Option<u64> {
    Some(file.metadata().ok()?.len())
}

/// Adds the folders of killed reviews to an error: their files may take the missing space.
fn with_left(error: TargetError, folders: &[PathBuf]) -> TargetError {
    match error {
        TargetError::Failed(why) if !folders.is_empty() => {
            TargetError::Failed(format!("{why}\n{}", left_words(folders)))
        }
        error => error,
    }
}

/// Creates the subdirectory and the file for fio in it.
fn directory(
    root: &SystemRoot,
    path: &Path,
    size_bytes: Option<u64>,
) -> Result<Opened, TargetError> {
    let directory =
        fs::canonicalize(path).map_err(failed(path, "the directory cannot be reached"))?;
    let Some(size_bytes) = size_bytes else {
        return Err(TargetError::Input(format!(
            "{} is a directory; say how much of its file system may be used: --size 20GiB (in a \
             subdirectory that is removed at the end)",
            path.display()
        )));
    };
    refuse_memory(root, path, &directory)?;
    let lock = File::open(&directory).map_err(failed(path, "the directory cannot be opened"))?;
    file_claim::lock(root, path, &lock)?;
    let folder =
        TargetFolder::new_in(&directory).map_err(failed(path, "no subdirectory can be made"))?;
    let file = create(root, &folder.path().join(FILE_NAME), Some(size_bytes));
    let left = left_folders(&directory, folder.path());
    let file = file.map_err(|error| with_left(error, &left))?;
    Ok(Opened {
        kind: TargetKind::Directory,
        left,
        subdirectory: Some(Subdirectory { directory, folder }),
        _lock: Some(lock),
        ..file
    })
}
