//! The drives of a lab.

use rusqlite::{Connection, Row, Transaction, params, params_from_iter};
use serde::Serialize;
use serde_json::Value;
use stend_record::review::{FactId, ModelChange, TargetInfo, Text};

/// A drive that was tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drive {
    /// `simulated`, `file`, `directory`, `block-device`.
    pub kind: String,
    /// Marketing name, with differences of a model from the shipped one; or a path.
    pub model: String,
    /// Serial number; empty if there is none.
    pub serial: String,
    /// Firmware revision; empty if there is none.
    pub firmware: String,
    /// Fingerprint of a simulated drive's model, 16 hexadecimal digits; empty for real ones.
    pub fingerprint: String,
    /// The `model` without the differences.
    pub title: String,
    /// Name of the shipped model that it is or derives from, if there is one.
    pub shipped: Option<String>,
    /// Differences from the shipped model.
    pub changes: Vec<ModelChange>,
}

/// Columns that identify a drive.
pub(crate) const KEY: &str = "kind, model, serial, firmware, fingerprint";

/// Columns of [`Drive`] in the order in which [`drive`] reads them.
pub(crate) const COLUMNS: &str =
    "kind, model, serial, firmware, fingerprint, drives.title, shipped, changes";

impl Drive {
    /// True if both are the same drive: by the serial number if there is one, otherwise by name and
    /// fingerprint. The firmware may have changed.
    pub fn is(&self, other: &Drive) -> bool {
        match self.serial.is_empty() {
            false => self.serial == other.serial,
            true => {
                let key = |drive: &Drive| {
                    let Drive {
                        kind,
                        model,
                        serial,
                        fingerprint,
                        ..
                    } = drive.clone();
                    (kind, model, serial, fingerprint)
                };
                key(self) == key(other)
            }
        }
    }
}

/// Returns the values of [`KEY`] for a target.
pub(crate) fn key_of(target: &TargetInfo) -> [String; 5] {
    let fact = |id| target.fact(id).map(Text::in_english).unwrap_or_default();
    [
        word(&target.kind),
        target.title.clone(),
        fact(FactId::SerialNumber),
        fact(FactId::Firmware),
        target.fingerprint().to_owned(),
    ]
}

/// Reads the drive of a row from its column `first` on.
pub(crate) fn drive(row: &Row<'_>, first: usize) -> rusqlite::Result<Drive> {
    let changes: String = row.get(first + 7)?;
    Ok(Drive {
        kind: row.get(first)?,
        model: row.get(first + 1)?,
        serial: row.get(first + 2)?,
        firmware: row.get(first + 3)?,
        fingerprint: row.get(first + 4)?,
        title: row.get(first + 5)?,
        shipped: row.get(first + 6)?,
        changes: serde_json::from_str(&changes).unwrap_or_default(),
    })
}

/// Returns the id of a target's drive, and adds the drive if it is new.
pub(crate) fn find_or_add(to: &Connection, target: &TargetInfo) -> rusqlite::Result<i64> {
    let key = key_of(target);
    let model = target.model.clone().unwrap_or_default();
    let title = match &target.model {
        Some(model) => &model.title,
        None => &target.title,
    };
    let changes = serde_json::to_string(&model.changes).unwrap_or_default();
    let [kind, name, serial, firmware, fingerprint] = &key;
    to.execute(
        &format!(
            "INSERT INTO drives ({KEY}, title, shipped, changes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING"
        ),
        params![
            kind,
            name,
            serial,
            firmware,
            fingerprint,
            title,
            model.shipped,
            changes
        ],
    )?;
    to.query_row(
        "SELECT id FROM drives WHERE kind = ?1 AND model = ?2 AND serial = ?3 AND firmware = ?4
             AND fingerprint = ?5",
        params_from_iter(&key),
        |row| row.get(0),
    )
}

/// Adds the drives of the attached database `other`.
pub(crate) fn merge(within: &Transaction<'_>) -> rusqlite::Result<()> {
    let columns = COLUMNS.replace("drives.", "");
    let sql = format!(
        "INSERT INTO main.drives ({columns}) SELECT {columns} FROM other.drives WHERE true
         ON CONFLICT DO NOTHING"
    );
    within.execute(&sql, []).map(drop)
}

/// Removes the drives without runs and records.
pub(crate) fn remove_unused(within: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "DELETE FROM main.drives WHERE id NOT IN (SELECT drive FROM main.runs)
        AND id NOT IN (SELECT drive FROM main.recorded)";
    within.execute(sql, []).map(drop)
}

/// Returns the JSON name of a value.
fn word(of: &impl Serialize) -> String {
    match serde_json::to_value(of) {
        Ok(Value::String(text)) => text,
        other => format!("{other:?}"),
    }
}
