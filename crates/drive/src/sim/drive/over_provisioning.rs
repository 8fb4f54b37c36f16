//! Over-provisioning by the user: a drive that is told to show less than it could has more
//! room to collect in. On a real drive, by a vendor's tool or SET MAX ADDRESS (ATA/ATAPI-6
//! and later, Host Protected Area).

use super::SimDrive;
use crate::sim::ids::Lpn;
use crate::spec::PAGE_BYTES;

/// Why the capacity was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserBytesError {
    /// Not a capacity that this drive can have.
    #[error(
        "{bytes} bytes are not allowed; it must be a multiple of 4096 from 4096 to {most}, which \
         is the drive's own capacity"
    )]
    OutOfRange {
        /// The capacity that was requested.
        bytes: u64,
        /// The capacity that the drive was made with.
        most: u64,
    },
    /// Commands are under way.
    #[error("{commands} commands have not completed; wait for them first")]
    Busy {
        /// How many.
        commands: u32,
    },
    /// Some of the data might lie beyond the new end.
    #[error("the drive holds {pages} pages of 4 KiB; TRIM the whole drive first")]
    HoldsData {
        /// Mapped pages.
        pages: u64,
    },
}

impl SimDrive {
    /// The capacity that the drive was made with.
    pub fn native_bytes(&self) -> u64 {
        self.native_bytes
    }

    /// Changes what the host can address: on an empty drive, and up to
    /// [`SimDrive::native_bytes`]. What the flash has been through stays; what was known of
    /// the heat of data is forgotten. A drive whose power can be cut lets time pass until it
    /// has noted that it is empty.
    ///
    /// # Errors
    /// [`UserBytesError`]; the drive is as it was.
    pub fn set_user_bytes(&mut self, bytes: u64) -> Result<(), UserBytesError> {
        let most = self.native_bytes;
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) || bytes > most {
            return Err(UserBytesError::OutOfRange { bytes, most });
        }
        let commands = self.host.outstanding();
        if commands > 0 {
            return Err(UserBytesError::Busy { commands });
        }
        let pages = self.store.ftl.l2p.mapped_pages();
        if pages > 0 {
            return Err(UserBytesError::HoldsData { pages });
        }
        self.reads.forget(Lpn(0), Lpn::NONE);
        if self.store.persistence.is_some() {
            self.make_durable();
        }
        let pages = (bytes / PAGE_BYTES) as u32;
        self.env.spec.user_bytes = bytes;
        if let Some(persistence) = &mut self.store.persistence {
            persistence.set_logical_pages(&self.env.spec, pages);
        }
        self.store.ftl.l2p.set_logical_pages(pages);
        self.store.ftl.sorting.forget_heat(&self.env.spec, pages);
        Ok(())
    }
}
