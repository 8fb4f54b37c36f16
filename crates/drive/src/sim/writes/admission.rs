//! Admission of waiting writes, as far as the buffer and the flash have room for them.
//!
//! A write is admitted while the buffer has room and the pool that the write goes to has more free
//! space than its reserve; nothing else paces writes. Admitted data gets a reservation, so that it
//! finds space when it arrives.

use std::collections::VecDeque;

use stend_base::Op;
use stend_model::spec::PAGE_BYTES;

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::env::Env;
use crate::sim::ftl::reserve::StreamPages;
use crate::sim::host::{Command, Host};
use crate::sim::ids::{CommandId, Lpn, Ppn, StreamId};
use crate::sim::store::Store;

/// Requirements of the next data of a waiting write.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Required {
    /// First logical page of the data; then the numbers of its pages and bytes.
    first: Lpn,
    pages: u32,
    bytes: u32,
    /// Pages that may pad the last program of a FUA write.
    padding: u32,
    /// Pages to be reserved.
    reserve: StreamPages,
}

/// Work to be done before more writes can be admitted.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) enum Next {
    /// Nothing: no write waits, or the next one waits for room in the buffer or for an earlier
    /// write.
    Nothing,
    /// Space must be made for these pages.
    Space(StreamPages),
    /// A TRIM command is next in the order of the writes.
    Trim(CommandId),
}

/// Writes that wait for room, in order of arrival.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Admission {
    /// Write commands with data not yet admitted, and TRIM commands that wait for them.
    waiting: VecDeque<CommandId>,
    /// Requirements of the first command, if it waits for space and they cannot change meanwhile.
    required: Option<Required>,
    /// Pages reserved, and not yet admitted, for the rest of the piece of the write that is being
    /// admitted.
    reserved: StreamPages,
    /// The first command waits until data on its way has been placed.
    waits_for_place: bool,
    /// The first command waits until fewer changes are not durable.
    waits_for_journal: bool,
    /// Pages of the buffer that the first command waits for; 0 if this must be computed again.
    #[serde(skip)]
    lacks_room: u32,
}

impl Admission {
    /// Queues a write that begins, or a TRIM that waits in the order of the writes.
    #[inline(always)]
    pub fn wait(&mut self, command: CommandId) {
        self.waiting.push_back(command);
    }

    /// Removes and returns the first command whose data is not admitted.
    pub fn take_waiting(&mut self) -> Option<CommandId> {
        self.required = None;
        self.lacks_room = 0;
        self.waiting.pop_front()
    }

    /// Number of waiting commands.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// True if a command waits.
    #[inline(always)]
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// True if a command waits and the buffer has room for its next data.
    #[inline(always)]
    pub fn may_admit(&self, buffer: &WriteBuffer) -> bool {
        self.is_waiting() && (self.lacks_room == 0 || buffer.has_room(self.lacks_room))
    }

