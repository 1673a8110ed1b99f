//! Tables as files: Parquet, and CSV on request.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use super::cells::cell;
use super::error::ResultsError;

/// Writes a table as Parquet, Snappy-compressed, with the Arrow schema (units and meanings) in the file.
pub(super) fn write_parquet(path: &Path, table: &RecordBatch) -> Result<(), ResultsError> {
    let refused = |source| ResultsError::Parquet { path: path.to_owned(), source };
    let file = File::create(path).map_err(ResultsError::io(path, "create"))?;
    encode(file, table).map_err(refused)
}

/// A table as the bytes of a Parquet file like those of [`write_parquet`]; `name` is for messages.
pub(super) fn parquet_bytes(name: &'static str, table: &RecordBatch) -> Result<Vec<u8>, ResultsError> {
    let mut bytes = Vec::new();
    encode(&mut bytes, table).map_err(|source| ResultsError::Encode { table: name, source })?;
    Ok(bytes)
}

fn encode(into: impl Write + Send, table: &RecordBatch) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(into, table.schema(), Some(properties))?;
    writer.write(table)?;
    writer.close()?;
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
