//! Standalone algorithms: each is a type with its own state in its own file, and no composition of parts.
//!
//! One line of [`standalone!`] below registers an algorithm: its variant, its preset, and its place in every host.

mod background {
    pub(super) mod ledbat;
    pub(super) mod ledbat_plus_plus;
    pub(super) mod lp;
}
mod bbr {
    pub(super) mod bbr1;
    pub(super) mod bbr3;
    pub(super) mod bbr3_linux;
    mod shared;
}
mod cubic {
    pub(super) mod bic;
    pub(super) mod cubic_linux;
    mod growth;
}
mod delay {
    pub(super) mod cdg;
    pub(super) mod copa;
    pub(super) mod copa_mvfst;
    pub(super) mod fast;
    pub(super) mod frcc;
    pub(super) mod nimbus;
    pub(super) mod nv;
    pub(super) mod tor_vegas;
}
mod l4s {
    pub(super) mod dctcp;
    pub(super) mod prague;
}
mod least;
mod random;
mod reno {
    pub(super) mod highspeed;
    pub(super) mod htcp;
    pub(super) mod hybla;
    pub(super) mod illinois;
    pub(super) mod reno_linux;
    pub(super) mod reno_window;
    pub(super) mod scalable;
    pub(super) mod veno;
    pub(super) mod westwood;
    pub(super) mod yeah;
}
mod vegas_next;

use core::fmt;

use crate::composition::Host;
use crate::composition::algorithm::Algorithm;
use crate::composition::bases::RENO_PARAMETERS;
use crate::composition::parts::slow_start::SlowStart;
use crate::composition::{Composition, HostCapabilities, Refusal};
use crate::contract::parameters::Parameters;
use crate::contract::{CongestionControl, Needs, STATE_BYTES_MAX};
use crate::units::{Segments, Span, Window};

use vegas_next::Selected;
pub(crate) use vegas_next::VegasNext;

/// An algorithm with a name: a composition, or a standalone algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// What users write.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// The simulated host of a flow that names none: [`Host::Linux`] if Linux has it, and [`Host::Bsd`] otherwise.
    pub host: Host,
    /// Its parts; of a standalone algorithm only what is the host's: detection and limits, and those that may be
    /// replaced ([`Standalone::parts`]).
    pub composition: Composition,
    /// Its numbers.
    pub parameters: Parameters,
    /// The algorithm, where it is no composition of parts.
    pub standalone: Option<Standalone>,
}

/// Tells an algorithm that another slow start has set this window and goes on to the threshold; at the threshold it is
/// over.
pub type Follow<C> = fn(&mut C, Window, Option<Segments>);

/// A caller that works with an algorithm's concrete type: a host that keeps it behind a pointer, or the kernel's copy,
/// where a choice at each event would make the verifier examine every algorithm.
pub trait WithChosen {
    /// The result.
    type Answer;

    /// `start` begins a connection, from the numbers and the seed of its random ones; with `follow` another slow start
    /// may replace the algorithm's own.
    fn with<C>(self, start: impl Fn(&Parameters, u64) -> C, follow: Option<Follow<C>>) -> Self::Answer
    where
        C: CongestionControl + Clone + fmt::Debug + PartialEq + Send + Sync + 'static;
}

/// How exactly an algorithm holds its base RTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseRttHeld {
    /// By how much it rounds down at most.
    pub rounds_by: Span,
    /// The greatest one that it can hold.
    pub max: Span,
}

impl BaseRttHeld {
    /// Whole microseconds in 32 bits, of which the greatest value is none, as the kernel's congestion controls have it.
    pub const MICROS: BaseRttHeld =
        BaseRttHeld { rounds_by: Span::from_micros(1), max: Span::from_micros(u32::MAX as u64 - 1) };
}

/// What an algorithm's file may leave out; a constant of this name there takes the place of the one here.
trait UnlessSaid {
    const BASE_RTT_HELD: BaseRttHeld = BaseRttHeld { rounds_by: Span::ZERO, max: Span::MAX };
}

impl<C: CongestionControl> UnlessSaid for C {}

/// How an algorithm follows another slow start, if its line says `follows`.
macro_rules! follow {
    ($control:ty,) => {
        None::<Follow<$control>>
    };
    ($control:ty, follows) => {
        Some(<$control>::follow as Follow<$control>)
    };
}

