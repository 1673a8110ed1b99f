//! A table's cells as JSON values, from which the summary and the CSV files are made.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::Value;

/// Returns one cell; null if it is missing.
///
/// # Panics
/// The column has a type that no table has.
pub(crate) fn cell(column: &ArrayRef, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::Dictionary(..) => {
            let names = column.as_dictionary::<Int32Type>();
            names.key(row).map_or(Value::Null, |key| names.values().as_string::<i32>().value(key).into())
        }
        other => unreachable!("no table has a column of type {other}"),
    }
}
