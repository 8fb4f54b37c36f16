//! What a program measured in a case.

/// The figures of one case in one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Wall clock before the requests: start of the program, preparation of the drive, s.
    pub prepare_s: f64,
    /// Wall clock of the requests, s.
    pub wall_s: f64,
    /// Requests completed.
    pub requests: u64,
    /// Bytes that they read or wrote.
    pub bytes: u64,
    /// Virtual time of the requests, s.
    pub virtual_s: f64,
    /// Mean latency, ns, where it is known.
    pub latency_ns_mean: Option<f64>,
    /// Pages placed in flash for each page written, of writes, where it is known.
    pub write_amplification: Option<f64>,
}

impl Figures {
    /// Requests in a second of wall clock.
    pub fn requests_per_s(&self) -> f64 {
        ratio(self.requests as f64, self.wall_s)
    }

    /// Requests in a second of virtual time.
    pub fn iops(&self) -> f64 {
        ratio(self.requests as f64, self.virtual_s)
    }

    /// Bytes in a second of virtual time, MB/s (MB of 10^6 bytes).
    pub fn mb_per_s(&self) -> f64 {
        ratio(self.bytes as f64 / 1e6, self.virtual_s)
    }
}

/// 0 where there is nothing to divide by.
fn ratio(of: f64, by: f64) -> f64 {
    match by > 0.0 {
        true => of / by,
        false => 0.0,
    }
}
