//! The sending end of a flow: what is sent when, and what an acknowledgement or a timeout means. How losses are
//! repaired is in [`super::recovery`]; how large the window is, in vegas-core.

use std::sync::Arc;

use vegas_core::units::{Segments, SendIndex, Span, Time, Window};
use vegas_core::{Ack, Algorithm, Detection, Loss, LossKind, Phase, Recovery, RouterFeedback, State};

use super::Outbox;
use super::ecn::EcnSender;
use super::fine_timeout::FineTimeout;
use super::layout::Layout;
use super::linux::Linux;
use super::pacer::Pacer;
use super::recovery::Repair;
use super::rto::Rto;
use super::scoreboard::{Entry, Scoreboard};
use crate::foreign::RttTotals;
use crate::outcome::IncidentKind;
use crate::packet::{Packet, PacketKind, SackBlocks};
use crate::scenario::{FlowSpec, Handshake, HostKind, HostSpec};

/// More segments than any window has.
pub(super) const UNLIMITED: Segments = Segments(u32::MAX);

/// The sending end of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    pub(super) flow: u32,
    pub(super) algorithm: Arc<Algorithm>,
    pub(super) state: State,
    pub(super) host: Arc<HostSpec>,
    pub(super) detection: Detection,
    /// Mechanism H.
    burst: Segments,
    receive_window: Segments,
    /// Neither a Linux host, nor ECN, nor routers that stamp: an acknowledgement tells what was received, and no more.
    is_plain: bool,
    pub(super) layout: Arc<Layout>,
    pub(super) board: Scoreboard,
    /// The next segment to send; after a timeout it goes back to the oldest that is not acknowledged.
    pub(super) next: u64,
    /// Segments the application has given.
    limit: u64,
    /// Segments it will have given in the end.
    total: u64,
    /// When it gives each segment, if not all at the start.
    write_times: Box<[Time]>,
    /// Data may leave.
    established: bool,
    pub(super) repair: Repair,
    pub(super) rto: Rto,
    pub(super) fine: FineTimeout,
    /// Recovery as on Linux, where the host is one.
    pub(super) linux: Option<Box<Linux>>,
    pub(super) ecn: EcnSender,
    pub(super) pacer: Pacer,
    /// What the routers stamped on the newest data packet acknowledged and on its acknowledgement.
    feedback: Option<Box<RouterFeedback>>,
    /// When the retransmission timer runs out; [`Time::NEVER`] while nothing is outstanding.
    timer: Time,
    started: bool,
    pub(crate) stats: SenderStats,
}

/// What a sender has counted and seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct SenderStats {
    pub(crate) segments_sent: u64,
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
    /// Answers to marks.
    pub(crate) ecn_reductions: u64,
    rtt_sum_ns: u128,
    rtt_samples: u64,
    /// [`Span::MAX`] before the first sample, and the newest then means nothing.
    rtt_min: Span,
    rtt_newest: Span,
    /// First exit from slow start, and the window before the cut.
    pub(crate) slow_start_exit: Option<(Time, Window)>,
    pub(crate) completed: Option<Time>,
    /// Integral of the window over time, in raw window units x ns, up to `window_since`.
    window_integral: u128,
    window_since: Time,
}

impl SenderStats {
    /// Its round-trip samples.
    pub(crate) fn rtt(&self) -> RttTotals {
        let known = |rtt| (self.rtt_samples > 0).then_some(rtt);
        RttTotals {
            newest: known(self.rtt_newest),
            least: known(self.rtt_min),
            sum_ns: self.rtt_sum_ns,
            samples: self.rtt_samples,
        }
    }
}