/// Generates the code that has a line for each algorithm.
macro_rules! standalone {
    ($($(#[$about:meta])* $name:ident: $($module:ident)::+ $($follows:ident)?,)+) => {
        /// The name of a standalone algorithm.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Standalone {
            $($(#[$about])* $name,)+
        }

        impl Standalone {
            /// Their presets, in the order in which they are listed.
            pub(crate) const PRESETS: &'static [Preset] = &[$(Preset {
                standalone: Some(Standalone::$name),
                ..$($module)::+::PRESET
            },)+];

            /// Checks that a host can run it.
            pub fn check_host(self, host: &HostCapabilities) -> Result<(), Refusal> {
                host.meets(&self.needs())
            }

            /// Checks that a slow start may replace its own; the error has the reason.
            pub fn takes(self, slow_start: SlowStart) -> Result<(), &'static str> {
                let follows = match self {
                    $(Standalone::$name => follow!($($module)::+::$name, $($follows)?).is_some(),)+
                };
                match (follows, slow_start.promise().drains) {
                    (false, _) => Err("the algorithm's slow start is a part of its rule"),
                    (true, true) => Err("it drains the recovery of its first loss, which the algorithm answers itself"),
                    (true, false) => Ok(()),
                }
            }

            /// All of them, in the order in which they are listed.
            pub const ALL: &'static [Standalone] = &[$(Standalone::$name,)+];

            /// Calls `host` with the algorithm's concrete type.
            pub fn chosen<W: WithChosen>(self, host: W) -> W::Answer {
                match self {
                    $(Standalone::$name => {
                        host.with($($module)::+::$name::start, follow!($($module)::+::$name, $($follows)?))
                    })+
                }
            }

            /// What it needs of a host.
            pub const fn needs(self) -> Needs {
                match self {
                    $(Standalone::$name => $($module)::+::$name::NEEDS,)+
                }
            }

            /// How exactly it holds its base RTT.
            pub const fn base_rtt_held(self) -> BaseRttHeld {
                match self {
                    $(Standalone::$name => <$($module)::+::$name>::BASE_RTT_HELD,)+
                }
            }
        }

        $(const _: () = assert!(size_of::<$($module)::+::$name>() <= STATE_BYTES_MAX);)+
    };
}

standalone! {
    /// Vegas of the Tor network: queue by the least and the smoothed RTT, once per window (Tor proposal 324).
    TorVegas: delay::tor_vegas,
    /// vegas-next: Vegas's equilibrium among its kind, CUBIC's window beside flows that fill the queue.
    VegasNext: vegas_next follows,
    /// TCP-NV: the window that the measured rate needs without a queue, and a few segments (Linux's `tcp_nv`).
    Nv: delay::nv follows,
    /// Reno that tells chance losses from congestion by Vegas's backlog (Fu and Liew 2003).
    Veno: reno::veno follows,
    /// Reno that answers a loss by the measured bandwidth (Grieco and Mascolo 2004).
    Westwood: reno::westwood follows,
    /// A scalable increase until a queue builds up, then Reno's (Baiocchi, Castellani and Vacirca 2007).
    Yeah: reno::yeah follows,
    /// Increase and decrease that follow the queueing delay (Liu, Basar and Srikant 2008).
    Illinois: reno::illinois follows,
    /// An increase that quickens with the time since the last loss (Leith and Shorten 2004).
    Htcp: reno::htcp follows,
    /// A search for the window of the last loss (Xu, Harfoush and Rhee 2004).
    Bic: cubic::bic follows,
    /// An increase that grows with the window, and a cut that falls (RFC 3649).
    HighSpeed: reno::highspeed follows,
    /// Reno in the time of a path of 25 ms (Caini and Firrincieli 2004).
    Hybla: reno::hybla follows,
    /// An increase in proportion to the window (Kelly 2003).
    Scalable: reno::scalable follows,
    /// Reno that answers the part of marked packets (RFC 8257).
    Dctcp: l4s::dctcp follows,
    /// DCTCP for the Internet (draft-briscoe-iccrg-prague-congestion-control).
    Prague: l4s::prague follows,
    /// Copa: the window moves towards the rate 1 / (delta x queueing delay) (Arun and Balakrishnan 2018).
    Copa: delay::copa follows,
    /// Copa as Meta's QUIC has it (mvfst).
    CopaMvfst: delay::copa_mvfst,
    /// LEDBAT: a background transfer that keeps 25 ms of one-way queueing delay (RFC 6817).
    Ledbat: background::ledbat,
    /// LEDBAT++: 60 ms of round-trip queueing delay, and periodic slowdowns (draft-irtf-iccrg-ledbat-plus-plus).
    LedbatPlusPlus: background::ledbat_plus_plus,
    /// FAST TCP: Vegas's equilibrium, approached in proportion (Wei, Jin, Low and Hegde 2006).
    Fast: delay::fast follows,
    /// FRCC: a queue of 10 ms for each flow, which probes of the link's rate count (Agarwal, Arun and Seshan 2026).
    Frcc: delay::frcc,
    /// Nimbus: delay control, and CUBIC while pulses of the rate show elastic cross traffic (Goyal et al. 2022).
    Nimbus: delay::nimbus,
    /// TCP-LP: Reno that yields to early congestion in the one-way delay (Kuzmanovic and Knightly 2003).
    Lp: background::lp follows,
    /// CDG: Reno that backs off by chance where the RTT rises (Hayes and Armitage 2011).
    Cdg: delay::cdg follows,
    /// Reno as the Linux kernel has it: whole segments.
    RenoLinux: reno::reno_linux follows,
    /// CUBIC as the Linux kernel has it: whole segments and ticks (Linux's `tcp_cubic`; RFC 9438).
    CubicLinux: cubic::cubic_linux follows,
    /// BBR, version 1: the pace follows the greatest delivery rate (Cardwell et al. 2016; Linux's `tcp_bbr`).
    Bbr1: bbr::bbr1,
    /// BBR, version 3: the delivery rate within bounds that losses set (draft-ietf-ccwg-bbr).
    Bbr3: bbr::bbr3,
    /// BBR, version 3, as in its authors' code for Linux.
    Bbr3Linux: bbr::bbr3_linux,
}

