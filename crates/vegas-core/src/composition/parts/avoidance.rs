//! Congestion avoidance: how the window moves after slow start.

pub(crate) mod by_rate;
pub(crate) mod cubic;
mod dynamic;
mod reno;
mod vegas;
pub(crate) mod vegas_linux;
pub(crate) mod vegas_ns3;

use crate::composition::parts::part::{AvoidancePromise, choice, is_there};
use crate::composition::parts::signal::Round;
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::contract::{Ack, Needs, Restart};
use crate::units::Window;

/// A congestion avoidance: its state of a connection, which exists during slow start too, and its rules.
pub(crate) trait AvoidancePart: Copy + Default {
    /// The page of its rule, in `docs/algorithms`.
    const PAGE: &'static str;
    /// The thresholds of the backlog (alpha, beta, gamma) that it reads. A part that reads one needs a signal.
    const THRESHOLDS: Thresholds = Thresholds::NONE;
    /// What the host must give.
    const NEEDS: Needs = Needs::NONE;
    /// What the conformance suite lets it do.
    const PROMISE: AvoidancePromise = AvoidancePromise::RENO;
    /// Its growth counts all segments that an acknowledgement covers.
    const COUNTS_SEGMENTS: bool = false;
    /// Its decisions do not change if all rates double and all times halve: it has no constant time.
    const SCALES: bool = true;
    /// Its steps are fractions of alpha and beta, which must not be zero.
    const DIVIDES_BY_THRESHOLDS: bool = false;
    /// It shrinks the window without losses. The slow-start threshold then stays below the window, because a window
    /// that shrinks below the threshold would begin another slow start.
    const SHRINKS_BY_ITSELF: bool = false;
    /// The congestion control of Linux that has this part; the kernel's copy then leaves it out.
    const KERNELS_OWN: Option<&'static str> = None;
    /// The kernel's copy carries it.
    const IN_KERNEL: bool = Self::KERNELS_OWN.is_none();
    /// It reads the backlog, or what the backlog is computed from.
    const NEEDS_SIGNAL: bool = Self::THRESHOLDS.any();

    /// Decides, at the end of a round in congestion avoidance, how the window moves in the next one. `diff` is none
    /// before the first measurement.
    #[inline(always)]
    fn on_round(&mut self, _control: &mut WindowControl, _diff: Option<i32>, _parameters: &Parameters) {}

