//! Reconstructs the model of a drive of the lab that is not a shipped one.

use stend_lab::Drive;
use stend_model::{Change, Model, Setting};

/// Returns the text of a simulated drive's model, from the shipped model that it derives from and
/// all differences, which its title lists.
///
/// # Errors
/// The reason why the lab does not know enough about it, with advice.
pub(crate) fn text_of(drive: &Drive) -> Result<String, String> {
    let shipped = drive.shipped.as_deref().and_then(Model::shipped);
    let shipped = shipped.ok_or_else(|| {
        "The lab knows no shipped model that this drive comes from, and keeps no model files: \
         choose its file, or paste its text."
            .to_owned()
    })?;
    let model = with_changes(drive, &shipped).ok_or_else(|| {
        format!(
            "The lab keeps in what it differs from {}, and that is not enough to make it again \
             with this program: choose its file, or paste its text.",
            shipped.name
        )
    })?;
    let title = serde_json::to_string(&drive.model).unwrap_or_default();
    let mut titled = false;
    let lines = model.text.lines().map(|line| {
        let is_title = !titled && line.starts_with("title =");
        titled |= is_title;
        match is_title {
            true => format!("title = {title}\n"),
            false => format!("{line}\n"),
        }
    });
    Ok(lines.collect())
}

/// Applies the differences to the shipped model; `None` if the result is not the same drive as
/// before.
fn with_changes(drive: &Drive, shipped: &Model) -> Option<Model> {
    let setting = |value: &serde_json::Value| serde_json::from_value::<Setting>(value.clone()).ok();
    let changes = drive.changes.iter();
    let changes: Option<Vec<Change>> = changes
        .map(|of| {
            Some(Change {
                key: of.key.clone(),
                value: Some(setting(of.value.as_ref()?)?),
                shipped: Some(setting(of.shipped.as_ref()?)?),
            })
        })
        .collect();
    let changes = changes?;
    let settings = changes.iter();
    let settings: Vec<(&String, Setting)> = settings
        .filter_map(|of| Some((&of.key, of.value.clone()?)))
        .collect();
    let model = shipped.with(&settings).ok()?;
    let alike = |one: &Option<Setting>, other: &Option<Setting>| match (one, other) {
        (Some(one), Some(other)) => one.is_same(other),
        _ => false,
    };
    let same = |(one, other): (&Change, &Change)| {
        one.key == other.key
            && alike(&one.value, &other.value)
            && alike(&one.shipped, &other.shipped)
    };
    let now = model.changes_from(shipped);
    let is_same = now.len() == changes.len() && now.iter().zip(&changes).all(same);
    is_same.then_some(model)
}

#[cfg(test)]
mod tests {
    use stend_model::SHIPPED;
    use stend_record::model::ModelChange;

    use super::*;
    use crate::guard::BODY_BYTES_MAX;

    /// A form must hold the text beside all other figures.
    #[test]
    fn the_text_of_every_model_fits_in_a_form() {
        for shipped in SHIPPED {
            let model = Model::shipped(shipped.name).expect("it is shipped");
            let mb_per_s = model.nand.bus_mb_per_s.value;
            let drive = Drive {
                kind: "simulated".to_owned(),
                model: "A \"drive\"\\ ".to_owned(),
                serial: String::new(),
                firmware: String::new(),
                fingerprint: String::new(),
                title: model.title.clone(),
                shipped: Some(shipped.name.to_owned()),
                changes: vec![ModelChange {
                    key: "nand.bus_mb_per_s".to_owned(),
                    value: Some((mb_per_s + 1).into()),
                    shipped: Some(mb_per_s.into()),
                    ..ModelChange::default()
                }],
            };
            let text = text_of(&drive).expect("it is made again");
            let model = Model::parse(&text, "again").expect("it is sound");
            assert_eq!(model.title, drive.model);
            assert_eq!(model.nand.bus_mb_per_s.value, mb_per_s + 1);
            let encoded = text.bytes().map(|byte| match byte {
                b'\n' => 6,
                byte if byte.is_ascii_alphanumeric() || b" -_.~".contains(&byte) => 1,
                _ => 3,
            });
            let bytes: usize = encoded.sum();
            assert!(bytes < BODY_BYTES_MAX * 3 / 4, "{}: {bytes}", shipped.name);
        }
    }
}
