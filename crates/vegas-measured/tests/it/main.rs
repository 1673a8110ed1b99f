//! Tests of the crate through its interface, as one program.

mod captures;
mod hostile;
mod identify;
mod logs;
mod measure;
mod real;
