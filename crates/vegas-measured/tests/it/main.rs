//! Tests of the crate through its interface, as one program.

#[path = "../support/any_file.rs"]
mod any_file;
mod captures;
mod hostile;
mod identify;
mod logs;
mod measure;
mod real;
