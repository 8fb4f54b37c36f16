//! Measurements of a program in a case.

/// The figures of one case in one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Wall-clock time before the requests: start of the program, preparation of the drive, s.
    pub prepare_s: f64,
    /// Wall-clock time of the requests, s.
    pub wall_s: f64,
    /// Requests completed.
    pub requests: u64,
    /// Bytes read or written.
    pub bytes: u64,
    /// Virtual time of the requests, s.
    pub virtual_s: f64,
    /// Mean latency, ns, if known.
    pub latency_ns_mean: Option<f64>,
    /// Pages placed in flash per page written; of writes, if known.
    pub write_amplification: Option<f64>,
}

impl Figures {
    /// Requests per second of wall-clock time.
    pub fn requests_per_s(&self) -> f64 {
        ratio(self.requests as f64, self.wall_s)
    }

    /// Requests per second of virtual time.
    pub fn iops(&self) -> f64 {
        ratio(self.requests as f64, self.virtual_s)
    }

    /// Bytes per second of virtual time, MB/s (MB of 10^6 bytes).
    pub fn mb_per_s(&self) -> f64 {
        ratio(self.bytes as f64 / 1e6, self.virtual_s)
    }
}

/// Quotient, or 0 if the divisor is 0.
fn ratio(of: f64, by: f64) -> f64 {
    match by > 0.0 {
        true => of / by,
        false => 0.0,
    }
}
