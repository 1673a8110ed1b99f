//! A finished run as bytes, from which its tables, summary and folder are made again as if it had just ended.

use serde::{Deserialize, Serialize};
use vegas_sim::outcome::Outcome;

/// A finished run as bytes hold it.
#[derive(Debug, Serialize, Deserialize)]
struct Packed<O> {
    outcome: O,
    wall_s: f64,
}

/// Returns an outcome, with the time that its run took, as bytes; `None` if it has captured packets. Only the build
/// that packed them reads them: they have no version.
pub fn pack(outcome: &Outcome, wall_s: f64) -> Option<Vec<u8>> {
    if !(outcome.capture.is_empty() && outcome.frames.is_empty()) {
        return None;
    }
    let bytes = postcard::to_stdvec(&Packed { outcome, wall_s }).ok()?;
    snap::raw::Encoder::new().compress_vec(&bytes).ok()
}

/// Returns what was packed; `None` for bytes that are nothing of [`pack`].
pub fn unpack(packed: &[u8]) -> Option<(Outcome, f64)> {
    let bytes = snap::raw::Decoder::new().decompress_vec(packed).ok()?;
    let Packed { outcome, wall_s } = postcard::from_bytes(&bytes).ok()?;
    Some((outcome, wall_s))
}
