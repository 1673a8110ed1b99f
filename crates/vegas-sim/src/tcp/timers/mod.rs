//! The timers by which a sender acts: the retransmission timeout, the fine-grained timeout of Vegas, and the pacer.

pub(super) mod fine_timeout;
pub(super) mod pacer;
pub(super) mod rto;

use vegas_core::units::Time;

use crate::scenario::HostSpec;
use fine_timeout::FineTimeout;
use pacer::Pacer;
use rto::Rto;

/// The timers of a sender.
#[derive(Clone, Debug)]
pub(super) struct SenderTimers {
    pub(super) rto: Rto,
    pub(super) fine: FineTimeout,
    pub(super) pacer: Pacer,
    /// When the retransmission timer runs out; [`Time::NEVER`] while nothing is outstanding.
    pub(super) retransmission: Time,
}

impl SenderTimers {
    pub(super) fn new(host: &HostSpec) -> Self {
        SenderTimers {
            rto: Rto::new(host),
            fine: FineTimeout::default(),
            pacer: Pacer::default(),
            retransmission: Time::NEVER,
        }
    }
}
