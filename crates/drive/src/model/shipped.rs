//! The models that come with the program.

/// A file built into the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// A model's name, as typed; a part's, as a drive file includes it.
    pub name: &'static str,
    /// What stands in it.
    pub text: &'static str,
}

macro_rules! shipped {
    ($end:literal: $($name:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../../../drives/", $name, $end)),
        }),*]
    };
}

/// All models, by name.
pub const SHIPPED: &[Shipped] = shipped![
    ".toml":
    "demo-8gb",
    "samsung-850-pro-256gb",
    "sandisk-ultra-ii-240gb",
    "sandisk-ultra-ii-480gb",
];

/// All parts, by name.
pub const PARTS: &[Shipped] = shipped![
    "":
    "controllers/marvell-88ss9189.toml",
    "controllers/marvell-88ss9190.toml",
    "controllers/samsung-mex.toml",
    "firmware/sandisk-ncache-2.toml",
    "hosts/sata-desktop.toml",
    "nand/samsung-32l-mlc.toml",
    "nand/sandisk-19nm-tlc-slc.toml",
    "nand/sandisk-19nm-tlc.toml",
];
