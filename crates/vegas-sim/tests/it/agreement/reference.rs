//! Reads the tables of the repository's folder `reference`, which its README describes.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// A file in the folder `reference`.
pub(crate) fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../reference").join(file)
}

/// A table: columns by name, with the rows in the order of run, flow and time.
pub(crate) struct Table {
    name: String,
    columns: BTreeMap<String, Column>,
}

enum Column {
    /// Numbers; NaN for a missing one.
    Numbers(Vec<f64>),
    Words(Vec<String>),
}

impl Table {
    /// Reads a table such as `linux/changes`.
    ///
    /// # Panics
    /// The file is missing: the agreement cannot be tested without it.
    pub(crate) fn read(name: &str) -> Table {
        let path = path(&format!("{name}.parquet"));
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
        let mut columns = BTreeMap::new();
        for batch in builder.build().expect("a Parquet file") {
            let batch = batch.expect("a row group");
            for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
                Column::extend(&mut columns, field.name(), column);
            }
        }
        Table { name: name.into(), columns }
    }

    /// Returns the rows of a run, and only those of one of its flows if the table has flows.
    pub(crate) fn of(&self, run: &str, flow: Option<usize>) -> Table {
        let runs = self.words("run").iter().map(|name| name == run);
        let keep: Vec<bool> = match flow {
            None => runs.collect(),
            Some(flow) => runs.zip(self.numbers("flow")).map(|(of_run, of)| of_run && *of == flow as f64).collect(),
        };
        let columns = self.columns.iter().map(|(name, column)| (name.clone(), column.kept(&keep)));
        Table { name: format!("{}, {run}", self.name), columns: columns.collect() }
    }

    /// A column of numbers; NaN for a missing one.
    pub(crate) fn numbers(&self, column: &str) -> &[f64] {
        match self.columns.get(column) {
            Some(Column::Numbers(numbers)) => numbers,
            _ => panic!("{} has no numbers {column}", self.name),
        }
    }

    /// A column of words.
    pub(crate) fn words(&self, column: &str) -> &[String] {
        match self.columns.get(column) {
            Some(Column::Words(words)) => words,
            _ => panic!("{} has no words {column}", self.name),
        }
    }
}

impl Column {
    fn extend(columns: &mut BTreeMap<String, Column>, name: &str, part: &ArrayRef) {
        if let Some(part) = part.as_primitive_opt::<Int64Type>() {
            let numbers = part.iter().map(|number| number.map_or(f64::NAN, |number| number as f64));
            match columns.entry(name.into()).or_insert_with(|| Column::Numbers(Vec::new())) {
                Column::Numbers(column) => column.extend(numbers),
                Column::Words(_) => unreachable!("a column has one type"),
            }
        } else {
            let words = part.as_string::<i32>().iter().map(|word| word.unwrap_or_default().to_owned());
            match columns.entry(name.into()).or_insert_with(|| Column::Words(Vec::new())) {
                Column::Words(column) => column.extend(words),
                Column::Numbers(_) => unreachable!("a column has one type"),
            }
        }
    }

    fn kept(&self, keep: &[bool]) -> Column {
        fn of<T: Clone>(values: &[T], keep: &[bool]) -> Vec<T> {
            values.iter().zip(keep).filter(|(_, keep)| **keep).map(|(value, _)| value.clone()).collect()
        }
        match self {
            Column::Numbers(numbers) => Column::Numbers(of(numbers, keep)),
            Column::Words(words) => Column::Words(of(words, keep)),
        }
    }
}
