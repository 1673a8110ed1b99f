//! Functions that the tests on a real kernel share.

pub(crate) mod twin;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

use vegas_core::Standalone;
use vegas_core::registry::{self, Preset};

/// Returns whether this machine can load BPF congestion controls. If not, prints the reason in one line; in CI it
/// fails.
pub(crate) fn kernel_is_ready() -> bool {
    let Err(missing) = vegas_linux::machine::host::check() else { return true };
    assert_ne!(env::var("CI").as_deref(), Ok("true"), "{missing}");
    eprintln!("SKIPPED: {missing}");
    false
}

/// Returns the results of a function for each number below `count`, in no particular order.
pub(crate) fn on_all_processors<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count);
    let work = || std::iter::from_fn(|| take().map(&work)).collect::<Vec<_>>();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        working.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Returns the presets that the kernel carries or will carry. The kernel has its own CUBIC.
pub(crate) fn carried(kind: impl Fn(&Preset) -> bool) -> impl Iterator<Item = &'static Preset> {
    let is_carried = move |preset: &&Preset| {
        let kept = preset.standalone.and_then(Standalone::kept_from_kernel);
        kind(preset) && preset.composition.avoidance.kernels_own().is_none() && kept.is_none()
    };
    registry::PRESETS.iter().filter(is_carried)
}
