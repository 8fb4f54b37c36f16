//! The mark on files that stend made for tests: their content is stend's own until somebody else
//! writes to them.
//!
//! It is an extended attribute of the file, `user.stend.target`, with the file's inode, size and
//! the time of the last change of its content by stend. Therefore a copy of the file, another file
//! in its place, or the same file with other content is not mistaken for stend's own. A file system
//! without extended attributes keeps no mark, and such a file has to be named.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};

const NAME: &str = "user.stend.target";

/// State of a file's mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// stend made the file, and its content is as stend left it.
    Own,
    /// stend made the file, and its content has changed since: by others, or by a run of stend
    /// that was killed.
    Changed,
    /// The file has no mark.
    None,
}

/// Reads the mark of an open file.
pub(crate) fn of(file: &File) -> io::Result<Mark> {
    let mut found = [0; 128];
    let Ok(bytes) = fgetxattr(file, NAME, &mut found) else {
        return Ok(Mark::None);
    };
    Ok(match found[..bytes] == *text(file)?.as_bytes() {
        true => Mark::Own,
        false => Mark::Changed,
    })
}

/// Marks an open file as stend's own in its present state.
pub(crate) fn put(file: &File) -> io::Result<()> {
    // Pending writes would change the time later.
    file.sync_all()?;
    Ok(fsetxattr(
        file,
        NAME,
        text(file)?.as_bytes(),
        XattrFlags::empty(),
    )?)
}

/// Files of the targets of this process.
static LEFT_MARKED: Mutex<Vec<Arc<File>>> = Mutex::new(Vec::new());

/// A file that gets stend's mark when its target is dropped, or by [`put_all`].
#[derive(Debug)]
pub(crate) struct LeftMarked(Arc<File>);

impl LeftMarked {
    /// Marks an open file now, and again at the end. `None` if the file system keeps no mark.
    pub(crate) fn of(file: &File) -> Option<LeftMarked> {
        put(file).ok()?;
        let file = Arc::new(file.try_clone().ok()?);
        LEFT_MARKED.lock().push(Arc::clone(&file));
        Some(LeftMarked(file))
    }
}

impl Drop for LeftMarked {
    fn drop(&mut self) {
        let mut files = LEFT_MARKED.lock();
        let before = files.len();
        files.retain(|file| !Arc::ptr_eq(file, &self.0));
        if files.len() < before {
            // A failure is ignored: without the mark, the file has to be named the next time.
            let _ = put(&self.0);
        }
    }
}

/// Marks the files of all targets: their owners may never be dropped.
pub(crate) fn put_all() {
    for file in LEFT_MARKED.lock().drain(..) {
        // A failure is ignored: without the mark, the file has to be named the next time.
        let _ = put(&file);
    }
}

fn text(file: &File) -> io::Result<String> {
    let meta = file.metadata()?;
    Ok(format!(
        "1 inode {} size {} changed {}.{:09}",
        meta.ino(),
        meta.size(),
        meta.mtime(),
        meta.mtime_nsec()
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn a_mark_holds_until_the_content_changes() {
        // Beside this program: older kernels do not support such attributes in memory file systems.
        let program = std::env::current_exe().unwrap();
        let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let path = folder.path().join("file");
        let file = File::create_new(&path).unwrap();
        file.set_len(8192).unwrap();
        assert_eq!(of(&file).unwrap(), Mark::None);
        put(&file).unwrap();
        assert_eq!(of(&file).unwrap(), Mark::Own);
        // A copy with all attributes and times is another file.
        let copy = folder.path().join("copy");
        let copied = std::process::Command::new("cp")
            .args(["--preserve=all"])
            .args([&path, &copy])
            .status()
            .unwrap();
        assert!(copied.success());
        assert_eq!(of(&File::open(&copy).unwrap()).unwrap(), Mark::Changed);
        // A moved file is still the same file.
        let moved = folder.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        assert_eq!(of(&File::open(&moved).unwrap()).unwrap(), Mark::Own);
        std::thread::sleep(std::time::Duration::from_millis(20));
        file.write_all_at(b"thesis", 4096).unwrap();
        assert_eq!(of(&file).unwrap(), Mark::Changed);
        put(&file).unwrap();
        file.set_len(4096).unwrap();
        assert_eq!(of(&file).unwrap(), Mark::Changed);
    }
}
