//! What happened at a flow's sender, as its capture shows it: the events that the sender told its congestion control,
//! and what was in flight while the window alone held it back.
//!
//! The host is Linux's: recovery begins with the first segment that is retransmitted, and ends once what was sent
//! before is acknowledged, without SACK (RFC 6582) once more than that is (`tcp_try_undo_recovery`).

use std::collections::BTreeMap;

use vegas_core::rate::{RateEstimator, Snapshot};
use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{Ack, Loss, LossKind, LostSegment, Sent};

use crate::tcp::sender::Again;
use crate::tcp::sender::log::{Acknowledgement, Departure, Log};

/// What the sender told its congestion control, or a point at which the capture shows the window.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Handshake(Time, Span),
    Sent(Sent),
    SegmentLost(LostSegment),
    Lost(Loss),
    /// The newest reaction is undone, as its loss was none, or seemed to be none.
    Undone,
    Recovered(Time),
    Acked(Ack),
    Settled(Settled),
}

/// What was in flight after an acknowledgement, and before the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    /// When the next acknowledgement comes.
    pub(super) at: Time,
    /// Segments in flight when the sender had taken the acknowledgement in, and when the next one came.
    pub(super) before: u32,
    pub(super) after: u32,
    /// The time between both.
    pub(super) waited: Span,
    /// The number of losses before it.
    pub(super) epoch: u32,
}

/// What is known of the flow beside its log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hosts {
    /// The payload of a full segment, bytes.
    pub(super) segment: i64,
    pub(super) has_sack: bool,
    /// Whether the kernel undoes a recovery without SACK that ends with its last segment (`tcp_packet_delayed` before
    /// Linux 5.2, and from 6.12 until it knew `tcp_is_non_sack_preventing_reopen`).
    pub(super) undoes: bool,
    /// The part of the round trip on the sender's side of the capture, ns.
    pub(super) upstream: i64,
    /// The least time by the capture's clock, ns.
    pub(super) origin: i64,
}

/// The state of Linux's recovery (`tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Until everything before this byte is acknowledged.
    Recovery(i64),
    Loss(i64),
}

/// The most events: a longer capture is judged by its beginning.
const EVENTS_MAX: usize = 400_000;
/// Acknowledgements closer to the next one than this are one point with it, ns: what leaves for each cannot be
/// distinguished.
const APART_NS: i64 = 1_000_000;
/// But not more of them than this.
const TOGETHER: u32 = 16;

/// What the sender does about losses.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    state: State,
    /// Whether the last segment of the recovery is acknowledged, which does not end it.
    is_held: bool,
    /// When the segment left that a timeout retransmitted, until an acknowledgement answers it.
    timed_out: Option<i64>,
    /// The number of losses so far.
    epoch: u32,
}

struct Sender<'a> {
    log: &'a Log,
    hosts: Hosts,
    recovery: Recovery,
    una: i64,
    next: i64,
    /// Segments behind the first that is missing which have arrived: by duplicates, or by SACK.
    arrived: i64,
    rates: RateEstimator,
    snapshots: Vec<Snapshot>,
    /// The newest departure of each segment that is outstanding, by its first byte.
    newest: BTreeMap<i64, usize>,
    /// The departures that each acknowledgement was the first to cover, by its time.
    covered: BTreeMap<i64, Vec<usize>>,
    least_rtt: i64,
    newly_lost: u32,
    /// The point after the newest acknowledgement.
    open: Option<Point>,
    together: u32,
    events: Vec<Event>,
}

#[derive(Clone, Copy)]
struct Point {
    at: i64,
    before: u32,
}

/// Returns the events, in the order of time.
pub(super) fn events(log: &Log, hosts: Hosts) -> Vec<Event> {
    let first = log.departures.first().map_or(0, |departure| departure.from);
    let mut sender = Sender {
        log,
        hosts,
        recovery: Recovery { state: State::Open, is_held: false, timed_out: None, epoch: 0 },
        una: first,
        next: first,
        arrived: 0,
        rates: RateEstimator::new(),
        snapshots: vec![Snapshot::default(); log.departures.len()],
        newest: BTreeMap::new(),
        covered: covered(&log.departures),
        least_rtt: i64::MAX,
        newly_lost: 0,
        open: None,
        together: 0,
        events: Vec::new(),
    };
    if let (Some(rtt), Some(departure)) = (log.handshake, log.departures.first()) {
        sender.events.push(Event::Handshake(sender.time(departure.at), span(rtt)));
    }
    sender.run();
    sender.events
}

