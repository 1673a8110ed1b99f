//! Memory that will soon be needed, fetched while there is other work: the only code here that is not safe by the
//! compiler's own rules. To fetch ahead reads nothing that the program could see, so any address may be given (Intel's and
//! AMD's manuals: PREFETCHh has no effect on what a program does).
#![allow(unsafe_code)]

/// Has the processor fetch what is referred to, or the line of the cache in which it begins.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub(crate) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: part of every x86-64, and changes nothing but what the caches hold
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// Other processors have to do without.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn prefetch<T>(_value: &T) {}