    /// Drops all waiting commands.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.required = None;
        self.reserved.pages = 0;
        self.waits_for_place = false;
        self.waits_for_journal = false;
        self.lacks_room = 0;
    }

    /// True while the first command waits until fewer changes are not durable.
    pub fn waits_for_journal(&self) -> bool {
        self.waits_for_journal
    }

    /// Pages that are reserved for the rest of a piece of the first waiting command.
    pub fn reserved(&self) -> u32 {
        self.reserved.pages
    }

    /// Notes that data has been placed. Returns true if a command has waited for that.
    #[inline(always)]
    pub fn placed(&mut self) -> bool {
        std::mem::take(&mut self.waits_for_place)
    }

    /// Admits waiting writes while there is room. Returns the work that the next one needs first.
    /// `settled`: GC has just been found unable to continue.
    #[inline(always)]
    pub fn run(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        host: &mut Host,
        settled: bool,
    ) -> Next {
        if let Some(required) = &self.required {
            let needed = required.reserve;
            if settled && has_no_space(env, store, needed)
                || !store.ftl.buffer.has_room(required.pages)
            {
                return Next::Nothing;
            }
            if !store.ftl.host_has_space(env, needed) {
                return Next::Space(needed);
            }
        }
        self.admit_all(env, store, host)
    }

    #[inline(always)]
    fn admit_all(&mut self, env: &mut Env, store: &mut Store, host: &mut Host) -> Next {
        while let Some(&id) = self.waiting.front() {
            let stopped = match host.commands.get(id).handling.tracked {
                false => self.admit(env, store, host, id),
                true => self.admit_tracked(env, store, host, id),
            };
            if let Some(next) = stopped {
                return next;
            }
        }
        Next::Nothing
    }

    /// Admits the next data of the first waiting write. Returns the reason if that is prevented.
    #[inline(always)]
    fn admit(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        host: &mut Host,
        id: CommandId,
    ) -> Option<Next> {
        let NextPart { pages, bytes } = NextPart::of(env, host.commands.get(id));
        self.lacks_room = 0;
        if !store.ftl.buffer.has_room(pages) {
            self.lacks_room = pages;
            return Some(Next::Nothing);
        }
        let Some(reserve) = self.reservation(env, store, host.commands.get(id), pages) else {
            return Some(Next::Nothing);
        };
        let reserve = StreamPages {
            stream: StreamId::HOST,
            pages: reserve,
        };
        if reserve.pages > 0 {
            if !store.ftl.host_has_space(env, reserve) {
                return Some(Next::Space(reserve));
            }
            store.ftl.reserve_next(env, reserve);
        }
        store.ftl.buffer.take_pages(pages);
        self.take_reserved(reserve, pages);
        self.request(env, host, id, bytes);
        None
    }

    /// Same as [`Admission::admit`], for the tracked cases: a TRIM among writes, data with a stream
    /// or a reservation of its own, FUA.
    #[inline(never)]
    fn admit_tracked(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        host: &mut Host,
        id: CommandId,
    ) -> Option<Next> {
        if host.commands.get(id).op == Op::Trim {
            if self.trim_must_wait(store, host.commands.get(id)) {
                return Some(Next::Nothing);
            }
            self.waiting.pop_front();
            return Some(Next::Trim(id));
        }
        let required = self.required.take();
        let Some(required) =
            required.or_else(|| self.requirements(env, store, host.commands.get(id)))
        else {
            return Some(Next::Nothing);
        };
        let reserve = required.reserve;
        if reserve.pages > 0 && !store.ftl.host_has_space(env, reserve) {
            // The padding of a FUA write changes with the data that arrives: it is computed again.
            self.required = Some(required).filter(|_| !host.commands.get(id).handling.fua);
            return Some(Next::Space(reserve));
        }
        let pages = required.pages + required.padding;
        store.ftl.buffer.take_pages(pages);
        store.ftl.reserve_next(env, reserve);
        self.take_reserved(reserve, pages);
        let (first, to) = (required.first, reserve.stream);
        let l2p = &store.ftl.l2p;
        let is_mapped = || l2p.lookup(first) != Ppn::UNMAPPED;
        let pages = first..first + required.pages;
        store.ftl.sorting.admitted(id, pages, to, is_mapped);
        host.commands.get_mut(id).pad(required.padding);
        self.request(env, host, id, required.bytes);
        None
    }

    /// Requests the admitted data from the host.
    #[inline(always)]
    fn request(&mut self, env: &mut Env, host: &mut Host, id: CommandId, bytes: u32) {
        if host.commands.get_mut(id).admitted(bytes) {
            self.waiting.pop_front();
        }
        host.request_write(env, id, bytes);
    }
}

/// Requirements of the next data of a write.
impl Admission {
    /// Requirements of the next data of a write; `None` if the buffer has no room for it, or if it
    /// has to wait for an earlier write.
    #[inline(always)]
    fn requirements(
        &mut self,
        env: &Env,
        store: &mut Store,
        command: &Command,
    ) -> Option<Required> {
        let part = NextPart::of(env, command);
        let NextPart { pages, bytes } = part;
        let first = Lpn::of_byte(command.next_to_admit());
        let stream = self.stream_of(store, command, first);
        let padding = fua_padding(env, store, command, stream, part);
        if !store.ftl.buffer.has_room(pages + padding) {
            return None;
        }
        let reserve = self.reservation(env, store, command, pages + padding)?;
        Some(Required {
            first,
            pages,
            bytes,
            padding,
            reserve: StreamPages {
                stream,
                pages: reserve,
            },
        })
    }

