//! Small drives with the cells of shipped ones, so that they wear out in seconds.

use stend_model::spec::{GcSpec, PAGE_BYTES, WearSpec};
use stend_model::{Model, Spec};

/// Factor by which the cells of a small drive endure fewer cycles than those of the shipped one.
pub const LIFE_PART: u32 = 100;
/// Number of superblocks of a small drive, without spare ones.
const SUPERBLOCKS: u32 = 120;
/// Number of word lines of a block.
const WORD_LINES: u32 = 8;

/// Returns the model of a shipped drive.
pub fn shipped(name: &str) -> Model {
    Model::shipped(name).expect("it is shipped")
}

/// Returns a drive of four dies with the cells of a shipped one, in their native mode only, without
/// parity: its addressable capacity is `user_percent` of its flash. Its blocks are small and endure
/// few cycles; 2 % of them are spare, as in the shipped drives.
pub fn small(name: &str, user_percent: u64) -> Spec {
    let mut spec = shipped(name).spec();
    (spec.dies, spec.channels) = (4, 2);
    (spec.cache, spec.parity_data, spec.power_loss) = (None, None, None);
    let bits = spec.data.timing.pages_per_word_line();
    // As many bytes for any number of bits per cell: the comparison is of how often they are
    // written.
    (spec.data.superblocks, spec.data.rows) = (SUPERBLOCKS * 3 / bits, WORD_LINES * bits);
    spec.user_bytes = flash_bytes(&spec) * user_percent / 100 / PAGE_BYTES * PAGE_BYTES;
    spec.idle.enabled = false;
    // As small compared with a superblock as in large drives.
    spec.buffer.write_pages = 128;
    spec.gc = GcSpec {
        start_superblocks: 5,
        reserve_superblocks: 3,
        depth: 8,
        ..spec.gc
    };
    // Random writes leave no cold data for which superblocks this small would be exchanged.
    spec.wear = Some(WearSpec {
        dynamic: true,
        static_spread: 0,
        static_interval: 1,
    });
    let blocks = spec.blocks.as_mut().expect("its blocks wear");
    blocks.life_cycles[1] /= LIFE_PART;
    blocks.spare_blocks = spec.data.superblocks / 50;
    (blocks.factory_bad_ppm, blocks.program_failure_ppb) = (0, 0);
    spec
}

/// Bytes of the flash of a drive without parity, without spare blocks.
pub fn flash_bytes(spec: &Spec) -> u64 {
    let mp_pages = u64::from(spec.data.superblocks * spec.dies * spec.data.rows);
    mp_pages * u64::from(spec.pages_per_mp_page) * PAGE_BYTES
}
