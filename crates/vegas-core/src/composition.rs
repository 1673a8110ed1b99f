//! A sender as a composition of parts, its numbers, and what a host must be able to do for it.

pub(crate) mod algorithm;
pub(crate) mod bases;
pub(crate) mod composed;
pub(crate) mod host;
pub(crate) mod mechanisms;
pub(crate) mod parts;

use core::fmt;

use crate::contract::Needs;
use crate::contract::parameters::{Parameters, Thresholds};
use crate::units::{Segments, Window};
pub use host::Host;
use parts::avoidance::Avoidance;
use parts::beside::{BaseRtt, DRAIN_NEEDS, Rivals};
use parts::limits::Limits;
use parts::loss_response::LossResponse;
use parts::signal::Signal;
use parts::slow_start::SlowStart;

/// The parts of a sender. Any combination can be written down; [`Composition::check`] refuses what cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composition {
    /// The measurement of the backlog.
    pub signal: Signal,
    /// Where the base RTT comes from.
    pub base_rtt: BaseRtt,
    /// What happens beside flows that fill the queue.
    pub rivals: Rivals,
    /// The slow start.
    pub slow_start: SlowStart,
    /// The congestion avoidance.
    pub avoidance: Avoidance,
    /// The response of the window to a loss.
    pub loss: LossResponse,
    /// How the host finds and repairs losses.
    pub detection: Detection,
    /// What else bounds sending and growth.
    pub limits: Limits,
}

/// How the host finds and repairs losses: the host's part, named by the composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    /// What happens between a loss and its repair.
    pub recovery: Recovery,
    /// C of "Revisited": a duplicate ACK retransmits a segment that is older than its fine-grained timeout.
    pub fine_retransmit: bool,
    /// D of "Revisited": the first two new ACKs after a retransmission check the next segment likewise.
    pub recheck_after_retransmit: bool,
    /// A fast retransmission also doubles the retransmission timeout, as after a timeout (ns-2's Vegas).
    pub retransmit_backs_off: bool,
    /// A segment that waited at the receiver behind a hole gives a round-trip sample, too (ns-2's Vegas).
    pub samples_waiting: bool,
}

impl Detection {
    /// What a host does by itself, with this recovery.
    pub const fn by_host(recovery: Recovery) -> Self {
        Detection {
            recovery,
            fine_retransmit: false,
            recheck_after_retransmit: false,
            retransmit_backs_off: false,
            samples_waiting: false,
        }
    }
}

/// Fast recovery of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// RFC 5681: ends with the first new acknowledgement.
    Reno,
    /// RFC 6582: a partial acknowledgement retransmits the next hole.
    NewReno,
    /// RFC 6675: selective acknowledgements and a pipe estimate.
    Sack,
}

impl Recovery {
    /// What users write for each choice.
    pub const NAMES: &'static [(&'static str, Recovery)] =
        &[("reno", Recovery::Reno), ("newreno", Recovery::NewReno), ("sack", Recovery::Sack)];
}

/// What a host can do for a composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCapabilities {
    /// The host's name in a refusal.
    pub name: &'static str,
    /// It lets the algorithm decide on retransmissions (C and D).
    pub retransmission_path: bool,
    /// It can hold back segments beyond a burst (H).
    pub burst_limit: bool,
    /// It can hold every segment to a rate, without bursts (J).
    pub spike_suppression: bool,
    /// The events and signals that it gives to a congestion control.
    pub gives: Needs,
}

impl HostCapabilities {
    /// The simulator's TCP: everything.
    pub const SIMULATOR: HostCapabilities = HostCapabilities {
        name: "simulator",
        retransmission_path: true,
        burst_limit: true,
        spike_suppression: true,
        gives: Needs {
            rate: true,
            every_ack: true,
            window_limited: true,
            sent: true,
            spread: true,
            pacing: true,
            pace_kept: true,
            one_way_delay: true,
            routers: true,
            own_recovery: true,
            each_loss: true,
            accurate_ecn: true,
            ect1: true,
        },
    };

    /// Linux's TCP: its pluggable interface gives windows and rates only, and its pacing lets bursts through. The
    /// routers' option is the IP layer's.
    pub const LINUX: HostCapabilities = HostCapabilities {
        name: "linux",
        retransmission_path: false,
        burst_limit: false,
        spike_suppression: false,
        gives: HostCapabilities::SIMULATOR.gives,
    };

