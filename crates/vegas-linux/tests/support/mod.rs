//! What the tests on a real kernel share.

use std::env;

/// Whether this machine can load BPF congestion controls. If not, says so in one line; in CI that is a failure.
pub(crate) fn kernel_is_ready() -> bool {
    let Err(missing) = vegas_linux::host::check() else { return true };
    assert_ne!(env::var("CI").as_deref(), Ok("true"), "{missing}");
    eprintln!("SKIPPED: {missing}");
    false
}
