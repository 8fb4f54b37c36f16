//! Operations of a service tool: switching the write cache on or off; erasing the whole drive, as
//! ATA's SECURITY ERASE UNIT and NVMe's Format and Sanitize do; and over-provisioning by the user:
//! a drive limited to less than its native capacity has more room for GC (SET MAX ADDRESS,
//! ATA/ATAPI-6 and later, Host Protected Area). And operations of a laboratory: failing a die,
//! passing time without power, rounds that count as repeated.

use stend_base::{Device, Nanos, SimTime};
use stend_model::spec::PAGE_BYTES;

use super::SimDrive;
use crate::sim::ids::{DieId, Lpn};
use crate::sim::kind;
use crate::sim::repeat::RoundStart;

/// Reason why the capacity was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserBytesError {
    /// A capacity that this drive cannot have.
    #[error(
        "{bytes} bytes are not allowed; it must be a multiple of 4096 from 4096 to {most}, which \
         is the drive's own capacity"
    )]
    OutOfRange {
        /// The requested capacity.
        bytes: u64,
        /// Capacity of the drive when it was created.
        most: u64,
    },
    /// Commands are under way.
    #[error("{commands} commands have not completed; wait for them first")]
    Busy {
        /// Number of commands.
        commands: u32,
    },
    /// The drive holds data, some of which might lie beyond the new end.
    #[error("the drive holds {pages} pages of 4 KiB; TRIM the whole drive first")]
    HoldsData {
        /// Mapped pages.
        pages: u64,
    },
}

/// Operations of a service tool, and of a laboratory.
pub struct Service<'a>(pub(super) &'a mut SimDrive);