impl Standalone {
    /// The reason why the kernel's copy leaves it out; none if the copy has it.
    pub const fn kept_from_kernel(self) -> Option<&'static str> {
        let needs = self.needs();
        if needs.one_way_delay {
            // timestamps count in a unit of the receiver's own (RFC 7323, section 4.1)
            Some("needs one-way delays, which the kernel does not measure")
        } else if needs.accurate_ecn {
            Some("needs Accurate ECN (RFC 9768); the kernel's copy gets no count of marks")
        } else if matches!(self, Standalone::CubicLinux) {
            Some("the kernel has its own")
        } else if matches!(self, Standalone::Frcc | Standalone::Nimbus) {
            Some("the kernel's verifier has not examined it")
        } else {
            None
        }
    }
}

impl Standalone {
    /// Its parts that a composition may replace, by their keys.
    pub fn parts(self) -> &'static [&'static str] {
        match self {
            Standalone::VegasNext => &["slow_start", "base_rtt", "rivals", "avoidance"],
            _ => &["slow_start"],
        }
    }

    /// Calls `host` with the concrete type of the algorithm with the composition's parts in place of its own, where it
    /// consists of parts.
    pub fn chosen_with<W: WithChosen>(self, algorithm: &Algorithm, host: W) -> W::Answer {
        match self {
            Standalone::VegasNext if Selected::replaces(&vegas_next::PRESET.composition, algorithm.composition()) => {
                host.with(|_, _| VegasNext::with_parts(algorithm, true), Some(VegasNext::follow))
            }
            _ => self.chosen(host),
        }
    }

    /// Whether it draws random numbers: then it keeps the seed that it begins with.
    pub fn draws(self) -> bool {
        self.chosen(KeepsSeed)
    }

    /// What it needs of a host with the composition's parts in place of its own.
    pub fn needs_with(self, composition: &Composition) -> Needs {
        match self.is_opened_by(composition) || self.has_guest(composition) {
            true => self.needs().and(&composition.needs()),
            false => self.needs(),
        }
    }

    /// Whether the composition's slow start goes before the algorithm ([`crate::held::joined`]). Every standalone
    /// preset names Reno's, which stands for the algorithm's own; with an avoidance of the composition, its slow start
    /// comes with that.
    pub(crate) fn is_opened_by(self, composition: &Composition) -> bool {
        composition.slow_start != SlowStart::Reno && !self.has_guest(composition)
    }

    fn has_guest(self, composition: &Composition) -> bool {
        self == Standalone::VegasNext && Selected::has_guest(composition)
    }
}

struct KeepsSeed;

impl WithChosen for KeepsSeed {
    type Answer = bool;

    fn with<C>(self, start: impl Fn(&Parameters, u64) -> C, _: Option<Follow<C>>) -> bool
    where
        C: CongestionControl + Clone + fmt::Debug + PartialEq + Send + Sync + 'static,
    {
        start(&RENO_PARAMETERS, 1) != start(&RENO_PARAMETERS, 2)
    }
}
