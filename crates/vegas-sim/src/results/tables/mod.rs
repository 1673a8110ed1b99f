//! Tables: record batches of Arrow, their cells as text, and files.

pub(super) mod batches;
pub(super) mod cells;
pub(super) mod files;
