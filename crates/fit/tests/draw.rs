//! Plausible versions of the shipped drives.

use stend_fit::draw::Drawing;
use stend_model::{Files, SHIPPED};

fn shipped(names: &[&str]) -> Vec<(String, Files)> {
    let files = |name: &&str| Files::shipped(name).map(|files| ((*name).to_owned(), files));
    names.iter().filter_map(files).collect()
}

#[test]
fn all_shipped_drives_have_plausible_versions_within_their_ranges() {
    let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
    let models = shipped(&names);
    let drawing = Drawing::new(&models);
    let versions: Vec<_> = (0..3)
        .map(|number| drawing.version(7, number).expect("there is a sound one"))
        .collect();
    for version in &versions {
        assert_eq!(version.models.len(), models.len());
        assert!(
            version
                .places
                .iter()
                .all(|place| (0.0..=1.0).contains(place))
        );
        for ((name, files), model) in models.iter().zip(&version.models) {
            assert_eq!(&model.name, name);
            let drawn = files.free().iter().any(|figure| figure.is_unsure());
            let own = files.model().expect("it is sound");
            assert_eq!(model.text != own.text, drawn, "{name}");
        }
    }
    assert_ne!(versions[0].places, versions[1].places);
}

#[test]
fn a_draw_depends_on_the_seed_and_its_number_and_not_on_the_drives_beside_it() {
    let one = shipped(&["sandisk-ultra-ii-240gb"]);
    let two = shipped(&["wd-blue-3d-500gb", "sandisk-ultra-ii-240gb"]);
    let (one, two) = (Drawing::new(&one), Drawing::new(&two));
    let text = |drawing: &Drawing<'_>, seed, number| {
        let version = drawing.version(seed, number).expect("there is a sound one");
        version.models.last().expect("there is one").text.clone()
    };
    assert_eq!(text(&one, 1, 4), text(&two, 1, 4));
    assert_ne!(text(&one, 1, 4), text(&one, 1, 5));
    assert_ne!(text(&one, 1, 4), text(&one, 2, 4));
}

#[test]
fn a_figure_of_a_part_is_drawn_once_for_all_drives_with_it() {
    let models = shipped(&["wd-blue-3d-500gb", "sandisk-ultra-3d-500gb"]);
    let version = Drawing::new(&models)
        .version(1, 0)
        .expect("there is a sound one");
    let [wd, sandisk] = &version.models[..] else {
        panic!("there are two");
    };
    // One product under two names: the figures of its flash and firmware are in parts.
    let (wd, sandisk) = (wd.spec(), sandisk.spec());
    assert_eq!(
        format!("{:?}", wd.controller),
        format!("{:?}", sandisk.controller)
    );
    assert_eq!(format!("{:?}", wd.cache), format!("{:?}", sandisk.cache));
    assert_eq!(format!("{:?}", wd.data), format!("{:?}", sandisk.data));
}

/// A version does not depend on the folder of its files.
#[test]
fn a_draw_does_not_depend_on_the_folder() {
    let own = Files::shipped("demo-8gb").expect("it is shipped");
    let figure = "read_command_ns = { value = 9000,";
    assert!(own.text().contains(figure));
    let free = figure.replace('{', "{ free = [4000, 20000],");
    let text = own.text().replace(figure, &free);
    let version = |folder: &str| {
        let file = format!("{folder}/mine.toml");
        let files = Files::of_text(text.clone(), &file).expect("it is sound");
        let drives = [("demo-8gb".to_owned(), files)];
        Drawing::new(&drives)
            .version(1, 0)
            .expect("there is a sound one")
            .places
    };
    assert_eq!(version("/here"), version("elsewhere/below"));
    assert_eq!(version("/here").len(), 1);
}
