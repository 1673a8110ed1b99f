//! SEARCH (draft-chung-ccwg-search-09): as Reno, one segment for each one acknowledged, until what arrives falls behind
//! what was sent a round trip before: the delivered segments of 3.5 first round trips against the sent ones of as long
//! a window that ended a round trip earlier. For the first slow start of a connection.

use super::{SlowStart, SlowStartPart, as_acknowledged};
use crate::composition::parts::history::{Advance, History, LOOK_BACK_MAX, WINDOW};
use crate::composition::parts::part::SlowStartPromise;
use crate::composition::parts::window::Control;
use crate::contract::Ack;
use crate::units::{Segments, Span, Window};

/// The window of sent segments lies a round trip back, between two bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search;

/// `Search` with the interpolation that draft -09 prints: towards the newer bin, so that the window ends less than a
/// round trip back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchDraft09;

/// `Search`, and then what is in flight is drained to what the path holds without a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchDrain;

/// WINDOW_SIZE_FACTOR: 3.5 first round trips, in ten bins of 0.35.
const BIN_PERCENT: u64 = 35;
/// THRESH: 0.26.
const THRESHOLD_PERCENT: u64 = 26;

/// The least window to which it drains: the initial one (RFC 6928).
const DRAINED: Segments = Segments(10);

const PROMISE: SlowStartPromise =
    SlowStartPromise { most_added: Segments(u32::MAX), ends_itself: true, ..SlowStartPromise::RENO };

impl SlowStartPart for Search {
    const PAGE: &'static str = "search.md";
    const PROMISE: SlowStartPromise = PROMISE;
    const COUNTS_SEGMENTS: bool = true;
    const IN_KERNEL: bool = false;
    const SCALES: bool = false;
    const AFTER_TIMEOUT: Option<SlowStart> = Some(SlowStart::Reno);
    const ENDS_BY_HISTORY: Option<fn(&mut History, &Ack) -> bool> = Some(|history, ack| ends(history, ack, 1));

    fn start(_window: Window) -> Self {
        Search
    }

    fn on_ack(&mut self, control: &mut Control, ack: &Ack, _base_rtt: Option<Span>) -> Window {
        as_acknowledged(control, ack)
    }
}

impl SlowStartPart for SearchDraft09 {
    const PAGE: &'static str = Search::PAGE;
    const PROMISE: SlowStartPromise = PROMISE;
    const COUNTS_SEGMENTS: bool = true;
    const IN_KERNEL: bool = false;
    const SCALES: bool = false;
    const AFTER_TIMEOUT: Option<SlowStart> = Some(SlowStart::Reno);
    const ENDS_BY_HISTORY: Option<fn(&mut History, &Ack) -> bool> = Some(|history, ack| ends(history, ack, -1));

    fn start(_window: Window) -> Self {
        SearchDraft09
    }

    fn on_ack(&mut self, control: &mut Control, ack: &Ack, _base_rtt: Option<Span>) -> Window {
        as_acknowledged(control, ack)
    }
}

impl SlowStartPart for SearchDrain {
    const PAGE: &'static str = Search::PAGE;
    const PROMISE: SlowStartPromise = SlowStartPromise { steps_down: true, ..PROMISE };
    const COUNTS_SEGMENTS: bool = true;
    const IN_KERNEL: bool = false;
    const SCALES: bool = false;
    const AFTER_TIMEOUT: Option<SlowStart> = Some(SlowStart::Reno);
    const ENDS_BY_HISTORY: Option<fn(&mut History, &Ack) -> bool> = Search::ENDS_BY_HISTORY;
    const DRAINS_BY_HISTORY: Option<fn(&History) -> Segments> = Some(path_without_queue);

    fn start(_window: Window) -> Self {
        SearchDrain
    }

    fn on_ack(&mut self, control: &mut Control, ack: &Ack, _base_rtt: Option<Span>) -> Window {
        as_acknowledged(control, ack)
    }
}

/// What was delivered in the newest bins that hold a first round trip: 3 of 0.35.
fn path_without_queue(history: &History) -> Segments {
    history.delivered_in(100_u64.div_ceil(BIN_PERCENT) as usize).max(DRAINED)
}

/// Whether the path is full; `older` bins beyond the round trip the other window lies that is interpolated with.
fn ends(history: &mut History, ack: &Ack, older: isize) -> bool {
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