    /// QUIC as quinn has it: its pluggable interface takes a window only, which carries a pace from round trip to round
    /// trip and no departures. QUIC's own loss recovery decides what is retransmitted and asks for no window in
    /// recovery (RFC 9002, section 7.3.2), quinn's pacer makes its rate of window and RTT and lets bursts through, and
    /// UDP carries no option that routers stamp.
    pub const QUIC: HostCapabilities = HostCapabilities {
        name: "quic",
        retransmission_path: false,
        burst_limit: false,
        spike_suppression: false,
        gives: Needs {
            rate: true,
            every_ack: true,
            window_limited: true,
            sent: true,
            spread: true,
            pacing: false,
            pace_kept: true,
            one_way_delay: false,
            routers: false,
            own_recovery: true,
            each_loss: true,
            accurate_ecn: false,
            ect1: false,
        },
    };

    /// QUIC as s2n-quic has it: its interface also takes a departure time, to the millisecond.
    pub const S2N: HostCapabilities = HostCapabilities {
        name: "s2n-quic",
        gives: Needs { pacing: true, ..HostCapabilities::QUIC.gives },
        ..HostCapabilities::QUIC
    };
}

impl HostCapabilities {
    /// Whether it gives what an algorithm of its own needs.
    pub fn meets(&self, needs: &Needs) -> Result<(), Refusal> {
        match needs.unmet(&self.gives) {
            None => Ok(()),
            Some(reason) => Err(Refusal::new("algorithm", reason, Some(self.name))),
        }
    }
}

/// The reason why a composition cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The part or number that cannot run, by its key in a scenario file.
    pub part: &'static str,
    /// What is wrong, and what would be right.
    pub reason: &'static str,
    /// The host that lacks something, if the host is the reason.
    pub host: Option<&'static str>,
}

