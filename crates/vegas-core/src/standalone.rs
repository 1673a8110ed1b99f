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
mod delay {
    pub(super) mod cdg;
    pub(super) mod copa;
    pub(super) mod copa_mvfst;
    pub(super) mod fast;
    pub(super) mod nv;
    pub(super) mod tor_vegas;
}
mod least;
mod random;
mod reno {
    pub(super) mod htcp;
    pub(super) mod illinois;
    pub(super) mod reno_linux;
    pub(super) mod reno_window;
    pub(super) mod veno;
    pub(super) mod westwood;
    pub(super) mod yeah;
}
mod vegas_next;

use crate::composition::algorithm::Algorithm;
use crate::composition::parts::slow_start::SlowStart;
use crate::composition::wide::Wide;
use crate::composition::{Composition, HostCapabilities, Refusal};
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, CongestionControl, Loss, LostSegment, Needs, Output, Restart, Sent, Status};
use crate::units::{Segments, SendIndex, Span, Time, Window};

use background::{ledbat, ledbat_plus_plus, lp};
use bbr::{bbr1, bbr3, bbr3_linux};
use delay::{cdg, copa, copa_mvfst, fast, nv, tor_vegas};
use reno::{htcp, illinois, reno_linux, veno, westwood, yeah};
use vegas_next::{Selected, VegasNext};

/// An algorithm with a name: a composition, or a standalone algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// What users write.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its parts; of a standalone algorithm only what is the host's: detection and limits, and those that may be
    /// replaced ([`Standalone::parts`]).
    pub composition: Composition,
    /// Its numbers.
    pub parameters: Parameters,
    /// The algorithm, where it is no composition of parts.
    pub standalone: Option<Standalone>,
}

/// A caller that works with an algorithm's concrete type. The kernel's copy uses it to choose the algorithm once: a
/// choice at each event would make its verifier examine every algorithm.
pub trait WithChosen {
    /// The result.
    type Answer;

    /// `start` begins a connection, from the numbers and the seed of its random ones.
    fn with<C: CongestionControl>(self, start: fn(&Parameters, u64) -> C) -> Self::Answer;
}

