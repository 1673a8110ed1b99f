//! DualPI2 (RFC 9332, with Linux's `sch_dualpi2` where that leaves a choice): two queues share a link. Packets of
//! scalable congestion controls wait in the L queue, which marks from a short waiting time on. All others wait in the
//! classic queue, which marks or drops by the square of a controller's probability. The L queue marks by the
//! probability itself, times the coupling factor, so that flows in either queue have about equal rates.

use vegas_core::units::{Span, Time};

use super::{Backlog, Fifo, QueuedPacket, Verdict, Verdicts};
use crate::measure::delay_histogram::WaitingTimes;
use crate::measure::outcome::QueueOutcome;
use crate::packet::{Ecn, Packet};
use crate::scenario::DualPi2Spec;
use crate::util::random::Stream;

/// Probability 1, in the fixed point used here.
const ONE: i128 = 1 << 60;
const NANOS_PER_SECOND: i128 = 1_000_000_000;
/// The time between two updates of the probability, and the controller's gains for it, 1/s (RFC 9332, appendix A.1, for
/// paths of 100 ms: 0.16 and 3.2, which Linux has in units of 1/256).
const UPDATE: Span = Span::from_millis(16);
const INTEGRAL_GAIN: i128 = 41;
const PROPORTIONAL_GAIN: i128 = 819;
const GAIN_UNIT: i128 = 256;
/// The factor from the controller's probability to that of marks in the L queue: k of RFC 9332, with which flows of
/// both queues have about equal rates.
const COUPLING: i128 = 2;
/// The largest frame, bytes. No packet is marked or dropped by probability while less than two of them wait.
const FRAME_BYTES: u64 = 1514;
/// Weights of the two queues are parts of this.
const MILLION: i64 = 1_000_000;

/// Both queues, the controller, and the scheduler.
#[derive(Clone, Debug)]
pub(crate) struct DualPi2 {
    spec: DualPi2Spec,
    stream: Stream,
    low_latency: Part,
    classic: Part,
    /// The controller's probability, p' in RFC 9332, in units of 2^-60.
    probability: i128,
    /// The waiting time at the last update.
    delay: Span,
    next_update: Time,
    /// While both queues have packets, the classic queue is served if this is above 0, bytes times the other's weight.
    credit: i64,
}

/// One of the two queues, and what it has done with its packets.
#[derive(Clone, Debug, Default)]
struct Part {
    fifo: Fifo,
    waits: WaitingTimes,
    packets: u64,
    marks: u64,
    drops: u64,
}

impl Part {
    fn outcome(&self, name: &'static str) -> QueueOutcome {
        QueueOutcome {
            name: name.into(),
            packets: self.packets,
            marks: self.marks,
            drops: self.drops,
            queueing: self.waits.summary(),
        }
    }

    fn memory_bytes(&self) -> usize {
        self.fifo.memory_bytes() + self.waits.memory_bytes()
    }
}

