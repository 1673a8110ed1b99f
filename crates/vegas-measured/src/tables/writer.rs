//! Tables written to Parquet files while they are made, so that memory holds a part of them only.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use vegas_results::arrow_array::RecordBatch;

use super::columns::TableSpec;
use crate::error::{MeasuredError, Read};

/// The rows that are held before they are written.
const ROWS_HELD: usize = 1 << 13;
/// The rows of a row group, which the writer holds, encoded.
const GROUP_ROWS: usize = 1 << 17;

/// A table that grows.
pub(crate) struct Table<R: 'static> {
    spec: &'static TableSpec<R>,
    rows: Vec<R>,
    file: Option<(PathBuf, ArrowWriter<File>)>,
    pub(crate) count: u64,
}

impl<R: 'static> Table<R> {
    /// Begins a table: a Parquet file in `folder`, or without one a table of which the rows are only counted.
    pub(crate) fn new(spec: &'static TableSpec<R>, folder: Option<&Path>) -> Read<Self> {
        let mut table = Table { spec, rows: Vec::new(), file: None, count: 0 };
        if let Some(folder) = folder {
            let path = folder.join(format!("{}.parquet", spec.name));
            let file = File::create(&path).map_err(MeasuredError::io(&path))?;
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_max_row_group_row_count(Some(GROUP_ROWS))
                .build();
            let schema = table.batch()?.schema();
            let writer = ArrowWriter::try_new(file, schema, Some(properties)).map_err(|error| refused(&path, error))?;
            table.file = Some((path, writer));
        }
        Ok(table)
    }

    pub(crate) fn push(&mut self, row: R) -> Read<()> {
        self.count += 1;
        if self.file.is_some() {
            self.rows.push(row);
            if self.rows.len() >= ROWS_HELD {
                return self.write();
            }
        }
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn close(mut self) -> Read<()> {
        self.write()?;
        let Some((path, writer)) = self.file else { return Ok(()) };
        writer.close().map(drop).map_err(|error| refused(&path, error))
    }

    fn write(&mut self) -> Read<()> {
        let batch = self.batch()?;
        self.rows.clear();
        let Some((path, writer)) = &mut self.file else { return Ok(()) };
        writer.write(&batch).map_err(|error| refused(path, error))
    }

    fn batch(&self) -> Read<RecordBatch> {
        let columns: Vec<_> = self.spec.columns.iter().map(|column| (column.values)(&self.rows)).collect();
        let fields: Vec<Field> = self
            .spec
            .columns
            .iter()
            .zip(&columns)
            .map(|(column, values)| {
                let metadata = [("unit", column.unit), ("meaning", column.meaning)];
                Field::new(column.name, values.data_type().clone(), column.nullable).with_metadata(metadata)
            })
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
            .map_err(|error| MeasuredError::Io(format!("{}: {error}", self.spec.name)))
    }
}

fn refused(path: &Path, error: ParquetError) -> MeasuredError {
    MeasuredError::Io(format!("{}: cannot be written: {error}", path.display()))
}
