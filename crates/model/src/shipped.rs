//! The models that come with the program, as `build.rs` lists them.

/// A file built into the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// A model's name, as typed; a part's, as a drive file includes it.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));
