//! The events beyond acknowledgements of new data and losses: rate samples, acknowledgements in recovery, packets sent.
//! A path keeps this only if its control asks for one of them ([`Needs`]).

use std::collections::VecDeque;

use vegas_core::rate::{RateEstimator, Snapshot};
use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{LostSegment, Needs, RateSample};

/// What a path records for a control that asks for these events.
#[derive(Clone, Debug)]
pub(crate) struct Detail {
    pub(crate) needs: Needs,
    rates: RateEstimator,
    /// Packets that may still be acknowledged, in the order of sending; none unless rate samples or losses are asked
    /// for.
    departures: VecDeque<Departure>,
    /// The index of the first of them.
    oldest: u64,
    /// When the newest packet of the acknowledgement before left.
    acknowledged: Time,
    rtts: Rtts,
    /// Packets found lost since the last event that the control received.
    lost: u32,
}

/// A packet in flight.
#[derive(Clone, Copy, Debug)]
struct Departure {
    sent: Time,
    snapshot: Snapshot,
    /// It was acknowledged or found lost.
    settled: bool,
}

/// Packets that one acknowledgement covers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    /// Index and send time; none if a later packet was acknowledged before.
    pub(crate) newest: Option<(SendIndex, Time)>,
    /// The send time of the newest of them, also if a later packet was acknowledged before.
    pub(crate) last_sent: Option<Time>,
    /// Packets in flight without the covered ones.
    pub(crate) left_in_flight: Segments,
}

impl Batch {
    /// The round-trip time of the newest packet.
    pub(crate) fn rtt(&self, now: Time) -> Option<Span> {
        self.newest.map(|(_, sent)| now.since(sent)).filter(|rtt| *rtt > Span::ZERO)
    }
}

/// Packets found lost at one time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost {
    pub(crate) packets: Segments,
    /// When the newest of them left.
    pub(crate) sent: Time,
    /// Which one it is, where the stack tells; then it is the only one.
    pub(crate) index: Option<SendIndex>,
}

/// The least and the greatest round-trip time so far.
#[derive(Clone, Copy, Debug)]
struct Rtts {
    least: Option<Span>,
    greatest: Span,
}

/// What an acknowledgement reports beyond the packets that it covers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct News {
    pub(crate) delivered: Segments,
    pub(crate) lost: Segments,
    pub(crate) rate: Option<RateSample>,
}

/// The most packets recorded. More are in flight only while nothing is acknowledged; the oldest are then dropped from
/// the record.
const DEPARTURES_MAX: usize = 1 << 20;

impl Detail {
    /// None if `needs` asks for nothing that this keeps.
    pub(crate) fn new(needs: Needs) -> Option<Box<Self>> {
        let asks = needs.rate || needs.every_ack || needs.sent || needs.each_loss;
        asks.then(|| {
            Box::new(Detail {
                needs,
                rates: RateEstimator::new(),
                departures: VecDeque::new(),
                oldest: 0,
                acknowledged: Time::ZERO,
                rtts: Rtts { least: None, greatest: Span::ZERO },
                lost: 0,
            })
        })
    }

    /// Records packets that leave while `others` are in flight.
    pub(crate) fn on_send(&mut self, now: Time, packets: u64, others: Segments) {
        if !self.needs.keeps_departures() {
            return;
        }
        for packet in 0..u32::try_from(packets).unwrap_or(u32::MAX) {
            let others = Segments(others.0.saturating_add(packet));
            let snapshot = self.rates.on_sent(now, others, others == Segments(0));
            self.departures.push_back(Departure { sent: now, snapshot, settled: false });
        }
        self.forget(self.departures.len().saturating_sub(DEPARTURES_MAX));
    }

    /// Begins on another path, on which `next` is the first packet: packets sent on the earlier path do not measure
    /// this one.
    pub(crate) fn begin_anew(&mut self, next: u64) {
        self.departures.clear();
        self.oldest = next;
        self.acknowledged = Time::ZERO;
        self.rtts = Rtts { least: None, greatest: Span::ZERO };
    }

    /// What an acknowledgement of these packets reports. The rate sample is of the newest one: of the others only their
    /// number counts (draft-cheng-iccrg-delivery-rate-estimation-02, section 3.3).
    pub(crate) fn on_acknowledged(
        &mut self,
        now: Time,
        batch: &Batch,
        in_flight: Option<Segments>,
    ) -> Option<RateSample> {
        let sent = batch.last_sent?;
        // not before: what the acknowledgement before found lost was reported after it
        let before = std::mem::replace(&mut self.acknowledged, sent);
        self.forget_before(before);
        let rtt = now.since(sent);
        self.rtts.least = Some(self.rtts.least.map_or(rtt, |least| least.min(rtt)));
        self.rtts.greatest = self.rtts.greatest.max(rtt);
        if !self.needs.keeps_departures() {
            return None;
        }
        if let Some(Departure { sent, snapshot, .. }) = self.departure(batch.newest.map(|(index, _)| index), sent) {
            (0..batch.packets).for_each(|_| self.rates.on_delivered(now, sent, snapshot));
        }
        if let Some(in_flight) = in_flight {
            self.rates.on_app_limited(in_flight);
        }
        self.rates.sample(self.rtts.least.unwrap_or(Span::ZERO)).filter(|_| self.needs.rate)
    }

