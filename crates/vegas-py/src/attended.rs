//! Long work: it runs on a thread of its own, while the calling thread handles signals.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use pyo3::import_exception;
use pyo3::prelude::*;
use vegas_sim::{Limits, Stop, Watch};

import_exception!(vegaslab.util.errors, LimitError);

/// The interval between checks for signals.
const GLANCE: Duration = Duration::from_millis(50);
/// The size of the thread's stack, that of a main thread: documents are read by recursion.
const STACK_BYTES: usize = 8 << 20;

/// The state that the calling thread and the work share.
#[derive(Clone, Default)]
pub(crate) struct Ties(Arc<Tie>);

#[derive(Default)]
struct Tie {
    stopped: AtomicBool,
    /// The simulated time reached, ns; or how much of a file has been read, bytes.
    reached: AtomicU64,
}

impl Ties {
    /// Calls `work` with a watch that ends it when a stop is requested.
    pub(crate) fn watched<T>(&self, limits: Limits, work: impl FnOnce(&mut Watch<'_>) -> T) -> T {
        work(&mut Watch::within_events(limits, self.stop()))
    }

    /// Returns what ends work when a stop is requested, and notes the simulated time reached.
    pub(crate) fn stop(&self) -> Stop {
        let tie = Arc::clone(&self.0);
        Arc::new(move |now| {
            tie.reached.store(now.as_nanos(), Ordering::Relaxed);
            tie.stopped.load(Ordering::Relaxed).then(|| "interrupted".to_owned())
        })
    }

    /// Notes how much of a file has been read, bytes; returns whether a stop is requested.
    pub(crate) fn read(&self, bytes: u64) -> bool {
        self.0.reached.store(bytes, Ordering::Relaxed);
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// How much of a file has been read, bytes.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.0.reached.load(Ordering::Relaxed)
    }

    /// The simulated time reached, s.
    pub(crate) fn reached_s(&self) -> f64 {
        self.0.reached.load(Ordering::Relaxed) as f64 / 1e9
    }
}

/// The fate of work that has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It is abandoned: a library's single call, such as one that reads a document, could only be waited for.
    LeftBehind,
    /// It is waited for, as it cleans up.
    WaitedFor,
}

/// Runs `work`, and calls `glance` and signal handlers some 20 times a second meanwhile. If one of them raises, the
/// work is stopped.
pub(crate) fn attended<T: Send + 'static>(
    py: Python<'_>,
    stopped: Stopped,
    work: impl FnOnce(&Ties) -> T + Send + 'static,
    mut glance: impl FnMut(&Ties) -> PyResult<()>,
) -> PyResult<T> {
    let ties = Ties::default();
    let (give, take) = sync_channel(1);
    let thread = {
        let ties = ties.clone();
        // the calling thread may have continued without it
        Builder::new().stack_size(STACK_BYTES).spawn(move || drop(give.send(work(&ties))))?
    };
    let take = Mutex::new(take);
    loop {
        let taken = py.detach(|| take.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(GLANCE));
        if let Err(raised) = py.check_signals().and_then(|()| glance(&ties)) {
            ties.0.stopped.store(true, Ordering::Relaxed);
            if stopped == Stopped::WaitedFor {
                drop(py.detach(|| thread.join()));
            }
            return Err(raised);
        }
        match taken {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => unreachable!("work that ends gives what it has done"),
            },
        }
    }
}

/// Like [`attended`], without a `glance`.
pub(crate) fn attended_quietly<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Ties) -> T + Send + 'static,
) -> PyResult<T> {
    attended(py, Stopped::LeftBehind, work, |_| Ok(()))
}
