//! The events of an algorithm in Python: those of the contract (`vegas_core::contract`), with times in ns.

use pyo3::prelude::*;
use vegas_core::units::Span;
use vegas_core::{LossKind, Parameters};

/// Makes copying return the same object: its contents never change.
macro_rules! unchanging {
    ($($name:ident)+) => {$(
        #[pymethods]
        impl $name {
            fn __copy__(slf: Py<Self>) -> Py<Self> {
                slf
            }

            fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
                slf
            }
        }
    )+};
}

unchanging!(Start Ack Rate Loss LostSegment Sent Restart);

/// The start of a connection: an algorithm's numbers, in segments, and the seed of its random numbers.
#[pyclass(frozen, get_all, module = "vegaslab._vegaslab")]
pub(crate) struct Start {
    initial_window: u32,
    restart_window: u32,
    max_window: u32,
    ssthresh: Option<u32>,
    alpha: u32,
    beta: u32,
    gamma: u32,
    seed: u64,
}

impl Start {
    pub(super) fn new(parameters: &Parameters, seed: u64) -> Self {
        let Parameters {
            alpha,
            beta,
            gamma,
            initial_window,
            restart_window,
            ssthresh,
            max_window,
            ticks_per_second: _,
        } = parameters;
        Start {
            initial_window: initial_window.0,
            restart_window: restart_window.0,
            max_window: max_window.0,
            ssthresh: ssthresh.map(|segments| segments.0),
            alpha: alpha.0,
            beta: beta.0,
            gamma: gamma.0,
            seed,
        }
    }
}

/// An acknowledgement.
#[pyclass(frozen, get_all, module = "vegaslab._vegaslab")]
pub(crate) struct Ack {
    now_ns: u64,
    rtt_ns: Option<u64>,
    acked: u32,
    in_flight: u32,
    newest: u64,
    next: u64,
    window_limited: bool,
    ce_marked: u32,
    in_recovery: bool,
    delivered: u32,
    lost: u32,
    forward_queueing_ns: Option<u64>,
    backward_queueing_ns: Option<u64>,
    one_way_delay_ns: Option<u64>,
    rate: Option<Py<Rate>>,
    may_grow: bool,
}

impl Ack {
    pub(super) fn new(py: Python<'_>, ack: &vegas_core::Ack) -> PyResult<Self> {
        Ok(Ack {
            now_ns: ack.now.as_nanos(),
            rtt_ns: ack.rtt.map(Span::as_nanos),
            acked: ack.acked.0,
            in_flight: ack.in_flight.0,
            newest: ack.newest.0,
            next: ack.next.0,
            window_limited: ack.window_limited,
            ce_marked: ack.ce_marked,
            in_recovery: ack.in_recovery,
            delivered: ack.delivered.0,
            lost: ack.lost.0,
            forward_queueing_ns: ack.feedback.map(|feedback| feedback.forward.as_nanos()),
            backward_queueing_ns: ack.feedback.map(|feedback| feedback.backward.as_nanos()),
            one_way_delay_ns: ack.one_way_delay.map(Span::as_nanos),
            rate: ack.rate.map(|rate| Py::new(py, Rate::new(&rate))).transpose()?,
            may_grow: ack.may_grow(),
        })
    }
}

/// The rate at which segments arrived.
#[pyclass(frozen, get_all, module = "vegaslab._vegaslab")]
pub(crate) struct Rate {
    delivered: u32,
    interval_ns: u64,
    lost: u32,
    in_flight: u32,
    prior_delivered: u32,
    total: u32,
    app_limited: bool,
}

impl Rate {
    fn new(rate: &vegas_core::RateSample) -> Self {
        Rate {
            delivered: rate.delivered.0,
            interval_ns: rate.interval.as_nanos(),
            lost: rate.lost.0,
            in_flight: rate.in_flight.0,
            prior_delivered: rate.prior_delivered,
            total: rate.total,
            app_limited: rate.app_limited,
        }
    }
}

/// A loss, a retransmission timeout or a mark.
#[pyclass(frozen, get_all, module = "vegaslab._vegaslab")]
pub(crate) struct Loss {
    now_ns: u64,
    kind: &'static str,
    sent_ns: u64,
    retransmission: bool,
    in_flight: u32,
    next: u64,
    lost: u32,
}

impl Loss {
    pub(super) fn new(loss: &vegas_core::Loss) -> Self {
        Loss {
            now_ns: loss.now.as_nanos(),
            kind: match loss.kind {
                LossKind::DuplicateAcks => "duplicate-acks",
                LossKind::Timeout => "timeout",
                LossKind::Ecn => "ecn",
            },
            sent_ns: loss.sent.as_nanos(),
            retransmission: loss.retransmission,
            in_flight: loss.in_flight.0,
            next: loss.next.0,
            lost: loss.lost.0,
        }
    }
}

/// A segment was found lost.
#[pyclass(frozen, get_all, module = "vegaslab._vegaslab")]
pub(crate) struct LostSegment {
    in_flight: u32,
    lost: u32,
    app_limited: bool,
}

impl LostSegment {
    pub(super) fn new(lost: &vegas_core::LostSegment) -> Self {
        LostSegment { in_flight: lost.in_flight.0, lost: lost.lost.0, app_limited: lost.app_limited }
    }
}

/// A segment leaves.
#[pyclass(frozen, get_all, module = "vegaslab._vegaslab")]
pub(crate) struct Sent {
    now_ns: u64,
    index: u64,
    in_flight: u32,
    retransmission: bool,
}

impl Sent {
    pub(super) fn new(sent: &vegas_core::Sent) -> Self {
        Sent {
            now_ns: sent.now.as_nanos(),
            index: sent.index.0,
            in_flight: sent.in_flight.0,
            retransmission: sent.retransmission,
        }
    }
}

/// The application sends again after a time with nothing in flight.
#[pyclass(frozen, get_all, module = "vegaslab._vegaslab")]
pub(crate) struct Restart {
    now_ns: u64,
    next: u64,
    idle_ns: u64,
}

impl Restart {
    pub(super) fn new(restart: &vegas_core::Restart) -> Self {
        Restart { now_ns: restart.now.as_nanos(), next: restart.next.0, idle_ns: restart.idle.as_nanos() }
    }
}
