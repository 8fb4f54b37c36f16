//! Drive files that include parts: precedence of figures, places of errors, and the resolved text.

use crate::testing::figures;

use std::fs;
use std::path::Path;

use stend_model::{FileError, Files, Model, PARTS, SHIPPED};

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

/// Tables of the demonstration drive that are moved to parts here.
const APART: [(&str, &[&str]); 2] = [("nand.toml", &["nand"]), ("rest.toml", &["host", "dram"])];

/// A folder with the demonstration drive as `drive.toml`, some of its tables in parts.
fn split() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let mut drive = String::new();
    let mut parts = APART.map(|(name, _)| (name, part_head("some figures")));
    let mut here = None;
    for line in DEMO.lines() {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            here = APART.iter().position(|(_, tables)| tables.contains(&table));
        }
        let to = match here {
            Some(index) => &mut parts[index].1,
            None => &mut drive,
        };
        *to += &format!("{line}\n");
    }
    let include = "include = [\n    \"nand.toml\",\n    \"rest.toml\",\n]\n\n[capacity]\n";
    write(
        dir.path(),
        "drive.toml",
        &drive.replace("[capacity]\n", include),
    );
    for (name, text) in parts {
        write(dir.path(), name, &text);
    }
    dir
}

fn part_head(title: &str) -> String {
    format!("schema = \"stend.part/2\"\ntitle = \"{title}\"\n\n")
}

fn write(dir: &Path, name: &str, text: &str) {
    fs::write(dir.join(name), text).expect("it is written");
}

fn edit(dir: &Path, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(dir.join(name)).expect("it is there");
    assert!(text.contains(from), "{name} lacks {from}");
    write(dir, name, &text.replacen(from, to, 1));
}

fn read(dir: &Path) -> Result<Model, FileError> {
    Model::read(&dir.join("drive.toml"))
}

/// Error message for the drive in `dir`, without the folder's name.
fn said(dir: &Path) -> String {
    let error = read(dir).expect_err("it is wrong").to_string();
    error.replace(&format!("{}/", dir.display()), "")
}

/// Line, from 1, of the first one of a file that begins with `begins`.
fn line(dir: &Path, name: &str, begins: &str) -> usize {
    let text = fs::read_to_string(dir.join(name)).expect("it is there");
    let line = text.lines().position(|line| line.starts_with(begins));
    1 + line.unwrap_or_else(|| panic!("{name} lacks {begins}"))
}

const NUMBER: &str = "{ value = 300, source = \"assumed: a test\" }";

#[test]
fn a_drive_in_parts_is_the_drive_in_one_file() {
    let dir = split();
    let whole = Model::parse(DEMO, "demo.toml").expect("it is sound");
    let model = read(dir.path()).expect("it is sound");
    assert_eq!(model.spec(), whole.spec());
    assert!(!model.text.contains("include"), "{}", model.text);
    // All comments above the first key of the file, and the tables in the usual order.
    let tables = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with(['[', '#']));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(tables(&model.text), tables(DEMO));
}

#[test]
fn the_resolved_text_is_the_same_model_and_keeps_its_fingerprint() {
    let dir = split();
    let model = read(dir.path()).expect("it is sound");
    let again = Model::parse(&model.text, "kept.toml").expect("it is sound");
    assert_eq!(again.spec(), model.spec());
    assert_eq!(
        (&again.text, again.fingerprint),
        (&model.text, model.fingerprint)
    );
    // A figure of a part counts.
    edit(
        dir.path(),
        "nand.toml",
        "erase_us = { value = 5000.0",
        "erase_us = { value = 5001.0",
    );
    let other = read(dir.path()).expect("it is sound");
    assert_ne!(other.fingerprint, model.fingerprint);
    // A file without parts stays unchanged, byte for byte.
    let whole = Model::parse(DEMO, "demo.toml").expect("it is sound");
    assert_eq!(whole.text, DEMO);
}

#[test]
fn the_drives_own_figure_wins() {
    let dir = split();
    let own = format!(
        "[nand]\nbus_overhead_ns = {NUMBER}\n\
         erase_us = {{ value = 1234.0, source = \"data sheet\" }}\n\n[slc_cache]"
    );
    edit(dir.path(), "drive.toml", "[slc_cache]", &own);
    let model = read(dir.path()).expect("it is sound");
    assert_eq!(model.nand.erase_us.value, 1234.0);
    assert_eq!(model.nand.erase_us.source, "data sheet");
    assert_eq!(
        model.nand.dies.value, 4,
        "the rest of the table is the part's"
    );
    assert_eq!(
        model.text.matches("erase_us").count(),
        2,
        "of the flash and of the cache"
    );
}

