//! The path of a write: its data is received and placed, and it completes.
//!
//! A command costs its time when the firmware looks at it, which includes its first page; each
//! further page costs its own time after it has arrived over the link. So link and firmware work in
//! parallel on one large write, as they do on several. No data overtakes other data: it is placed
//! in the order in which it was admitted.
//!
//! Data arrives in pieces of a multi-plane page's size. An idle core starts a piece when its first
//! page has arrived.

pub(in crate::sim) mod admission;

use stend_base::Nanos;
use stend_model::spec::{ControllerSpec, PAGE_BYTES};

use crate::sim::controller::{CoreWork, Job};
use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::frontend::Frontend;
use crate::sim::ftl::write::Received;
use crate::sim::geometry::shape::Mode;
use crate::sim::host::Command;
use crate::sim::ids::{CommandId, IdRange, StreamId};
use crate::sim::persistence::Part;
use crate::sim::store::Store;
use admission::Admission;

/// Writes from their admission to their placing.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Writes {
    pub admission: Admission,
    /// Pieces of received data that the firmware has yet to process.
    receiving: u32,
    pub counted: Counters,
}

impl Writes {
    /// Drops all writes at a power cut.
    pub fn power_cut(&mut self) {
        self.admission.clear();
        self.receiving = 0;
    }

    /// Handles data that has arrived over the link. Returns `None` if a core processes it before it
    /// is placed, otherwise the result of [`Writes::place`].
    #[inline(always)]
    pub fn received(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        id: CommandId,
        bytes: u32,
    ) -> Option<bool> {
        let single = front.host.commands.get(id).len_bytes <= PAGE_BYTES;
        let at_once = single && self.receiving == 0 || !self.process(env, store, front, id, bytes);
        at_once.then(|| self.place(env, store, front, id, bytes))
    }

    /// Submits the processing of received data to a core. Returns false if it costs no time.
    #[inline(never)]
    fn process(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        id: CommandId,
        bytes: u32,
    ) -> bool {
        let command = front.host.commands.get_mut(id);
        let first = command.take_first_page();
        let pages = u64::from(bytes).div_ceil(PAGE_BYTES) - u64::from(first);
        let spec = &env.spec.controller;
        let page_time = received_page_time(spec, store, command);
        let time = page_time * pages;
        if time == Nanos::ZERO && self.receiving == 0 {
            return false;
        }
        self.receiving += 1;
        let over_link = page_time.min(env.spec.host.page_time());
        let ahead = over_link * pages.saturating_sub(1);
        let job = Job::Received { command: id, bytes };
        let core = spec.core_write;
        let work = CoreWork { job, core, time };
        store.controller.submit_begun(&mut env.queue, work, ahead);
        true
    }

    /// Places data that a core has processed. Returns the result of [`Writes::place`].
    #[inline(always)]
    pub fn processed(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        id: CommandId,
        bytes: u32,
    ) -> bool {
        self.receiving -= 1;
        self.place(env, store, front, id, bytes)
    }

    /// Places received data. Returns true if waiting writes may be admitted now, which no other
    /// event may do.
    #[inline(always)]
    fn place(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        id: CommandId,
        bytes: u32,
    ) -> bool {
        let command = front.host.commands.get_mut(id);
        let begin = command.next_to_move();
        let last = command.moved(bytes);
        let tracked = command.handling.tracked;
        let received = Received {
            stream: StreamId::HOST,
            begin,
            end: begin + u64::from(bytes),
            tag: command.tag,
            waiter: None,
            coalesces: false,
            places: None,
        };
        let part = Part {
            command: id,
            write: command.logical_pages(),
            pages: received.pages(),
            last,
        };
        front.reads.forget(&part.pages);
        self.counted.host_pages_written += u64::from(part.pages.count());
        self.counted.host_bytes_written += u64::from(bytes);
        if tracked {
            return self.place_tracked(env, store, front, received, &part);
        }
        store.place::<false>(env, received, &part);
        // Only now: the reservation covers the pages until they are placed.
        let points = &mut store.ftl.points;
        points.unreserve(StreamId::HOST, part.pages.count());
        if points.owes_padding() {
            store.pad_all(env);
        }
        if last {
            front.write_placed(env, store, id);
        }
        self.admission.placed()
    }

    /// Same as [`Writes::place`], for data of a tracked write.
    #[inline(never)]
    fn place_tracked(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        received: Received,
        part: &Part,
    ) -> bool {
        let (id, last) = (part.command, part.last);
        let command = front.host.commands.get(id);
        let fua = command.handling.fua;
        // Where the power can be cut, only pages of a write that arrives as a whole coalesce:
        // otherwise the journal would contain a part of it.
        let is_whole = part.write == part.pages;
        let stream = store.ftl.sorting.of_arrival(id, command);
        let received = Received {
            stream,
            waiter: fua.then_some(id),
            coalesces: env.spec.buffer.coalesces && (is_whole || store.persistence.is_none()),
            ..received
        };
        let buffered = store.ftl.buffer.pages();
        let placed = store.place::<true>(env, received, part);
        let makes_room = store.ftl.buffer.pages() < buffered;
        for _ in 0..placed.programs {
            front.host.commands.get_mut(id).awaits_program();
        }
        store.ftl.points.unreserve(stream, part.pages.count());
        if fua && last {
            // More data, which would fill its last multi-plane page, may never come.
            let padding = front.host.commands.get_mut(id).take_padding();
            store.pad_reserved(env, stream, padding);
        }
        if store.ftl.points.owes_padding() {
            store.pad_all(env);
        }
        if last && !fua {
            front.write_placed(env, store, id);
        }
        self.admission.placed() || makes_room
    }

    /// Makes the drive read-only: a superblock must be retired and nothing can replace it. Admitted
    /// data is still written; waiting commands are refused, and the drive's own work stops.
    #[cold]
    pub fn wear_out(&mut self, env: &mut Env, store: &mut Store, front: &mut Frontend) {
        if store.ftl.space.set_read_only() {
            return;
        }
        let reserved = self.admission.reserved();
        let first = self.admission.take_waiting();
        if let Some(id) = first {
            front.refuse(env, store, id, reserved);
        }
        while let Some(id) = self.admission.take_waiting() {
            front.refuse(env, store, id, 0);
        }
        if let Some(id) = first.filter(|_| reserved > 0) {
            self.admission.wait(id);
        }
    }
}

/// Firmware time of each page of a write after the first: longer past the SLC cache.
#[inline]
fn received_page_time(spec: &ControllerSpec, store: &Store, command: &Command) -> Nanos {
    if spec.native_page == Nanos::ZERO {
        return spec.write_page;
    }
    let stream = store.ftl.sorting.of_length(command);
    match store.ftl.points.mode(stream) {
        Some(Mode::Native) => spec.write_page + spec.native_page,
        _ => spec.write_page,
    }
}
