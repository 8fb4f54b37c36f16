//! Taking in: what the firmware does for each unit of a write, while more of it comes.
//!
//! A command costs its time when it is looked at, in which its first unit is included; each
//! further unit costs its own from when it has come over the link. So link and firmware work
//! at the same time on one large write, as they do on several. Nothing passes what came
//! before it: data is placed in the order in which it was admitted.
//!
//! Data comes in pieces of a slot's size. A core that had nothing else to do began with a
//! piece when its first unit was there.

use stend_base::Nanos;

use crate::sim::SimDrive;
use crate::sim::controller::Job;
use crate::spec::UNIT_BYTES;

impl SimDrive {
    /// Data of a write has come over the link.
    #[inline(always)]
    pub(in crate::sim) fn write_received(&mut self, command: u32, bytes: u32) {
        let single = self.commands.get(command).len_bytes <= UNIT_BYTES;
        if single && self.writer.to_take_in == 0 {
            self.place_arrived(command, bytes);
        } else {
            self.take_in(command, bytes);
        }
    }

    #[inline(never)]
    fn take_in(&mut self, command: u32, bytes: u32) {
        let first = std::mem::take(&mut self.commands.get_mut(command).first_unit_due);
        let units = u64::from(bytes).div_ceil(UNIT_BYTES) - u64::from(first);
        let spec = &self.env.spec.controller;
        let time = spec.write_unit * units;
        if time == Nanos::ZERO && self.writer.to_take_in == 0 {
            self.place_arrived(command, bytes);
            return;
        }
        self.writer.to_take_in += 1;
        let ahead = spec.write_unit.min(self.env.spec.host.unit_time()) * units.saturating_sub(1);
        let job = (Job::Received { command, bytes }, time);
        self.controller
            .submit_begun(&mut self.env.queue, spec.core_write, job, ahead);
    }

    /// The firmware has worked on data that had come.
    #[inline(never)]
    pub(in crate::sim) fn write_taken_in(&mut self, command: u32, bytes: u32) {
        self.writer.to_take_in -= 1;
        self.place_arrived(command, bytes);
    }
}
