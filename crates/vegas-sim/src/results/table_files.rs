//! Tables as files: Parquet, and CSV on request.

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use super::cells::cell;
use super::error::ResultsError;

/// Writes a table as Parquet, Snappy-compressed, with the Arrow schema (units and meanings) in the file.
pub(super) fn write_parquet(path: &Path, table: &RecordBatch) -> Result<(), ResultsError> {
    let refused = |source| ResultsError::Parquet { path: path.to_owned(), source };
    let file = File::create(path).map_err(ResultsError::io(path, "create"))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(file, table.schema(), Some(properties)).map_err(refused)?;
    writer.write(table).map_err(refused)?;
    writer.close().map_err(refused)?;
    Ok(())
}

/// Writes a table as CSV: a line of column names, then a line a row; a missing value is empty.
pub(super) fn write_csv(path: &Path, table: &RecordBatch) -> Result<(), ResultsError> {
    let refused = |error: csv::Error| ResultsError::io(path, "write")(error.into());
    let mut writer = csv::Writer::from_path(path).map_err(refused)?;
    writer.write_record(table.schema().fields().iter().map(|field| field.name())).map_err(refused)?;
    for row in 0..table.num_rows() {
        writer.write_record(table.columns().iter().map(|column| text(cell(column, row)))).map_err(refused)?;
    }
    writer.flush().map_err(ResultsError::io(path, "write"))
}

fn text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        number => number.to_string(),
    }
}
