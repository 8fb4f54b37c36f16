//! Tells the program which compiler built it: a record of its speed names it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").expect("cargo sets RUSTC for a build script");
    let version = std::process::Command::new(rustc)
        .arg("-V")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_default();
    let version = match version.trim() {
        "" => "unknown",
        known => known,
    };
    println!("cargo::rustc-env=STEND_RUSTC={version}");
}
