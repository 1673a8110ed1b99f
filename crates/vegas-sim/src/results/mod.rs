//! What a run leaves behind: Arrow tables, the summary, and a folder of files.
//!
//! [`columns`] defines every column once; the tables, the summary, the files and the documentation's test follow it.
//! Everything but `wall_s` is a function of the scenario and the outcome, so repeated runs give the same bytes.

mod cells;
pub mod columns;
mod error;
mod folder;
mod manifest;
mod packet;
mod pcapng;
mod row;
mod series;
mod summary;
mod table_files;
mod tables;

pub use error::ResultsError;
pub use folder::{WriteOptions, check_folder, write_folder, write_folder_about};
pub use manifest::{run_digest, run_id, traces};
pub use packet::{RECEIVER_PORT, addresses, sender_port};
pub use row::{Rows, figure_columns};
pub use series::{Series, TableFormat};
pub use summary::{Summary, summary};
pub use tables::{Tables, tables};

/// The engine's version, part of every run's identity.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The source revision, when the build was told it by `VEGASLAB_COMMIT`; never required.
pub const ENGINE_COMMIT: Option<&str> = option_env!("VEGASLAB_COMMIT");