impl DualPi2 {
    pub(super) fn new(spec: DualPi2Spec, stream: Stream) -> Self {
        DualPi2 {
            spec,
            stream,
            low_latency: Part::default(),
            classic: Part::default(),
            probability: 0,
            delay: Span::ZERO,
            next_update: Time::ZERO + UPDATE,
            credit: initial_credit(&spec),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.low_latency.fifo.packets.len() + self.classic.fifo.packets.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.low_latency.fifo.bytes + self.classic.fifo.bytes
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.low_latency.memory_bytes() + self.classic.memory_bytes()
    }

    /// Returns the totals of both queues.
    pub(super) fn outcomes(&self) -> Vec<QueueOutcome> {
        vec![self.low_latency.outcome("low-latency"), self.classic.outcome("classic")]
    }

    /// Takes in a packet, or drops it where there is no room. ECT(1) and CE are for the L queue (RFC 9331, section
    /// 5.1).
    pub(super) fn offer(&mut self, now: Time, packet: Packet, has_room: bool, verdicts: &mut Verdicts) {
        let part = self.part(packet.ecn().has(Ecn::ECT1));
        if !has_room {
            part.drops += 1;
            return verdicts.dropped.push(packet);
        }
        self.catch_up(now);
        self.part(packet.ecn().has(Ecn::ECT1)).fifo.push(QueuedPacket { packet, since: now });
    }

    fn part(&mut self, is_low_latency: bool) -> &mut Part {
        if is_low_latency { &mut self.low_latency } else { &mut self.classic }
    }

    /// Dequeues the next packet that is not dropped. What a dropped one would have taken of the other queue's turn is
    /// not counted.
    pub(super) fn take(&mut self, now: Time, verdicts: &mut Verdicts) -> Option<QueuedPacket> {
        self.catch_up(now);
        while let Some((mut head, is_low_latency, credit_change)) = self.pop() {
            let by_step = is_low_latency && now.since(head.since) > self.spec.step;
            let verdict = self.judge(is_low_latency);
            let asks = by_step || matches!(verdict, Verdict::Mark | Verdict::MarkOrDrop);
            let marked = verdict != Verdict::Drop && asks && verdicts.marks(&mut head.packet);
            let part = self.part(is_low_latency);
            part.marks += u64::from(marked);
            if verdict == Verdict::Accept || verdict == Verdict::Mark || marked {
                part.packets += 1;
                part.waits.record(now.since(head.since));
                self.credit += credit_change;
                return Some(head);
            }
            part.drops += 1;
            verdicts.dropped.push(head.packet);
        }
        self.credit = initial_credit(&self.spec);
        None
    }

    /// Removes the next packet; returns it with its queue and the change of the credit that belongs to it
    /// (weighted round robin, which RFC 9332, section 4.1, allows and Linux has).
    fn pop(&mut self) -> Option<(QueuedPacket, bool, i64)> {
        let both_wait = self.low_latency.fifo.front().is_some() && self.classic.fifo.front().is_some();
        let is_low_latency = if both_wait { self.credit <= 0 } else { self.low_latency.fifo.front().is_some() };
        let classic_weight = i64::from(self.spec.classic_weight_ppm);
        let weight = if is_low_latency { classic_weight } else { classic_weight - MILLION };
        let head = self.part(is_low_latency).fifo.pop()?;
        let weight = if both_wait { weight } else { 0 };
        Some((head, is_low_latency, weight * i64::from(u32::from(head.packet.wire()))))
    }

    /// Returns what the probability does to a packet. Once the coupled probability is above 1 marks no longer suffice,
    /// and both queues drop by the classic probability (RFC 9332, section 4.2).
    fn judge(&mut self, is_low_latency: bool) -> Verdict {
        if self.bytes() < 2 * FRAME_BYTES {
            return Verdict::Accept;
        }
        let coupled = self.probability * COUPLING;
        let is_overload = coupled > ONE;
        let picked = match is_low_latency && !is_overload {
            true => self.picks(coupled),
            false => self.picks(self.probability) && self.picks(self.probability),
        };
        match (picked, is_overload) {
            (true, true) => Verdict::Drop,
            (true, false) => Verdict::MarkOrDrop,
            (false, true) if is_low_latency => Verdict::Mark,
            (false, _) => Verdict::Accept,
        }
    }

    fn picks(&mut self, probability: i128) -> bool {
        i128::from(self.stream.below(ONE as u64)) < probability
    }

    /// Makes the updates that are due; the queues have not changed since the one before. Updates after which nothing
    /// changes are left out.
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            let before = (self.probability, self.delay);
            self.update();
            self.next_update = self.next_update + UPDATE;
            let is_empty = self.len() == 0;
            let is_settled = match is_empty {
                true => before == (0, Span::ZERO),
                false => self.probability == ONE && self.delay >= self.spec.target,
            };
            if is_settled && self.next_update <= now {
                let due = now.since(self.next_update).as_nanos() / UPDATE.as_nanos() + 1;
                let skipped = UPDATE.times(due);
                self.next_update = self.next_update + skipped;
                if !is_empty {
                    self.delay += skipped;
                }
            }
        }
    }

    /// Updates the probability by how far the waiting time of the older head is from the target, and whether it grows
    /// (RFC 9332, appendix A.1).
    fn update(&mut self) {
        let heads = [self.low_latency.fifo.front(), self.classic.fifo.front()].into_iter().flatten();
        let delay = heads.map(|head| self.next_update.since(head.since)).max().unwrap_or(Span::ZERO);
        let nanos = |span: Span| i128::from(span.as_nanos());
        let (now, before, target) = (nanos(delay), nanos(self.delay), nanos(self.spec.target));
        let errors = (now - target) * INTEGRAL_GAIN + (now - before) * PROPORTIONAL_GAIN;
        self.probability = (self.probability + errors * (ONE / GAIN_UNIT) / NANOS_PER_SECOND).clamp(0, ONE);
        self.delay = delay;
    }
}

