//! The I/O engines of fio that stend uses.

/// How fio submits its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Queues shared with the kernel: least overhead.
    IoUring,
    /// The older asynchronous calls.
    Libaio,
    /// `pread` and `pwrite`: one request at a time and thread.
    Psync,
}

impl Engine {
    /// In the order of preference.
    pub(crate) const ALL: [Engine; 3] = [Engine::IoUring, Engine::Libaio, Engine::Psync];

    /// fio's name for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::IoUring => "io_uring",
            Engine::Libaio => "libaio",
            Engine::Psync => "psync",
        }
    }

    /// For the environment's table.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Engine::IoUring => "io_uring, direct=1",
            Engine::Libaio => "libaio, direct=1 (io_uring does not work here)",
            Engine::Psync => {
                "psync, direct=1 (neither io_uring nor libaio works here: every queue depth is 1)"
            }
        }
    }
}
