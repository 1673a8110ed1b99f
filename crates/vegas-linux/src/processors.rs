//! Which threads run on which processor: the router keeps one for itself, so that no other thread delays it there.

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
    /// Connections end in programs, which need a processor, and not in the kernel alone.
    has_programs: bool,
}

const THIS_THREAD: Pid = Pid::from_raw(0);

impl Processors {
    /// Those of this thread.
    pub fn ours() -> Result<Self, Error> {
        let ours = sched_getaffinity(THIS_THREAD).map_err(|error| Error::new("the processors", error))?;
        let numbers = (0..CpuSet::count()).filter(|number| ours.is_set(*number).unwrap_or(false)).collect();
        Ok(Processors { ours, numbers, has_programs: false })
    }

    /// The processors for a run with connections that end in programs, or not: a thread of the router's that is awake
    /// leaves them nothing of its processor.
    pub(crate) fn beside_programs(self, has_programs: bool) -> Self {
        Processors { has_programs, ..self }
    }

    /// Whether the router sleeps while there is nothing to do: awake, it would take all processors in turn.
    pub(crate) fn router_sleeps(&self) -> bool {
        self.has_programs && self.numbers.len() < 3
    }

    /// The last is the router's: the first has most of the interrupts.
    pub(crate) fn of_router(&self) -> usize {
        self.numbers.last().copied().unwrap_or_default()
    }

    /// Where the router is served while its own processor rests; none, if there is but one.
    pub(crate) fn relief(&self) -> Option<usize> {
        self.numbers.iter().rev().nth(1).copied()
    }

    /// Takes the router's processor, and its relief's, for one run; none if another run has them or there is no relief. They
    /// are free again when what is given is dropped, or its process is gone.
    pub(crate) fn take(&self) -> Result<Option<Taken>, Error> {
        let failed = |error| Error::new("a processor for the router", error);
        let Some(relief) = self.relief() else { return Ok(None) };
        // an abstract name: it is no file that could be left behind
        let name = SocketAddr::from_abstract_name("vegaslab-linux-router").map_err(failed)?;
        match UnixListener::bind_addr(&name) {
            Ok(held) => Ok(Some(Taken { numbers: [self.of_router(), relief], _held: held })),
            Err(error) if error.kind() == ErrorKind::AddrInUse => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Keeps this thread, and all that it starts, off the router's processor until what is given back is dropped; programs
    /// off its relief's, too. A router that sleeps shares its processor: it goes before all else when it wakes, and two
    /// programs on one processor would wait for each other.
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

/// Processors of one run.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The router's, and its relief's.
    pub(crate) numbers: [usize; 2],
    _held: UnixListener,
}

/// Lets this thread run on all processors again, when dropped.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    before: CpuSet,
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // where it was before, it may be again
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
