//! Names that shipped models have in every language.

use stend_language::{Language, within};

use crate::{Model, SHIPPED};

/// The message of a generation of flash has the words of its file, and a translation.
#[test]
fn the_flash_of_every_shipped_model_is_translated() {
    for shipped in SHIPPED {
        let model = Model::shipped(shipped.name).expect("it is shipped");
        let words = &model.nand.generation.value;
        let facts = model.facts();
        let (_, flash) = facts.iter().find(|(id, _)| *id == "flash").unwrap();
        let english = flash.in_english();
        assert!(english.starts_with(&format!("{words}: ")), "{english}");
        let russian = within(Language::Russian, || flash.to_string());
        for word in ["layer", "Gbit", "planar", " nm", "generation", " and "] {
            assert!(!russian.contains(word), "{}: {russian}", shipped.name);
        }
    }
}

#[test]
fn a_model_is_told_in_the_width_of_a_table() {
    let told = |name: &str| {
        let model = Model::shipped(name).expect("it is shipped");
        let cache = model.slc_cache_size();
        let cache = cache.map(|size| (size.static_bytes, size.dynamic_bytes_max));
        (model.interface_short(), model.flash_short(), cache)
    };
    let (link, flash, cache) = told("samsung-850-pro-256gb");
    assert_eq!((&*link, &*flash, cache), ("SATA", "32-layer MLC", None));
    let (link, flash, _) = told("samsung-sm951-ahci-256gb");
    assert_eq!((&*link, &*flash), ("AHCI 3.0 x4", "16 nm MLC"));
    let (link, flash, cache) = told("samsung-860-evo-500gb");
    assert_eq!((&*link, &*flash), ("SATA", "64-layer TLC"));
    // 16 dies, 2 planes, 30 and 134 blocks of 256 pages of 16 KiB.
    let blocks = |count: u64| 16 * 2 * 256 * 16 * 1024 * count;
    assert_eq!(cache, Some((blocks(30), blocks(134))));
    for shipped in SHIPPED {
        let (link, flash, _) = told(shipped.name);
        assert!(link.len() <= 11 && flash.len() <= 12, "{link} {flash}");
        assert!(flash.ends_with("LC"), "{flash}");
    }
}
