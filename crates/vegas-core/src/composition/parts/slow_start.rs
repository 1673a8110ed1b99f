//! Slow start: how the window grows until the path is full.

mod gallop;
mod hystart;
mod hystart_plus_plus;
mod mid_speed;
mod rapid_start;
mod reno;
mod search;
mod streak;
mod vegas;
mod vegas_linux;
mod vegas_ns2;
mod vegas_ns3;

use crate::composition::parts::part::{SlowStartPromise, choice, is_there};
use crate::composition::parts::window::{RoundEnd, WindowControl};
use crate::contract::parameters::{Parameters, Thresholds};
use crate::contract::{Ack, Loss, Needs};
use crate::units::{Segments, Span, Window};

/// A slow start: its state from round to round, and its rules. The defaults are Reno's.
pub(crate) trait SlowStartPart: Copy {
    /// The page of its rule, in `docs/algorithms`.
    const PAGE: &'static str;
    /// The thresholds of the backlog (alpha, beta, gamma) that it reads. A part that reads one needs a signal.
    const THRESHOLDS: Thresholds = Thresholds::NONE;
    /// What the host must give. A slow start that needs pacing sets the pace by [`WindowControl::pace`].
    const NEEDS: Needs = Needs::NONE;
    /// What the conformance suite lets it do.
    const PROMISE: SlowStartPromise = SlowStartPromise::RENO;
    /// The kernel's copy carries it: the copy receives all events that it needs.
    const IN_KERNEL: bool = true;
    /// Its growth counts all segments that an acknowledgement covers.
    const COUNTS_SEGMENTS: bool = false;
    /// Its decisions do not change if all rates double and all times halve: it has no constant time.
    const SCALES: bool = true;
    /// The threshold before the first loss, where none is given; none: unbounded.
    const FIRST_THRESHOLD: Option<Segments> = None;
    /// The window that a connection begins with, whatever its initial window is to be.
    const FIRST_WINDOW: Option<Segments> = None;
    /// A timeout restarts it at once; otherwise the growth decided before lasts until the next round ends.
    const RESTARTS_AFTER_TIMEOUT: bool = true;
    /// The slow start after a timeout, if another one.
    const AFTER_TIMEOUT: Option<SlowStart> = None;
    /// The slow start that replaces it if the host begins with ten segments or more (RFC 9002, section 7.2).
    const WITH_TEN_SEGMENTS: Option<SlowStart> = None;

    /// The state at the beginning of a connection, or of a slow start after a timeout, at a window.
    fn start(window: Window) -> Self;

    /// Looks at an acknowledgement before it counts: one that ends slow start here ([`WindowControl::slow_start_ends`])
    /// is answered by congestion avoidance.
    #[inline(always)]
    fn before_ack(&mut self, _control: &mut WindowControl, _ack: &Ack) {}