impl Sender {
    pub(crate) fn new(flow: u32, spec: &FlowSpec) -> Self {
        let algorithm = Algorithm::new(spec.composition, spec.parameters).expect("validation checked the parts");
        let layout = Arc::new(Layout::new(spec));
        let total = layout.segments().unwrap_or(u64::MAX);
        Sender {
            flow,
            state: algorithm.start(),
            algorithm: Arc::new(algorithm),
            detection: spec.composition.detection,
            burst: spec.composition.limits.burst.unwrap_or(UNLIMITED),
            receive_window: spec.host.receive_window,
            is_plain: spec.host.kind == HostKind::Bsd && !spec.ecn && !layout.asks_routers(),
            layout,
            board: Scoreboard::new(spec.host.dupack_threshold),
            next: 0,
            limit: total,
            total,
            write_times: Box::default(),
            established: spec.host.handshake == Handshake::None,
            repair: Repair::default(),
            rto: Rto::new(&spec.host),
            fine: FineTimeout::default(),
            linux: (spec.host.kind == HostKind::Linux).then(|| Box::new(Linux::new())),
            ecn: EcnSender::new(spec.ecn),
            host: Arc::new(spec.host.clone()),
            pacer: Pacer::default(),
            feedback: None,
            timer: Time::NEVER,
            started: false,
            stats: SenderStats { rtt_min: Span::MAX, ..SenderStats::default() },
        }
    }

    /// Keeps what never changes in one place with another flow, as far as it is the same.
    pub(crate) fn share_with(&mut self, other: &Sender) {
        share(&mut self.algorithm, &other.algorithm);
        share(&mut self.host, &other.host);
        share(&mut self.layout, &other.layout);
    }

    /// How its payload is cut into segments.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Before the start: the application gives segments that end at these bytes, each at its time; both ascending and
    /// of one length.
    pub(crate) fn set_writes(&mut self, times: Vec<Time>, ends: Vec<u64>) {
        self.limit = 0;
        self.total = ends.len() as u64;
        Arc::make_mut(&mut self.layout).set_ends(ends.into());
        self.write_times = times.into();
    }

    /// Whether the application gives segments over time, so that their end is no measure of the network.
    pub(crate) fn has_writes(&self) -> bool {
        !self.write_times.is_empty()
    }

    /// When the application gives the next segment.
    pub(crate) fn next_write(&self) -> Option<Time> {
        self.write_times.get(self.limit as usize).copied()
    }

    /// The application gives what is due.
    pub(crate) fn write(&mut self, now: Time, out: &mut Outbox) {
        while self.next_write().is_some_and(|time| time <= now) {
            self.limit += 1;
        }
        if !self.established {
            return;
        }
        self.send(now, UNLIMITED, out);
        if self.linux.is_some() {
            self.arm_probe(now);
        }
    }

    /// The flow begins.
    pub(crate) fn start(&mut self, now: Time, out: &mut Outbox) {
        self.started = true;
        self.stats.window_since = now;
        match self.host.handshake {
            Handshake::None => self.send(now, UNLIMITED, out),
            Handshake::Full => self.send_syn(now, out),
        }
    }

    /// The application gives no more data; what was sent is still repaired.
    pub(crate) fn stop(&mut self, now: Time) {
        self.limit = self.limit.min(self.board.max());
        self.total = self.limit;
        self.note_completion(now);
    }

    /// The SYN's acknowledgement: data may leave. It gives no round-trip sample: its packets are short, and a base
    /// RTT from them would be below what any data segment can reach.
    pub(crate) fn on_syn_ack(&mut self, now: Time, out: &mut Outbox) {
        if self.board.max() == 0 {
            self.established = true;
            self.timer = Time::NEVER;
            self.rto.on_handshake();
            if let Some(sent) = self.linux.as_ref().and_then(|linux| linux.syn_sent) {
                self.rto.sample_linux(now.since(sent), 0, 0);
            }
            self.send(now, UNLIMITED, out);
            if self.linux.is_some() {
                self.arm_probe(now);
            }
        }
    }

