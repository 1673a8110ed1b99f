//! A file of given content, read into tables.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::TempDir;
use vegas_measured::{MeasuredError, Options, PathOf, Report, read};
use vegas_results::arrow_array::cast::AsArray;
use vegas_results::arrow_array::types::{Float64Type, Int32Type, UInt32Type, UInt64Type};
use vegas_results::arrow_array::{Array, ArrayRef};

/// A measurement that was read, with the folder of its tables.
pub(crate) struct Measured {
    pub(crate) report: Report,
    folder: TempDir,
}

/// Reads a file of this content.
pub(crate) fn measured(name: &str, content: &[u8]) -> Result<Measured, MeasuredError> {
    let parent = tempfile::tempdir().expect("a folder");
    let file = parent.path().join(name);
    fs::write(&file, content).expect("the file is written");
    of_file(&file, PathOf::Largest)
}

/// Reads a file, and works out the path of a flow.
pub(crate) fn of_file(file: &Path, path: PathOf) -> Result<Measured, MeasuredError> {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { path, ..Options::default() };
    let report = read(file, Some(folder.path()), options, &mut |_| false)?;
    Ok(Measured { report, folder })
}

/// The line of an error, without the folder of the file.
pub(crate) fn refusal(name: &str, content: &[u8]) -> String {
    match measured(name, content) {
        Ok(measured) => panic!("{name} was read: {:?}", measured.report),
        Err(error) => {
            let line = error.to_string();
            let at = line.find(name).unwrap_or_else(|| panic!("{line:?} does not name {name}"));
            line[at..].to_owned()
        }
    }
}

/// A report or a capture of a real host, made for these tests.
pub(crate) fn input(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs").join(name)
}

impl Measured {
    /// The values of a column of numbers.
    pub(crate) fn numbers(&self, table: &str, column: &str) -> Vec<Option<f64>> {
        self.columns(table, column).iter().flat_map(numbers_of).collect()
    }

    /// The values of a column of texts.
    pub(crate) fn texts(&self, table: &str, column: &str) -> Vec<Option<String>> {
        self.columns(table, column).iter().flat_map(texts_of).collect()
    }

    /// The scenario file of the path.
    pub(crate) fn scenario(&self) -> String {
        fs::read_to_string(self.folder.path().join("path.toml")).expect("there is a path")
    }

    fn columns(&self, table: &str, column: &str) -> Vec<ArrayRef> {
        let file = File::open(self.folder.path().join(format!("{table}.parquet"))).expect(table);
        let batches = ParquetRecordBatchReaderBuilder::try_new(file).expect(table).build().expect(table);
        batches
            .map(|batch| batch.expect(table).column_by_name(column).unwrap_or_else(|| panic!("{column}")).clone())
            .collect()
    }
}

fn numbers_of(column: &ArrayRef) -> Vec<Option<f64>> {
    if let Some(values) = column.as_primitive_opt::<Float64Type>() {
        return values.iter().collect();
    }
    if let Some(values) = column.as_primitive_opt::<UInt64Type>() {
        return values.iter().map(|value| value.map(|value| value as f64)).collect();
    }
    let values = column.as_primitive_opt::<UInt32Type>().expect("a column of numbers");
    values.iter().map(|value| value.map(f64::from)).collect()
}

fn texts_of(column: &ArrayRef) -> Vec<Option<String>> {
    if let Some(values) = column.as_string_opt::<i32>() {
        return values.iter().map(|value| value.map(str::to_owned)).collect();
    }
    let named = column.as_dictionary_opt::<Int32Type>().expect("a column of names");
    let names = named.values().as_string::<i32>();
    let name = |row: usize| named.is_valid(row).then(|| names.value(named.keys().value(row) as usize).to_owned());
    (0..named.len()).map(name).collect()
}
