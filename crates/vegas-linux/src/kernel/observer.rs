//! What the kernel's own congestion controls do, as records of the same kind as those of the core.

use libbpf_rs::{Link, Object, ObjectBuilder};

use crate::Error;
use crate::kernel::maps::map;
use crate::kernel::object;
use crate::kernel::trace::{Trace, Until};

/// The object that build.rs made of `kernel/observer.bpf.c`.
static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/observer.bpf.o"));
/// The map of which flows are observed.
const OBSERVED: &str = ".rodata.observed";

/// What keeps the base RTT and the end of slow start of a connection; `enum observed` in `kernel/observer.bpf.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// TCP does: the least RTT and the threshold.
    Tcp = 1,
    /// The kernel's Vegas keeps a base RTT of its own.
    Vegas = 2,
    /// The kernel's BBR, which has no threshold.
    Bbr = 3,
}

impl By {
    /// Returns what keeps these of the kernel's congestion control of this name.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "vegas" => By::Vegas,
            "bbr" => By::Bbr,
            _ => By::Tcp,
        }
    }
}

/// Programs at the kernel's functions that read acknowledgements. They go with this value.
pub(crate) struct Observer {
    object: Object,
    _links: Vec<Link>,
}

impl Observer {
    /// Observes the flows for which there is a value.
    pub(crate) fn attach(flows: &[Option<By>]) -> Result<Self, Error> {
        let failed = |error| Error::new("observing the kernel's own congestion controls", error);
        let mut open = ObjectBuilder::default().open_memory(OBJECT).map_err(failed)?;
        for mut map in open.maps_mut().filter(|map| map.name().to_string_lossy().ends_with(OBSERVED)) {
            let observed = map.initial_value_mut().unwrap_or_default();
            let numbers = flows.iter().map(|by| by.map_or(0, |by| by as u8));
            observed.iter_mut().zip(numbers).for_each(|(to, from)| *to = from);
        }
        let object = open.load().map_err(failed)?;
        let _links = object.progs_mut().map(|program| program.attach()).collect::<Result<_, _>>().map_err(failed)?;
        Ok(Observer { object, _links })
    }

    /// Begins to trace.
    pub(crate) fn trace(&self) -> Result<Trace<'static>, Error> {
        Trace::start(&map(&self.object, "trace")?, map(&self.object, ".data.traced")?, Until::ObjectGoes)
    }

    /// Checks that no record was lost.
    pub(crate) fn check_complete(&self) -> Result<(), Error> {
        object::check_complete(&self.object)
    }
}
