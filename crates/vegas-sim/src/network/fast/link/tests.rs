//! Tests of a drop-tail link: with and without a list of its packets, in time and ahead of time, and with changes of
//! its values.

use super::*;
use crate::measure::link_totals::LinkTotals;
use crate::network::fast::in_flight::delay_lines::NO_DELAY_LINE;
use crate::network::fast::record::Exit;
use crate::packet::PacketKind;
use proptest::prelude::*;
use vegas_core::aqt::Aqt;
use vegas_core::units::{Bytes, Rate};

fn micros(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

/// Returns the values of a link that sends a byte in `byte_ns`, without delay.
fn spec(byte_ns: u64, queue: QueueLimit) -> LinkKind {
    LinkKind {
        rate: Rate::from_bits_per_second(8_000_000_000 / byte_ns),
        trace: None,
        delay: Span::ZERO,
        queue,
        discipline: crate::scenario::Discipline::DropTail,
        aqt: false,
        impairments: Impairments::default(),
    }
}

/// A link with its record.
struct One {
    link: Link,
    record: LinkRecord,
}

impl One {
    fn new(spec: &LinkKind, changes: bool) -> Self {
        One {
            link: Link::new(spec, || Stream::named(1, "test"), None, changes),
            record: LinkRecord::link(Exit { link: 0, delay_line: NO_DELAY_LINE }, spec),
        }
    }

    fn offer(&mut self, at: u64, wire: u16) -> Option<Span> {
        let (at, wire, record) = (Time::from_nanos(at), WireSize::new(wire), &mut self.record);
        let Some(waits) = record.usual_wait(at, wire) else { return self.link.offer(record, at, wire) };
        record.accept(at, waits);
        if waits > Span::ZERO {
            self.link.note_wait(waits);
        }
        Some(waits)
    }

    fn look(&mut self, now: Time) -> LinkTotals {
        self.link.catch_up(&mut self.record, now);
        self.link.totals(&self.record, now)
    }
}

/// A link of 8 Mb/s, which sends 1000 bytes in 1 ms, with a delay of 10 ms; four packets of 1000 bytes are offered at
/// 0.
fn link_with_four_packets() -> One {
    let spec = LinkKind { delay: Span::from_millis(10), ..spec(1_000, QueueLimit::Bytes(Bytes::new(4000))) };
    let mut link = One::new(&spec, true);
    for sequence in 0..4 {
        let packet = Packet::new(PacketKind::Data, 0, sequence, WireSize::new(1000));
        assert!(offer(&mut link, Time::ZERO, packet));
    }
    link
}

/// Offers a packet at `now`, and carries it if it is accepted; returns whether it is.
fn offer(One { link, record }: &mut One, now: Time, mut packet: Packet) -> bool {
    match link.offer_special(record, now, &mut packet, &Labels::default()) {
        Offer::Accepted(arrival) => {
            link.carry(packet, arrival);
            true
        }
        _ => false,
    }
}

/// Gives new values to the link at `now`; returns the arrival of the next packet.
fn change_at(One { link, record }: &mut One, now: Time, change: &LinkChange) -> Option<Time> {
    link.catch_up(record, now);
    link.change(record, change);
    link.next_arrival()
}

fn change(rate: Option<u64>, delay_ms: Option<u64>) -> LinkChange {
    let rate = rate.map(Rate::from_bits_per_second);
    LinkChange { link: 0, rate, delay: delay_ms.map(Span::from_millis), queue: None, loss_ppm: None }
}

/// Runs the link to its end; returns when each packet comes out, in us, with its sequence number.
fn arrivals(One { link, .. }: &mut One) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    loop {
        let head = link.transit.front().map(|transit| transit.arrival);
        let (now, arrivals) = match (head, link.next_held()) {
            (None, None) => return out,
            (Some(head), held) if held.is_none_or(|held| head <= held) => (head, link.arrive(head)),
            (_, held) => (held.expect("not none"), link.release_held(held.expect("not none"))),
        };
        out.extend(arrivals.packet.map(|packet| (now.as_nanos() / 1000, packet.sequence)));
    }
}

