//! Which hosts carry a preset, from what its parts need and what the hosts give.

use crate::composition::bases::RENO;
use crate::composition::{Composition, Detection, Host, HostCapabilities, Recovery, Refusal};
use crate::registry::{PRESETS, Preset};
use crate::standalone::Standalone;

impl Host {
    const fn capabilities(self) -> HostCapabilities {
        match self {
            Host::Bsd => HostCapabilities::SIMULATOR,
            Host::Linux | Host::Kernel => HostCapabilities::LINUX,
            Host::Quinn => HostCapabilities::QUIC,
            Host::S2n => HostCapabilities::S2N,
        }
    }

    /// The parts of a preset without what this host does itself.
    fn left_to(self, composition: Composition) -> Composition {
        match self {
            Host::Bsd | Host::Linux => composition,
            Host::Quinn | Host::S2n => composition.left_to_quic(),
            Host::Kernel => composition.left_to_kernel(),
        }
    }

    /// Whether it carries a preset, given by its name alone. QUIC's hosts and the kernel leave out what they do
    /// themselves (C, D and H; QUIC's I and J, too); the simulated hosts are asked for the whole preset.
    pub fn carries(self, preset: &Preset) -> Result<(), Refusal> {
        let (composition, host) = (self.left_to(preset.composition), self.capabilities());
        if self == Host::Kernel {
            check_kernel(preset)?;
        }
        composition.check_host(&host)?;
        preset.standalone.map_or(Ok(()), |standalone| standalone.check_host(&host))
    }
}

fn check_kernel(preset: &Preset) -> Result<(), Refusal> {
    let refuse = |part, reason| Err(Refusal::new(part, reason, Some(Host::Kernel.name())));
    let Composition { slow_start, avoidance, loss, .. } = preset.composition;
    if let Some(reason) = preset.standalone.and_then(|standalone| standalone.kept_from_kernel()) {
        return refuse("algorithm", reason);
    }
    if let Some(part) = preset.composition.kept_from_kernel(preset.standalone) {
        return refuse(part, "is not carried into the kernel");
    }
    if !slow_start.is_in_kernel() {
        return refuse("slow_start", "is not carried into the kernel");
    }
    if avoidance.kernels_own().or(loss.cut.kernels_own()).is_some() {
        return refuse("algorithm", "the kernel has its own");
    }
    Ok(())
}

impl Composition {
    /// The first part, by its key, that the kernel's copy cannot carry: it has drains and rivals in the preset
    /// `vegas-next` alone, unchanged, and no count of marks.
    pub fn kept_from_kernel(&self, standalone: Option<Standalone>) -> Option<&'static str> {
        let preset = PRESETS.iter().find(|preset| preset.standalone == standalone && standalone.is_some());
        let base = preset.map_or(RENO, |preset| preset.composition);
        let avoidance_is_kept = match standalone {
            Some(_) => self.avoidance != base.avoidance,
            None => !self.avoidance.is_in_kernel() && self.avoidance.kernels_own().is_none(),
        };
        if self.base_rtt != base.base_rtt {
            Some("base_rtt")
        } else if self.rivals != base.rivals {
            Some("rivals")
        } else if avoidance_is_kept {
            Some("avoidance")
        } else if self.loss.cut.needs().accurate_ecn {
            Some("cut")
        } else if standalone.is_some() && self.slow_start != base.slow_start {
            Some("slow_start")
        } else {
            None
        }
    }

    /// The parts that are an algorithm's rather than the host's: the kernel finds and repairs losses, and holds no
    /// segments back.
    fn left_to_kernel(mut self) -> Self {
        self.detection = Detection::by_host(Recovery::Sack);
        self.limits.burst = None;
        self
    }
}
