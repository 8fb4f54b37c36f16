//! Tables as files of Apache Parquet.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use rusqlite::types::Value as Cell;

use crate::error::Failed;
use crate::{Lab, LabError, RunId};

/// Rows that go into a file at a time.
const ROWS_TOGETHER: usize = 1 << 16;

/// A column of an exported table.
struct Column {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Real,
    Text,
}

/// Writes a table, or its rows that belong to some runs.
pub(crate) fn write(
    lab: &Lab,
    table: &str,
    runs: Option<&[RunId]>,
    file: File,
) -> Result<(), Failed> {
    let columns = &typed_columns(lab, table)?;
    let schema = schema(table, columns)?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(BufWriter::new(file), schema, properties)?;
    let mut group: Vec<Vec<Cell>> = Vec::new();
    lab.each_row(table, runs, &mut |cells| {
        let row = cells.iter().map(|&cell| cell.try_into());
        group.push(row.map(|cell| cell.unwrap_or(Cell::Null)).collect());
        if group.len() == ROWS_TOGETHER {
            write_group(writer.next_row_group()?, columns, &group)?;
            group.clear();
        }
        Ok(())
    })?;
    if !group.is_empty() {
        write_group(writer.next_row_group()?, columns, &group)?;
    }
    writer.close()?;
    Ok(())
}

fn typed_columns(lab: &Lab, table: &str) -> Result<Vec<Column>, LabError> {
    let sql = "SELECT name, type FROM pragma_table_info(?1)";
    lab.rows(sql, [table], |row| {
        let kind: String = row.get(1)?;
        Ok(Column {
            name: row.get(0)?,
            kind: match kind.as_str() {
                "INTEGER" => Kind::Integer,
                "REAL" => Kind::Real,
                _ => Kind::Text,
            },
        })
    })
}

fn schema(table: &str, columns: &[Column]) -> Result<Arc<Type>, parquet::errors::ParquetError> {
    let fields: Result<Vec<_>, _> = columns
        .iter()
        .map(|column| {
            let (physical, logical) = match column.kind {
                Kind::Integer => (Physical::INT64, None),
                Kind::Real => (Physical::DOUBLE, None),
                Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            };
            Type::primitive_type_builder(&column.name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()
                .map(Arc::new)
        })
        .collect();
    Type::group_type_builder(table)
        .with_fields(fields?)
        .build()
        .map(Arc::new)
}

fn write_group<W: Write + Send>(
    mut group: SerializedRowGroupWriter<'_, W>,
    columns: &[Column],
    rows: &[Vec<Cell>],
) -> Result<(), parquet::errors::ParquetError> {
    for (nth, column) in columns.iter().enumerate() {
        let cells = || rows.iter().map(|row| &row[nth]);
        // Whether each row has the cell.
        let levels: Vec<i16> = cells().map(|c| i16::from(*c != Cell::Null)).collect();
        let Some(mut writer) = group.next_column()? else {
            break;
        };
        match column.kind {
            Kind::Integer => {
                let integer = |cell: &Cell| match cell {
                    Cell::Integer(n) => Some(*n),
                    _ => None,
                };
                let values: Vec<i64> = cells().filter_map(integer).collect();
                let typed = writer.typed::<Int64Type>();
                typed.write_batch(&values, Some(&levels), None)?;
            }
            Kind::Real => {
                let real = |cell: &Cell| match cell {
                    Cell::Real(x) => Some(*x),
                    _ => None,
                };
                let values: Vec<f64> = cells().filter_map(real).collect();
                let typed = writer.typed::<DoubleType>();
                typed.write_batch(&values, Some(&levels), None)?;
            }
            Kind::Text => {
                let bytes = |cell: &Cell| match cell {
                    Cell::Text(text) => Some(ByteArray::from(text.as_str())),
                    _ => None,
                };
                let values: Vec<ByteArray> = cells().filter_map(bytes).collect();
                let typed = writer.typed::<ByteArrayType>();
                typed.write_batch(&values, Some(&levels), None)?;
            }
        }
        writer.close()?;
    }
    group.close().map(drop)
}
