//! Prefetching of memory that will soon be needed, while there is other work: the only code here that is not safe by
//! the compiler's own rules. A prefetch reads nothing that the program could see, so any address may be given (Intel's
//! and AMD's manuals: PREFETCHh has no effect on what a program does).
#![allow(unsafe_code)]

/// Prefetches a value, or the line of the cache in which it begins.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub(crate) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the instruction is part of every x86-64, and changes nothing but the contents of caches.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// Does nothing on other processors.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn prefetch<T>(_value: &T) {}
