//! Superblocks that have been emptied but cannot be erased yet, since the durable L2P needs them.

use crate::sim::ids::SuperblockId;

/// Superblocks whose release is awaited.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Releases {
    awaited: Vec<bool>,
    count: u32,
    /// Superblocks, once awaited, that may be erased now.
    erasable: Vec<SuperblockId>,
    /// True if a release is requested, since no erased superblock was found.
    requested: bool,
    /// True if a superblock has become awaited: commands that wait for its space may have to
    /// request it.
    added: bool,
}

impl Releases {
    pub fn new(superblocks: usize) -> Releases {
        Releases {
            awaited: vec![false; superblocks],
            count: 0,
            erasable: Vec::with_capacity(superblocks),
            requested: false,
            added: false,
        }
    }

    /// Awaits the release of a superblock, which is erased when it is no longer needed.
    pub fn await_release(&mut self, superblock: SuperblockId) {
        self.awaited[superblock.index()] = true;
        self.count += 1;
        self.added = true;
    }

    /// Notes that a superblock is no longer needed.
    #[inline]
    pub fn not_needed(&mut self, superblock: SuperblockId) {
        let awaited = &mut self.awaited[superblock.index()];
        if *awaited {
            *awaited = false;
            self.count -= 1;
            self.erasable.push(superblock);
        }
    }

    /// Removes and returns the next superblock that may be erased.
    pub fn take_erasable(&mut self) -> Option<SuperblockId> {
        let superblock = self.erasable.pop()?;
        self.requested = false;
        Some(superblock)
    }

    /// True if a superblock could be erased if more changes were durable, and this is not requested
    /// yet.
    #[inline(always)]
    pub fn may_be_requested(&self) -> bool {
        self.count > 0 && !self.requested
    }

    /// Requests a release, since no erased superblock is found.
    #[inline(always)]
    pub fn request(&mut self) {
        self.requested |= self.count > 0;
    }

    /// True if a release is requested.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.requested
    }

    /// True if a superblock has become awaited since the last [`Releases::take_added`].
    #[inline(always)]
    pub fn has_added(&self) -> bool {
        self.added
    }

    /// Returns true if a superblock has become awaited since the last call.
    pub fn take_added(&mut self) -> bool {
        std::mem::take(&mut self.added)
    }

    pub fn power_cut(&mut self) {
        self.awaited.fill(false);
        self.count = 0;
        self.erasable.clear();
        self.requested = false;
        self.added = false;
    }

    pub fn diagnosis(&self) -> String {
        format!(
            "awaited {}, erasable {:?}, requested {}",
            self.count, self.erasable, self.requested
        )
    }
}
