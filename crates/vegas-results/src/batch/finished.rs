//! Finished runs of many, gathered into tables.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use arrow_select::concat::concat_batches;

use crate::error::ResultsError;

/// A finished run.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its place in the plan.
    pub place: u64,
    /// Its totals, or the reason for its failure ([`crate::run_row`]).
    pub row: Result<RecordBatch, String>,
}

impl Finished {
    /// Returns tables of finished runs, one for each set of columns, in the order of first appearance: `place`, `error`
    /// (missing if all went well), and the columns of the rows.
    ///
    /// # Errors
    /// Rows of equal columns do not fit together.
    pub fn tables(finished: Vec<Finished>) -> Result<Vec<RecordBatch>, ResultsError> {
        let mut groups: Vec<Group> = Vec::new();
        for Finished { place, row } in finished {
            let (row, error) = match row {
                Ok(row) => (row, None),
                Err(error) => (RecordBatch::new_empty(Arc::new(Schema::empty())), Some(error)),
            };
            let totals = row.schema_ref().fields();
            let group = match groups.iter().rposition(|group| group.totals == *totals) {
                Some(known) => &mut groups[known],
                None => groups.push_mut(Group { totals: totals.clone(), places: vec![], errors: vec![], rows: vec![] }),
            };
            group.places.push(place);
            group.errors.push(error);
            group.rows.push(row);
        }
        let built = groups.into_iter().map(Group::table);
        built.collect::<Result<_, _>>().map_err(|source| ResultsError::Table { table: "runs", source })
    }

    /// The size of its time series, bytes.
    pub fn series_bytes(&self) -> usize {
        let columns = self.row.iter().flat_map(RecordBatch::columns);
        columns.filter_map(|column| column.as_binary_opt::<i64>()).map(|series| series.value_data().len()).sum()
    }
}

/// A group of finished runs with the same columns.
struct Group {
    totals: Fields,
    places: Vec<u64>,
    errors: Vec<Option<String>>,
    rows: Vec<RecordBatch>,
}

impl Group {
    fn table(self) -> Result<RecordBatch, ArrowError> {
        let place = Arc::new(Field::new("place", DataType::UInt64, false));
        let error = Arc::new(Field::new("error", DataType::Utf8, true));
        let schema = Schema::new([place, error].into_iter().chain(self.totals.iter().cloned()).collect::<Fields>());
        let mut columns: Vec<ArrayRef> =
            vec![Arc::new(UInt64Array::from(self.places)), Arc::new(StringArray::from(self.errors))];
        if !self.totals.is_empty() {
            columns.extend_from_slice(concat_batches(&Arc::new(Schema::new(self.totals)), &self.rows)?.columns());
        }
        RecordBatch::try_new(Arc::new(schema), columns)
    }
}
