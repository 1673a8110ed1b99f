//! The assignment of threads to processors: the router keeps one for itself, so that no other thread delays it there.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use crate::Error;

/// The processors that this process may use.
#[derive(Clone, Debug)]
pub struct Processors {
    ours: CpuSet,
    numbers: Vec<usize>,
    /// Connections end in programs, which need processors, and not in the kernel alone.
    has_programs: bool,
}

const THIS_THREAD: Pid = Pid::from_raw(0);

impl Processors {
    /// Returns the processors of this thread.
    pub fn ours() -> Result<Self, Error> {
        let ours = sched_getaffinity(THIS_THREAD).map_err(|error| Error::new("the processors", error))?;
        let numbers = (0..CpuSet::count()).filter(|number| ours.is_set(*number).unwrap_or(false)).collect();
        Ok(Processors { ours, numbers, has_programs: false })
    }

    /// Sets whether connections end in programs: an awake thread of the router leaves them nothing of its processor.
    pub(crate) fn beside_programs(self, has_programs: bool) -> Self {
        Processors { has_programs, ..self }
    }

    /// Returns whether the router sleeps while it has nothing to do: awake, it would take all processors in turn.
    pub(crate) fn router_sleeps(&self) -> bool {
        self.has_programs && self.numbers.len() < 3
    }

    /// Returns the router's processor: the last, because the first handles most of the interrupts.
    pub(crate) fn of_router(&self) -> usize {
        self.numbers.last().copied().unwrap_or_default()
    }

    /// Returns the processor that serves the router while its own rests; `None` if there is only one.
    pub(crate) fn relief(&self) -> Option<usize> {
        self.numbers.iter().rev().nth(1).copied()
    }

    /// Reserves the router's processor and its relief for one run; `None` if another run has them or there is no
    /// relief. The reservation ends when it is dropped or when its process ends.
    pub(crate) fn take(&self) -> Result<Option<Taken>, Error> {
        let failed = |error| Error::new("a processor for the router", error);
        let Some(relief) = self.relief() else { return Ok(None) };
        // an abstract name leaves no file behind
        let name = SocketAddr::from_abstract_name("vegaslab-linux-router").map_err(failed)?;
        match UnixListener::bind_addr(&name) {
            Ok(held) => Ok(Some(Taken { numbers: [self.of_router(), relief], _held: held })),
            Err(error) if error.kind() == ErrorKind::AddrInUse => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Keeps this thread, and all threads that it starts, off the router's processor until the returned value is
    /// dropped; programs stay off the relief, too. A router that sleeps shares its processor, since it runs before all
    /// else when it wakes, and two programs on one processor would wait for each other.
    pub(crate) fn leave_to_router(&self) -> Result<Elsewhere, Error> {
        if let Some(relief) = self.relief().filter(|_| !self.router_sleeps()) {
            let failed = |error| Error::new("leaving a processor to the router", error);
            let mut others = self.ours;
            others.unset(self.of_router()).map_err(failed)?;
            if self.has_programs {
                others.unset(relief).map_err(failed)?;
            }
            sched_setaffinity(THIS_THREAD, &others).map_err(failed)?;
        }
        Ok(Elsewhere { before: self.ours })
    }
}

/// The reserved processors of a run.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The router's processor, and its relief.
    pub(crate) numbers: [usize; 2],
    _held: UnixListener,
}

/// Lets this thread run on its former processors again when dropped.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    before: CpuSet,
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // the thread was allowed on these processors before
        let _ = sched_setaffinity(THIS_THREAD, &self.before);
    }
}

/// Binds this thread to a processor.
pub(crate) fn stay_on(number: usize) -> Result<(), Error> {
    let mut only = CpuSet::new();
    only.set(number)
        .and_then(|()| sched_setaffinity(THIS_THREAD, &only))
        .map_err(|error| Error::new(format!("a thread for processor {number}"), error))
}
