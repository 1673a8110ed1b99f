//! CoDel (RFC 8289): drops or marks packets at the head of the queue while packets have waited longer than a target for
//! an interval.

use vegas_core::units::{Span, Time};

use super::{Backlog, QueuedPacket, Verdicts};
use crate::packet::{Ecn, Packet, WireSize};
use crate::scenario::CoDelSpec;

/// RFC 8289, section 5.4: a new dropping state resumes the old one's rate if that ended less than 16 intervals ago.
const RESUME_INTERVALS: u64 = 16;

/// The state of RFC 8289, section 5.1.
#[derive(Clone, Debug)]
pub(crate) struct CoDel {
    /// The time at which waiting times will have been above the target for an interval; [`Time::NEVER`] while they are
    /// not above it.
    above_until: Time,
    drop_next: Time,
    /// The drops since this dropping state began, and the count with which it began.
    count: u32,
    last_count: u32,
    dropping: bool,
    /// The largest packet seen. A queue with no more bytes than this behind its head is never dropped from.
    max_packet: WireSize,
}

impl Default for CoDel {
    fn default() -> Self {
        CoDel {
            above_until: Time::NEVER,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            max_packet: WireSize::ZERO,
        }
    }
}

impl CoDel {
    /// Dequeues a packet (RFC 8289, section 5.5). With ECN the packet that would be dropped is marked and sent instead.
    /// It counts as dropped (RFC 8290, section 4.2, has this rule for its queues). A mark for the threshold does not.
    #[inline]
    pub(super) fn take(
        &mut self,
        now: Time,
        spec: &CoDelSpec,
        backlog: &mut impl Backlog,
        verdicts: &mut Verdicts,
    ) -> Option<QueuedPacket> {
        let mut taken = if self.may_drop(now, spec, backlog) {
            self.judge(now, spec, backlog, verdicts)
        } else {
            self.dropping = false;
            backlog.pop()
        };
        if let Some(taken) = &mut taken
            && now.since(taken.since) > spec.ce_threshold
        {
            mark_by_threshold(&mut taken.packet, verdicts);
        }
        taken
    }

    /// Notes that nothing waits.
    #[inline]
    pub(super) fn note_empty(&mut self) {
        self.above_until = Time::NEVER;
        self.dropping = false;
    }

    /// Notes that a packet of this size is dequeued which has not waited, and that nothing waits behind it.
    #[inline]
    pub(super) fn note_passing(&mut self, wire: WireSize) {
        self.max_packet = self.max_packet.max(wire);
        self.note_empty();
    }

    /// Dequeues a packet when the head of the queue may be dropped.
    #[inline(never)]
    fn judge(
        &mut self,
        now: Time,
        spec: &CoDelSpec,
        backlog: &mut impl Backlog,
        verdicts: &mut Verdicts,
    ) -> Option<QueuedPacket> {
        let mut head = backlog.pop();
        if self.dropping {
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if marks(spec, &mut head, verdicts) {
                    self.drop_next = after(spec, self.count, self.drop_next);
                    break;
                }
                let may_drop;
                (head, may_drop) = self.drop_head(now, spec, head, backlog, verdicts);
                self.dropping = may_drop;
                if may_drop {
                    self.drop_next = after(spec, self.count, self.drop_next);
                }
            }
        } else {
            if !marks(spec, &mut head, verdicts) {
                (head, _) = self.drop_head(now, spec, head, backlog, verdicts);
            }
            self.begin_dropping(now, spec);
        }
        head
    }

    fn drop_head(
        &mut self,
        now: Time,
        spec: &CoDelSpec,
        head: Option<QueuedPacket>,
        backlog: &mut impl Backlog,
        verdicts: &mut Verdicts,
    ) -> (Option<QueuedPacket>, bool) {
        verdicts.dropped.extend(head.map(|waiting| waiting.packet));
        let may_drop = self.may_drop(now, spec, backlog);
        (backlog.pop(), may_drop)
    }

    fn begin_dropping(&mut self, now: Time, spec: &CoDelSpec) {
        self.dropping = true;
        let drops_before = self.count - self.last_count;
        let resumes = now.since(self.drop_next) < spec.interval.times(RESUME_INTERVALS);
        self.count = if drops_before > 1 && resumes { drops_before } else { 1 };
        self.last_count = self.count;
        self.drop_next = after(spec, self.count, now);
    }

    /// Returns whether the head, which is about to be dequeued, may be dropped: packets have waited beyond the target
    /// for an interval.
    #[inline]
    fn may_drop(&mut self, now: Time, spec: &CoDelSpec, backlog: &impl Backlog) -> bool {
        let Some(head) = backlog.front() else {
            self.above_until = Time::NEVER;
            return false;
        };
        let wire = head.packet.wire();
        self.max_packet = self.max_packet.max(wire);
        let behind = backlog.bytes() - u64::from(wire);
        if now.since(head.since) < spec.target || behind <= u64::from(self.max_packet) {
            self.above_until = Time::NEVER;
            return false;
        }
        if self.above_until == Time::NEVER {
            self.above_until = now + spec.interval;
        }
        now >= self.above_until
    }
}

