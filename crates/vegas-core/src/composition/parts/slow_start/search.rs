//! SEARCH (draft-chung-ccwg-search-09): as Reno, one segment for each one acknowledged, until what arrives falls behind
//! what was sent a round trip before: the delivered segments of 3.5 first round trips against the sent ones of as long
//! a window that ended a round trip earlier. For the first slow start of a connection.

use super::{SlowStart, SlowStartPart, as_acknowledged};
use crate::composition::parts::history::{Advance, History, LOOK_BACK_MAX, WINDOW};
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::window::WindowControl;
use crate::contract::{Ack, Loss};
use crate::units::{Segments, Span, Window};

/// The window of sent segments lies a round trip back, between two bins: it is interpolated with the bin that lies this
/// many further back. `DRAINS`: once the path is full, what is in flight is drained to what the path holds without a
/// queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By<const OLDER: isize, const DRAINS: bool> {
    /// The path is not full.
    Watches(History),
    /// Between its own test and its end.
    Drains(FlightDrain),
    /// A loss or its own test has ended it.
    Over,
}

/// Interpolated as its authors mean it.
pub(crate) type Search = By<1, false>;
/// With the interpolation that draft -09 prints: towards the newer bin, so that the window ends less than a round trip
/// back.
pub(crate) type SearchDraft09 = By<-1, false>;
/// `Search`, and then a drain.
pub(crate) type SearchDrain = By<1, true>;

/// What has been put into the network beyond what the path holds is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlightDrain {
    target: Segments,
    /// Acknowledged since a segment was let out for them; none before the acknowledgement that began the drain counts.
    acked: Option<u32>,
}

/// WINDOW_SIZE_FACTOR: 3.5 first round trips, in ten bins of 0.35.
const BIN_PERCENT: u64 = 35;
/// THRESH: 0.26.
const THRESHOLD_PERCENT: u64 = 26;

/// The least window to which it drains: the initial one (RFC 6928).
const DRAINED: Segments = Segments(10);
/// Segments acknowledged for each one that leaves while it drains (SEARCH_DRAIN_ACKEDSEG_THRESH of SEARCH 4.0).
const ACKED_PER_SEGMENT: u32 = 3;

impl<const OLDER: isize, const DRAINS: bool> SlowStartPart for By<OLDER, DRAINS> {
    const PAGE: &'static str = "search.md";
    const PROMISE: SlowStartPromise = SlowStartPromise {
        most_added: Segments(u32::MAX),
        ends_itself: true,
        steps_down: DRAINS,
        ..SlowStartPromise::RENO
    };
    const COUNTS_SEGMENTS: bool = true;
    const IN_KERNEL: bool = false;
    const SCALES: bool = false;
    const AFTER_TIMEOUT: Option<SlowStart> = Some(SlowStart::Reno);

    fn start(_window: Window) -> Self {
        By::Watches(History::NEW)
    }

    #[inline(always)]
    fn before_ack(&mut self, control: &mut WindowControl, ack: &Ack) {
        self.look_at(control, *ack);
    }

    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, _base_rtt: Option<Span>) -> Window {
        match self {
            By::Drains(drain) => {
                drain.on_ack(control, ack);
                Window::default()
            }
            By::Watches(_) | By::Over => as_acknowledged(control, ack),
        }
    }

    fn on_cut(&mut self, _control: &mut WindowControl, _before: Window, _loss: &Loss) {
        *self = By::Over;
    }

    fn end_recovery(&mut self) {
        *self = By::Over;
    }

    fn forget_path(&mut self) {
        if let By::Watches(history) = self {
            *history = History::NEW;
        }
    }
}

impl<const OLDER: isize, const DRAINS: bool> By<OLDER, DRAINS> {
    /// Takes the acknowledgement by value, so that other slow starts need not store it in memory.
    #[inline(never)]
    fn look_at(&mut self, control: &mut WindowControl, ack: Ack) {
        match self {
            By::Watches(history) if DRAINS => {
                if is_full(history, &ack, OLDER) {
                    *self = By::Drains(FlightDrain { target: path_without_queue(history), acked: None });
                }
            }
            By::Watches(history) => control.slow_start_ends |= is_full(history, &ack, OLDER),
            By::Drains(drain) => {
                if drain.window(control, &ack) <= Window::whole(drain.target) {
                    control.window = control.window.min(Window::whole(drain.target));
                    control.slow_start_ends = true;
                }
            }
            By::Over => {}
        }
        if control.slow_start_ends {
            *self = By::Over;
        }
    }
}

impl FlightDrain {
    fn acked(&self, ack: &Ack) -> Option<u32> {
        self.acked.map(|acked| acked.saturating_add(ack.acked.0))
    }

    /// The window after an acknowledgement.
    fn window(&self, control: &WindowControl, ack: &Ack) -> Window {
        let Some(acked) = self.acked(ack) else { return control.window };
        let in_flight = ack.in_flight.0.saturating_sub(ack.acked.0).saturating_add(acked / ACKED_PER_SEGMENT);
        Window::whole(Segments(in_flight)).min(control.window)
    }

    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack) {
        control.window = self.window(control, ack);
        self.acked = Some(self.acked(ack).map_or(0, |acked| acked % ACKED_PER_SEGMENT));
    }
}

/// What was delivered in the newest bins that hold a first round trip: 3 of 0.35.
fn path_without_queue(history: &History) -> Segments {
    history.delivered_in(100_u64.div_ceil(BIN_PERCENT) as usize).max(DRAINED)
}

/// Whether the path is full; `older` bins beyond the round trip the other window lies that is interpolated with.
fn is_full(history: &mut History, ack: &Ack, older: isize) -> bool {
    history.count(ack.acked);
    let Some(rtt) = ack.rtt else { return false };
    if !history.has_begun() {
        history.begin(ack.now, Span::from_nanos(rtt.as_nanos() / 100 * BIN_PERCENT), ack.next);
        return false;
    }
    if history.advance(ack.now, ack.next) != Advance::Ended {
        return false;
    }
    let (back, (part, whole)) = history.bins_of(rtt);
    let is_known = history.ended() > back.saturating_add(WINDOW) && back < LOOK_BACK_MAX;
    if !is_known {
        return false;
    }
    let other = history.sent(back.saturating_add_signed(older));
    // windows are below 2^20, parts of a bin below 2^32
    let sent = (other * part + history.sent(back) * (whole - part)) / whole;
    let missing = sent.saturating_sub(history.delivered());
    sent > 0 && missing * 100 >= sent * THRESHOLD_PERCENT
}
