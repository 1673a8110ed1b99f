//! Cases of any congestion control ([`generic`]), and those of the BBR draft: draft-ietf-ccwg-bbr, appendix "BBR
//! Example Test Cases", in its order.
//!
//! A judge inspects what a control shows. The control's inner state is optional ([`crate::Inside`]); a case that needs
//! more than a control shows is not applicable.

mod aggregation;
mod changes;
mod drain;
mod generic;
mod look;
mod probe_down;
mod probe_rtt;
mod probe_up;
mod spurious;
mod startup;
mod view;

use crate::case::Case;

/// All cases of the appendix.
pub fn bbr() -> &'static [Case] {
    &BBR
}

/// The requirements on any congestion control: RFC 9002, sections 7.1 to 7.8, RFC 5681 and RFC 8085.
pub fn generic() -> &'static [Case] {
    &generic::ALL
}

static BBR: [Case; 22] = [
    startup::PLATEAU,
    startup::LOSS,
    drain::INFLIGHT,
    drain::TIME,
    probe_up::PLATEAU,
    probe_up::LOSS,
    probe_up::STAYS,
    probe_down::INFLIGHT,
    probe_down::TIME,
    probe_rtt::ENTER,
    probe_rtt::IDLE,
    aggregation::STARTUP,
    aggregation::CRUISE,
    aggregation::SUB_PACKET,
    changes::FASTER,
    changes::SLOWER,
    changes::POLICER,
    spurious::FAST_RECOVERY,
    spurious::TIMEOUT,
    startup::PROBE_RTT,
    probe_up::LONG_TERM,
    probe_up::REFILL,
];
