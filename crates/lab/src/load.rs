//! Reading reviews back.

use rusqlite::{Row, params};
use serde::de::DeserializeOwned;
use serde_json::Value;
use stend_record::review::{
    Condition, FailedTest, ModelInfo, Results, Review, SCHEMA, Series, TargetInfo, TestResult, Text,
};

use crate::columns::{OF_SERIES, POINTS, SERIES, Table};
use crate::{Lab, LabError, RunId};

impl Lab {
    /// Returns the review of a run as it was last written, with its rivals.
    ///
    /// # Errors
    /// [`LabError::NoRun`] if there is none; [`LabError::Damaged`] if the data is not a review.
    pub fn review(&self, run: RunId) -> Result<Review, LabError> {
        let mut review = self.without_rivals(run)?;
        let sql = "SELECT rival FROM rivals WHERE run = ?1 ORDER BY position";
        for rival in self.rows(sql, params![run.0], |row| Ok(RunId(row.get(0)?)))? {
            review.rivals.push(self.without_rivals(rival)?.into());
        }
        Ok(review)
    }

    fn without_rivals(&self, run: RunId) -> Result<Review, LabError> {
        let sql = "
            SELECT target, model, kind, capacity_bytes, edition, edition_title, seed,
                duration_scale, state, command, rest, label, note, fingerprint
            FROM runs JOIN drives ON drives.id = runs.drive WHERE runs.id = ?1";
        let head = self.row(sql, params![run.0], |row| {
            let text = |n| row.get::<_, String>(n);
            let rest = text(10)?;
            let target = TargetInfo {
                name: text(0)?,
                title: text(1)?,
                kind: stend_record::review::TargetKind::File,
                capacity_bytes: row.get::<_, i64>(3)?.cast_unsigned(),
                ..TargetInfo::default()
            };
            let review = Review {
                schema: SCHEMA.to_owned(),
                target,
                edition: text(4)?,
                edition_title: text(5)?.into(),
                seed: text(6)?.parse().unwrap_or_default(),
                duration_scale: row.get(7)?,
                complete: text(8)? == "complete",
                reproduce: text(9)?,
                label: row.get(11)?,
                note: row.get(12)?,
                ..Review::default()
            };
            let model = ModelInfo {
                fingerprint: text(13)?,
                title: text(1)?,
                ..ModelInfo::default()
            };
            Ok((review, text(2)?, rest, model))
        })?;
        let (mut review, kind, rest, model) = head.ok_or_else(|| self.no_run(run))?;
        review.target.kind = self.read(Value::from(kind))?;
        review = self.with_rest(&review, &rest)?;
        // The run is from a version in which the review had no such field.
        if review.target.model.is_none() && !model.fingerprint.is_empty() {
            review.target.model = Some(model);
        }
        self.add_smart(run, &mut review)?;
        review.target.facts = self.conditions(run, "target")?;
        review.target.convert();
        review.conditions = self.conditions(run, "method")?;
        review.environment = self.conditions(run, "environment")?;
        review.tests = self.tests(run)?;
        review.failed = self.failed_tests(run)?;
        Ok(review)
    }

    /// Adds the documents, which have their own table, to the review.
    fn add_smart(&self, run: RunId, review: &mut Review) -> Result<(), LabError> {
        let Some(smart) = &mut review.smart else {
            return Ok(());
        };
        for (moment, reading) in [("before", &mut smart.before), ("after", &mut smart.after)] {
            let Some(reading) = reading else {
                continue;
            };
            let sql = "SELECT document FROM smart WHERE run = ?1 AND moment = ?2";
            let text: Option<String> = self.row(sql, params![run.0, moment], |row| row.get(0))?;
            let missing = || self.damaged(format!("no document of smart {moment}"));
            let text = text.ok_or_else(missing)?;
            reading.document = serde_json::from_str(&text).map_err(|error| self.damaged(error))?;
        }
        Ok(())
    }

    /// Adds the values without a column to an object.
    fn with_rest<T>(&self, of: &T, rest: &str) -> Result<T, LabError>
    where
        T: serde::Serialize + DeserializeOwned,
    {
        let mut object = serde_json::to_value(of).map_err(|error| self.damaged(error))?;
        let rest = serde_json::from_str(rest).map_err(|error| self.damaged(error))?;
        merge(&mut object, rest);
        self.read(object)
    }

