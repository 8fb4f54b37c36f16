//! Reading reviews back.

use rusqlite::{Row, params};
use serde::de::DeserializeOwned;
use serde_json::Value;
use stend_record::review::{
    Condition, FailedTest, Review, Rival, SCHEMA, Series, TargetInfo, TestResult,
};

use crate::columns::{OF_SERIES, POINTS, SERIES, Table};
use crate::{Lab, LabError, RunId};

impl Lab {
    /// The review of a run, as it was written last, with its rivals.
    ///
    /// # Errors
    /// [`LabError::NoRun`] where there is none; [`LabError::Damaged`] where it is not what a
    /// review is.
    pub fn review(&self, run: RunId) -> Result<Review, LabError> {
        let mut review = self.without_rivals(run)?;
        let sql = "SELECT rival FROM rivals WHERE run = ?1 ORDER BY position";
        for rival in self.rows(sql, params![run.0], |row| Ok(RunId(row.get(0)?)))? {
            let rival = self.without_rivals(rival)?;
            review.rivals.push(Rival {
                target: rival.target,
                tests: rival.tests,
                unfinished: rival.unfinished,
            });
        }
        Ok(review)
    }

    fn without_rivals(&self, run: RunId) -> Result<Review, LabError> {
        let sql = "
            SELECT target, model, kind, capacity_bytes, edition, edition_title, seed,
                duration_scale, state, command, rest
            FROM runs JOIN drives ON drives.id = runs.drive WHERE runs.id = ?1";
        let head = self.row(sql, params![run.0], |row| {
            let text = |n| row.get::<_, String>(n);
            let rest = text(10)?;
            let target = TargetInfo {
                name: text(0)?,
                title: text(1)?,
                kind: stend_record::review::TargetKind::File,
                capacity_bytes: row.get::<_, i64>(3)?.cast_unsigned(),
                facts: Vec::new(),
            };
            let review = Review {
                schema: SCHEMA.to_owned(),
                target,
                edition: text(4)?,
                edition_title: text(5)?,
                seed: text(6)?.parse().unwrap_or_default(),
                duration_scale: row.get(7)?,
                repeat: 0,
                until_steady: None,
                complete: text(8)? == "complete",
                conditions: Vec::new(),
                environment: Vec::new(),
                reproduce: text(9)?,
                tests: Vec::new(),
                failed: Vec::new(),
                unfinished: Vec::new(),
                read_only: false,
                rivals: Vec::new(),
                smart: None,
            };
            Ok((review, text(2)?, rest))
        })?;
        let (mut review, kind, rest) = head.ok_or_else(|| self.no_run(run))?;
        review.target.kind = self.read(Value::from(kind))?;
        review = self.with_rest(&review, &rest)?;
        self.add_smart(run, &mut review)?;
        review.target.facts = self.conditions(run, "target")?;
        review.conditions = self.conditions(run, "method")?;
        review.environment = self.conditions(run, "environment")?;
        review.tests = self.tests(run)?;
        review.failed = self.failed_tests(run)?;
        Ok(review)
    }

    /// Puts the documents of their own table into the review.
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

    /// Adds to a shape what has no column of its own.
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
        let sql =
            "SELECT name, value FROM conditions WHERE run = ?1 AND kind = ?2 ORDER BY position";
        self.rows(sql, params![run.0, kind], |row| {
            Ok(Condition {
                name: row.get(0)?,
                value: row.get(1)?,
            })
        })
    }

    fn tests(&self, run: RunId) -> Result<Vec<TestResult>, LabError> {
        let sql = "
            SELECT id, test, title, method, rest FROM tests
            WHERE run = ?1 AND state = 'finished' ORDER BY position";
        let rows = self.rows(sql, params![run.0], |row| {
            let test = TestResult {
                id: row.get(1)?,
                title: row.get(2)?,
                method: row.get(3)?,
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
        if let Some(points) = &mut test.points {
            for point in self.objects(&POINTS, id)? {
                points.push(self.read(point)?);
            }
        }
        if let Some(series) = &mut test.series {
            let sql = "SELECT id FROM series WHERE test = ?1 ORDER BY position";
            let ids = self.rows(sql, params![id], |row| row.get(0))?;
            let objects = self.objects(&SERIES, id)?;
            for (id, mut curve) in ids.into_iter().zip(objects) {
                for table in OF_SERIES.iter() {
                    curve[table.name] = Value::Array(self.objects(table, id)?);
                }
                series.push(self.read::<Series>(curve)?);
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

    /// The objects of a table that belong to a row of another.
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

    fn read<T: DeserializeOwned>(&self, value: Value) -> Result<T, LabError> {
        serde_json::from_value(value).map_err(|error| self.damaged(error))
    }

    fn damaged(&self, what: impl ToString) -> LabError {
        LabError::Damaged {
            path: self.path.clone(),
            what: what.to_string(),
        }
    }
}

/// Puts the fields of one object into another, and those of objects in it likewise.
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
