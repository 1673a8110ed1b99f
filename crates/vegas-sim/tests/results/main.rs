//! Tests of the results room through its interface: tables, summary, folder, captures and their documentation, on a
//! made-up run.

mod aqt_option;
mod captures;
mod documentation;
mod folder;
mod place;
mod sample;
mod tables;
