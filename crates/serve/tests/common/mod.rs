//! The client's side of the protocol, as bytes.

use stend_model::Model;
use stend_serve::data::{Data, DataFile};
use stend_serve::engine::Engine;
use stend_serve::nbd::Export;
use stend_simulated::SimulatedTarget;

pub const READ: u16 = 0;
pub const WRITE: u16 = 1;
pub const DISCONNECT: u16 = 2;
pub const FLUSH: u16 = 3;
pub const TRIM: u16 = 4;
pub const WRITE_ZEROES: u16 = 6;

/// An export of 1 MiB.
pub fn export() -> Export {
    Export {
        name: "demo".to_owned(),
        description: "a drive".to_owned(),
        size_bytes: 1 << 20,
        trim: true,
    }
}

/// Flags of a client.
pub fn client_flags(flags: u32) -> Vec<u8> {
    flags.to_be_bytes().to_vec()
}

/// An option.
pub fn option(option: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"IHAVEOPT".to_vec();
    bytes.extend(option.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    bytes
}

/// The data of INFO and GO.
pub fn info(name: &str, infos: &[u16]) -> Vec<u8> {
    let mut bytes = (name.len() as u32).to_be_bytes().to_vec();
    bytes.extend(name.as_bytes());
    bytes.extend((infos.len() as u16).to_be_bytes());
    bytes.extend(infos.iter().flat_map(|info| info.to_be_bytes()));
    bytes
}

/// A request.
pub fn request(flags: u16, kind: u16, cookie: u64, (offset, len): (u64, u32)) -> Vec<u8> {
    let mut bytes = 0x2560_9513u32.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(cookie.to_be_bytes());
    bytes.extend(offset.to_be_bytes());
    bytes.extend(len.to_be_bytes());
    bytes
}

/// The demonstration drive with a journal, with or without capacitors, or one that ignores flushes.
pub fn demo(capacitors: bool, flush_ignored: bool) -> SimulatedTarget {
    let model = Model::shipped("demo-8gb").expect("it is shipped");
    let figures = [
        ("enabled", "true"),
        ("capacitors", if capacitors { "true" } else { "false" }),
        ("hold_up_ms", "500"),
        (
            "flush_ignored",
            if flush_ignored { "true" } else { "false" },
        ),
        ("paired_pages", "\"pad\""),
        ("journal_read_us", "40.0"),
        ("journal_program_us", "400.0"),
        ("journal_erase_us", "5000.0"),
        ("journal_interval_kib", "16384"),
        ("checkpoint_pages", "256"),
        ("boot_ms", "50"),
        ("replay_page_ns", "100"),
    ];
    let line = |(key, value)| format!("{key} = {{ value = {value}, source = \"assumed\" }}\n");
    let table = format!("\n[power_loss]\n{}", figures.map(line).concat());
    let model = Model::parse(&(model.text + &table), "demo.toml").expect("it is sound");
    SimulatedTarget::new(model)
}

/// Serves a drive, with its data in a file without a name.
pub fn engine(target: SimulatedTarget) -> Engine {
    let drive = target.drive();
    let spec = drive.spec().power_loss.as_ref().expect("it can be cut");
    let may_undo = spec.hold_up.is_none();
    let file = DataFile::unnamed(drive.spec().user_bytes).expect("there is room");
    Engine::new(target, Data::new(file, may_undo), None, false)
}
