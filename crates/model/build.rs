//! Lists the drive files that are built into the program: every file in `drives/` is a model, every
//! file in a folder there is a part.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("drives");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut parts = Vec::new();
    let mut models = Vec::new();
    for entry in sorted(&root)? {
        match entry.is_dir() {
            true => parts.extend(sorted(&entry)?),
            false => models.push(entry),
        }
    }
    let list = |files: &[PathBuf], end: &str| {
        let one = |file: &PathBuf| {
            let path = file.strip_prefix(&root).expect("it was found there");
            let name = path.to_str().expect("a plain name").trim_end_matches(end);
            format!("Shipped {{ name: {name:?}, text: include_str!({file:?}) }}, ")
        };
        files.iter().map(one).collect::<String>()
    };
    let text = format!(
        "/// All models, by name.\npub const SHIPPED: &[Shipped] = &[{}];\n\
         /// All parts, by name.\npub const PARTS: &[Shipped] = &[{}];\n",
        list(&models, ".toml"),
        list(&parts, "")
    );
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("shipped.rs"), text)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}
