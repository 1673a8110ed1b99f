//! Slow start: how the window opens until the path is full.

mod gallop;
mod hystart;
mod hystart_plus_plus;
mod micros;
mod mid_speed;
mod rapid_start;
mod reno;
mod search;
mod streak;
mod vegas;
mod vegas_linux;
mod vegas_ns2;
mod vegas_ns3;

use crate::algorithm::{Control, RoundEnd};
use crate::composition::{Marks, Parameters};
use crate::contract::{Ack, Loss, Needs};
use crate::history::History;
use crate::part::{SlowStartPromise, choice, is_there};
use crate::units::{Segments, Span, Window};

/// A slow start: what it remembers from round to round, and what it does. The defaults are Reno's.
pub(crate) trait SlowStartPart: Copy {
    /// The page of its rule, in `docs/algorithms`.
    const PAGE: &'static str;
    /// Which marks of the backlog it looks at. One that looks at any needs a signal.
    const MARKS: Marks = Marks::NONE;
    /// What the host must give. One that needs pacing says by [`Control::pace`] how fast segments leave.
    const NEEDS: Needs = Needs::NONE;
    /// What the conformance suite holds it to.
    const PROMISE: SlowStartPromise = SlowStartPromise::RENO;
    /// The kernel's copy carries it: it fits the private area, and needs nothing that the copy is not told.
    const IN_KERNEL: bool = true;
    /// Its growth is already of all segments that an acknowledgement covers.
    const COUNTS_SEGMENTS: bool = false;
    /// Twice the rates and half the times leave its decisions as they are: no time in it is a constant.
    const SCALES: bool = true;
    /// The threshold before the first loss, where none is given; none: unbounded.
    const FIRST_THRESHOLD: Option<Segments> = None;
    /// The window that a connection begins with, whatever its initial window is to be.
    const FIRST_WINDOW: Option<Segments> = None;
    /// A timeout begins it anew at once; else the growth that was decided before lasts until the next round ends.
    const RESTARTS_AFTER_TIMEOUT: bool = true;
    /// Which one begins after a timeout; none: this one.
    const AFTER_TIMEOUT: Option<SlowStart> = None;
    /// Which one takes its place where the host begins with ten segments or more (RFC 9002, section 7.2).
    const WITH_TEN_SEGMENTS: Option<SlowStart> = None;

    /// Whether an acknowledgement ends it, by what was sent and delivered over the last round trips; for one that asks for that.
    /// Its history does not fit the kernel's private area ([`crate::wide`]).
    const ENDS_BY_HISTORY: Option<fn(&mut History, &Ack) -> bool> = None;
    /// To what it then drains what is in flight, before it is over; none: it ends at once.
    const DRAINS_BY_HISTORY: Option<fn(&History) -> Segments> = None;

    /// What a connection, or a slow start after a timeout, begins with at a window.
    fn start(window: Window) -> Self;

