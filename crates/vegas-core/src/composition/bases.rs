//! The compositions that presets begin from, and their numbers.

use crate::composition::parts::avoidance::Avoidance;
use crate::composition::parts::beside::{BaseRtt, Rivals};
use crate::composition::parts::cut::Cut;
use crate::composition::parts::limits::Limits;
use crate::composition::parts::loss_response::{LossResponse, SlowStartEnds};
use crate::composition::parts::signal::Signal;
use crate::composition::parts::slow_start::SlowStart;
use crate::composition::{Composition, Detection, Recovery};
use crate::contract::parameters::Parameters;
use crate::units::Segments;

/// Larger than any path of the papers needs; a receiver's window lowers it.
const MAX_WINDOW: Segments = Segments(1 << 20);

pub(crate) const RENO: Composition = Composition {
    signal: Signal::None,
    base_rtt: BaseRtt::Least,
    rivals: Rivals::Ignore,
    slow_start: SlowStart::Reno,
    avoidance: Avoidance::Reno,
    loss: LossResponse { cut: Cut::Half, once_per_window: false, slow_start_ends: SlowStartEnds::AtCut },
    detection: Detection::by_host(Recovery::Reno),
    limits: Limits { burst: None, keep_up: false, suppress_spikes: false },
};

/// "Revisited", section VI, G: the window of one segment that Reno starts and restarts with.
pub(crate) const RENO_PARAMETERS: Parameters = Parameters {
    alpha: Segments(1),
    beta: Segments(3),
    gamma: Segments(1),
    initial_window: Segments(1),
    restart_window: Segments(1),
    ssthresh: None,
    max_window: MAX_WINDOW,
    ticks_per_second: Parameters::DEBIANS_TICKS,
};

pub(crate) const VEGAS: Composition = Composition {
    signal: Signal::VEGAS,
    base_rtt: BaseRtt::Least,
    rivals: Rivals::Ignore,
    slow_start: SlowStart::Vegas,
    avoidance: Avoidance::Vegas,
    loss: LossResponse { cut: Cut::ThreeQuarters, once_per_window: true, slow_start_ends: SlowStartEnds::AtCut },
    detection: Detection { fine_retransmit: true, recheck_after_retransmit: true, ..RENO.detection },
    limits: Limits { burst: Some(Segments(3)), keep_up: true, suppress_spikes: false },
};

pub(crate) const VEGAS_PARAMETERS: Parameters =
    Parameters { initial_window: Segments(2), restart_window: Segments(2), ..RENO_PARAMETERS };

/// RFC 2018, RFC 6675; what standalone algorithms leave to the host.
pub(crate) const SACK: Composition = with_recovery(RENO, Recovery::Sack);

pub(crate) const fn with_recovery(base: Composition, recovery: Recovery) -> Composition {
    Composition { detection: Detection { recovery, ..base.detection }, ..base }
}