    /// Decides, at the end of a round in slow start, how the window grows in the next one.
    fn on_round(&mut self, _control: &mut WindowControl, _end: &RoundEnd<'_>, _parameters: &Parameters) {}

    /// The growth for one acknowledgement: what was decided for the round, or what this acknowledgement alone decides.
    /// `base_rtt` is the least RTT so far.
    #[inline(always)]
    fn on_ack(&mut self, control: &mut WindowControl, _ack: &Ack, _base_rtt: Option<Span>) -> Window {
        control.growth()
    }

    /// A loss has ended slow start: the composition has cut the window from `before`.
    #[inline(always)]
    fn on_cut(&mut self, _control: &mut WindowControl, _before: Window, _loss: &Loss) {}

    /// An acknowledgement arrives in recovery; called if the part asks for every acknowledgement.
    #[inline(always)]
    fn on_recovery(&mut self, _control: &mut WindowControl, _ack: &Ack) {}

    /// The recovery is over, or another cut was made.
    #[inline(always)]
    fn end_recovery(&mut self) {}

    /// The connection has moved to another path.
    #[inline(always)]
    fn forget_path(&mut self) {}
}

/// The macro [`choice!`] with the states of the parts.
macro_rules! slow_starts {
    ($($(#[doc = $doc:literal])+ $name:literal $variant:ident: $module:ident,)+) => {
        choice! {
            /// The rule of slow start.
            SlowStart of SlowStartPart { $($(#[doc = $doc])+ $name $variant: $module,)+ }
            /// The page of its rule, in `docs/algorithms`.
            pub fn page -> &'static str = PAGE;
            /// The thresholds of the backlog that it reads.
            pub fn thresholds -> Thresholds = THRESHOLDS;
            /// What the host must give.
            pub fn needs -> Needs = NEEDS;
            /// What it may do at an acknowledgement.
            pub fn promise -> SlowStartPromise = PROMISE;
            /// Whether its decisions stay unchanged if all rates double and all times halve.
            pub fn scales -> bool = SCALES;
            /// The window that a connection begins with, whatever its initial window is to be.
            pub fn first_window -> Option<Segments> = FIRST_WINDOW;
            /// Whether the kernel's copy carries it.
            pub fn is_in_kernel -> bool = IN_KERNEL;
            pub(crate) fn counts_segments -> bool = COUNTS_SEGMENTS;
            pub(crate) fn first_threshold -> Option<Segments> = FIRST_THRESHOLD;
            pub(crate) fn restarts_after_timeout -> bool = RESTARTS_AFTER_TIMEOUT;
            pub(crate) fn after_timeout -> Option<SlowStart> = AFTER_TIMEOUT;
            pub(crate) fn with_ten_segments -> Option<SlowStart> = WITH_TEN_SEGMENTS;
        }

        /// The state of a slow start.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum SlowStartState {
            $($variant($module::$variant),)+
        }

        impl SlowStart {
            /// The state at the beginning of a connection, or of a slow start after a timeout, at a window.
            pub(crate) fn state(self, window: Window) -> SlowStartState {
                match self {
                    $(SlowStart::$variant => SlowStartState::$variant(SlowStartPart::start(window)),)+
                }
            }
        }

        impl SlowStartState {
            #[inline(always)]
            pub(crate) fn before_ack(&mut self, control: &mut WindowControl, ack: &Ack) {
                match self {
                    $(SlowStartState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.before_ack(control, ack)
                    })+
                    _ => {}
                }
            }

            pub(crate) fn on_round(
                &mut self,
                control: &mut WindowControl,
                end: &RoundEnd<'_>,
                parameters: &Parameters,
            ) {
                match self {
                    $(SlowStartState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_round(control, end, parameters)
                    })+
                    _ => {}
                }
            }

            pub(crate) fn on_ack(&mut self, control: &mut WindowControl, ack: Ack, base_rtt: Option<Span>) -> Window {
                match self {
                    $(SlowStartState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_ack(control, &ack, base_rtt)
                    })+
                    _ => Window::default(),
                }
            }

            pub(crate) fn on_cut(&mut self, control: &mut WindowControl, before: Window, loss: &Loss) {
                match self {
                    $(SlowStartState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_cut(control, before, loss)
                    })+
                    _ => {}
                }
            }

            pub(crate) fn on_recovery(&mut self, control: &mut WindowControl, ack: &Ack) {
                match self {
                    $(SlowStartState::$variant(part) if is_there($module::$variant::IN_KERNEL) => {
                        part.on_recovery(control, ack)
                    })+
                    _ => {}
                }
            }

            pub(crate) fn end_recovery(&mut self) {
                match self {
                    $(SlowStartState::$variant(part) if is_there($module::$variant::IN_KERNEL) => part.end_recovery(),)+
                    _ => {}
                }
            }

            pub(crate) fn forget_path(&mut self) {
                match self {
                    $(SlowStartState::$variant(part) if is_there($module::$variant::IN_KERNEL) => part.forget_path(),)+
                    _ => {}
                }
            }
        }
    };
}

slow_starts! {
    /// One segment for each acknowledgement, until the threshold or a loss (RFC 5681, section 3.1).
    "reno" Reno: reno,
    /// As `reno`, until diff > beta, which takes a segment off (a reading of mechanism B in "Revisited", section VI).
    "reno-beta" RenoBeta: reno,
    /// As Reno in every second round, until diff > gamma (Brakmo and Peterson 1995, section IV.C).
    "vegas" Vegas: vegas,
    /// As `vegas`, but a timeout leaves the growth as it was until a round ends (ns-2; "Revisited", section VII.A).
    "vegas-ns2" VegasNs2: vegas_ns2,
    /// As `vegas-ns2`, after two rounds of one segment: 1, 1, 3, 3, 6, 6 from an initial window of 2 (ns-2's default).
    "vegas-ns2-delayed" VegasNs2Delayed: vegas_ns2,
    /// By an increment that grows by one a round; backlogs halve it, diff >= beta takes it back (Gallop-Vegas, section
    /// III).
    "gallop" Gallop: gallop,
    /// As `gallop`, begun with the increment that it has at the first window (RFC 9002 and RFC 6928 begin with ten).
    "gallop-joining" GallopJoining: gallop,
    /// To half the threshold at once, then by half of what is missing; or Reno's or Vegas's, as the first diff says
    /// (Dynamic Vegas, section 3.1).
    "mid-speed" MidSpeed: mid_speed,
    /// As `mid-speed`, but each round adds half of the window (the same paper's pseudocode, lines 11 to 14).
    "mid-speed-by-window" MidSpeedByWindow: mid_speed,
    /// Doubles every second round, paced at the bottleneck's rate, until diff > gamma or the pipe is full (Streak
    /// Doubling, section 3).
    "streak" Streak: streak,
    /// By what is acknowledged, until diff > gamma; then to what the path holds without a queue, plus one (Linux's
    /// `tcp_vegas.c`).
    "vegas-linux" VegasLinux: vegas_linux,
    /// As `vegas-linux` with one segment for each acknowledgement (ns-3's `TcpVegas`).
    "vegas-ns3" VegasNs3: vegas_ns3,
    /// By what is acknowledged, 8 at most; a quarter of that for five rounds once the RTT rises (RFC 9406). After a
    /// timeout Reno's.
    "hystart++" HyStartPlusPlus: hystart_plus_plus,
    /// By what is acknowledged, until acknowledgements come close together for half of the least RTT or the RTT rises
    /// (Linux's `tcp_cubic.c`).
    "hystart" HyStart: hystart,
    /// Two segments for each one acknowledged, one once the least RTT of a round trip rises; a loss drains what that
    /// has put into the network (draft-kazuho-ccwg-rapid-start). After a timeout Reno's.
    "rapid-start" RapidStart: rapid_start,
    /// As `rapid-start`, with the window's segments spread over the least RTT, as the draft asks ("Pacing
    /// Requirement").
    "rapid-start-paced" RapidStartPaced: rapid_start,
    /// By what is acknowledged, until what arrives falls a quarter behind what was sent a round trip before (SEARCH,
    /// draft-chung-ccwg-search-09, interpolated as its authors mean it). After a timeout Reno's.
    "search" Search: search,
    /// As `search`, with the interpolation that the draft prints.
    "search-draft-09" SearchDraft09: search,
    /// As `search`; then two thirds of what is acknowledged leave the network, until what is in flight is what the path
    /// holds without a queue (SEARCH 4.0 of its authors).
    "search-drain" SearchDrain: search,
}

impl SlowStart {
    /// Whether it paces: the host must space the segments, and the part measures waits behind its own bursts.
    pub const fn paces(self) -> bool {
        self.needs().pacing
    }

    /// Whether it reads the backlog.
    pub const fn needs_signal(self) -> bool {
        self.thresholds().any()
    }

    /// The state of a slow start after a timeout, which has set the threshold.
    pub(crate) fn state_after_timeout(self, window: Window) -> SlowStartState {
        self.after_timeout().unwrap_or(self).state(window)
    }

    /// The growth until the first round ends.
    pub(crate) fn first_growth(self) -> Window {
        if self.needs_signal() { Window::default() } else { Window::ONE }
    }
}

/// Growth that does not pass the threshold.
fn capped(control: &WindowControl, more: Window) -> Window {
    more.min(Window::whole(control.ssthresh).minus(control.window))
}

/// `tcp_slow_start` of Linux: a segment for each one acknowledged, up to the threshold.
fn as_acknowledged(control: &WindowControl, ack: &Ack) -> Window {
    capped(control, Window::whole(ack.acked))
}
