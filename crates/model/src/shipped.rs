//! The shipped models, as listed by `build.rs`.

/// A file built into the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// A model's name, as typed; a part's name, as in the `include` of a drive file.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));
