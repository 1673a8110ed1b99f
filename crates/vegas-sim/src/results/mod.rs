//! The results of a run: Arrow tables, the summary, and a folder of files.
//!
//! [`columns`] defines every column once; the tables, the summary, the files and the documentation's test follow it.
//! Everything except `wall_s` is a function of the scenario and the outcome, so repeated runs give equal bytes.

// a browser has no folders
#![cfg_attr(target_family = "wasm", allow(dead_code))]

mod capture;
pub mod columns;
mod error;
#[cfg(not(target_family = "wasm"))]
mod folder;
mod manifest;
mod memory;
mod row;
mod series;
mod summary;
mod tables;

pub use capture::packet::{RECEIVER_PORT, addresses, sender_port};
pub use error::{ResultsError, remedy};
#[cfg(not(target_family = "wasm"))]
pub use folder::place::Place;
#[cfg(not(target_family = "wasm"))]
pub use folder::write::{WriteOptions, check_folder, write_folder, write_folder_about, write_folder_watched};
pub use manifest::{Contents, run_digest, run_id};
pub(crate) use memory::memory_bytes;
pub use row::{Rows, figure_columns};
pub use series::{Series, TableFormat};
pub use summary::{Summary, summary};
pub use tables::batches::{Tables, tables};
pub use tables::files::table_bytes;

/// The engine's version, which is part of every run's identity.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The source revision, if `VEGASLAB_COMMIT` was set at build time.
pub const ENGINE_COMMIT: Option<&str> = option_env!("VEGASLAB_COMMIT");
