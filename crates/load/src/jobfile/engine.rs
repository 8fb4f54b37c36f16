//! fio's I/O engines (fio 3.33's manual, "I/O engine"): the ones that a simulated drive serves.

use super::distance;

/// Engines that return from a request when it has ended.
const SYNCHRONOUS: [&str; 7] = [
    "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice",
];

/// Engines that keep `iodepth` requests outstanding. `null` moves no data in fio; it is here
/// because its requests are defined, and a simulated drive has no other use for it.
const ASYNCHRONOUS: [&str; 11] = [
    "libaio",
    "io_uring",
    "io_uring_cmd",
    "posixaio",
    "sg",
    "nbd",
    "null",
    "aio",
    "linuxaio",
    "solarisaio",
    "windowsaio",
];

/// Engines that send no reads, writes or TRIMs to a drive.
const WITHOUT_DATA: [&str; 10] = [
    "cpuio",
    "net",
    "netsplice",
    "ftruncate",
    "filecreate",
    "filestat",
    "filedelete",
    "exec",
    "falloc",
    "e4defrag",
];

/// Engines whose target is not a block device.
const ELSEWHERE: [&str; 14] = [
    "gfapi",
    "gfapi_async",
    "mtd",
    "rdma",
    "rados",
    "rbd",
    "pmemblk",
    "dev-dax",
    "libpmem",
    "http",
    "libhdfs",
    "nfs",
    "libzbc",
    "external",
];

/// Values of `ioengine` that are simulated, for errors.
pub(super) const ALLOWED: &str = "libaio, io_uring, io_uring_cmd, posixaio, sg, nbd, null (each \
     with iodepth requests outstanding), sync, psync, vsync, pvsync, pvsync2, mmap, splice";

/// True if an engine is synchronous; an error if no drive can serve it.
pub(super) fn is_synchronous(engine: &str) -> Result<bool, String> {
    if SYNCHRONOUS.contains(&engine) {
        return Ok(true);
    }
    if ASYNCHRONOUS.contains(&engine) {
        return Ok(false);
    }
    // As in fio, options of an engine may follow a colon.
    let name = engine.split([':', ',']).next().unwrap_or_default();
    if WITHOUT_DATA.contains(&name) {
        return Err(format!("`{name}` moves no data to or from a drive"));
    }
    if ELSEWHERE.contains(&name) {
        return Err(format!("the target of `{name}` is not a block device"));
    }
    let close = SYNCHRONOUS.iter().chain(&ASYNCHRONOUS);
    let close = close.map(|known| (distance(known, engine), *known)).min();
    Err(match close.filter(|(distance, _)| *distance <= 2) {
        Some((_, known)) => format!("fio has no engine `{engine}`; did you mean `{known}`?"),
        None => format!("fio has no engine `{engine}`"),
    })
}
