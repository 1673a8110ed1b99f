//! Tests of the crate through its interface: tables, summary, folder, captures and their documentation, on a made-up
//! run; many runs of one template; runs as bytes; the identity of runs; which crates need Arrow.

mod aqt_option;
mod batch;
mod captures;
mod dependencies;
mod documentation;
mod folder;
mod packed;
mod place;
mod run_id;
mod sample;
mod tables;