    /// A packet was acknowledged that left then. Packets of one instant are taken to arrive in order.
    pub(crate) fn settle(&mut self, sent: Time) {
        let from = self.departures.partition_point(|departure| departure.sent < sent);
        let same = self.departures.range_mut(from..).take_while(|departure| departure.sent == sent);
        if let Some(departure) = same.into_iter().find(|departure| !departure.settled) {
            departure.settled = true;
        }
    }

    /// Counts packets found lost; returns the number that the control has not received yet, these included.
    pub(crate) fn on_lost(&mut self, packets: Segments) {
        self.rates.on_lost(packets);
        self.lost = self.lost.saturating_add(packets.0);
    }

    /// Likewise, with what is to be reported of each. Whatever left before a lost packet is acknowledged or lost, too,
    /// within a packet number space (RFC 9002, section 6.1): the newest that are not settled are those that were lost.
    /// Those that are forgotten are counted only.
    pub(crate) fn on_each_lost(&mut self, lost: &Lost) -> Vec<LostSegment> {
        let places = self.places_of(lost);
        let known = u32::try_from(places.len()).unwrap_or(u32::MAX);
        self.on_lost(Segments(lost.packets.0.saturating_sub(known)));
        let one = |place: usize| {
            self.on_lost(Segments(1));
            let departure = &mut self.departures[place];
            departure.settled = true;
            self.rates.lost_segment(departure.snapshot)
        };
        places.into_iter().map(one).collect()
    }

    /// Where they are among the departures, in the order of sending.
    fn places_of(&self, lost: &Lost) -> Vec<usize> {
        if let Some(index) = lost.index {
            let place = index.0.checked_sub(self.oldest).and_then(|place| usize::try_from(place).ok());
            return place.filter(|place| *place < self.departures.len()).into_iter().collect();
        }
        let until = self.departures.partition_point(|departure| departure.sent <= lost.sent);
        let open = (0..until).rev().filter(|place| !self.departures[*place].settled);
        let mut places: Vec<_> = open.take(lost.packets.0 as usize).collect();
        places.reverse();
        places
    }

    /// Takes the number of packets found lost since the last call.
    pub(crate) fn take_lost(&mut self) -> Segments {
        Segments(std::mem::take(&mut self.lost))
    }

    /// Finds a packet by its index, or by its send time if a later packet was acknowledged before it.
    fn departure(&self, index: Option<SendIndex>, sent: Time) -> Option<Departure> {
        let at = match index {
            Some(index) => usize::try_from(index.0.checked_sub(self.oldest)?).ok()?,
            None => self.departures.partition_point(|departure| departure.sent < sent),
        };
        self.departures.get(at).copied().filter(|departure| departure.sent == sent)
    }

    /// QUIC declares a packet lost once a packet that left 9/8 of a round trip later is acknowledged (RFC 9002, section
    /// 6.1.2). So no acknowledgement is expected of packets that left twice the greatest round-trip time ago.
    fn forget_before(&mut self, acknowledged: Time) {
        let age = self.rtts.greatest.times(2);
        let old = self.departures.iter().take_while(|departure| acknowledged.since(departure.sent) > age).count();
        self.forget(old);
    }