impl Refusal {
    /// A refusal of this part or number, for this reason, by this host if it is the reason.
    pub const fn new(part: &'static str, reason: &'static str, host: Option<&'static str>) -> Self {
        Refusal { part, reason, host }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.reason)?;
        match self.host {
            Some(host) => write!(f, " (host: {host})"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for Refusal {}

impl Composition {
    /// Whether the parts go together and the numbers make sense.
    pub fn check(&self, parameters: &Parameters) -> Result<(), Refusal> {
        let refuse = |part, reason| Err(Refusal::new(part, reason, None));
        if self.signal == Signal::None {
            if self.slow_start.needs_signal() {
                return refuse("slow_start", "needs a signal; signal is \"none\"");
            }
            if self.avoidance.needs_signal() {
                return refuse("avoidance", "needs a signal; signal is \"none\"");
            }
        }
        self.check_beside()?;
        if parameters.alpha > parameters.beta {
            return refuse("alpha", "must not exceed beta");
        }
        if parameters.initial_window < Segments(1) {
            return refuse("initial_window", "must be at least 1 segment");
        }
        if parameters.restart_window < Segments(1) {
            return refuse("restart_window", "must be at least 1 segment");
        }
        if parameters.max_window < parameters.initial_window || parameters.max_window < parameters.restart_window {
            return refuse("max_window", "must not be below the initial and the restart window");
        }
        if parameters.max_window < Segments(2) {
            return refuse("max_window", "must be at least 2 segments");
        }
        if parameters.max_window > Window::MAX.floor() {
            return refuse("max_window", "must be at most 16777216 segments");
        }
        if parameters.ssthresh.is_some_and(|ssthresh| ssthresh < Segments(2)) {
            return refuse("ssthresh", "must be at least 2 segments");
        }
        if !Parameters::TICKS_PER_SECOND.contains(&parameters.ticks_per_second) {
            return refuse("ticks_per_second", "must be from 100 to 1000");
        }
        if self.avoidance.divides_by_thresholds() && parameters.alpha < Segments(1) {
            return refuse("alpha", "must be at least 1 segment for Dynamic Vegas's avoidance, which divides by it");
        }
        if let Some((avoidance, reason)) = self.loss.cut.goes_with()
            && self.avoidance != avoidance
        {
            return refuse("cut", reason);
        }
        if self.limits.burst == Some(Segments(0)) {
            return refuse("burst", "must let at least 1 segment out");
        }
        Ok(())
    }

    /// What drains or a handshake measure is a signal's: losses alone know no base RTT, and routers stamp theirs.
    fn check_beside(&self) -> Result<(), Refusal> {
        let refuse = |part, reason| Err(Refusal::new(part, reason, None));
        match (self.base_rtt, self.rivals, self.signal) {
            (BaseRtt::Drains, _, Signal::None) => refuse("base_rtt", "\"drains\" needs a signal; signal is \"none\""),
            (BaseRtt::Drains, _, Signal::RouterAssisted { .. }) => {
                refuse("base_rtt", "\"drains\" needs an end-to-end signal; the base RTT comes from the routers")
            }
            (BaseRtt::Handshake, _, Signal::None) => {
                refuse("base_rtt", "\"handshake\" needs a signal; signal is \"none\"")
            }
            (_, Rivals::Compete, Signal::None) => refuse("rivals", "\"compete\" needs a signal; signal is \"none\""),
            _ => Ok(()),
        }
    }

    /// Whether the flow drains the queue now and then: a state beside that of the parts, and hosts that report more
    /// events.
    pub fn drains(&self) -> bool {
        self.base_rtt == BaseRtt::Drains || self.rivals == Rivals::Compete
    }

    /// Which of `alpha`, `beta` and `gamma` a part reads; every composition reads the other numbers.
    pub fn uses(&self) -> Thresholds {
        self.slow_start.thresholds().or(self.avoidance.thresholds())
    }

    /// The parts that are an algorithm's rather than TCP's: what QUIC does itself is left to it. C and D are in the
    /// place of QUIC's loss recovery (RFC 9002, section 6), H and J of its sender's pacer, and I of the rule that a
    /// window which does not limit the sender does not grow (section 7.8): a paced sender is always a few packets short
    /// of its window.
    ///
    /// A slow start that has another form for the window with which QUIC begins ([`Parameters::left_to_quic`]) gives
    /// way to that.
    pub fn left_to_quic(mut self) -> Self {
        self.slow_start = self.slow_start.with_ten_segments().unwrap_or(self.slow_start);
        self.detection = Detection::by_host(Recovery::Sack);
        self.limits = Limits { burst: None, keep_up: false, suppress_spikes: false };
        self
    }

    /// The composition that runs a slow start in front of a standalone algorithm: a slow start that reads the backlog
    /// gets it from round-trip times, as Vegas does.
    pub fn opening_by(self, slow_start: SlowStart) -> Self {
        let needs_signal = slow_start.needs_signal() && self.signal == Signal::None;
        let signal = if needs_signal { Signal::VEGAS } else { self.signal };
        Composition { signal, slow_start, ..self }
    }

    /// What the parts need of a host beyond acknowledgements and losses.
    pub fn needs(&self) -> Needs {
        let signal =
            Needs { routers: self.signal.needs_routers(), every_ack: self.signal.hears_recoveries(), ..Needs::NONE };
        signal
            .and(&self.needs_beside())
            .and(&self.slow_start.needs())
            .and(&self.avoidance.needs())
            .and(&self.loss.cut.needs())
            .and(&self.limits.needs())
    }

    fn needs_beside(&self) -> Needs {
        if self.drains() { DRAIN_NEEDS } else { Needs::NONE }
    }

    /// Whether a host can carry the composition out.
    pub fn check_host(&self, host: &HostCapabilities) -> Result<(), Refusal> {
        let refuse = |part, reason| Err(Refusal::new(part, reason, Some(host.name)));
        if self.signal.needs_routers() && !host.gives.routers {
            return refuse("signal", "needs a host that carries the queueing times of routers");
        }
        if self.detection.fine_retransmit && !host.retransmission_path {
            return refuse("fine_retransmit", "mechanism C needs the retransmission path");
        }
        if self.detection.recheck_after_retransmit && !host.retransmission_path {
            return refuse("recheck_after_retransmit", "mechanism D needs the retransmission path");
        }
        if self.base_rtt == BaseRtt::Handshake && !host.retransmission_path {
            return refuse("base_rtt", "\"handshake\" needs a host that times its SYN for the algorithm");
        }
        if self.limits.burst.is_some() && !host.burst_limit {
            return refuse("burst", "mechanism H needs a host that holds segments back");
        }
        if self.limits.suppress_spikes && !host.spike_suppression {
            return refuse("suppress_spikes", "mechanism J needs a host that holds every segment to a rate");
        }
        if let Some(reason) = self.needs_beside().unmet(&host.gives) {
            let part = if self.base_rtt == BaseRtt::Drains { "base_rtt" } else { "rivals" };
            return refuse(part, reason);
        }
        if let Some(reason) = self.slow_start.needs().unmet(&host.gives) {
            return refuse("slow_start", reason);
        }
        if let Some(reason) = self.avoidance.needs().unmet(&host.gives) {
            return refuse("avoidance", reason);
        }
        if let Some(reason) = self.loss.cut.needs().unmet(&host.gives) {
            return refuse("cut", reason);
        }
        Ok(())
    }
}