/// Departures are at 1, 2, 3 and 4 ms. At 1.5 ms the rate is halved: the second packet still departs at 2 ms; the
/// others take 2 ms each and depart at 4 and 6 ms. They have waited 0, 1, 2 and 4 ms, and the transmitter was busy for
/// 6 ms.
#[test]
fn what_waits_gets_the_new_rate() {
    let mut link = link_with_four_packets();
    assert_eq!(change_at(&mut link, micros(1500), &change(Some(4_000_000), None)), Some(micros(11_000)));
    assert_eq!(link.look(micros(1500)).queue_packets, 2);
    assert_eq!(arrivals(&mut link), [(11_000, 0), (12_000, 1), (14_000, 2), (16_000, 3)]);
    let totals = link.look(micros(20_000));
    assert_eq!((totals.waited_ns, totals.busy.as_nanos()), (7_000_000, 6_000_000));
}

/// The rate of the queue above is doubled at 1.5 ms: the fourth packet begins at 2.5 ms in place of 3. The time is
/// added to the stamp that the packet had before; the sum saturates.
#[test]
fn what_waits_is_stamped_with_the_time_that_it_waits() {
    let spec = LinkKind { aqt: true, delay: Span::from_millis(10), ..spec(1_000, QueueLimit::Unlimited) };
    let mut link = One::new(&spec, true);
    let most = Aqt::MAX.micros();
    for before in [0, 7, most - 500, most - 2_700] {
        let packet = Packet::new(PacketKind::Data, 0, 0, WireSize::new(1000)).stamped(Aqt::from_micros(before));
        assert!(offer(&mut link, Time::ZERO, packet));
    }
    change_at(&mut link, micros(1500), &change(Some(16_000_000), None));
    let stamps: Vec<u32> = link.link.transit.iter().map(|transit| transit.packet.aqt().micros()).collect();
    assert_eq!(stamps, [0, 1_007, most, most - 200]);
}

#[test]
fn what_is_on_its_way_keeps_its_delay() {
    let mut link = link_with_four_packets();
    assert_eq!(change_at(&mut link, micros(1500), &change(None, Some(20))), Some(micros(22_000)));
    assert_eq!(arrivals(&mut link), [(11_000, 0), (22_000, 1), (23_000, 2), (24_000, 3)]);
}

/// With a delay of 2 ms the other packets would arrive at 4, 5 and 6 ms, before the first: they wait for it.
#[test]
fn a_shorter_delay_does_not_reorder() {
    let mut link = link_with_four_packets();
    change_at(&mut link, micros(1500), &change(None, Some(2)));
    assert_eq!(link.link.inside(), 4);
    assert_eq!(arrivals(&mut link), [(11_000, 0), (11_000, 1), (11_000, 2), (11_000, 3)]);
    assert_eq!((link.link.counts.arrived, link.link.inside()), (4, 0));
}

/// Rate and delay change twice, the second time with packets carried from before. At 1.5 ms they change as above. At
/// 4.5 ms the third packet has departed (at 4 ms, so it arrives at 4 + 20); the fourth is being sent until 6 ms, and
/// takes 1 ms to the other end.
#[test]
fn changes_follow_each_other() {
    let mut link = link_with_four_packets();
    change_at(&mut link, micros(1500), &change(Some(4_000_000), Some(20)));
    change_at(&mut link, micros(4500), &change(Some(1_000), Some(1)));
    assert_eq!(arrivals(&mut link), [(11_000, 0), (22_000, 1), (24_000, 2), (24_000, 3)]);
}

#[test]
fn a_smaller_queue_keeps_what_waits() {
    let mut link = link_with_four_packets();
    change_at(&mut link, micros(1500), &LinkChange { queue: Some(QueueLimit::Packets(3)), ..change(None, None) });
    let packet = Packet::new(PacketKind::Data, 0, 4, WireSize::new(1000));
    assert!(!offer(&mut link, micros(1600), packet));
    assert!(offer(&mut link, micros(2000), packet));
}

