//! The scalars and tables of a scenario file. Each has one deserializer, so that all errors read alike.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A scalar of the file before its conversion.
pub(crate) enum Given<'a> {
    Text(&'a str),
    Whole(i128),
    Fraction(f64),
    Switch(bool),
}

/// The number of characters of a text that a message shows.
const SHOWN_MAX: usize = 60;

impl fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Given::Text(text) => match text.char_indices().nth(SHOWN_MAX) {
                Some((end, _)) => write!(f, "\"{}…\"", &text[..end]),
                None => write!(f, "\"{text}\""),
            },
            Given::Whole(number) => number.fmt(f),
            Given::Fraction(number) => number.fmt(f),
            Given::Switch(switch) => switch.fmt(f),
        }
    }
}

/// A type that can be read from one scalar.
pub(crate) trait FromGiven: Sized {
    /// A description of a right value, for the error about a table or a list in its place.
    const EXPECTED: &'static str;

    /// Converts the scalar; the error says what was given and what would be right.
    fn from_given(given: Given<'_>) -> Result<Self, String>;

    /// Returns the type's JSON Schema.
    fn schema() -> Schema;
}

/// A scalar of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<T>(pub(crate) T);

impl<'de, T: FromGiven> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor(PhantomData)).map(Field)
    }
}

impl<T: FromGiven> JsonSchema for Field<T> {
    fn schema_name() -> Cow<'static, str> {
        T::EXPECTED.into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        T::schema()
    }
}

struct FieldVisitor<T>(PhantomData<T>);

impl<'de, T: FromGiven> Visitor<'de> for FieldVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<T, E> {
        T::from_given(Given::Switch(switch)).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::from_given(Given::Whole(number.into())).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        T::from_given(Given::Whole(number.into())).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        T::from_given(Given::Fraction(number)).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_given(Given::Text(text)).map_err(E::custom)
    }
}

/// A type that can be read from one scalar, or from a table with more values.
pub(crate) trait ScalarOrTable: Sized {
    type Scalar: FromGiven;
    type Table: for<'de> Deserialize<'de> + JsonSchema;

    /// A description of a right value, for the error about a list in its place.
    const EXPECTED: &'static str;
    /// The name in the JSON Schema, and below it the description.
    const NAME: &'static str;
    const DESCRIPTION: &'static str;

    fn of_scalar(scalar: Self::Scalar) -> Self;

    fn of_table(table: Self::Table) -> Self;
}

/// A scalar of the file, or a table in its place.
#[derive(Clone, Debug)]
pub(crate) struct Either<T>(pub(crate) T);

impl<'de, T: ScalarOrTable> Deserialize<'de> for Either<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherVisitor(PhantomData)).map(Either)
    }
}

impl<T: ScalarOrTable> JsonSchema for Either<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": T::DESCRIPTION,
            "anyOf": [generator.subschema_for::<Field<T::Scalar>>(), generator.subschema_for::<T::Table>()],
        })
    }
}

struct EitherVisitor<T>(PhantomData<T>);

impl<'de, T: ScalarOrTable> Visitor<'de> for EitherVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<T, E> {
        FieldVisitor(PhantomData).visit_bool(switch).map(T::of_scalar)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        FieldVisitor(PhantomData).visit_i64(number).map(T::of_scalar)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        FieldVisitor(PhantomData).visit_u64(number).map(T::of_scalar)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        FieldVisitor(PhantomData).visit_f64(number).map(T::of_scalar)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        FieldVisitor(PhantomData).visit_str(text).map(T::of_scalar)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::Table::deserialize(MapAccessDeserializer::new(map)).map(T::of_table)
    }
}

/// A table of the file. Without this type, serde would also accept a list of the values in the order of the fields.
#[derive(Clone, Debug)]
pub(crate) struct Table<T>(pub(crate) T);

impl<T> Deref for Table<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TableVisitor(PhantomData)).map(Table)
    }
}

impl<T: JsonSchema> JsonSchema for Table<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TableVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<T, A::Error> {
        Err(A::Error::custom("a list was given; expected one table"))
    }
}
