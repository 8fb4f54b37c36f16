//! Files that are built into the program.

macro_rules! shipped {
    ($name:literal) => {
        (
            concat!("measured/", $name, ".toml"),
            include_str!(concat!("../../measured/", $name, ".toml")),
        )
    };
}

/// Names and texts; tests and states come first.
pub const SHIPPED: [(&str, &str); 5] = [
    shipped!("tests"),
    shipped!("computerbase"),
    shipped!("anandtech-and-toms"),
    shipped!("others"),
    shipped!("latency"),
];
