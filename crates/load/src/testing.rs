//! A device for tests: every request takes the same time.

use std::collections::VecDeque;

use stend_base::{Completion, Device, Nanos, Op, Request, SimTime};

/// A device that serves any number of requests at once, each in the same time, in order of arrival.
#[derive(Clone, Debug)]
pub struct ConstantDevice {
    capacity_bytes: u64,
    latency: Nanos,
    now: SimTime,
    pending: VecDeque<(SimTime, u32)>,
    log: Option<Vec<(SimTime, Request)>>,
}

impl ConstantDevice {
    /// A device of `capacity_bytes`, at instant 0.
    pub fn new(capacity_bytes: u64, latency: Nanos) -> ConstantDevice {
        ConstantDevice {
            capacity_bytes,
            latency,
            now: SimTime::ZERO,
            pending: VecDeque::with_capacity(1024),
            log: None,
        }
    }

    /// Logs every request with the instant of its submission.
    pub fn logging(mut self) -> ConstantDevice {
        self.log = Some(Vec::new());
        self
    }

    /// True if no request is under way.
    pub fn is_silent(&self) -> bool {
        self.pending.is_empty()
    }

    /// The submitted requests with their instants; empty unless [`ConstantDevice::logging`].
    pub fn requests(&self) -> &[(SimTime, Request)] {
        self.log.as_deref().unwrap_or_default()
    }
}

impl Device for ConstantDevice {
    fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    fn now(&self) -> SimTime {
        self.now
    }

    #[inline]
    fn submit(&mut self, request: Request) {
        assert!(
            request.offset_bytes.is_multiple_of(512)
                && request.len_bytes.is_multiple_of(512)
                && request.offset_bytes + request.len_bytes <= self.capacity_bytes
                && (request.len_bytes > 0 || request.op == Op::Flush),
            "{request:?} does not fit a device of {} bytes",
            self.capacity_bytes
        );
        self.pending
            .push_back((self.now + self.latency, request.tag));
        if let Some(log) = &mut self.log {
            log.push((self.now, request));
        }
    }

    #[inline]
    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        assert!(limit >= self.now, "the limit is in the past");
        match self.pending.front() {
            Some(&(at, tag)) if at <= limit => {
                self.pending.pop_front();
                self.now = at;
                Some(Completion {
                    tag,
                    at,
                    ..Completion::default()
                })
            }
            _ => {
                self.now = limit;
                None
            }
        }
    }
}
