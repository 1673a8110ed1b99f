//! Tables as Parquet files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use vegas_sim::scenario::Scenario;
use vegas_sim::{ENGINE_VERSION, Watch};

use crate::error::ResultsError;
use crate::run_id::ENGINE_COMMIT;
use crate::run_id::run_id;

/// Returns the run that a file's table is of, as the file's metadata: a file by itself names its origin.
pub(crate) fn origin(scenario: &Scenario) -> Vec<KeyValue> {
    let entries = [
        ("scenario", scenario.name.clone()),
        ("seed", scenario.seed.to_string()),
        ("version", ENGINE_VERSION.to_owned()),
        ("commit", ENGINE_COMMIT.unwrap_or("unknown").to_owned()),
        ("run_id", run_id(scenario)),
    ];
    entries.map(|(key, value)| KeyValue::new(format!("vegaslab.{key}"), value)).into()
}

/// Writes a table as Parquet, Snappy-compressed, with the Arrow schema (units and meanings) and its [`origin`] in the
/// file.
pub(crate) fn write_parquet(
    path: &Path,
    table: &RecordBatch,
    origin: Vec<KeyValue>,
    watch: &mut Watch<'_>,
) -> Result<(), ResultsError> {
    let refused = |error| ResultsError::io(path, "write")(system_error(error));
    let file = File::create(path).map_err(ResultsError::io(path, "create"))?;
    encode(file, table, origin, refused, watch)
}

/// Returns the operating system's error, if that is the cause.
fn system_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// Returns a table as the bytes of a Parquet file like those of [`write_parquet`]; `name` is for messages.
pub(crate) fn parquet_bytes(
    name: &'static str,
    table: &RecordBatch,
    origin: Vec<KeyValue>,
    watch: &mut Watch<'_>,
) -> Result<Vec<u8>, ResultsError> {
    let mut bytes = Vec::new();
    encode(&mut bytes, table, origin, |source| ResultsError::Encode { table: name, source }, watch)?;
    Ok(bytes)
}

/// The rows written between two checks of the watch. The encoder works in steps of 1024 rows, so checks do not change
/// the bytes.
const ROWS: usize = 1 << 16;

fn encode(
    into: impl Write + Send,
    table: &RecordBatch,
    origin: Vec<KeyValue>,
    refused: impl Fn(ParquetError) -> ResultsError,
    watch: &mut Watch<'_>,
) -> Result<(), ResultsError> {
    let properties =
        WriterProperties::builder().set_compression(Compression::SNAPPY).set_key_value_metadata(Some(origin)).build();
    let mut writer = ArrowWriter::try_new(into, table.schema(), Some(properties)).map_err(&refused)?;
    for from in (0..table.num_rows()).step_by(ROWS) {
        watch.look()?;
        writer.write(&table.slice(from, ROWS.min(table.num_rows() - from))).map_err(&refused)?;
    }
    writer.close().map_err(&refused)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, DictionaryArray, Float64Array, UInt64Array, types::Int32Type};

    /// A table is written in parts, between which the watch is checked; the file equals that of the table in one part.
    #[test]
    fn parts_are_the_whole() {
        let rows = 3 * ROWS + 1_000;
        let names: DictionaryArray<Int32Type> = (0..rows).map(|row| Some(["a", "b", "c"][row % 3])).collect();
        let columns: [(&str, ArrayRef); 4] = [
            ("few", Arc::new(Float64Array::from_iter((0..rows).map(|row| (row % 7 > 0).then_some((row % 50) as f64))))),
            ("many", Arc::new(Float64Array::from_iter_values((0..rows).map(|row| (row as f64).sqrt())))),
            ("counts", Arc::new(UInt64Array::from_iter_values((0..rows).map(|row| row as u64 / 3)))),
            ("names", Arc::new(names)),
        ];
        let table = RecordBatch::try_from_iter(columns).unwrap();
        let parts = Watch::without_limits(|watch| parquet_bytes("table", &table, Vec::new(), watch)).unwrap();

        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(Vec::new()))
            .build();
        let mut whole = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut whole, table.schema(), Some(properties)).unwrap();
        writer.write(&table).unwrap();
        writer.close().unwrap();
        assert!(parts == whole, "{} bytes in parts, {} as a whole", parts.len(), whole.len());
    }

    #[test]
    fn a_long_table_can_be_stopped() {
        let column: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..3 * ROWS as u64));
        let table = RecordBatch::try_from_iter([("count", column)]).unwrap();
        let mut asked = 0;
        let mut stop = |_| {
            asked += 1;
            (asked == 3).then(|| "enough".to_owned())
        };
        let mut watch = Watch::new(vegas_sim::Limits::default(), &mut stop);
        assert_eq!(parquet_bytes("table", &table, Vec::new(), &mut watch).unwrap_err().to_string(), "enough");
    }
}