    /// An acknowledgement arrives: everything before its sequence number was received, and the SACK blocks.
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Packet, sack: &SackBlocks, out: &mut Outbox) {
        let una = self.layout.segment_after(self.board.una(), ack.sequence);
        if self.is_plain && sack.count == 0 && una > self.board.una() {
            self.on_new_ack_here(now, una, out);
        } else {
            self.on_special_ack(now, una, ack, sack, out);
        }
    }

    /// One that tells of more than new data in order, or might.
    #[inline(never)]
    fn on_special_ack(&mut self, now: Time, una: u64, ack: &Packet, sack: &SackBlocks, out: &mut Outbox) {
        if self.layout.asks_routers() {
            let feedback = RouterFeedback { forward: sack.echo.into(), backward: ack.aqt.into() };
            **self.feedback.get_or_insert_with(|| Box::new(feedback)) = feedback;
        }
        self.note_echo(una, ack.ecn());
        if self.linux.is_some() {
            self.on_linux_ack(now, una, sack, out);
            return;
        }
        if self.hears_mark(una) && !self.repair.in_recovery() {
            self.answer_mark(now, out);
        }
        let news = self.detection.recovery == Recovery::Sack && self.take_sack(sack);
        if una > self.board.una() {
            self.on_new_ack(now, una, out);
        } else if una == self.board.una() && self.outstanding() > 0 {
            self.on_duplicate_ack(now, news, out);
        }
    }

    /// A timer ran out, if it is due.
    pub(crate) fn on_timer(&mut self, now: Time, out: &mut Outbox) {
        if self.linux.as_ref().and_then(|linux| linux.due()).is_some_and(|due| due <= now) {
            self.on_linux_timer(now, out);
        }
        if self.timer > now {
            return;
        }
        self.stats.timeouts += 1;
        self.rto.on_timeout();
        if self.board.max() == 0 {
            self.send_syn(now, out);
            return;
        }
        let una = self.board.una();
        out.incidents.push((IncidentKind::Timeout, self.layout.first_byte(una)));
        if self.detection.recovery != Recovery::Sack {
            self.next = una;
        }
        let news = self.linux.is_none() || self.on_linux_timeout();
        if news {
            self.tell_loss(now, LossKind::Timeout, una, out);
        }
        self.repair.on_timeout(self.board.max());
        match self.detection.recovery {
            Recovery::Sack => self.board.on_timeout(),
            Recovery::Reno | Recovery::NewReno => self.board.clear(),
        }
        self.timer = Time::NEVER;
        self.send(now, UNLIMITED, out);
    }

    /// When the next timer runs out; [`Time::NEVER`] for none.
    #[inline]
    pub(crate) fn timer(&self) -> Time {
        match &self.linux {
            None => self.timer,
            Some(linux) => linux.due().map_or(self.timer, |due| self.timer.min(due)),
        }
    }

    /// When the retransmission timer runs out.
    pub(super) fn retransmission_due(&self) -> Option<Time> {
        (self.timer != Time::NEVER).then_some(self.timer)
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Whether the flow has begun and has something left to do.
    pub(crate) fn is_active(&self) -> bool {
        self.started && self.stats.completed.is_none()
    }

    pub(crate) fn in_recovery(&self) -> bool {
        self.repair.in_recovery()
    }

    /// Segments in flight: by the pipe estimate with SACK, else by sequence number.
    pub(crate) fn in_flight(&self) -> Segments {
        let count = match self.detection.recovery {
            Recovery::Sack => self.board.pipe(),
            Recovery::Reno | Recovery::NewReno => return self.unacknowledged(),
        };
        Segments(count as u32)
    }

    /// Segments sent and not acknowledged, whatever SACK says of them: what the algorithm's rounds count, so that a
    /// round's window and the segments sent in it are counts of one kind.
    pub(super) fn unacknowledged(&self) -> Segments {
        Segments(self.next.saturating_sub(self.board.una()) as u32)
    }

    /// When the last byte of a sized transfer was acknowledged; none for a flow that was stopped before.
    pub(crate) fn transferred(&self) -> Option<Time> {
        let whole = self.layout.segments().is_some_and(|segments| self.board.una() >= segments);
        self.stats.completed.filter(|_| whole)
    }

    /// Payload bytes acknowledged.
    pub(crate) fn acked_bytes(&self) -> u64 {
        self.layout.first_byte(self.board.una())
    }

    /// Mean of the window since the start, segments.
    pub(crate) fn mean_window(&self, start: Time, end: Time) -> f64 {
        let open = u128::from(end.since(self.stats.window_since).as_nanos()) * u128::from(self.state.window().as_raw());
        let span = end.since(start).as_nanos();
        if span == 0 {
            return segments_f64(self.state.window());
        }
        (self.stats.window_integral + open) as f64 / span as f64 / Window::ONE.as_raw() as f64
    }

    pub(super) fn outstanding(&self) -> u64 {
        self.board.max() - self.board.una()
    }

    fn take_sack(&mut self, sack: &SackBlocks) -> bool {
        if sack.count == 0 {
            return false;
        }
        let layout = &self.layout;
        let blocks = sack.blocks.map(|(from, to)| (layout.segment_at(from), layout.segment_at(to)));
        self.board.on_sack(blocks)
    }

    pub(super) fn ack_context(&self) -> AckContext {
        AckContext {
            in_flight: self.unacknowledged(),
            next: SendIndex(self.next),
            window_limited: self.is_window_limited(),
        }
    }

    #[inline(never)]
    fn on_new_ack(&mut self, now: Time, una: u64, out: &mut Outbox) {
        self.on_new_ack_here(now, una, out);
    }

    /// The same as a part of the caller: what nearly every acknowledgement goes through.
    #[inline(always)]
    fn on_new_ack_here(&mut self, now: Time, una: u64, out: &mut Outbox) {
        let before = self.ack_context();
        let acked = Segments((una - self.board.una()) as u32);
        let newest = self.board.on_ack(una);
        self.next = self.next.max(una);
        self.rto.on_ack(una, now);
        self.repair_on_new_ack(now, acked, out);
        let rtt = newest.and_then(|entry| rtt_sample(entry, now));
        self.note_rtt(rtt);
        if !self.repair.in_recovery() {
            self.tell_ack(now, acked, rtt, before, out);
        }
        if let Some(rtt) = rtt
            && self.uses_fine_timeout()
        {
            self.fine.sample(rtt);
        }
        self.recheck(now, out);
        self.note_completion(now);
        let burst = self.burst();
        self.send_here(now, burst, out);
    }

    #[inline(always)]
    pub(super) fn tell_ack(
        &mut self,
        now: Time,
        acked: Segments,
        rtt: Option<Span>,
        before: AckContext,
        out: &mut Outbox,
    ) {
        let ack = Ack {
            now,
            rtt,
            acked,
            in_flight: before.in_flight,
            newest: SendIndex(self.board.una() - 1),
            next: before.next,
            window_limited: before.window_limited,
            ce_marked: if self.ecn.echoed() { acked.0 } else { 0 },
            feedback: self.feedback.as_deref().copied(),
        };
        let before = (self.state.window(), self.state.phase());
        self.algorithm.on_ack(&mut self.state, &ack);
        self.note_change(now, before, out);
    }

    /// Reports the loss of `segment` to the algorithm; whether it cut the window.
    pub(super) fn tell_loss(&mut self, now: Time, kind: LossKind, segment: u64, out: &mut Outbox) -> bool {
        let entry = self.board.entry(segment);
        let loss = Loss {
            now,
            kind,
            sent: entry.map_or(Time::ZERO, Entry::sent),
            retransmission: entry.is_some_and(Entry::is_repeated),
            in_flight: self.unacknowledged(),
            next: SendIndex(self.next),
        };
        self.tell(&loss, out)
    }

    /// Reports a loss to the algorithm; whether it cut the window.
    pub(super) fn tell(&mut self, loss: &Loss, out: &mut Outbox) -> bool {
        let before = (self.state.window(), self.state.phase());
        self.algorithm.on_loss(&mut self.state, loss);
        self.note_change(loss.now, before, out);
        let reduced = self.state.window() != before.0;
        if reduced {
            self.ecn.on_reduction(self.board.max());
        }
        reduced
    }

    /// Takes back what the algorithm was told since it was in this state.
    pub(super) fn restore(&mut self, now: Time, saved: State, out: &mut Outbox) {
        let before = (self.state.window(), self.state.phase());
        self.state = saved;
        self.note_change(now, before, out);
    }

    /// Notes what has become of the window and the phase that were there before.
    #[inline]
    fn note_change(&mut self, now: Time, (window, phase): (Window, Phase), out: &mut Outbox) {
        let stats = &mut self.stats;
        if self.state.window() != window {
            let held = u128::from(now.since(stats.window_since).as_nanos());
            stats.window_integral += held * u128::from(window.as_raw());
            stats.window_since = now;
        }
        if phase == Phase::SlowStart && self.state.phase() == Phase::Avoidance {
            self.note_exit(now, window, out);
        }
    }

    #[inline(never)]
    fn note_exit(&mut self, now: Time, window: Window, out: &mut Outbox) {
        self.stats.slow_start_exit.get_or_insert((now, window));
        out.incidents.push((IncidentKind::SlowStartExit, self.layout.first_byte(self.board.una())));
    }

    pub(super) fn note_rtt(&mut self, rtt: Option<Span>) {
        let Some(rtt) = rtt else { return };
        let stats = &mut self.stats;
        stats.rtt_min = stats.rtt_min.min(rtt);
        stats.rtt_sum_ns += u128::from(rtt.as_nanos());
        stats.rtt_samples += 1;
        stats.rtt_newest = rtt;
    }

    #[inline]
    pub(super) fn note_completion(&mut self, now: Time) {
        if self.board.una() >= self.total && self.stats.completed.is_none() {
            self.stats.completed = Some(now);
            self.timer = Time::NEVER;
            self.pacer.cancel();
            if let Some(linux) = &mut self.linux {
                linux.probe.cancel();
                linux.rack.cancel();
            }
        }
    }

    /// RFC 6298, section 5.3: new data was acknowledged.
    pub(super) fn restart_timer(&mut self, now: Time) {
        self.timer = if self.outstanding() > 0 { now + self.rto.timeout() } else { Time::NEVER };
    }

    /// The window in whole segments, inflated during fast recovery, within the receiver's.
    fn usable_window(&self) -> u64 {
        if let Some(prr) = self.linux.as_ref().and_then(|linux| linux.prr) {
            return prr.window().min(u64::from(self.receive_window.0));
        }
        // the receiver's window bounds it to 32 bits
        let window = (self.state.window().as_raw() >> Window::FRACTION_BITS) as i64 + self.repair.inflation();
        (window.max(1) as u64).min(u64::from(self.receive_window.0))
    }

    fn is_window_limited(&self) -> bool {
        u64::from(self.in_flight().0) >= self.usable_window()
    }

    /// Most segments that one acknowledgement may release: mechanism H, or the host's limit during recovery.
    #[inline]
    pub(super) fn burst(&self) -> Segments {
        match self.repair.in_recovery() {
            true => self.burst.min(self.host.recovery_burst.unwrap_or(UNLIMITED)),
            false => self.burst,
        }
    }

    /// Sends what the window allows, at most `burst` segments, and not faster than the algorithm's pace.
    #[inline(never)]
    pub(super) fn send(&mut self, now: Time, burst: Segments, out: &mut Outbox) {
        self.send_here(now, burst, out);
    }

    /// The same as a part of the caller.
    #[inline(always)]
    fn send_here(&mut self, now: Time, burst: Segments, out: &mut Outbox) {
        if let Some(pace) = self.state.pacing_rate() {
            self.send_paced(now, pace, burst, out);
            return;
        }
        if self.detection.recovery != Recovery::Sack {
            // what is sent does not move the window's end
            let end = self.end_of_new(self.usable_window()).min(self.next + burst.as_u64());
            while self.next < end {
                self.transmit_here(now, self.next, out);
            }
            return;
        }
        let window = self.usable_window();
        for _ in 0..burst.0 {
            let Some(segment) = self.next_segment_by_pipe(window) else { break };
            self.transmit_here(now, segment, out);
        }
    }

    /// What may be sent next: with SACK the lost segments first, then new ones while the pipe has room; else
    /// whatever lies within the window.
    pub(super) fn next_segment(&mut self) -> Option<u64> {
        let window = self.usable_window();
        match self.detection.recovery {
            Recovery::Sack => self.next_segment_by_pipe(window),
            Recovery::Reno | Recovery::NewReno => self.next_new_segment(window),
        }
    }

    /// RFC 6675, section 4, NextSeg: a lost segment, a new one, a hole that may be lost, or the newest that has not arrived.
    #[inline(always)]
    fn next_segment_by_pipe(&mut self, window: u64) -> Option<u64> {
        if self.board.pipe() >= window {
            return None;
        }
        let new = self.next_new_segment(u64::from(self.receive_window.0));
        if let Some(linux) = &self.linux {
            return if linux.sends_only_new() { new } else { self.board.next_retransmission().or(new) };
        }
        let lost = self.board.next_retransmission();
        let known = lost.or(new).or_else(|| self.board.next_hole().filter(|_| self.repair.in_recovery()));
        known.or_else(|| self.rescue())
    }

    fn rescue(&mut self) -> Option<u64> {
        let newest = self.board.rescuable()?;
        self.repair.takes_rescue(self.board.una()).then_some(newest)
    }

    /// Whether the application and the receiver's window have a segment that was never sent.
    pub(super) fn has_new_segment(&self) -> bool {
        self.next_new_segment(u64::from(self.receive_window.0)).is_some()
    }

    fn next_new_segment(&self, window: u64) -> Option<u64> {
        (self.next < self.end_of_new(window)).then_some(self.next)
    }

    /// One past the newest segment that such a window and the application let leave.
    fn end_of_new(&self, window: u64) -> u64 {
        (self.board.una() + window).min(self.limit)
    }

    /// RFC 3042: a new segment on the first duplicate acknowledgements, beyond the window by their number.
    pub(super) fn send_limited(&mut self, now: Time, dupacks: u32, out: &mut Outbox) {
        let window = self.usable_window() + u64::from(dupacks);
        let within = window.min(u64::from(self.receive_window.0));
        if let Some(segment) = self.next_new_segment(within) {
            self.transmit(now, segment, out);
        }
    }

    /// Sends a segment, for the first time or again.
    #[inline(never)]
    pub(super) fn transmit(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        self.transmit_here(now, segment, out);
    }

    /// The same as a part of the caller.
    #[inline(always)]
    fn transmit_here(&mut self, now: Time, segment: u64, out: &mut Outbox) {
        debug_assert!(segment < self.limit, "beyond what the application gave");
        debug_assert!(segment < self.board.una() + u64::from(self.receive_window.0), "beyond the receiver's window");
        let (first_byte, wire) = self.layout.first_byte_and_wire(segment);
        self.stats.segments_sent += 1;
        let first = self.board.on_send(segment, now);
        if first {
            self.rto.on_first_transmission(segment, now);
        } else {
            self.stats.retransmitted += 1;
            out.incidents.push((IncidentKind::Retransmit, first_byte));
        }
        if segment == self.next {
            self.next += 1;
        }
        self.pacer.on_send(now);
        if let Some(linux) = &mut self.linux {
            linux.on_send(segment, now, !first);
        }
        let packet = Packet::new(PacketKind::Data, self.flow, first_byte, wire);
        out.packets.push(packet.with_ecn(self.ecn.of_data(first)));
        if self.timer == Time::NEVER {
            self.timer = now + self.rto.timeout();
        }
    }

    fn send_syn(&mut self, now: Time, out: &mut Outbox) {
        let packet = Packet::new(PacketKind::Syn, self.flow, 0, self.layout.ack_wire);
        out.packets.push(packet.with_ecn(self.ecn.of_syn()));
        self.timer = now + self.rto.timeout();
        if let Some(linux) = &mut self.linux {
            linux.syn_sent = (self.stats.timeouts == 0).then_some(now);
        }
    }
}

fn share<T: PartialEq>(mine: &mut Arc<T>, other: &Arc<T>) {
    if **mine == **other {
        *mine = Arc::clone(other);
    }
}

/// What an acknowledgement found before it was counted.
#[derive(Clone, Copy)]
pub(super) struct AckContext {
    in_flight: Segments,
    next: SendIndex,
    window_limited: bool,
}

/// A segment that was sent once gives a sample (Karn's rule).
pub(super) fn rtt_sample(entry: Entry, now: Time) -> Option<Span> {
    (!entry.is_repeated()).then(|| now.since(entry.sent()))
}

/// A window in segments with its fraction, for tables.
pub(crate) fn segments_f64(window: Window) -> f64 {
    window.as_raw() as f64 / Window::ONE.as_raw() as f64
}
