//! Tables as files of Apache Parquet.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use rusqlite::types::ValueRef;
use stend_record::study::Cell;

use crate::error::Failed;
use crate::table::{Kind, Table};
use crate::{Lab, LabError, RunId};

/// Rows that are written at a time.
const ROWS_TOGETHER: usize = 1 << 16;

/// A column of an exported table.
struct Column {
    name: String,
    kind: Kind,
}

/// Writes a table, or its rows of some runs.
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
        group.push(cells.iter().map(cell_of).collect());
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

/// Returns the names of the columns of a file; `None` if it is not a Parquet file.
pub(crate) fn names(path: &Path) -> Option<Vec<String>> {
    let reader = SerializedFileReader::try_from(path).ok()?;
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields().iter();
    Some(fields.map(|field| field.name().to_owned()).collect())
}

/// Writes a table that is not one of the lab.
pub(crate) fn write_table(table: &Table, file: File) -> Result<(), Failed> {
    let column = |(name, kind): &(String, Kind)| Column {
        name: name.clone(),
        kind: *kind,
    };
    let columns: Vec<Column> = table.columns.iter().map(column).collect();
    let schema = schema(&table.name, &columns)?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(BufWriter::new(file), schema, properties)?;
    for group in table.rows.chunks(ROWS_TOGETHER) {
        write_group(writer.next_row_group()?, &columns, group)?;
    }
    writer.into_inner()?.flush()?;
    Ok(())
}

fn cell_of(cell: &ValueRef<'_>) -> Cell {
    match cell {
        ValueRef::Integer(n) => Cell::Whole(*n),
        ValueRef::Real(x) => Cell::Real(*x),
        ValueRef::Text(_) => cell
            .as_str()
            .map_or(Cell::Empty, |text| Cell::Text(text.to_owned())),
        ValueRef::Null | ValueRef::Blob(_) => Cell::Empty,
    }
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
                Kind::Flag => (Physical::BOOLEAN, None),
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
        // 1 for each row that has the cell.
        let levels: Vec<i16> = cells().map(|c| i16::from(fits(column.kind, c))).collect();
        let Some(mut writer) = group.next_column()? else {
            break;
        };
        match column.kind {
            Kind::Integer => {
                let integer = |cell: &Cell| match cell {
                    Cell::Whole(n) => Some(*n),
                    _ => None,
                };
                let values: Vec<i64> = cells().filter_map(integer).collect();
                let typed = writer.typed::<Int64Type>();
                typed.write_batch(&values, Some(&levels), None)?;
            }
            Kind::Real => {
                let values: Vec<f64> = cells().filter_map(Cell::number).collect();
                let typed = writer.typed::<DoubleType>();
                typed.write_batch(&values, Some(&levels), None)?;
            }
            Kind::Flag => {
                let flag = |cell: &Cell| match cell {
                    Cell::Flag(flag) => Some(*flag),
                    _ => None,
                };
                let values: Vec<bool> = cells().filter_map(flag).collect();
                let typed = writer.typed::<BoolType>();
                typed.write_batch(&values, Some(&levels), None)?;
            }
            Kind::Text => {
                let text = |cell: &&Cell| fits(Kind::Text, cell);
                let bytes = |cell: &Cell| ByteArray::from(cell.to_string().as_str());
                let values: Vec<ByteArray> = cells().filter(text).map(bytes).collect();
                let typed = writer.typed::<ByteArrayType>();
                typed.write_batch(&values, Some(&levels), None)?;
            }
        }
        writer.close()?;
    }
    group.close().map(drop)
}

/// True if a column of this kind can hold a cell; otherwise the cell becomes null.
fn fits(kind: Kind, cell: &Cell) -> bool {
    match (kind, cell) {
        (_, Cell::Empty) => false,
        (Kind::Integer, cell) => matches!(cell, Cell::Whole(_)),
        (Kind::Real, cell) => cell.number().is_some(),
        (Kind::Flag, cell) => matches!(cell, Cell::Flag(_)),
        (Kind::Text, _) => true,
    }
}