    /// Decides, at the end of a round in slow start, how to grow in the next one.
    fn on_round(&mut self, _control: &mut Control, _end: &RoundEnd<'_>, _parameters: &Parameters) {}

    /// The growth of one acknowledgement: what was decided for the round, or what follows from it alone. `base_rtt` is
    /// the least RTT so far.
    #[inline(always)]
    fn on_ack(&mut self, control: &mut Control, _ack: &Ack, _base_rtt: Option<Span>) -> Window {
        control.growth()
    }

    /// A loss has ended it: the composition has cut the window from `before`.
    #[inline(always)]
    fn on_cut(&mut self, _control: &mut Control, _before: Window, _loss: &Loss) {}

    /// An acknowledgement in recovery, for one that asks for every acknowledgement.
    #[inline(always)]
    fn on_recovery(&mut self, _control: &mut Control, _ack: &Ack) {}

    /// The recovery is over, or another cut was made.
    #[inline(always)]
    fn end_recovery(&mut self) {}
}

/// The choice of [`choice!`], and what each remembers.
macro_rules! slow_starts {
    ($($(#[doc = $doc:literal])+ $name:literal $variant:ident: $module:ident,)+) => {
        choice! {
            /// How the window opens.
            SlowStart of SlowStartPart { $($(#[doc = $doc])+ $name $variant: $module,)+ }
            /// The page of its rule, in `docs/algorithms`.
            pub fn page -> &'static str = PAGE;
            /// Which marks of the backlog it looks at.
            pub fn marks -> Marks = MARKS;
            /// What the host must give.
            pub fn needs -> Needs = NEEDS;
            /// What it may do with an acknowledgement.
            pub fn promise -> SlowStartPromise = PROMISE;
            /// Whether twice the rates and half the times leave its decisions as they are.
            pub fn scales -> bool = SCALES;
            /// The window that a connection begins with, whatever its initial window is to be.
            pub fn first_window -> Option<Segments> = FIRST_WINDOW;
            /// Whether the kernel's copy carries it.
            pub fn is_in_kernel -> bool = IN_KERNEL;
            pub(crate) fn ends_by_history -> Option<fn(&mut History, &Ack) -> bool> = ENDS_BY_HISTORY;
            pub(crate) fn drains_by_history -> Option<fn(&History) -> Segments> = DRAINS_BY_HISTORY;
            pub(crate) fn counts_segments -> bool = COUNTS_SEGMENTS;
            pub(crate) fn first_threshold -> Option<Segments> = FIRST_THRESHOLD;
            pub(crate) fn restarts_after_timeout -> bool = RESTARTS_AFTER_TIMEOUT;
            pub(crate) fn after_timeout -> Option<SlowStart> = AFTER_TIMEOUT;
            pub(crate) fn with_ten_segments -> Option<SlowStart> = WITH_TEN_SEGMENTS;
        }

        /// What a slow start remembers from round to round.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Opening {
            $($variant($module::$variant),)+
        }

        impl SlowStart {
            /// What a connection, or a slow start after a timeout, begins with at a window.
            pub(crate) fn opening(self, window: Window) -> Opening {
                match self {
                    $(SlowStart::$variant => Opening::$variant(SlowStartPart::start(window)),)+
                }
            }
        }

        impl Opening {
            pub(crate) fn on_round(&mut self, control: &mut Control, end: &RoundEnd<'_>, parameters: &Parameters) {
                match self {
                    $(Opening::$variant(part) if is_there($module::$variant::IN_KERNEL) => part.on_round(control, end, parameters),)+
                    _ => {}
                }
            }

            pub(crate) fn on_ack(&mut self, control: &mut Control, ack: Ack, base_rtt: Option<Span>) -> Window {
                match self {
                    $(Opening::$variant(part) if is_there($module::$variant::IN_KERNEL) => part.on_ack(control, &ack, base_rtt),)+
                    _ => Window::default(),
                }
            }

            pub(crate) fn on_cut(&mut self, control: &mut Control, before: Window, loss: &Loss) {
                match self {
                    $(Opening::$variant(part) if is_there($module::$variant::IN_KERNEL) => part.on_cut(control, before, loss),)+
                    _ => {}
                }
            }

            pub(crate) fn on_recovery(&mut self, control: &mut Control, ack: &Ack) {
                match self {
                    $(Opening::$variant(part) if is_there($module::$variant::IN_KERNEL) => part.on_recovery(control, ack),)+
                    _ => {}
                }
            }

            pub(crate) fn end_recovery(&mut self) {
                match self {
                    $(Opening::$variant(part) if is_there($module::$variant::IN_KERNEL) => part.end_recovery(),)+
                    _ => {}
                }
            }
        }
    };
}

slow_starts! {
    /// One segment for each acknowledgement, until the threshold or a loss (RFC 5681, section 3.1).
    "reno" Reno: reno,
    /// As Reno in every second round, until diff > gamma (Brakmo and Peterson 1995, section IV.C).
    "vegas" Vegas: vegas,
    /// As `vegas`, but a timeout leaves the growth as it was until a round ends (ns-2; "Revisited", section VII.A).
    "vegas-ns2" VegasNs2: vegas_ns2,
    /// As `vegas-ns2`, after two rounds of one segment: 1, 1, 3, 3, 6, 6 from an initial window of 2 (ns-2's default).
    "vegas-ns2-delayed" VegasNs2Delayed: vegas_ns2,
    /// By an increment that grows by one a round; backlogs halve it, diff >= beta takes it back (Gallop-Vegas, section III).
    "gallop" Gallop: gallop,
    /// As `gallop`, begun with the increment that it has at the first window (RFC 9002 and RFC 6928 begin with ten).
    "gallop-joining" GallopJoining: gallop,
    /// To half the threshold at once, then by half of what is missing; or Reno's or Vegas's, as the first diff says
    /// (Dynamic Vegas, section 3.1).
    "mid-speed" MidSpeed: mid_speed,
    /// Doubles every second round, paced at the bottleneck's rate, until diff > gamma or the pipe is full (Streak Doubling,
    /// section 3).
    "streak" Streak: streak,
    /// By what is acknowledged, until diff > gamma; then to what the path holds without a queue, plus one (Linux's
    /// `tcp_vegas.c`).
    "vegas-linux" VegasLinux: vegas_linux,
    /// As `vegas-linux` with one segment for each acknowledgement (ns-3's `TcpVegas`).
    "vegas-ns3" VegasNs3: vegas_ns3,
    /// By what is acknowledged, 8 at most; a quarter of that for five rounds once the RTT rises (RFC 9406). After a timeout
    /// Reno's.
    "hystart++" HyStartPlusPlus: hystart_plus_plus,
    /// By what is acknowledged, until acknowledgements come close together for half of the least RTT or the RTT rises
    /// (Linux's `tcp_cubic.c`).
    "hystart" HyStart: hystart,
    /// Two segments for each one acknowledged, one once the least RTT of a round trip rises; a loss drains what that has put
    /// into the network (draft-kazuho-ccwg-rapid-start). After a timeout Reno's.
    "rapid-start" RapidStart: rapid_start,
    /// As `rapid-start`, with the window's segments spread over the least RTT, as the draft asks ("Pacing Requirement").
    "rapid-start-paced" RapidStartPaced: rapid_start,
    /// By what is acknowledged, until what arrives falls a quarter behind what was sent a round trip before (SEARCH,
    /// draft-chung-ccwg-search-09, interpolated as its authors mean it). After a timeout Reno's.
    "search" Search: search,
    /// As `search`, with the interpolation that the draft prints.
    "search-draft-09" SearchDraft09: search,
    /// As `search`; then two thirds of what is acknowledged leave the network, until what is in flight is what the path holds
    /// without a queue (SEARCH 4.0 of its authors).
    "search-drain" SearchDrain: search,
}

impl SlowStart {
    /// Whether it spaces what leaves: the host must pace, and what waits behind its own burst is what it measures.
    pub const fn paces(self) -> bool {
        self.needs().pacing
    }

    /// Whether it looks at the backlog.
    pub const fn needs_signal(self) -> bool {
        self.marks().any()
    }

    /// Whether it remembers more than the kernel's private area holds.
    pub const fn is_wide(self) -> bool {
        self.ends_by_history().is_some()
    }

    /// The state of a slow start after a timeout, which has set the threshold.
    pub(crate) fn reopening(self, window: Window) -> Opening {
        self.after_timeout().unwrap_or(self).opening(window)
    }

    /// The growth until the first round ends.
    pub(crate) fn first_growth(self) -> Window {
        if self.needs_signal() { Window::default() } else { Window::ONE }
    }
}

/// Growth that does not pass the threshold.
fn capped(control: &Control, more: Window) -> Window {
    more.min(Window::whole(control.ssthresh).minus(control.window))
}

/// `tcp_slow_start` of Linux: a segment for each one acknowledged, up to the threshold.
fn as_acknowledged(control: &Control, ack: &Ack) -> Window {
    capped(control, Window::whole(ack.acked))
}
