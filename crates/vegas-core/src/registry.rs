//! The registry: every preset's name, parts, numbers and source. A new preset is one entry of [`PRESETS`].

use crate::composition::Host;
use crate::composition::bases::{RENO, RENO_PARAMETERS, SACK, VEGAS, VEGAS_PARAMETERS, with_recovery};
use crate::composition::parts::avoidance::Avoidance;
use crate::composition::parts::cut::Cut;
use crate::composition::parts::limits::Limits;
use crate::composition::parts::loss_response::{LossResponse, SlowStartEnds};
use crate::composition::parts::signal::{Dialect, Signal};
use crate::composition::parts::slow_start::SlowStart;
use crate::composition::{Composition, Detection, Recovery};
use crate::contract::parameters::Parameters;
use crate::standalone::Standalone;

pub use crate::standalone::Preset;
use crate::units::Segments;

/// Every preset, in the order in which they are listed.
pub const PRESETS: &[Preset] = &joined::<{ COMPOSITIONS.len() + Standalone::PRESETS.len() }>();

const fn joined<const N: usize>() -> [Preset; N] {
    let mut presets = [COMPOSITIONS[0]; N];
    let mut at = 0;
    while at < N {
        presets[at] = match at.checked_sub(COMPOSITIONS.len()) {
            None => COMPOSITIONS[at],
            Some(at) => Standalone::PRESETS[at],
        };
        at += 1;
    }
    presets
}

const COMPOSITIONS: &[Preset] = &[
    Preset {
        name: "reno",
        summary: "slow start, additive increase, half on loss; recovery ends with the first new ACK",
        source: "RFC 5681",
        host: Host::Bsd,
        composition: RENO,
        parameters: RENO_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "newreno",
        summary: "Reno whose recovery lasts until everything sent before the loss is acknowledged",
        source: "RFC 6582",
        host: Host::Bsd,
        composition: with_recovery(RENO, Recovery::NewReno),
        parameters: RENO_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "sack",
        summary: "Reno with selective acknowledgements",
        source: "RFC 2018, RFC 6675",
        host: Host::Bsd,
        composition: SACK,
        parameters: RENO_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "vegas",
        summary: "the corrected Vegas: mechanisms A to I on, J off, none of the released version's defects",
        source: "Brakmo and Peterson 1995; TCP Vegas Revisited, sections VI and VII",
        host: Host::Bsd,
        composition: VEGAS,
        parameters: VEGAS_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "vegas-1994",
        summary: "Vegas as first released, with its defects at timeouts, in the base RTT and in the backlog",
        source: "TCP Vegas Revisited, section VII",
        host: Host::Bsd,
        composition: VEGAS_1994,
        parameters: VEGAS_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "gallop",
        summary: "Vegas with a slow start that grows by one more segment each round, spread over the round",
        source: "Ho, Chan and Chen: Gallop-Vegas, an enhanced slow-start mechanism for TCP Vegas",
        host: Host::Bsd,
        composition: Composition { slow_start: SlowStart::Gallop, ..VEGAS },
        parameters: VEGAS_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "streak",
        summary: "Vegas whose slow start doubles at once, paced by the bottleneck's service rate: a queue of two",
        source: "Lee, Kim and Choi: TCP-Vegas slow start performance in large bandwidth delay network",
        host: Host::Bsd,
        composition: Composition { slow_start: SlowStart::Streak, ..VEGAS },
        parameters: VEGAS_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "dynamic",
        summary: "Vegas that starts at half the threshold where the path is empty, and moves in proportion",
        source: "Zhou, Yu, Zhu and Liu: Dynamic Vegas, a competitive congestion control strategy",
        host: Host::Bsd,
        composition: Composition { slow_start: SlowStart::MidSpeed, avoidance: Avoidance::Dynamic, ..VEGAS },
        parameters: VEGAS_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "rovegas",
        summary: "Vegas with the queueing times that the routers stamp: no base RTT to guess, no backward congestion",
        source: "Chan, Chan and Chen: RoVegas, a router-based congestion avoidance mechanism for TCP Vegas",
        host: Host::Bsd,
        composition: Composition { signal: Signal::RouterAssisted { keeps_least_base: false }, ..VEGAS },
        parameters: VEGAS_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "vegas-ns2",
        summary: "Vegas as ns-2 has it: no burst limit, no restart of rounds after a timeout",
        source: "ns-2.35, Agent/TCP/Vegas",
        host: Host::Bsd,
        composition: VEGAS_NS2,
        parameters: VEGAS_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "vegas-linux",
        summary: "Vegas as the Linux kernel has it: least RTT of the round, doubling every round, alpha 2, beta 4",
        source: "Linux, net/ipv4/tcp_vegas.c",
        host: Host::Linux,
        composition: VEGAS_LINUX,
        parameters: VEGAS_LINUX_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "vegas-ns3",
        summary: "Vegas as ns-3 has it: the kernel's, with the backlog of Brakmo and Peterson and hardly a cut",
        source: "ns-3, TcpVegas",
        host: Host::Bsd,
        composition: Composition {
            signal: Signal::EndToEnd { dialect: Dialect::Ns3, reset_base_after_single: false },
            slow_start: SlowStart::VegasNs3,
            avoidance: Avoidance::VegasNs3,
            loss: LossResponse { cut: Cut::VegasNs3, ..VEGAS_LINUX.loss },
            ..VEGAS_LINUX
        },
        parameters: VEGAS_LINUX_PARAMETERS,
        standalone: None,
    },
    Preset {
        name: "cubic",
        summary: "what most servers run: a cubic function of the time since the last loss",
        source: "RFC 9438; RFC 9406 (HyStart++) for slow start",
        host: Host::Bsd,
        composition: CUBIC,
        parameters: CUBIC_PARAMETERS,
        standalone: None,
    },
];