#[test]
fn two_parts_with_the_same_key_are_told_with_both_places() {
    let dir = split();
    let twice = format!("\n[nand]\ndies = {NUMBER}\n");
    let rest = fs::read_to_string(dir.path().join("rest.toml")).expect("it is there");
    write(dir.path(), "rest.toml", &(rest + &twice));
    let second = rest_line(&dir, "dies");
    let first = line(dir.path(), "nand.toml", "dies");
    let said = said(dir.path());
    assert!(
        said.starts_with(&format!(
            "rest.toml:{second}: nand.dies: nand.toml:{first} names it too"
        )),
        "{said}"
    );
    // Also if the drive has a figure of its own.
    let own = format!("[nand]\ndies = {NUMBER}\n\n[slc_cache]");
    edit(dir.path(), "drive.toml", "[slc_cache]", &own);
    assert!(self::said(dir.path()).contains("names it too"));
}

fn rest_line(dir: &tempfile::TempDir, begins: &str) -> usize {
    line(dir.path(), "rest.toml", begins)
}

#[test]
fn an_error_stands_where_the_figure_stands() {
    for (file, from, to, key, part) in [
        (
            "nand.toml",
            "dies = { value = 4",
            "dies = { value = 4000",
            "nand.dies",
            "from 1 to 1024",
        ),
        (
            "nand.toml",
            "dies = { value = 4",
            "dies = { value = \"four\"",
            "nand.dies",
            "a whole number",
        ),
        (
            "nand.toml",
            "dies = { value = 4",
            "dise = { value = 4",
            "nand.dise",
            "unknown field",
        ),
        (
            "rest.toml",
            "size_mib = { value = 16",
            "size_mib = { value = 1",
            "dram.size_mib",
            "cannot hold",
        ),
        (
            "drive.toml",
            "slice_ms = { value = 1000",
            "slice_ms = { value = 0",
            "idle.slice_ms",
            "from 1",
        ),
    ] {
        let dir = split();
        edit(dir.path(), file, from, to);
        let begins = to.split(" =").next().expect("a key");
        let place = format!("{file}:{}: {key}: ", line(dir.path(), file, begins));
        let said = said(dir.path());
        assert!(said.starts_with(&place), "{said}, not {place}");
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn missing_keys_are_errors_of_the_table() {
    let dir = split();
    edit(dir.path(), "nand.toml", "dies = ", "# dies = ");
    let said = said(dir.path());
    let header = line(dir.path(), "nand.toml", "[nand]");
    assert!(
        said.starts_with(&format!("nand.toml:{header}: nand.dies: missing")),
        "{said}"
    );
}

#[test]
fn files_that_are_no_parts_are_refused() {
    let include = "include = [\"drive.toml\"]\n\n[nand]";
    for (file, from, to, place, part) in [
        (
            "nand.toml",
            "stend.part/2",
            "stend.drive/2",
            "nand.toml:1: schema: ",
            "stend.part/2",
        ),
        (
            "nand.toml",
            "title = ",
            "# ",
            "nand.toml:1: title: ",
            "missing field",
        ),
        (
            "nand.toml",
            "title = ",
            "name = \"x\"\ntitle = ",
            "nand.toml:2: name: ",
            "a title, and tables",
        ),
        (
            "nand.toml",
            "[nand]",
            include,
            "nand.toml:4: include: ",
            "includes nothing",
        ),
        (
            "nand.toml",
            "[nand]",
            "[nand",
            "nand.toml:4: ",
            "unclosed table",
        ),
        (
            "drive.toml",
            "\"nand.toml\"",
            "\"rest.toml\"",
            "drive.toml:",
            "included twice",
        ),
        (
            "drive.toml",
            "\"nand.toml\"",
            "3",
            "drive.toml:",
            "expected a list of parts",
        ),
        (
            "drive.toml",
            "\"nand.toml\"",
            "\".\"",
            "drive.toml:",
            "cannot read the part",
        ),
    ] {
        let dir = split();
        edit(dir.path(), file, from, to);
        let said = said(dir.path());
        assert!(said.starts_with(place) && said.contains(part), "{said}");
    }
}

/// For files of the previous schema every key to be changed is reported, and nothing else.
#[test]
fn old_files_are_told_what_their_keys_are_now() {
    let old = DEMO
        .replace("stend.drive/2", "stend.drive/1")
        .replace("[gc]", "[collection]")
        .replace("gc_page_ns", "collect_unit_ns");
    let error = Model::parse(&old, "m.toml").expect_err("it is old");
    let line = |begins: &str| {
        1 + old
            .lines()
            .position(|l| l.starts_with(begins))
            .expect("it is there")
    };
    let expected = [
        ("schema", "schema", "stend.drive/2"),
        (
            "collect_unit_ns",
            "controller.collect_unit_ns",
            "controller.gc_page_ns",
        ),
        ("[collection]", "collection", "[gc]"),
    ];
    assert_eq!(error.problems().len(), expected.len(), "{error}");
    for (begins, key, new) in expected {
        let place = format!("m.toml:{}: {key}: ", line(begins));
        let said = error.to_string();
        let said = said.lines().find(|said| said.starts_with(&place));
        assert!(said.is_some_and(|said| said.contains(new)), "{error}");
    }
    let dir = split();
    edit(dir.path(), "nand.toml", "stend.part/2", "stend.part/1");
    let said = said(dir.path());
    assert!(
        said.starts_with("nand.toml:1: schema: ") && said.contains("stend.part/2"),
        "{said}"
    );
}

#[test]
fn a_part_that_is_not_there_is_told_with_where_it_was_looked_for() {
    let dir = split();
    edit(
        dir.path(),
        "drive.toml",
        "\"nand.toml\"",
        "\"nand/none.toml\"",
    );
    let said = said(dir.path());
    let line = line(dir.path(), "drive.toml", "    \"nand/none.toml\"");
    assert!(
        said.starts_with(&format!("drive.toml:{line}: include: ")),
        "{said}"
    );
    assert!(said.contains("at nand/none.toml, and among"), "{said}");
    assert!(said.contains("hosts/sata-desktop.toml"), "{said}");
}

#[test]
fn a_part_beside_the_drive_comes_before_a_shipped_one() {
    let dir = split();
    let shipped = "hosts/sata-desktop.toml";
    edit(
        dir.path(),
        "drive.toml",
        "\"rest.toml\"",
        &format!("\"rest.toml\", \"{shipped}\""),
    );
    edit(dir.path(), "rest.toml", "[host]", "[not_host]");
    let text = fs::read_to_string(dir.path().join("rest.toml")).expect("it is there");
    let begin = text.find("[not_host]").expect("just written");
    let end = text.find("[dram]").expect("it follows");
    let host = text[begin..end].replace("[not_host]", "[host]");
    write(
        dir.path(),
        "rest.toml",
        &(text[..begin].to_owned() + &text[end..]),
    );
    let model = read(dir.path()).expect("the shipped host serves");
    assert_ne!(model.host.submit_ns.source, "assumed: mine");
    fs::create_dir(dir.path().join("hosts")).expect("a folder");
    let host = host.replacen("4000, source = \"", "4321, source = \"mine: ", 1);
    write(dir.path(), shipped, &(part_head("my host") + &host));
    let model = read(dir.path()).expect("it is sound");
    assert_eq!(model.host.submit_ns.value, 4321);
}

#[test]
fn a_part_is_no_model() {
    let dir = split();
    let error = Model::read(&dir.path().join("nand.toml")).expect_err("a part");
    let said = error.to_string();
    assert!(
        said.contains("nand.toml:1: schema: it is a part of drive models"),
        "{said}"
    );
}

#[test]
fn lists_of_tables_come_from_parts_as_a_whole() {
    let state = |name: &str, ms: u32| {
        figures(&format!(
            "[[idle_states]]\nname = \"{name}\"\ndelay_ms = {ms}\npower_mw = 50\nentry_us = 10\n\
             exit_us = 20\nwaits_for_idle_work = true"
        ))
    };
    let dir = split();
    let rest = fs::read_to_string(dir.path().join("rest.toml")).expect("it is there");
    write(
        dir.path(),
        "rest.toml",
        &format!("{rest}\n{}{}", state("a", 1), state("b", 2)),
    );
    let names = || -> Vec<String> {
        let model = read(dir.path()).expect("it is sound");
        let again = Model::parse(&model.text, "kept.toml").expect("it is sound");
        assert_eq!(again.spec(), model.spec());
        model
            .spec()
            .idle_states
            .into_iter()
            .map(|s| s.name)
            .collect()
    };
    assert_eq!(names(), ["a", "b"]);
    edit(
        dir.path(),
        "rest.toml",
        "delay_ms = { value = 2,",
        "delay_ms = { value = 0,",
    );
    let said = said(dir.path());
    let last = fs::read_to_string(dir.path().join("rest.toml")).expect("it is there");
    let line = 1 + last
        .lines()
        .position(|l| l.contains("value = 0,"))
        .expect("just written");
    assert!(
        said.starts_with(&format!("rest.toml:{line}: idle_states.delay_ms: ")),
        "{said}"
    );
    edit(
        dir.path(),
        "rest.toml",
        "delay_ms = { value = 0,",
        "delay_ms = { value = 2,",
    );
    let drive = fs::read_to_string(dir.path().join("drive.toml")).expect("it is there");
    write(dir.path(), "drive.toml", &(drive + &state("mine", 7)));
    assert_eq!(names(), ["mine"], "the drive's own list wins");
}

#[test]
fn figures_may_be_written_in_any_way_that_toml_knows() {
    let dir = split();
    edit(
        dir.path(),
        "nand.toml",
        "dies = { value = 4, source = \"assumed: the demonstration drive is nobody's product\" }",
        "dies.value = 4\ndies.source = \"assumed: dotted\"",
    );
    let rest = fs::read_to_string(dir.path().join("rest.toml")).expect("it is there");
    let size = rest
        .lines()
        .find(|line| line.starts_with("size_mib"))
        .expect("a size");
    let rest =
        rest.replace(size, "") + "\n[dram.size_mib]\nvalue = 16\nsource = \"assumed: a table\"\n";
    write(dir.path(), "rest.toml", &rest);
    let model = read(dir.path()).expect("it is sound");
    assert_eq!(
        model.spec(),
        Model::parse(DEMO, "demo.toml").expect("it is sound").spec()
    );
    assert_eq!(model.dram.size_mib.source, "assumed: a table");
    assert_eq!(model.nand.dies.source, "assumed: dotted");
}

#[test]
fn shipped_models_and_parts_are_in_order() {
    let sorted = |names: Vec<&str>| names.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(sorted(SHIPPED.iter().map(|s| s.name).collect()));
    assert!(sorted(PARTS.iter().map(|s| s.name).collect()));
    let mut used = Vec::new();
    for shipped in SHIPPED {
        let files = Files::shipped(shipped.name).expect("it is shipped");
        let model = files.model().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(model.name, shipped.name);
        let again = Model::parse(files.text(), "kept.toml").expect("it is sound");
        assert_eq!(again.spec(), model.spec(), "{}", model.name);
        let facts = model.facts();
        assert!(facts.iter().all(|(_, value)| !value.is_empty()));
        let life = facts.iter().find(|(id, _)| *id == "rated-life");
        let told = life.map(|(_, value)| value.in_english());
        let tb = model.rated_bytes().map(|bytes| bytes / 1_000_000_000_000);
        assert_eq!(told.is_some(), tb.is_some(), "{}", model.name);
        if let (Some(told), Some(tb)) = (told, tb) {
            assert!(told.starts_with(&format!("{tb} TB written")), "{told}");
        }
        used.extend(files.files().iter().map(|file| file.name.clone()));
    }
    for part in PARTS {
        let name = format!("drives/{}", part.name);
        assert!(used.contains(&name), "no shipped drive includes {name}");
    }
}

/// Every file on the disk is built into the program.
#[test]
fn every_file_is_shipped() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../drives");
    let mut found = Vec::new();
    for entry in fs::read_dir(&root).expect("the drives").map(Result::unwrap) {
        let name = entry.file_name().into_string().expect("a plain name");
        if !entry.path().is_dir() {
            found.push(name);
            continue;
        }
        for part in fs::read_dir(entry.path())
            .expect("a folder")
            .map(Result::unwrap)
        {
            let part = part.file_name().into_string().expect("a plain name");
            found.push(format!("{name}/{part}"));
        }
    }
    found.sort();
    let drives = SHIPPED.iter().map(|s| format!("{}.toml", s.name));
    let mut shipped: Vec<String> = drives
        .chain(PARTS.iter().map(|p| p.name.to_owned()))
        .collect();
    shipped.sort();
    assert_eq!(found, shipped);
}
