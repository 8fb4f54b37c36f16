//! The models that come with the program.

/// A model built into the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name, as typed.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../../../drives/", $name, ".toml")),
        }),*]
    };
}

/// All of them, by name.
pub const SHIPPED: &[Shipped] = shipped![
    "demo-8gb",
    "samsung-850-pro-256gb",
    "sandisk-ultra-ii-240gb",
    "sandisk-ultra-ii-480gb",
];
