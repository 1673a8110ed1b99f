//! Tables: Arrow record batches, their cells as text, and files.

pub(super) mod batches;
pub(super) mod cells;
pub(super) mod files;
