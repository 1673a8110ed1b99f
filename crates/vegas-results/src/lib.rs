//! The results of a run: tables, the summary, and a folder of files.
//!
//! [`columns`] defines every column once; the tables, the summary, the files and the documentation's test follow it.
//! Everything except `wall_s` is a function of the scenario and the outcome, so repeated runs give equal bytes.
//!
//! Without the feature `parquet` there are tables as rows and as CSV, the summary and a run's identity, for hosts
//! without files; with it also Arrow tables, Parquet files, captures, results folders, and many runs as rows of one
//! table.

#![deny(unsafe_code)]

#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "parquet")]
mod batch;
#[cfg(feature = "parquet")]
mod capture;
pub mod columns;
mod error;
#[cfg(feature = "parquet")]
mod folder;
mod run_id;
#[cfg(feature = "parquet")]
mod series;
mod summary;
mod table;
mod values;

#[cfg(feature = "parquet")]
pub use {
    arrow::{Tables, tables},
    arrow_array,
    batch::{Finished, Rows, figure_columns, run_row},
    capture::packet::{RECEIVER_PORT, addresses, sender_port},
    folder::ours::sha256,
    folder::packed::{pack, unpack},
    folder::place::Place,
    folder::write::{WriteOptions, check_folder, write_folder, write_folder_about, write_folder_watched},
    series::{Series, TableFormat},
};

pub use error::{ResultsError, remedy};
pub use run_id::{Contents, ENGINE_COMMIT, run_digest, run_id};
pub use summary::{Summary, summary};
pub use table::Table;