    /// Decides as [`AvoidancePart::on_round`], for parts that read more of the round than its backlog.
    #[inline(always)]
    fn on_round_end(&mut self, _control: &mut WindowControl, _end: &RoundEnd<'_>, _parameters: &Parameters) {}

    /// Sets the growth for one acknowledgement, for parts that decide with each one. It is inlined, so that the
    /// acknowledgement need not be stored in memory for parts that do not read it; a long function takes the fields
    /// that it needs by value.
    #[inline(always)]
    fn on_ack(&mut self, _control: &mut WindowControl, _ack: &Ack, _round: &Round, _parameters: &Parameters) {}

    /// A loss has cut the window from `before`.
    #[inline(always)]
    fn on_cut(&mut self, _control: &mut WindowControl, _before: Window) {}

    /// The retransmission timer ran out at the window `before`.
    #[inline(always)]
    fn on_timeout(&mut self, _control: &mut WindowControl, _before: Window) {}

    /// The application sends again after nothing was in flight.
    #[inline(always)]
    fn on_restart(&mut self, _restart: &Restart) {}
}

/// The macro [`choice!`] with the states of the parts.
macro_rules! avoidances {
    ($($(#[doc = $doc:literal])+ $name:literal $variant:ident: $module:ident,)+) => {
        choice! {
            /// The rule of congestion avoidance.
            Avoidance of AvoidancePart { $($(#[doc = $doc])+ $name $variant: $module,)+ }
            /// The page of its rule, in `docs/algorithms`.
            pub fn page -> &'static str = PAGE;
            /// The thresholds of the backlog that it reads.
            pub fn thresholds -> Thresholds = THRESHOLDS;
            /// What the host must give.
            pub fn needs -> Needs = NEEDS;
            /// What it may do at an acknowledgement.
            pub fn promise -> AvoidancePromise = PROMISE;
            /// Whether its decisions stay unchanged if all rates double and all times halve.
            pub fn scales -> bool = SCALES;
            /// The congestion control of Linux that has this part; the kernel's copy then leaves it out.
            pub fn kernels_own -> Option<&'static str> = KERNELS_OWN;
            /// Whether the kernel's copy carries it.
            pub fn is_in_kernel -> bool = IN_KERNEL;
            /// Whether it reads the backlog.
            pub fn needs_signal -> bool = NEEDS_SIGNAL;
            pub(crate) fn counts_segments -> bool = COUNTS_SEGMENTS;
            pub(crate) fn divides_by_thresholds -> bool = DIVIDES_BY_THRESHOLDS;
            pub(crate) fn shrinks_by_itself -> bool = SHRINKS_BY_ITSELF;
        }

        /// The state of a congestion avoidance.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum AvoidanceState {
            $($variant($module::$variant),)+
        }

        impl Avoidance {
            /// The state of a new connection.
            pub(crate) fn state(self) -> AvoidanceState {
                match self {
                    $(Avoidance::$variant => AvoidanceState::$variant(Default::default()),)+
                }
            }
        }

        impl AvoidanceState {
            #[inline(always)]
            pub(crate) fn on_round(&mut self, control: &mut WindowControl, diff: Option<i32>, parameters: &Parameters) {
                match self {
                    $(AvoidanceState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_round(control, diff, parameters)
                    })+
                    _ => {}
                }
            }

            #[inline(always)]
            pub(crate) fn on_round_end(
                &mut self,
                control: &mut WindowControl,
                end: &RoundEnd<'_>,
                parameters: &Parameters,
            ) {
                match self {
                    $(AvoidanceState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_round_end(control, end, parameters)
                    })+
                    _ => {}
                }
            }

            #[inline(always)]
            pub(crate) fn on_ack(
                &mut self,
                control: &mut WindowControl,
                ack: &Ack,
                round: &Round,
                parameters: &Parameters,
            ) {
                match self {
                    $(AvoidanceState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_ack(control, ack, round, parameters)
                    })+
                    _ => {}
                }
            }

            pub(crate) fn on_cut(&mut self, control: &mut WindowControl, before: Window) {
                match self {
                    $(AvoidanceState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_cut(control, before)
                    })+
                    _ => {}
                }
            }

            pub(crate) fn on_restart(&mut self, restart: &Restart) {
                match self {
                    $(AvoidanceState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_restart(restart)
                    })+
                    _ => {}
                }
            }

            pub(crate) fn on_timeout(&mut self, control: &mut WindowControl, before: Window) {
                match self {
                    $(AvoidanceState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_timeout(control, before)
                    })+
                    _ => {}
                }
            }
        }
    };
}

avoidances! {
    /// One segment a round, until a loss (RFC 5681, section 3.1).
    "reno" Reno: reno,
    /// One more a round below alpha, one less above beta (Brakmo and Peterson 1995, section IV.B).
    "vegas" Vegas: vegas,
    /// Below alpha (alpha - diff)/alpha more a round, above beta (diff - beta)/beta less (Dynamic Vegas, section 3.2).
    "dynamic" Dynamic: dynamic,
    /// The steps of `dynamic` with every acknowledgement instead of once a round.
    "dynamic-per-ack" DynamicPerAck: dynamic,
    /// The steps of `dynamic-per-ack` where they are positive: only a loss cuts (ns-2 as the paper used it).
    "dynamic-ns2" DynamicNs2: dynamic,
    /// As `vegas`, a whole segment at once, up or down (Linux's `tcp_vegas.c`).
    "vegas-linux" VegasLinux: vegas_linux,
    /// As `vegas-linux`, in whole segments (ns-3's `TcpVegas`).
    "vegas-ns3" VegasNs3: vegas_ns3,
    /// A cubic curve of the time since the last loss, or Reno's window where that is larger (RFC 9438, section 4).
    "cubic" Cubic: cubic,
    /// Half of the way to base RTT / RTT x window + a backlog by the root of the rate, once a round (FAST TCP, equation
    /// 7; vegas-next).
    "by-rate" ByRate: by_rate,
}