/// Calls the method on the control, whichever variant it is.
macro_rules! each {
    ($controller:expr, $control:ident => $call:expr, $($name:ident)+) => {
        match $controller {
            $(StandaloneControl::$name($control) => $call,)+
            StandaloneControl::Wide($control) => $call,
            StandaloneControl::Parts($control) => $call,
        }
    };
}
/// Generates the code that has a line for each algorithm.
macro_rules! standalone {
    ($($(#[$about:meta])* $name:ident: $module:ident,)+) => {
        /// The name of a standalone algorithm.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Standalone {
            $($(#[$about])* $name,)+
        }

        impl Standalone {
            /// Their presets, in the order in which they are listed.
            pub(crate) const PRESETS: &'static [Preset] = &[$(Preset {
                standalone: Some(Standalone::$name),
                ..$module::PRESET
            },)+];

            /// Checks that a host can run it.
            pub fn check_host(self, host: &HostCapabilities) -> Result<(), Refusal> {
                host.meets(&self.needs())
            }

            /// Checks that a slow start may replace its own; the error has the reason.
            pub fn takes(self, slow_start: SlowStart) -> Result<(), &'static str> {
                let takes = match self {
                    $(Standalone::$name => <$module::$name as CongestionControl>::TAKES_SLOW_START,)+
                };
                match (takes, slow_start.promise().drains) {
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
                    $(Standalone::$name => host.with($module::$name::start),)+
                }
            }

            /// What it needs of a host.
            pub const fn needs(self) -> Needs {
                match self {
                    $(Standalone::$name => $module::$name::NEEDS,)+
                }
            }
        }

        $(const _: () = assert!(size_of::<$module::$name>() <= STANDALONE_BYTES_MAX);)+

        /// A standalone algorithm at work on one connection.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[expect(clippy::large_enum_variant, reason = "hosts keep it behind a box; the core allocates nothing")]
        pub enum StandaloneControl {
            $($(#[$about])* $name($module::$name),)+
            /// A composition with a slow start that keeps a history.
            Wide(Wide),
            /// A composition with parts of vegas-next, or vegas-next with a composition's.
            Parts(VegasNext<Selected>),
        }

        impl StandaloneControl {
            /// The state of a new connection. `seed` begins its random numbers, where it draws any.
            pub fn start(which: Standalone, parameters: &Parameters, seed: u64) -> Self {
                match which {
                    $(Standalone::$name => StandaloneControl::$name($module::$name::start(parameters, seed)),)+
                }
            }
        }

        impl CongestionControl for StandaloneControl {
            fn needs(&self) -> Needs {
                each!(self, control => control.needs(), $($name)+)
            }

            fn on_handshake(&mut self, now: Time, rtt: Span) {
                each!(self, control => control.on_handshake(now, rtt), $($name)+)
            }

            fn on_sent(&mut self, sent: &Sent) {
                each!(self, control => control.on_sent(sent), $($name)+)
            }

            fn on_segment_lost(&mut self, lost: &LostSegment) {
                each!(self, control => control.on_segment_lost(lost), $($name)+)
            }

            fn on_ack(&mut self, ack: &Ack) {
                each!(self, control => control.on_ack(ack), $($name)+)
            }

            fn on_loss(&mut self, loss: &Loss) {
                each!(self, control => control.on_loss(loss), $($name)+)
            }

            fn on_recovered(&mut self, now: Time) {
                each!(self, control => control.on_recovered(now), $($name)+)
            }

            fn on_spurious(&mut self, before: &Self) {
                match (self, before) {
                    $((StandaloneControl::$name(control), StandaloneControl::$name(before)) => {
                        control.on_spurious(before)
                    })+
                    (StandaloneControl::Wide(control), StandaloneControl::Wide(before)) => control.on_spurious(before),
                    (StandaloneControl::Parts(control), StandaloneControl::Parts(before)) => control.on_spurious(before),
                    // a state of another variant belongs to another connection
                    _ => {}
                }
            }

            fn on_restart(&mut self, restart: &Restart) {
                each!(self, control => control.on_restart(restart), $($name)+)
            }

            fn on_path_change(&mut self, next: SendIndex, now: Time) {
                each!(self, control => control.on_path_change(next, now), $($name)+)
            }

            fn hold_to(&mut self, most: Window) {
                each!(self, control => control.hold_to(most), $($name)+)
            }

            fn follow(&mut self, window: Window, threshold: Option<Segments>) {
                each!(self, control => control.follow(window, threshold), $($name)+)
            }

            fn output(&self) -> Output {
                each!(self, control => control.output(), $($name)+)
            }

            fn status(&self) -> Status {
                each!(self, control => control.status(), $($name)+)
            }

            fn state_name(&self) -> Option<&'static str> {
                each!(self, control => control.state_name(), $($name)+)
            }

            fn report(&self, out: &mut dyn FnMut(&'static str, i64)) {
                each!(self, control => control.report(out), $($name)+)
            }
        }
    };
}

standalone! {
    /// Vegas of the Tor network: queue by the least and the smoothed RTT, once per window (Tor proposal 324).
    TorVegas: tor_vegas,
    /// vegas-next: Vegas's equilibrium among its kind, CUBIC's window beside flows that fill the queue.
    VegasNext: vegas_next,
    /// TCP-NV: the window that the measured rate needs without a queue, and a few segments (Linux's `tcp_nv`).
    Nv: nv,
    /// Reno that tells chance losses from congestion by Vegas's backlog (Fu and Liew 2003).
    Veno: veno,
    /// Reno that answers a loss by the measured bandwidth (Grieco and Mascolo 2004).
    Westwood: westwood,
    /// A scalable increase until a queue builds up, then Reno's (Baiocchi, Castellani and Vacirca 2007).
    Yeah: yeah,
    /// Increase and decrease that follow the queueing delay (Liu, Basar and Srikant 2008).
    Illinois: illinois,
    /// An increase that quickens with the time since the last loss (Leith and Shorten 2004).
    Htcp: htcp,
    /// Copa: the window moves towards the rate 1 / (delta x queueing delay) (Arun and Balakrishnan 2018).
    Copa: copa,
    /// Copa as Meta's QUIC has it (mvfst).
    CopaMvfst: copa_mvfst,
    /// LEDBAT: a background transfer that keeps 25 ms of one-way queueing delay (RFC 6817).
    Ledbat: ledbat,
    /// LEDBAT++: 60 ms of round-trip queueing delay, and periodic slowdowns (draft-irtf-iccrg-ledbat-plus-plus).
    LedbatPlusPlus: ledbat_plus_plus,
    /// FAST TCP: Vegas's equilibrium, approached in proportion (Wei, Jin, Low and Hegde 2006).
    Fast: fast,
    /// TCP-LP: Reno that yields to early congestion in the one-way delay (Kuzmanovic and Knightly 2003).
    Lp: lp,
    /// CDG: Reno that backs off by chance where the RTT rises (Hayes and Armitage 2011).
    Cdg: cdg,
    /// Reno as the Linux kernel has it: whole segments.
    RenoLinux: reno_linux,
    /// BBR, version 1: the pace follows the greatest delivery rate (Cardwell et al. 2016; Linux's `tcp_bbr`).
    Bbr1: bbr1,
    /// BBR, version 3: the delivery rate within bounds that losses set (draft-ietf-ccwg-bbr).
    Bbr3: bbr3,
    /// BBR, version 3, as in its authors' code for Linux.
    Bbr3Linux: bbr3_linux,
}

impl Standalone {
    /// The reason why the kernel's copy leaves it out; none if the copy has it.
    pub const fn kept_from_kernel(self) -> Option<&'static str> {
        let needs = self.needs();
        if needs.one_way_delay {
            // timestamps count in a unit of the receiver's own (RFC 7323, section 4.1)
            Some("needs one-way delays, which the kernel does not measure")
        } else {
            None
        }
    }
}

impl StandaloneControl {
    /// The state of a composition that has parts of vegas-next.
    pub(crate) fn of_composition(algorithm: &Algorithm) -> Self {
        StandaloneControl::Parts(VegasNext::with_parts(algorithm, false))
    }

    /// The state of an algorithm, with the composition's parts in place of its own where it consists of parts.
    pub(crate) fn with_parts(which: Standalone, algorithm: &Algorithm, seed: u64) -> Self {
        let is_replaced = Selected::replaces(&vegas_next::PRESET.composition, algorithm.composition());
        match which {
            Standalone::VegasNext if is_replaced => StandaloneControl::Parts(VegasNext::with_parts(algorithm, true)),
            _ => StandaloneControl::start(which, algorithm.parameters(), seed),
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

    /// Whether the composition's slow start goes before the algorithm ([`crate::Joined`]). Every standalone preset
    /// names Reno's, which stands for the algorithm's own; with an avoidance of the composition, its slow start comes
    /// with that.
    pub(crate) fn is_opened_by(self, composition: &Composition) -> bool {
        let has_guest = self == Standalone::VegasNext && Selected::has_guest(composition);
        composition.slow_start != SlowStart::Reno && !has_guest
    }
}

/// The size limit of the state of a standalone algorithm, bytes: the kernel's copy reserves as many.
pub const STANDALONE_BYTES_MAX: usize = 320;