/// Marks a packet that has waited longer than the threshold, unless it is marked already (Linux: `codel_dequeue`).
#[cold]
#[inline(never)]
fn mark_by_threshold(packet: &mut Packet, verdicts: &mut Verdicts) {
    if !packet.ecn().has(Ecn::MARKED) {
        verdicts.marks(packet);
    }
}

fn marks(spec: &CoDelSpec, head: &mut Option<QueuedPacket>, verdicts: &mut Verdicts) -> bool {
    spec.ecn && head.as_mut().is_some_and(|head| verdicts.marks(&mut head.packet))
}

/// Returns the time of the next drop by the control law: an interval over the square root of the count after `time`
/// (RFC 8289, section 5.3).
fn after(spec: &CoDelSpec, count: u32, time: Time) -> Time {
    let interval = u128::from(spec.interval.as_nanos());
    time + Span::from_nanos((interval * interval / u128::from(count.max(1))).isqrt() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::queue::Fifo;
    use crate::packet::PacketKind;

    fn spec(ecn: bool) -> CoDelSpec {
        let (target, interval) = (Span::from_millis(5), Span::from_millis(100));
        CoDelSpec { target, interval, ecn, ce_threshold: Span::MAX }
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Packets come every ms; from 50 ms on, one is dequeued every ms, 50 ms after it came. They have waited above the
    /// target from the first dequeue on, at 50 ms, so the first drop is an interval later, at 150 ms. The next drops
    /// are 100 ms, 100 / sqrt(2) = 70.7 and 100 / sqrt(3) = 57.7 ms later, at 250, 320.7 and 378.4 ms; these are the
    /// dequeues at 250, 321 and 379 ms.
    #[test]
    fn drops_follow_the_control_law() {
        let spec = spec(false);
        let (mut codel, mut fifo, mut verdicts) = (CoDel::default(), Fifo::default(), Verdicts::default());
        let mut drop_times = Vec::new();
        for now in 0..400 {
            let packet = Packet::new(PacketKind::Data, 0, now, WireSize::new(1000));
            fifo.push(QueuedPacket { packet, since: ms(now) });
            if now >= 50 {
                codel.take(ms(now), &spec, &mut fifo, &mut verdicts);
                drop_times.extend(verdicts.dropped.drain(..).map(|_| now));
            }
        }
        assert_eq!(drop_times, [150, 250, 321, 379]);
    }

    /// The pseudocode of RFC 8289, section 5, stepped beside the queue: with seconds in floating point, over a list.
    #[derive(Default)]
    struct Pseudocode {
        first_above_time: f64,
        drop_next: f64,
        count: i64,
        lastcount: i64,
        dropping: bool,
        queue: std::collections::VecDeque<(u64, f64)>,
    }

    impl Pseudocode {
        fn dodequeue(&mut self, now: f64) -> (Option<u64>, bool) {
            let Some((packet, tstamp)) = self.queue.pop_front() else {
                self.first_above_time = 0.;
                return (None, false);
            };
            let mut ok_to_drop = false;
            if now - tstamp < 0.005 || self.queue.len() <= 1 {
                self.first_above_time = 0.;
            } else if self.first_above_time == 0. {
                self.first_above_time = now + 0.1;
            } else {
                ok_to_drop = now >= self.first_above_time;
            }
            (Some(packet), ok_to_drop)
        }

        fn deque(&mut self, now: f64, dropped: &mut Vec<u64>) -> Option<u64> {
            let (mut packet, mut ok_to_drop) = self.dodequeue(now);
            if self.dropping {
                self.dropping = ok_to_drop;
                while now >= self.drop_next && self.dropping {
                    dropped.extend(packet);
                    self.count += 1;
                    (packet, ok_to_drop) = self.dodequeue(now);
                    self.dropping = ok_to_drop;
                    if ok_to_drop {
                        self.drop_next += 0.1 / (self.count as f64).sqrt();
                    }
                }
            } else if ok_to_drop {
                dropped.extend(packet);
                (packet, _) = self.dodequeue(now);
                self.dropping = true;
                let delta = self.count - self.lastcount;
                self.count = if delta > 1 && now - self.drop_next < 16. * 0.1 { delta } else { 1 };
                self.drop_next = now + 0.1 / (self.count as f64).sqrt();
                self.lastcount = self.count;
            }
            packet
        }
    }

    /// Arrivals alternate between too many and too few for ten minutes, so that dropping states begin, resume and end.
    #[test]
    fn drops_are_those_of_the_pseudocode() {
        let spec = spec(false);
        let (mut codel, mut fifo, mut verdicts) = (CoDel::default(), Fifo::default(), Verdicts::default());
        let (mut rfc, mut rfc_dropped) = (Pseudocode::default(), Vec::new());
        let mut stream = crate::util::random::Stream::named(1, "test");
        for number in 0..600_000u64 {
            // No multiple of this step is the target or the interval. A drop that is due within a microsecond of a step
            // might be due for one side only, as the rounding of square roots to nanoseconds adds up; the step is then
            // moved behind it.
            let mut now = Time::from_nanos(1_000_300 * number);
            if (now.as_nanos() as f64 / 1e9 - rfc.drop_next).abs() < 1e-6 {
                now = now + Span::from_micros(2);
            }
            let seconds = now.as_nanos() as f64 / 1e9;
            let percent = if number % 3_000 < 1_800 { 112 } else { 80 };
            let arrivals = u64::from(stream.below(100) < percent) + u64::from(stream.below(100) + 100 < percent);
            for copy in 0..arrivals {
                fifo.push(QueuedPacket {
                    packet: Packet::new(PacketKind::Data, 0, 2 * number + copy, WireSize::new(1000)),
                    since: now,
                });
                rfc.queue.push_back((2 * number + copy, seconds));
            }
            let taken = codel.take(now, &spec, &mut fifo, &mut verdicts).map(|waiting| waiting.packet.sequence);
            assert_eq!(taken, rfc.deque(seconds, &mut rfc_dropped), "at {now:?}");
        }
        let dropped: Vec<u64> = verdicts.dropped.iter().map(|packet| packet.sequence).collect();
        assert_eq!(dropped, rfc_dropped);
        assert!(dropped.len() > 1_000, "{}", dropped.len());
    }

    /// As above, with marks in place of drops: marked packets go on, and the times of the marks are those of the drops.
    #[test]
    fn marks_follow_the_control_law() {
        let spec = spec(true);
        let (mut codel, mut fifo, mut verdicts) = (CoDel::default(), Fifo::default(), Verdicts::default());
        let mut mark_times = Vec::new();
        for now in 0..400 {
            let packet = Packet::new(PacketKind::Data, 0, now, WireSize::new(1000)).with_ecn(Ecn::ECT0);
            fifo.push(QueuedPacket { packet, since: ms(now) });
            if now >= 50 {
                let taken = codel.take(ms(now), &spec, &mut fifo, &mut verdicts).expect("a packet is there");
                assert_eq!(taken.packet.sequence, now - 50, "none was dropped");
                if taken.packet.ecn().has(Ecn::MARKED) {
                    mark_times.push(now);
                }
            }
        }
        assert_eq!(mark_times, [150, 250, 321, 379]);
        assert_eq!((verdicts.marked.len(), verdicts.dropped.len()), (4, 0));
    }

    /// Packets wait for 0 to 9 ms, which is above the threshold of 3 ms from 4 ms on; CoDel itself has no reason to
    /// act. Packets without ECN go on.
    #[test]
    fn the_threshold_marks_by_waiting_time() {
        let spec = CoDelSpec { ce_threshold: Span::from_millis(3), ..spec(false) };
        for (ecn, marked) in [(Ecn::ECT0, 6), (Ecn::ECT1, 6), (Ecn::MARKED, 0), (Ecn::NONE, 0)] {
            let (mut codel, mut fifo, mut verdicts) = (CoDel::default(), Fifo::default(), Verdicts::default());
            for wait in 0..10 {
                let packet = Packet::new(PacketKind::Data, 0, wait, WireSize::new(1000)).with_ecn(ecn);
                fifo.push(QueuedPacket { packet, since: ms(100 * wait) });
                assert!(codel.take(ms(101 * wait), &spec, &mut fifo, &mut verdicts).is_some());
            }
            let marks: Vec<u64> = verdicts.marked.iter().map(|packet| packet.sequence).collect();
            assert_eq!((marks.len(), verdicts.dropped.len()), (marked, 0));
            assert!(marks.iter().all(|wait| *wait > 3), "{marks:?}");
        }
    }

    #[test]
    fn a_single_packet_is_never_dropped() {
        let spec = spec(false);
        let (mut codel, mut fifo, mut verdicts) = (CoDel::default(), Fifo::default(), Verdicts::default());
        for now in (0..10_000).step_by(200) {
            let packet = Packet::new(PacketKind::Data, 0, now, WireSize::new(1000));
            fifo.push(QueuedPacket { packet, since: ms(now) });
            assert!(codel.take(ms(now + 150), &spec, &mut fifo, &mut verdicts).is_some());
        }
        assert!(verdicts.dropped.is_empty());
    }
}