    /// The stream of the next data of a write, from page `first` on. All data of a piece goes to
    /// one stream.
    #[inline(always)]
    fn stream_of(&self, store: &Store, command: &Command, first: Lpn) -> StreamId {
        let StreamPages { stream, pages } = self.reserved;
        let piece = || (pages > 0).then_some(stream);
        store.ftl.sorting.of_admission(command, first, piece)
    }

    /// Pages to be reserved for a write, beyond those reserved already, before its next part of
    /// `pages` is admitted; `None` if that part has to wait. If the power can be cut, space for the
    /// whole piece is reserved before the piece begins.
    #[inline(always)]
    fn reservation(
        &mut self,
        env: &Env,
        store: &mut Store,
        command: &Command,
        pages: u32,
    ) -> Option<u32> {
        let Some(persistence) = &mut store.persistence else {
            return Some(pages);
        };
        if self.reserved.pages > 0 {
            return Some(0);
        }
        self.waits_for_journal = persistence.holds_writes_up();
        if self.waits_for_journal {
            return None;
        }
        let rest = command.logical_pages().end - Lpn::of_byte(command.next_to_admit());
        let piece = rest.min(persistence.piece_pages());
        let most = env.spec.buffer.write_pages;
        let fits = store.ftl.points.host_reserved() + piece <= most;
        self.waits_for_place |= !fits;
        fits.then_some(piece)
    }

    /// Adds more pages to the reservation and removes `admitted` pages from it.
    #[inline(always)]
    fn take_reserved(&mut self, more: StreamPages, admitted: u32) {
        self.reserved = StreamPages {
            stream: more.stream,
            pages: self.reserved.pages + more.pages - admitted,
        };
    }

    /// Queues a TRIM that must wait for the end of a write, among the writes. Returns false if it
    /// need not wait.
    pub fn holds_trim(&mut self, store: &Store, command: &Command, id: CommandId) -> bool {
        let waits = self.trim_must_wait(store, command);
        if waits {
            self.waiting.push_back(id);
        }
        waits
    }

    fn trim_must_wait(&mut self, store: &Store, command: &Command) -> bool {
        let persistence = store.persistence.as_ref();
        let waits = persistence.is_some_and(|p| p.trim_must_wait(&command.logical_pages()));
        self.waits_for_place |= waits;
        waits
    }
}

/// Data of a command that is admitted together.
#[derive(Clone, Copy)]
struct NextPart {
    pages: u32,
    bytes: u32,
}

impl NextPart {
    /// The next data of a command: at most a multi-plane page, cut at the boundaries of logical
    /// pages.
    #[inline]
    fn of(env: &Env, command: &Command) -> NextPart {
        const PAGE: u32 = PAGE_BYTES as u32;
        let before = (command.next_to_admit() % PAGE_BYTES) as u32;
        let most = env.spec.pages_per_mp_page * PAGE - before;
        let bytes = command.unadmitted().min(u64::from(most)) as u32;
        let pages = (before + bytes).div_ceil(PAGE);
        NextPart { pages, bytes }
    }
}

/// Pages that may pad the last program of a FUA write, of which `part` is being admitted: data
/// arrives in the order of admission, so the place is known.
#[inline(always)]
fn fua_padding(
    env: &Env,
    store: &Store,
    command: &Command,
    stream: StreamId,
    part: NextPart,
) -> u32 {
    if !command.handling.fua || command.unadmitted() > u64::from(part.bytes) {
        return 0;
    }
    let mode = env.limits.always[stream.number()].map(|kind| kind.mode);
    store.ftl.points.padding_after(stream, part.pages, mode)
}

/// True if there is no space for the next write, and nothing that makes space can be started.
#[inline(never)]
fn has_no_space(env: &Env, store: &Store, needed: StreamPages) -> bool {
    env.limits.emptying.is_none()
        && !store.may_request_release()
        && !store.ftl.host_has_space(env, needed)
}
