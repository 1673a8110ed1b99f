//! Conversion of the kernel side's records from and to bytes: the one place where bytes become values without a parser.
#![allow(unsafe_code, reason = "reads structs of plain integers that C has written")]

use crate::abi::{Config, Decision, Event};
use crate::kernel::records::{OptionStep, ProofStep, Record};

/// A `repr(C)` struct of integers without padding: any bytes of its size are a valid value, and it has no other bytes.
///
/// # Safety
///
/// The type must be such a struct.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: integers only, without gaps: the sizes below are sums of their fields'
unsafe impl Plain for Config {}
// SAFETY: as above
unsafe impl Plain for Event {}
// SAFETY: as above
unsafe impl Plain for Decision {}
// SAFETY: as above
unsafe impl Plain for Record {}
// SAFETY: as above
unsafe impl Plain for ProofStep {}
// SAFETY: as above
unsafe impl Plain for OptionStep {}
// SAFETY: an integer
unsafe impl Plain for u32 {}
// SAFETY: an integer
unsafe impl Plain for u64 {}

/// Checks the sizes against those in vegas_abi.h.
const _: () = {
    assert!(size_of::<Config>() == 16 * 4);
    assert!(size_of::<Event>() == 8 * 8 + 18 * 4);
    assert!(size_of::<Decision>() == 3 * 8 + 4 * 4);
    assert!(size_of::<Record>() == 8 + 136 + 40 + 8 + 6 * 4 + 2 * 16);
};

/// Reads the value from the first bytes; `None` if there are too few.
pub(crate) fn from_bytes<T: Plain>(bytes: &[u8]) -> Option<T> {
    // SAFETY: the bytes are there, any of them are a value, and their alignment does not matter
    (bytes.len() >= size_of::<T>()).then(|| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// Returns the bytes of a value.
pub(crate) fn bytes_of<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: a value without padding is this many initialised bytes
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) }
}
