//! Superblocks that have been emptied but cannot be erased yet, since the durable L2P needs them.

use crate::sim::ids::SuperblockId;

/// Superblocks whose release is awaited.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Releases {
    awaited: Vec<bool>,
    count: u32,
    /// Of those that were awaited, what may be erased now.
    erasable: Vec<SuperblockId>,
    /// Somebody finds no erased superblock.
    requested: bool,
    /// One is awaited that was not before: whoever waits for its space may have to request it.
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

    /// A superblock is to be erased when it is needed no more.
    pub fn await_release(&mut self, superblock: SuperblockId) {
        self.awaited[superblock.index()] = true;
        self.count += 1;
        self.added = true;
    }

    /// A superblock is needed no more.
    #[inline]
    pub fn not_needed(&mut self, superblock: SuperblockId) {
        let awaited = &mut self.awaited[superblock.index()];
        if *awaited {
            *awaited = false;
            self.count -= 1;
            self.erasable.push(superblock);
        }
    }

    /// The next superblock that may be erased.
    pub fn take_erasable(&mut self) -> Option<SuperblockId> {
        let superblock = self.erasable.pop()?;
        self.requested = false;
        Some(superblock)
    }

    /// Whether a superblock could be erased if more were durable, and nobody has requested it.
    #[inline(always)]
    pub fn may_be_requested(&self) -> bool {
        self.count > 0 && !self.requested
    }

    /// Somebody finds no erased superblock.
    #[inline(always)]
    pub fn request(&mut self) {
        self.requested |= self.count > 0;
    }

    /// Whether a release is requested.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.requested
    }

    /// Whether one is awaited that was not at the last [`Releases::take_added`].
    #[inline(always)]
    pub fn has_added(&self) -> bool {
        self.added
    }

    /// Whether one is awaited that was not at the last call.
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
