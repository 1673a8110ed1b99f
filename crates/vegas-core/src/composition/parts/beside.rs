//! What runs beside a composition's slow start and avoidance: how the base RTT is found, and what happens beside flows
//! that fill the queue. Their machinery is that of `vegas-next` (`standalone/vegas_next`); a composition with them is a
//! `VegasNext` that has it as its guest.

use crate::composition::parts::part::choice;
use crate::contract::Needs;

/// What drains need of a host.
pub(crate) const DRAIN_NEEDS: Needs = Needs { every_ack: true, spread: true, ..Needs::NONE };

choice! { @names
    /// Where the base RTT comes from.
    BaseRtt {
        /// The least of all samples, as the signal has it (Brakmo and Peterson 1995, section IV.B).
        "least" Least: none,
        /// As `least`, and the handshake's round trip is a sample, too, as BSD times a SYN (a reading of "Revisited").
        "handshake" Handshake: none,
        /// The least of 20 s, an RTT being the greatest of a group of samples; all flows drain the queue together every
        /// five seconds, which shows it to each of them (vegas-next).
        "drains" Drains: drains,
    }
}

choice! { @names
    /// What the flow does beside flows that fill the queue.
    Rivals {
        /// Nothing: they are taken for delay.
        "ignore" Ignore: none,
        /// It drains to find them, and has CUBIC's window while the queue stays (vegas-next; RFC 9438).
        "compete" Compete: rival,
    }
}

impl BaseRtt {
    /// The page of its rule, in `docs/algorithms`.
    pub const fn page(self) -> &'static str {
        match self {
            BaseRtt::Least => "vegas.md#the-backlog",
            BaseRtt::Handshake => "vegas.md#mechanism-b-alone",
            BaseRtt::Drains => "vegas-next.md#the-rule",
        }
    }
}

impl Rivals {
    /// The page of its rule, in `docs/algorithms`.
    pub const fn page(self) -> &'static str {
        match self {
            Rivals::Ignore => "vegas.md",
            Rivals::Compete => "vegas-next.md#the-rule",
        }
    }
}
