//! Requests that are read once, as another program makes them, on a simulated drive.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use stend_base::{Completion, Device, Request, SimTime};
use stend_config::FileError;
use stend_drive::SimDrive;
use stend_load::trace::{ReplayOptions, Replayed, Requests, Trace, replay};

use super::{SimulatedTarget, interrupt};
use stend_load::target::TargetError;

/// Result of a stream of requests.
#[derive(Clone, Debug, Default)]
pub struct Streamed {
    /// Requests replayed and the time taken.
    pub replayed: Replayed,
    /// Latency of each request in the order of the stream, from issue to completion, ns; empty if
    /// it was not requested.
    pub latencies_ns: Vec<u64>,
    /// Pages placed in flash for each page written; `None` if nothing was written.
    pub write_amplification: Option<f64>,
}

impl SimulatedTarget {
    /// Replays requests that can be read only once: the requests before one that is wrong or fails
    /// are performed. `name` is their name in messages. With `each`, the latency of each request is
    /// kept.
    ///
    /// # Errors
    /// [`TargetError::Input`] for a request that is wrong or does not fit, [`TargetError::Failed`]
    /// if one fails, [`TargetError::Interrupted`].
    pub fn replay_stream(
        &mut self,
        name: &str,
        requests: Requests<'_>,
        options: &ReplayOptions,
        each: bool,
    ) -> Result<Streamed, TargetError> {
        let before = self.drive.counters();
        let stream = Stream {
            name,
            requests: Cell::new(Some(requests)),
        };
        let flag = self.interrupt.clone();
        let ended_early;
        let trace: &dyn Trace = match &flag {
            None => &stream,
            Some(flag) => {
                ended_early = interrupt::Interruptible {
                    trace: &stream,
                    flag,
                };
                &ended_early
            }
        };
        let mut latencies_ns = Vec::new();
        let replayed = self.counting(|drive| match each {
            false => replay(drive, trace, options),
            true => {
                let mut timed = Timed {
                    drive,
                    outstanding: Vec::new(),
                    latencies_ns: &mut latencies_ns,
                };
                replay(&mut timed, trace, options)
            }
        });
        let replayed = replayed.map_err(|error| self.replay_failed(&error))?;
        self.requests
            .fetch_add(replayed.requests(), Ordering::Relaxed);
        self.check_interrupt()?;
        Ok(Streamed {
            replayed,
            latencies_ns,
            write_amplification: self.drive.counters().write_amplification_since(&before),
        })
    }
}

/// Requests that are read once.
struct Stream<'a> {
    name: &'a str,
    requests: Cell<Option<Requests<'a>>>,
}

impl Trace for Stream<'_> {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn requests(&self) -> Result<Requests<'_>, FileError> {
        let read = || FileError::of_file(self.name, "these requests have been read already");
        self.requests.take().ok_or_else(read)
    }
}

/// Drive that times its requests one by one.
struct Timed<'a> {
    drive: &'a mut SimDrive,
    /// Instant of issue and number of each request, by tag.
    outstanding: Vec<(SimTime, usize)>,
    latencies_ns: &'a mut Vec<u64>,
}

impl Device for Timed<'_> {
    fn capacity_bytes(&self) -> u64 {
        self.drive.capacity_bytes()
    }

    fn now(&self) -> SimTime {
        self.drive.now()
    }

    fn submit(&mut self, request: Request) {
        let tag = request.tag as usize;
        if self.outstanding.len() <= tag {
            self.outstanding.resize(tag + 1, (SimTime::ZERO, 0));
        }
        self.outstanding[tag] = (self.drive.now(), self.latencies_ns.len());
        self.latencies_ns.push(0);
        self.drive.submit(request);
    }

    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        let completion = self.drive.advance(limit)?;
        let (issued, number) = self.outstanding[completion.tag as usize];
        self.latencies_ns[number] = completion.at.since(issued).0;
        Some(completion)
    }

    fn next_event_at(&self) -> SimTime {
        self.drive.next_event_at()
    }

    fn end_of_time(&self) -> SimTime {
        self.drive.end_of_time()
    }
}