fn covered(departures: &[Departure]) -> BTreeMap<i64, Vec<usize>> {
    let mut covered: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (number, departure) in departures.iter().enumerate() {
        if let Some(acked_at) = departure.acked_at {
            covered.entry(acked_at).or_default().push(number);
        }
    }
    covered
}

fn span(ns: i64) -> Span {
    Span::from_nanos(u64::try_from(ns).unwrap_or(0))
}

fn segments(count: i64) -> Segments {
    Segments(u32::try_from(count).unwrap_or(0))
}

impl Sender<'_> {
    fn run(&mut self) {
        let log = self.log;
        let mut departures = log.departures.iter().enumerate().peekable();
        for ack in log.acknowledgements.iter().filter(|ack| ack.is_pure || ack.delivered > 0) {
            // what an acknowledgement lets leave passes the capture at least the upstream half after it
            if self.events.len() >= EVENTS_MAX {
                return;
            }
            let at = ack.at.saturating_add(self.hosts.upstream / 4);
            while let Some((number, departure)) = departures.next_if(|(_, departure)| departure.at < at) {
                self.send(number, departure);
            }
            self.settle(at);
            self.take(at, ack);
        }
    }

    fn time(&self, at: i64) -> Time {
        Time::from_nanos(u64::try_from(at - self.hosts.origin).unwrap_or(0))
    }

    /// The number of a byte's segment.
    fn index(&self, byte: i64) -> u64 {
        u64::try_from((byte + self.hosts.segment / 2) / self.hosts.segment.max(1)).unwrap_or(0)
    }

    fn count(&self, bytes: i64) -> i64 {
        (bytes + self.hosts.segment - 1) / self.hosts.segment.max(1)
    }

    fn outstanding(&self) -> i64 {
        self.count(self.next - self.una)
    }

    fn in_flight(&self) -> u32 {
        segments(self.outstanding() - self.arrived).0
    }

    fn send(&mut self, number: usize, departure: &Departure) {
        let now = self.time(departure.at);
        if let Some(again) = departure.again {
            self.send_again(number, departure, again);
        }
        self.snapshots[number] = self.rates.on_sent(now, Segments(self.in_flight()), self.outstanding() == 0);
        self.next = self.next.max(departure.to);
        self.newest.insert(departure.from, number);
        let retransmission = departure.again.is_some();
        let index = SendIndex(self.index(departure.from));
        self.events.push(Event::Sent(Sent { now, index, in_flight: Segments(self.in_flight()), retransmission }));
    }

    fn send_again(&mut self, number: usize, departure: &Departure, again: Again) {
        let now = self.time(departure.at);
        let original = self.newest.get(&departure.from).copied();
        let is_lost = matches!(again, Again::Fast | Again::Timeout | Again::AfterTimeout);
        if let (true, Some(original)) = (is_lost, original.filter(|original| *original < number)) {
            self.rates.on_lost(Segments(1));
            self.newly_lost += 1;
            self.events.push(Event::SegmentLost(self.rates.lost_segment(self.snapshots[original])));
        }
        let kind = match (again, self.recovery.state) {
            (Again::Timeout, State::Open | State::Recovery(_)) => LossKind::Timeout,
            (Again::Timeout, State::Loss(high)) if self.una >= high => LossKind::Timeout,
            (Again::Fast, State::Open) => LossKind::DuplicateAcks,
            _ => return,
        };
        self.recovery.state =
            if kind == LossKind::Timeout { State::Loss(self.next) } else { State::Recovery(self.next) };
        (self.recovery.is_held, self.recovery.epoch) = (false, self.recovery.epoch + 1);
        self.recovery.timed_out = (kind == LossKind::Timeout).then_some(departure.at);
        let sent = original.map_or(Time::ZERO, |original| self.time(self.log.departures[original].at));
        let next = match kind {
            LossKind::Timeout => self.una,
            _ => self.next,
        };
        self.events.push(Event::Lost(Loss {
            now,
            kind,
            sent,
            retransmission: false,
            in_flight: segments(self.outstanding()),
            next: SendIndex(self.index(next)),
            lost: Segments(std::mem::take(&mut self.newly_lost).max(1)),
            threshold_holds: false,
        }));
    }

    /// Notes what the newest acknowledgement has let leave, before one that comes at `at`.
    fn settle(&mut self, at: i64) {
        let Some(point) = self.open else { return };
        self.together += 1;
        if at - point.at < APART_NS && self.together < TOGETHER {
            return;
        }
        (self.open, self.together) = (None, 0);
        self.events.push(Event::Settled(Settled {
            at: self.time(at),
            before: point.before,
            after: self.in_flight(),
            waited: span(at - point.at),
            epoch: self.recovery.epoch,
        }));
    }

    fn take(&mut self, at: i64, ack: &Acknowledgement) {
        let now = self.time(at);
        let (in_flight, next) = (segments(self.outstanding()), SendIndex(self.index(self.next)));
        let advanced = self.count(ack.edge - self.una);
        let delivered = self.deliver(ack, advanced);
        self.una = self.una.max(ack.edge);
        self.next = self.next.max(self.una);
        let rtt = self.round_trip(at, ack);
        if advanced > 0 {
            self.answer_timeout(at);
            self.leave_recovery(now);
        }
        let in_recovery = matches!(self.recovery.state, State::Recovery(_));
        if advanced > 0 || ack.is_duplicate || delivered > 0 {
            let least = span(if self.least_rtt == i64::MAX { 0 } else { self.least_rtt });
            self.events.push(Event::Acked(Ack {
                now,
                rtt: rtt.map(span),
                acked: if advanced > 0 { segments(delivered.max(1)) } else { Segments(0) },
                in_flight,
                newest: SendIndex(self.index(self.una).saturating_sub(1)),
                next,
                window_limited: self.has_room(ack),
                in_recovery,
                delivered: segments(delivered),
                lost: Segments(std::mem::take(&mut self.newly_lost)),
                // the way back is taken to be constant
                one_way_delay: rtt.map(span),
                rate: self.rates.sample(least),
                ..Ack::default()
            }));
        }
        let is_open = self.recovery.state == State::Open && self.arrived == 0 && self.has_room(ack);
        let point = Point { at, before: self.in_flight() };
        self.open = is_open.then_some(point);
    }

    /// Returns how many segments have arrived by an acknowledgement that `advanced` by a number of them.
    fn deliver(&mut self, ack: &Acknowledgement, advanced: i64) -> i64 {
        if self.hosts.has_sack {
            self.arrived = self.count(ack.sacked);
            return self.count(ack.delivered);
        }
        // without SACK each duplicate is a segment behind the hole (`tcp_add_reno_sack`, `tcp_remove_reno_sacks`)
        if advanced > 0 {
            let delivered = (advanced - self.arrived).max(1);
            self.arrived = (self.arrived - (advanced - 1)).max(0);
            return delivered;
        }
        let is_new = ack.is_duplicate && self.arrived < self.outstanding() - 1;
        self.arrived += i64::from(is_new);
        i64::from(is_new)
    }

    /// Returns the round-trip time of the newest segment that it covers; none if one of them was retransmitted.
    fn round_trip(&mut self, at: i64, ack: &Acknowledgement) -> Option<i64> {
        let covered = self.covered.get_mut(&ack.at)?;
        let departures = &self.log.departures;
        let is_of_it = |number: &usize| self.hosts.has_sack || departures[*number].to <= ack.edge;
        let (of_it, others): (Vec<usize>, Vec<usize>) = covered.iter().partition(|number| is_of_it(number));
        *covered = others;
        for number in &of_it {
            let departure = &departures[*number];
            let (now, sent) = (self.time(at), self.time(departure.at));
            self.rates.on_delivered(now, sent, self.snapshots[*number]);
            self.newest.remove(&departure.from);
        }
        let once = of_it.iter().all(|number| departures[*number].again.is_none());
        let newest = of_it.iter().map(|number| departures[*number].at).max().filter(|_| once)?;
        let rtt = ack.at.saturating_add(self.hosts.upstream).saturating_sub(newest).max(1);
        self.least_rtt = self.least_rtt.min(rtt);
        Some(rtt)
    }

    /// Undoes a timeout if the answer comes sooner than one to what it retransmitted (RFC 3522).
    fn answer_timeout(&mut self, at: i64) {
        let Some(sent) = self.recovery.timed_out.take() else { return };
        if self.least_rtt < i64::MAX && at - sent < self.least_rtt / 10 * 9 {
            self.recovery.state = State::Open;
            self.events.push(Event::Undone);
        }
    }

    fn leave_recovery(&mut self, now: Time) {
        let was_held = self.recovery.is_held;
        self.recovery.is_held =
            matches!(self.recovery.state, State::Recovery(high) if !self.hosts.has_sack && self.una == high);
        let is_over = match self.recovery.state {
            State::Open => false,
            State::Recovery(high) => self.una > high || (self.hosts.has_sack && self.una == high),
            State::Loss(high) => self.una >= high,
        };
        if !is_over {
            return;
        }
        self.recovery.state = State::Open;
        self.arrived = if self.hosts.has_sack { self.arrived } else { 0 };
        if was_held && self.hosts.undoes {
            self.events.push(Event::Undone);
        }
        self.events.push(Event::Recovered(now));
    }

    /// Whether the receiver's window has room for another segment.
    fn has_room(&self, ack: &Acknowledgement) -> bool {
        ack.window < 0 || self.next - self.una + self.hosts.segment <= ack.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn departure(at_ms: i64, segment: i64, again: Option<Again>, acked_ms: Option<i64>) -> Departure {
        let (from, to) = (segment * 100, (segment + 1) * 100);
        let acked_at = acked_ms.map(|at| at * MS);
        Departure { at: at_ms * MS, from, to, ip_bytes: 140, again, acked_at, is_replaced: acked_ms.is_none() }
    }

    fn acknowledgement(at_ms: i64, segments: i64, delivered: i64) -> Acknowledgement {
        let (edge, is_duplicate) = (segments * 100, delivered == 0);
        let (at, delivered) = (at_ms * MS, delivered * 100);
        Acknowledgement { at, delivered, is_pure: true, ip_bytes: 40, edge, sacked: 0, window: 60_000, is_duplicate }
    }

    /// Segments 0 to 4 leave at 0; 1 is lost. Three duplicates, and it leaves again at 103 ms with 5 behind it.
    fn log() -> Log {
        let mut log = Log::default();
        let acked = [Some(100), None, Some(200), Some(200), Some(200)];
        log.departures = (0..5).zip(acked).map(|(segment, acked)| departure(0, segment, None, acked)).collect();
        log.departures.push(departure(104, 1, Some(Again::Fast), Some(200)));
        log.departures.push(departure(105, 5, None, Some(206)));
        let duplicates = [101, 102, 103].map(|at| acknowledgement(at, 1, 0));
        log.acknowledgements.push(acknowledgement(100, 1, 1));
        log.acknowledgements.extend(duplicates);
        log.acknowledgements.extend([
            acknowledgement(200, 5, 4),
            acknowledgement(206, 6, 1),
            acknowledgement(300, 6, 0),
        ]);
        log
    }

    fn said(undoes: bool) -> Vec<String> {
        let hosts = Hosts { segment: 100, has_sack: false, undoes, upstream: 0, origin: 0 };
        let name = |event: &Event| match event {
            Event::Lost(loss) => Some(format!("lost at {} ms", loss.now.as_nanos() as i64 / MS)),
            Event::Undone => Some("undone".to_owned()),
            Event::Recovered(now) => Some(format!("recovered at {} ms", now.as_nanos() as i64 / MS)),
            Event::Settled(settled) => Some(format!("{} then {}", settled.before, settled.after)),
            Event::Acked(ack) => ack.rtt.map(|rtt| format!("{} of {} ms", ack.acked.0, rtt.as_nanos() as i64 / MS)),
            Event::Handshake(..) | Event::Sent(_) | Event::SegmentLost(_) => None,
        };
        events(&log(), hosts).iter().filter_map(name).collect()
    }

    /// By hand: an acknowledgement of everything before the recovery does not end it, the next one does.
    #[test]
    fn a_recovery_without_sack() {
        let expected = ["1 of 100 ms", "4 then 4", "lost at 104 ms", "recovered at 206 ms", "1 of 101 ms", "0 then 0"];
        assert_eq!(said(false), expected);
    }

    /// A kernel that takes the acknowledgement behind it for a sign that nothing was lost.
    #[test]
    fn a_recovery_that_is_undone() {
        assert_eq!(said(true)[2..5], ["lost at 104 ms", "undone", "recovered at 206 ms"]);
    }
}