    fn conditions(&self, run: RunId, kind: &str) -> Result<Vec<Condition>, LabError> {
        let sql = "SELECT name, of_name, text, value FROM conditions WHERE run = ?1 AND kind = ?2
             ORDER BY position";
        let rows = self.rows(sql, params![run.0, kind], |row| {
            let (id, of): (String, Option<String>) = (row.get(0)?, row.get(1)?);
            let (text, words): (Option<String>, String) = (row.get(2)?, row.get(3)?);
            Ok((id, of, text, words))
        })?;
        let condition = |(id, of, text, words): (String, _, Option<String>, String)| {
            let value = match text {
                None => Text::from(words),
                Some(text) => serde_json::from_str(&text).map_err(|error| self.damaged(error))?,
            };
            let id = id.into();
            Ok(Condition { id, of, value })
        };
        rows.into_iter().map(condition).collect()
    }

    fn tests(&self, run: RunId) -> Result<Vec<TestResult>, LabError> {
        let sql = "
            SELECT id, test, title, method, rest FROM tests
            WHERE run = ?1 AND state = 'finished' ORDER BY position";
        let rows = self.rows(sql, params![run.0], |row| {
            let test = TestResult {
                id: row.get(1)?,
                title: row.get::<_, String>(2)?.into(),
                method: row.get::<_, String>(3)?.into(),
                ..TestResult::default()
            };
            Ok((row.get(0)?, test, row.get::<_, String>(4)?))
        })?;
        rows.into_iter()
            .map(|(id, test, rest)| self.test(id, &test, &rest))
            .collect()
    }

    fn test(&self, id: i64, bare: &TestResult, rest: &str) -> Result<TestResult, LabError> {
        let mut test: TestResult = self.with_rest(bare, rest)?;
        for point in self.objects(&POINTS, id)? {
            test.add(Results::Points(vec![self.read(point)?]));
        }
        let sql = "SELECT id FROM series WHERE test = ?1 ORDER BY position";
        let ids = self.rows(sql, params![id], |row| row.get(0))?;
        let objects = self.objects(&SERIES, id)?;
        for (id, mut curve) in ids.into_iter().zip(objects) {
            for table in OF_SERIES.iter() {
                curve[table.name] = Value::Array(self.objects(table, id)?);
            }
            let series = vec![self.read::<Series>(curve)?];
            match &mut test.results {
                Some(Results::Ladder(ladder)) => ladder.series.extend(series),
                _ => test.add(Results::Curve(series)),
            }
        }
        Ok(test)
    }

    fn failed_tests(&self, run: RunId) -> Result<Vec<FailedTest>, LabError> {
        let sql = "
            SELECT test, coalesce(error, '') FROM tests
            WHERE run = ?1 AND state = 'failed' ORDER BY position";
        self.rows(sql, params![run.0], |row| {
            Ok(FailedTest {
                id: row.get(0)?,
                error: row.get(1)?,
            })
        })
    }

    /// Returns the objects of a table that belong to a row of another.
    fn objects(&self, table: &Table, owner: i64) -> Result<Vec<Value>, LabError> {
        let sql = format!(
            "SELECT {} FROM {} WHERE {} = ?1 ORDER BY position",
            table.names(),
            table.name,
            table.owner
        );
        let object = |row: &Row<'_>| {
            let cells: Result<Vec<_>, _> = (0..table.width()).map(|n| row.get_ref(n)).collect();
            Ok(table.object(&cells?))
        };
        let objects = self.rows(&sql, params![owner], object)?.into_iter();
        objects
            .map(|object| object.map_err(|what| self.damaged(what)))
            .collect()
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, value: Value) -> Result<T, LabError> {
        serde_json::from_value(value).map_err(|error| self.damaged(error))
    }

    fn damaged(&self, what: impl ToString) -> LabError {
        LabError::Damaged {
            path: self.path.clone(),
            what: what.to_string(),
        }
    }
}

/// Merges the fields of one object into another, recursively.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}