/// What a sample shows.
#[derive(Debug, PartialEq)]
struct Look {
    departed: (u64, u64),
    waited_ns: u128,
    drops: u64,
    queue: (u32, u64),
    most: (u32, u32),
}

const STEP_NS: u64 = 50;
const END_NS: u64 = 600;

/// Offers packets that come at these times to a plain link, and takes samples at every step and at the end. Returns the
/// samples, what became of each packet, and how long all have waited. Ahead of time all packets are offered before the
/// first sample.
fn play(
    mut link: One,
    packets: &[(u64, u16)],
    is_ahead: bool,
) -> (Vec<Look>, Vec<Option<Span>>, Option<QueueingTimes>) {
    if is_ahead {
        link.link.sample_at(
            &mut link.record,
            SamplingInstants::new(Some(Span::from_nanos(STEP_NS)), Time::from_nanos(END_NS)),
        );
    }
    let (mut packets, mut offers, mut seen) = (packets.iter().peekable(), vec![], vec![]);
    for now in (1..=END_NS / STEP_NS).map(|step| step * STEP_NS).chain([END_NS]) {
        let until = if is_ahead { END_NS } else { now };
        while let Some((at, wire)) = packets.next_if(|(at, _)| *at <= until) {
            offers.push(link.offer(*at, *wire));
        }
        let totals = link.look(Time::from_nanos(now));
        link.link.begin_step(&mut link.record, totals.queue_packets);
        seen.push(Look {
            departed: (totals.departed_bytes, totals.busy.as_nanos()),
            waited_ns: totals.waited_ns,
            drops: totals.drops,
            queue: (totals.queue_packets, totals.queue_bytes),
            most: (totals.max_queue_packets, totals.step_max_queue_packets),
        });
    }
    (seen, offers, link.link.queueing_times(&link.record))
}

proptest! {
    /// The samples are equal whether the packets in the queue are listed or not, and whether they come ahead of time or
    /// not.
    #[test]
    fn lists_and_arithmetic_agree(
        gaps in prop::collection::vec((0u64..16, prop::sample::select(vec![5u16, 5, 5, 5, 5, 9])), 1..100),
        one_size in any::<bool>(),
        places in 0u32..8,
        in_bytes in any::<bool>(),
    ) {
        let mut at = 0;
        let packets: Vec<(u64, u16)> = gaps
            .into_iter()
            .map(|(gap, wire)| {
                at += gap;
                (at, if one_size { 5 } else { wire })
            })
            .take_while(|(at, _)| *at <= END_NS)
            .collect();
        let limit = match (in_bytes, places) {
            (_, 7) => QueueLimit::Unlimited,
            (true, _) => QueueLimit::Bytes(Bytes::new(u64::from(places) * 6)),
            (false, _) => QueueLimit::Packets(places),
        };
        let plain = || One::new(&spec(1, limit), false);
        let listed = || {
            let mut link = plain();
            link.link.list_departures();
            link
        };
        let expected = play(listed(), &packets, false);
        prop_assert_eq!(&expected, &play(plain(), &packets, false));
        prop_assert_eq!(&expected, &play(plain(), &packets, true));
        prop_assert_eq!(&expected, &play(listed(), &packets, true));
    }
}

/// By hand: 5 bytes are sent in 5 ns, so three packets that come at 0 leave at 5, 10 and 15. At 7 one has left, one has
/// been sent for 2 ns, and one waits; the second has waited 5 ns, the third 7.
#[test]
fn what_is_seen_in_between() {
    let mut link = One::new(&spec(1, QueueLimit::Packets(3)), false);
    let waits = [0; 4].map(|at| link.offer(at, 5));
    assert_eq!(waits, [Some(0), Some(5), Some(10), None].map(|wait| wait.map(Span::from_nanos)));
    let totals = link.look(Time::from_nanos(7));
    assert_eq!((totals.departed_bytes, totals.busy.as_nanos(), totals.waited_ns), (5, 7, 12));
    assert_eq!((totals.queue_packets, totals.queue_bytes, totals.max_queue_packets, totals.drops), (1, 5, 2, 1));
}