/// Looks a preset up by name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// Returns Linux's name of the congestion control of which a preset is a copy; none for other presets.
pub fn kernels_own(preset: &str) -> Option<&'static str> {
    KERNELS_OWN.iter().find(|(copy, _)| *copy == preset).map(|(_, name)| *name)
}

/// The copies, with the names for `TCP_CONGESTION`.
const KERNELS_OWN: [(&str, &str); 16] = [
    ("reno-linux", "reno"),
    ("cubic-linux", "cubic"),
    ("vegas-linux", "vegas"),
    ("bbr1", "bbr"),
    ("nv", "nv"),
    ("veno", "veno"),
    ("westwood", "westwood"),
    ("yeah", "yeah"),
    ("illinois", "illinois"),
    ("htcp", "htcp"),
    ("bic", "bic"),
    ("highspeed", "highspeed"),
    ("hybla", "hybla"),
    ("scalable", "scalable"),
    ("cdg", "cdg"),
    ("lp", "lp"),
];

const VEGAS_1994: Composition = Composition {
    signal: Signal::EndToEnd { dialect: Dialect::Released, reset_base_after_single: true },
    slow_start: SlowStart::VegasNs2,
    ..VEGAS
};

const VEGAS_NS2: Composition = Composition {
    signal: Signal::EndToEnd { dialect: Dialect::Ns2, reset_base_after_single: true },
    slow_start: SlowStart::VegasNs2,
    loss: LossResponse { slow_start_ends: SlowStartEnds::AtNextAck, ..VEGAS.loss },
    detection: Detection { retransmit_backs_off: true, samples_waiting: true, ..VEGAS.detection },
    limits: Limits { burst: None, ..VEGAS.limits },
    ..VEGAS
};

const VEGAS_LINUX: Composition = Composition {
    signal: Signal::EndToEnd { dialect: Dialect::Linux, reset_base_after_single: false },
    slow_start: SlowStart::VegasLinux,
    avoidance: Avoidance::VegasLinux,
    loss: LossResponse { cut: Cut::HalfLinux, ..RENO.loss },
    ..with_recovery(RENO, Recovery::Sack)
};

/// RFC 6928: the initial window of ten segments that the kernel and ns-3 take.
const VEGAS_LINUX_PARAMETERS: Parameters =
    Parameters { alpha: Segments(2), beta: Segments(4), initial_window: Segments(10), ..RENO_PARAMETERS };

const CUBIC: Composition = Composition {
    slow_start: SlowStart::HyStartPlusPlus,
    avoidance: Avoidance::Cubic,
    loss: LossResponse { cut: Cut::Cubic, ..RENO.loss },
    detection: Detection { recovery: Recovery::Sack, ..RENO.detection },
    ..RENO
};

/// The initial window of RFC 6928, which goes with CUBIC wherever it is in use.
const CUBIC_PARAMETERS: Parameters = Parameters { initial_window: Segments(10), ..RENO_PARAMETERS };