impl Service<'_> {
    /// Makes everything durable, writes a checkpoint, and turns the power off.
    ///
    /// # Panics
    /// Without [`stend_model::Spec::power_loss`], if the power is off, or if a request has not been
    /// completed.
    pub fn shutdown(&mut self) {
        assert!(
            self.0.front.host.is_silent(),
            "requests are still under way"
        );
        assert!(self.0.has_power(), "the power is off");
        self.run_while(|drive| drive.store.is_recovering());
        self.wake_up();
        self.make_durable();
        // Nothing is under way any more.
        self.0.store.write_checkpoint(&mut self.0.env);
        self.run_while(|drive| drive.store.persistence().checkpoint_under_way());
        self.0.lose_power(true);
    }

    /// Erases every superblock that is not erased, on all dies at once. Returns the duration.
    /// Nothing is left in flash. Work of the drive that is under way ends first.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn secure_erase(&mut self) -> Nanos {
        let begin = self.0.env.now();
        self.begin_erase();
        self.run_while_busy();
        // Nothing is under way.
        let drive = &mut *self.0;
        drive.writes.power_cut();
        drive.env.queue.cancel(kind::FOLD_PAUSE, 0);
        drive.reclaim.power_cut(&drive.env.spec);
        drive.trim.halt(&mut drive.env);
        drive.front.reads.power_cut();
        drive.store.erase_all(&mut drive.env);
        self.run_while_busy();
        self.0.host_fell_silent();
        self.0.env.now().since(begin)
    }

    /// Discards the key in `time`: no page can be read any more, as after TRIM of the whole drive.
    /// The data stays in the flash, and costs no erase now: its superblocks are erased when their
    /// space is needed, or by work in idle time. Returns the duration.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn crypto_erase(&mut self, time: Nanos) -> Nanos {
        let begin = self.0.env.now();
        self.begin_erase();
        let done = self.0.env.now() + time;
        let nothing = self.0.advance(done);
        debug_assert!(nothing.is_none());
        let SimDrive {
            env, store, front, ..
        } = &mut *self.0;
        let all = Lpn(0)..Lpn(store.ftl.l2p.logical_pages());
        front.reads.forget(&all);
        store.log_trim(env, all);
        store.ftl.l2p.forget();
        self.0.settle_all();
        self.make_durable();
        self.0.host_fell_silent();
        self.0.env.now().since(begin)
    }

    /// Wakes the drive and stops its idle work.
    fn begin_erase(&mut self) {
        assert!(
            self.0.front.host.is_silent(),
            "the host awaits a request while the drive is to be erased"
        );
        self.wake_up();
        self.0.idle.halt(&mut self.0.env);
        self.0.store.rest(&mut self.0.env);
    }

    /// Wakes the drive and lets time pass until it is awake.
    fn wake_up(&mut self) {
        let energy_pj = self.0.inspect().energy_pj();
        let SimDrive {
            env, front, power, ..
        } = &mut *self.0;
        power.heat_resumes(env, &mut front.host, energy_pj);
        let awake = power.wake(env, &mut front.host, energy_pj);
        let nothing = self.0.advance(awake);
        debug_assert!(nothing.is_none());
        self.0.power.sleep.woke();
    }

    /// Passes time until all changes so far are durable, in a drive whose power can be cut.
    pub(super) fn make_durable(&mut self) {
        if self.0.store.persistence.is_none() {
            return;
        }
        self.0.store.pad_all(&mut self.0.env);
        let all = self.0.store.persistence().changes().next_lsn();
        self.run_while(|drive| drive.store.hurries_up_to(&mut drive.env, all));
    }

    pub(super) fn run_while(&mut self, mut unfinished: impl FnMut(&mut SimDrive) -> bool) {
        self.0.keep_durable();
        while unfinished(self.0) {
            // The work that it has just requested may be all that is left.
            self.0.keep_durable();
            assert!(
                self.0.env.queue.next_at() < SimTime::NEVER,
                "the drive makes no progress: {}",
                self.0.inspect().diagnosis()
            );
            let completion = self.0.step();
            assert!(completion.is_none(), "no request was under way");
            self.0.keep_durable();
        }
    }

    fn run_while_busy(&mut self) {
        while self.0.is_busy() && self.0.env.queue.next_at() < SimTime::NEVER {
            let nothing = self.0.step();
            debug_assert!(nothing.is_none());
        }
    }

    /// Switches the acknowledging of writes from the buffer on or off. Writes that the drive
    /// already has keep the setting under which they arrived; see [`stend_base::Op::Flush`].
    pub fn set_write_cache(&mut self, on: bool) {
        self.0.env.spec.host.write_cache = on;
    }

    /// Changes the time of a request in the host, beside the link, on its way to the drive and
    /// back: for a client that spends time of its own on both. Applies to requests submitted from
    /// now on.
    pub fn set_host_times(&mut self, submit: Nanos, complete: Nanos) {
        let host = &mut self.0.env.spec.host;
        (host.submit, host.complete) = (submit, complete);
    }

    /// Changes the capacity that the host can address: on an empty drive, and up to
    /// [`SimDrive::native_bytes`]. The wear of the flash stays; the heat of data is forgotten. In a
    /// drive whose power can be cut, time passes until the drive has stored that it is empty.
    ///
    /// # Errors
    /// [`UserBytesError`]; the drive is unchanged.
    pub fn set_user_bytes(&mut self, bytes: u64) -> Result<(), UserBytesError> {
        let most = self.0.native_bytes;
        if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES) || bytes > most {
            return Err(UserBytesError::OutOfRange { bytes, most });
        }
        let commands = self.0.front.host.commands.outstanding();
        if commands > 0 {
            return Err(UserBytesError::Busy { commands });
        }
        let pages = self.0.store.ftl.l2p.mapped_pages();
        if pages > 0 {
            return Err(UserBytesError::HoldsData { pages });
        }
        self.0.front.reads.forget(&(Lpn(0)..Lpn::NONE));
        self.make_durable();
        let SimDrive { env, store, .. } = &mut *self.0;
        env.spec.user_bytes = bytes;
        store.set_logical_pages(&env.spec, (bytes / PAGE_BYTES) as u32);
        Ok(())
    }

    /// Fails a die: nothing on it can be read any more.
    ///
    /// # Panics
    /// When errors are not modelled (the drive has no `[media]`), or there is no such die.
    pub fn fail_die(&mut self, die: impl Into<DieId>) {
        self.0.store.ftl.media.fail_die(die.into());
    }

    /// Passes time without power: data ages, and nothing else happens. No effect if errors are not
    /// modelled. Between a power cut and the next start, time may pass both here and on the drive's
    /// clock: data ages by the sum.
    pub fn rest_without_power(&mut self, time: Nanos) {
        self.0.store.ftl.media.rest_without_power(time);
    }

    /// Treats the round that began at `start` and has just ended as repeated up to `most` times,
    /// without simulating it: no virtual time passes. Returns the number of repetitions, which
    /// stops before something new would happen; 0 if the round was not like any other.
    ///
    /// # Panics
    /// While the host awaits a request.
    pub fn repeat_round(&mut self, start: &RoundStart, most: u32) -> u32 {
        assert!(self.0.front.host.is_silent(), "the host awaits a request");
        let end = self.0.inspect().round_start();
        let SimDrive {
            env,
            store,
            repeated,
            ..
        } = &mut *self.0;
        let rounds = repeated.repeat(env, store, start, &end, most);
        env.trace(u8::MAX, rounds);
        rounds
    }

    /// Switches a fault on.
    ///
    /// # Panics
    /// Without [`stend_model::Spec::power_loss`].
    #[cfg(test)]
    pub fn inject(&mut self, fault: crate::sim::Fault) {
        self.0.store.persistence().inject(fault);
    }

    /// The account of losses.
    #[cfg(test)]
    pub fn losses(&mut self) -> &mut crate::sim::Losses {
        &mut self.0.failures.losses
    }
}