/// The credit before the first packet, and while nothing waits: the queue with the greater weight begins.
fn initial_credit(spec: &DualPi2Spec) -> i64 {
    FRAME_BYTES as i64 * (2 * i64::from(spec.classic_weight_ppm) - MILLION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{PacketKind, WireSize};

    fn dualpi2() -> DualPi2 {
        let (target, step) = (Span::from_millis(15), Span::from_millis(1));
        let spec = DualPi2Spec { target, step, classic_weight_ppm: 100_000 };
        DualPi2::new(spec, Stream::named(1, "test"))
    }

    fn packet(sequence: u64, ecn: Ecn) -> Packet {
        Packet::new(PacketKind::Data, 0, sequence, WireSize::new(1000)).with_ecn(ecn)
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn percent(queue: &DualPi2) -> f64 {
        queue.probability as f64 * 100. / ONE as f64
    }

    /// A packet waits from 0 ms on: at the update at 16 ms the error is 1 ms and the growth 16 ms, so that with gains
    /// of 41/256 and 819/256 the probability is 0.016 + 5.11875 %; at 32 ms it is 17 ms and 16 ms: 0.27226 + 5.11875 %
    /// more. Then the queue is empty: 15 ms below the target and 32 ms less, 0.24023 + 10.2375 % less. After many
    /// updates the probability has gone to 0.
    #[test]
    fn probability_follows_the_older_head() {
        let mut queue = dualpi2();
        let mut verdicts = Verdicts::default();
        queue.offer(ms(0), packet(0, Ecn::NONE), true, &mut Verdicts::default());
        queue.offer(ms(10), packet(1, Ecn::ECT1), true, &mut Verdicts::default());
        queue.catch_up(ms(16));
        assert!((percent(&queue) - 5.13477).abs() < 1e-4, "{}", percent(&queue));
        queue.catch_up(ms(32));
        assert!((percent(&queue) - 10.52578).abs() < 1e-4, "{}", percent(&queue));
        while queue.take(ms(33), &mut verdicts).is_some() {}
        queue.catch_up(ms(48));
        assert!((percent(&queue) - 0.04805).abs() < 1e-4, "{}", percent(&queue));
        queue.catch_up(ms(3_600_000));
        assert_eq!((queue.probability, queue.delay), (0, Span::ZERO));
    }

    /// A queue that stands still for an hour gets to 1 and stays there. Updates that are left out change nothing.
    #[test]
    fn updates_may_be_left_out() {
        let (mut queue, mut often) = (dualpi2(), dualpi2());
        for queue in [&mut queue, &mut often] {
            queue.offer(ms(0), packet(0, Ecn::NONE), true, &mut Verdicts::default());
        }
        (0..3_600).for_each(|second| often.catch_up(ms(1000 * second)));
        queue.catch_up(ms(3_599_000));
        assert_eq!(queue.probability, ONE);
        assert_eq!((queue.delay, queue.next_update), (often.delay, often.next_update));
    }

    /// Returns the part of packets that is marked and dropped at this probability, with queues that stay full.
    fn parts(ecn: Ecn, percent: i128) -> (f64, f64) {
        let mut queue = dualpi2();
        let mut verdicts = Verdicts::default();
        (0..10).for_each(|number| queue.offer(ms(0), packet(number, ecn), true, &mut Verdicts::default()));
        queue.probability = percent * ONE / 100;
        for number in 0..100_000 {
            queue.offer(ms(0), packet(number, ecn), true, &mut Verdicts::default());
            while queue.len() > 10 {
                queue.take(ms(0), &mut verdicts).expect("packets wait");
            }
        }
        (verdicts.marked.len() as f64 / 1e5, verdicts.dropped.len() as f64 / 1e5)
    }

    /// At p' = 10 % the classic queue acts at 1 % and the L queue at 20 %. At 60 % the coupled probability is above 1:
    /// both drop at 36 %, and what remains in the L queue is marked.
    #[test]
    fn the_classic_probability_is_the_square() {
        let cases = [
            (Ecn::ECT0, 10, 0.01, 0.),
            (Ecn::NONE, 10, 0., 0.01),
            (Ecn::ECT1, 10, 0.2, 0.),
            (Ecn::MARKED, 10, 0.2, 0.),
            (Ecn::ECT0, 60, 0., 0.36),
            (Ecn::NONE, 60, 0., 0.36),
            (Ecn::ECT1, 60, 0.64, 0.36),
        ];
        for (ecn, percent, marked, dropped) in cases {
            let (marks, drops) = parts(ecn, percent);
            assert!((marks - marked).abs() < 0.005, "{ecn:?} at {percent} %: {marks} marked");
            assert!((drops - dropped).abs() < 0.006, "{ecn:?} at {percent} %: {drops} dropped");
        }
    }

    /// The step is for the L queue only, and for waiting times above 1 ms.
    #[test]
    fn the_step_marks_by_waiting_time() {
        for (ecn, wait_ms, marks) in [(Ecn::ECT1, 1, 0), (Ecn::ECT1, 2, 1), (Ecn::ECT0, 2, 0)] {
            let mut queue = dualpi2();
            let mut verdicts = Verdicts::default();
            queue.offer(ms(0), packet(0, ecn), true, &mut Verdicts::default());
            assert!(queue.take(ms(wait_ms), &mut verdicts).is_some());
            assert_eq!((verdicts.marked.len(), verdicts.dropped.len()), (marks, 0), "{ecn:?}");
        }
    }

    /// The credit begins at 1514 bytes x (10 % - 90 %). A packet of 1000 bytes from the L queue adds 10 % of it, so the
    /// first 13 are from there; then one from the classic queue, which takes 90 % of it, and nine from the L queue, and
    /// so on. When the L queue is empty the classic queue has all.
    #[test]
    fn the_classic_queue_has_its_part() {
        let mut queue = dualpi2();
        let mut verdicts = Verdicts::default();
        for number in 0..1000 {
            queue.offer(ms(0), packet(number, Ecn::ECT1), true, &mut Verdicts::default());
            queue.offer(ms(0), packet(number, Ecn::ECT0), true, &mut Verdicts::default());
        }
        let mut low_latency_of = |count: u32| {
            let mut take = || queue.take(ms(0), &mut verdicts).expect("packets wait").packet;
            (0..count).filter(|_| take().ecn().has(Ecn::ECT1)).count()
        };
        assert_eq!(low_latency_of(13), 13);
        assert_eq!(low_latency_of(1000), 900);
        assert_eq!(low_latency_of(987), 87);
    }
}