    fn forget(&mut self, packets: usize) {
        self.departures.drain(..packets);
        self.oldest += packets as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail() -> Box<Detail> {
        Detail::new(Needs { rate: true, ..Needs::NONE }).unwrap()
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// An acknowledgement of this number of packets, the newest of which has this index and left then.
    fn batch(packets: u64, index: u64, sent_ms: u64) -> Batch {
        let newest = Some((SendIndex(index), at(sent_ms)));
        Batch { packets, newest, last_sent: Some(at(sent_ms)), ..Batch::default() }
    }

    /// Packets leave every 10 ms on a path of 100 ms and are acknowledged two at a time. The sample of packet 5, which
    /// left at 50 ms before anything had been delivered: six packets in the 150 ms since the flight began, of which
    /// five were sent in 50 ms. That of packet 13, sent at 130 ms when 0 to 3 had been delivered, the newest of them at
    /// 130 ms: ten more by 230 ms.
    #[test]
    fn rates_are_what_arrived_since_a_packet_left() {
        let mut detail = detail();
        let mut samples = Vec::new();
        for ms in (0..=230).step_by(10) {
            let acked = ms / 10;
            if acked >= 11 && acked % 2 == 1 {
                samples
                    .push((acked - 10, detail.on_acknowledged(at(ms), &batch(2, acked - 10, ms - 100), None).unwrap()));
            }
            if ms < 140 {
                let delivered = if acked >= 11 { (acked - 9) / 2 * 2 } else { 0 };
                detail.on_send(at(ms), 1, Segments((acked - delivered) as u32));
            }
        }
        let of = |packet| samples.iter().find(|(of, _)| *of == packet).unwrap().1;
        assert_eq!(
            (of(5).delivered, of(5).interval, of(5).in_flight),
            (Segments(6), Span::from_millis(150), Segments(6))
        );
        assert_eq!((of(13).delivered, of(13).interval), (Segments(10), Span::from_millis(100)));
        assert_eq!((of(13).prior_delivered, of(13).total), (4, 14));
    }

    /// Packet 1 is overtaken by packet 2, and acknowledged alone 5 ms after it: three were delivered in the 125 ms
    /// since the flight began.
    #[test]
    fn an_overtaken_packet_gives_a_sample_of_its_own() {
        let mut detail = detail();
        (0..3).for_each(|packet| detail.on_send(at(10 * packet), 1, Segments(packet as u32)));
        detail.on_acknowledged(at(100), &batch(1, 0, 0), None);
        detail.on_acknowledged(at(120), &batch(1, 2, 20), None);
        let late = Batch { packets: 1, last_sent: Some(at(10)), ..Batch::default() };
        let sample = detail.on_acknowledged(at(125), &late, None).unwrap();
        assert_eq!((sample.delivered, sample.interval), (Segments(3), Span::from_millis(125)));
    }

    /// Nothing more to send at 100 ms with nothing in flight: packet 1 is limited; packet 2, sent after its
    /// acknowledgement, is not.
    #[test]
    fn what_the_application_limits_is_said() {
        let mut detail = detail();
        let mut limited = |packet: u64, sent_ms: u64, limits: bool| {
            detail.on_send(at(sent_ms), 1, Segments(0));
            let in_flight = limits.then_some(Segments(0));
            detail.on_acknowledged(at(sent_ms + 100), &batch(1, packet, sent_ms), in_flight).unwrap().app_limited
        };
        assert_eq!([limited(0, 0, true), limited(1, 200, false), limited(2, 300, false)], [false, true, false]);
    }

    /// Packets leave a millisecond apart for 10 s and are acknowledged 100 ms later: those of 200 ms and of the last
    /// flight are kept.
    #[test]
    fn what_was_acknowledged_long_ago_is_forgotten() {
        let mut detail = detail();
        for ms in 0..10_000 {
            detail.on_send(at(ms), 1, Segments(100));
            if ms >= 100 {
                assert!(detail.on_acknowledged(at(ms), &batch(1, ms - 100, ms - 100), None).is_some());
            }
        }
        assert_eq!(detail.departures.len(), 302);
    }

    /// Packets leave at 0, 10, 20, 20 and 30 ms. The first and the last are acknowledged, so the three between are
    /// those lost: two, three and four were in flight with them. A stack that names the packet needs no more than its
    /// index.
    #[test]
    fn lost_packets_are_those_that_were_not_acknowledged() {
        let sends = [0, 10, 20, 20, 30];
        let sent = || {
            let mut detail = Detail::new(Needs { each_loss: true, ..Needs::NONE }).unwrap();
            (0..).zip(sends).for_each(|(others, ms)| detail.on_send(at(ms), 1, Segments(others)));
            detail
        };
        let told =
            |lost: Vec<LostSegment>| -> Vec<_> { lost.iter().map(|one| (one.in_flight.0, one.lost.0)).collect() };
        let mut detail = sent();
        [0, 30].into_iter().for_each(|ms| detail.settle(at(ms)));
        let three = Lost { packets: Segments(3), sent: at(20), index: None };
        assert_eq!(told(detail.on_each_lost(&three)), [(2, 1), (3, 2), (4, 3)]);
        assert_eq!(told(detail.on_each_lost(&three)), [], "none is lost twice");
        assert_eq!(detail.take_lost(), Segments(6), "what is not known any more is counted");
        let mut detail = sent();
        let one = Lost { packets: Segments(1), sent: at(20), index: Some(SendIndex(3)) };
        assert_eq!(told(detail.on_each_lost(&one)), [(4, 1)]);
    }

    /// Of packet 1, which left after the application had run out of data, also where no rate samples are asked for.
    #[test]
    fn a_lost_packet_was_limited_by_the_application() {
        let mut detail = Detail::new(Needs { each_loss: true, ..Needs::NONE }).unwrap();
        detail.on_send(at(0), 1, Segments(0));
        assert_eq!(detail.on_acknowledged(at(100), &batch(1, 0, 0), Some(Segments(0))), None);
        detail.on_send(at(200), 1, Segments(0));
        let lost = Lost { packets: Segments(1), sent: at(200), index: Some(SendIndex(1)) };
        assert!(detail.on_each_lost(&lost)[0].app_limited);
    }

    /// Counted until it is reported to the control: by a loss, or with the next acknowledgement.
    #[test]
    fn losses_are_told_once() {
        let mut detail = detail();
        detail.on_lost(Segments(2));
        detail.on_lost(Segments(1));
        assert_eq!([detail.take_lost(), detail.take_lost()], [Segments(3), Segments(0)]);
    }
}
