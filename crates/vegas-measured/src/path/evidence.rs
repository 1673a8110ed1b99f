//! A log as the evidence of the path: arrivals at the bottleneck, round-trip times, deliveries.

use std::collections::BTreeMap;

use super::service::{Arrival, Fate};
use crate::tcp::sender::log::{Departure, Log};

/// What a flow's capture has shown of the path.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// Every departure, in the order of time.
    pub(super) arrivals: Vec<Arrival>,
    /// Round-trip times of departures: the number of each, and the time, ns.
    pub(super) samples: Vec<(usize, i64)>,
    /// Those of them that services are judged by.
    pub(super) judged: Vec<(usize, i64)>,
    /// When bytes were acknowledged, and how many IP packets' bytes these were.
    pub(super) deliveries: Vec<(i64, f64)>,
    /// The longest packet.
    pub(super) packet: u32,
    /// The limit of the queue, bytes, as far as it is known.
    pub(super) limit: Option<u64>,
}

/// Returns the bytes of a full segment's IP packet, and of its headers: of the most frequent size.
pub(super) fn sizes(log: &Log) -> (u32, u32) {
    let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for departure in &log.departures {
        let payload = (departure.to - departure.from) as u32;
        *counts.entry((departure.ip_bytes, departure.ip_bytes.saturating_sub(payload))).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|((ip_bytes, _), count)| (*count, *ip_bytes));
    most.map_or((1500, 52), |(sizes, _)| sizes)
}

impl Evidence {
    pub(super) fn of(log: &Log, packet: u32, header: u32, is_at_receiver: bool) -> Self {
        let arrival =
            |(departure, fate): (&Departure, Fate)| Arrival { at: departure.at, bytes: departure.ip_bytes, fate };
        let of_flow: Vec<Arrival> = log.departures.iter().zip(fates(log)).map(arrival).collect();
        let scale = f64::from(packet) / f64::from((packet - header).max(1));
        let delivered = |at: i64, bytes: i64| (at, bytes as f64 * scale);
        if is_at_receiver {
            let samples =
                log.upstream.iter().filter_map(|(at, sample)| Some((departure_at(&of_flow, *at)?, *sample))).collect();
            let deliveries = of_flow.iter().map(|arrival| (arrival.at, f64::from(arrival.bytes))).collect();
            return Evidence { samples, deliveries, arrivals: of_flow, packet, ..Evidence::default() };
        }
        let acknowledged = log.acknowledgements.iter().filter(|ack| ack.delivered > 0);
        let deliveries = acknowledged.map(|ack| delivered(ack.at, ack.delivered)).collect();
        let (arrivals, places) = merged(&of_flow, &log.others);
        let samples = samples(&log.departures).into_iter().map(|(number, rtt)| (places[number], rtt)).collect();
        Evidence { samples, deliveries, arrivals, packet, ..Evidence::default() }
    }

    /// Whether the packets of unknown fate are enough to matter to the queue.
    pub(super) fn has_unknown(&self) -> bool {
        const MATTERS: usize = 50;
        self.arrivals.iter().filter(|arrival| arrival.fate == Fate::Unknown).count() * MATTERS > self.arrivals.len()
    }

    /// The round-trip times as they are, in the order of the departures.
    pub(super) fn round_trips(&self) -> Vec<(i64, i64)> {
        self.samples.iter().map(|(number, rtt)| (self.arrivals[*number].at, *rtt)).collect()
    }
}

/// Returns the flow's packets and the others in the order of time, and where in it each of the flow's is.
fn merged(of_flow: &[Arrival], others: &[(i64, u32)]) -> (Vec<Arrival>, Vec<usize>) {
    let mut arrivals = Vec::with_capacity(of_flow.len() + others.len());
    let mut places = Vec::with_capacity(of_flow.len());
    let mut others = others.iter().peekable();
    for arrival in of_flow {
        while let Some((at, bytes)) = others.next_if(|(at, _)| *at <= arrival.at) {
            arrivals.push(Arrival { at: *at, bytes: *bytes, fate: Fate::Arrived });
        }
        places.push(arrivals.len());
        arrivals.push(*arrival);
    }
    (arrivals, places)
}

fn departure_at(arrivals: &[Arrival], at: i64) -> Option<usize> {
    arrivals.partition_point(|arrival| arrival.at <= at).checked_sub(1)
}

/// Tells what became of the departures. Those were lost that were retransmitted before they were acknowledged, unless
/// the acknowledgement came sooner after the second one than any round trip.
fn fates(log: &Log) -> Vec<Fate> {
    const SOONEST: f64 = 0.9;
    let departures = &log.departures;
    let least = least(departures);
    let fate = |departure: &Departure| match (departure.acked_at.is_some(), departure.is_replaced) {
        (true, _) => Fate::Arrived,
        (false, true) => Fate::Lost,
        (false, false) => Fate::Unknown,
    };
    let mut fates: Vec<Fate> = departures.iter().map(fate).collect();
    let mut newest: BTreeMap<i64, usize> = BTreeMap::new();
    for (number, departure) in departures.iter().enumerate() {
        let before = newest.insert(departure.from, number);
        let is_soon = departure.acked_at.is_some_and(|acked| ((acked - departure.at) as f64) < SOONEST * least as f64);
        if let (Some(before), true, true) = (before, departure.again.is_some(), is_soon) {
            fates[before] = Fate::Arrived;
        }
    }
    fates
}

/// The round-trip time of the newest segment of each acknowledgement. One that was retransmitted counts from then on,
/// unless the acknowledgement came sooner than any round trip: Karn's doubt, which the lost first one dispels.
fn samples(departures: &[Departure]) -> Vec<(usize, i64)> {
    let mut newest: BTreeMap<i64, usize> = BTreeMap::new();
    for (number, departure) in departures.iter().enumerate() {
        if let Some(acked_at) = departure.acked_at {
            newest.insert(acked_at, number);
        }
    }
    let least = least(departures);
    let trip = |(acked_at, number): (i64, usize)| (number, acked_at - departures[number].at);
    let is_whole = |(number, rtt): &(usize, i64)| departures[*number].again.is_none() || *rtt >= least;
    let mut samples: Vec<(usize, i64)> = newest.into_iter().map(trip).filter(is_whole).collect();
    samples.sort_unstable();
    samples
}

/// The least round-trip time of segments that were sent once.
fn least(departures: &[Departure]) -> i64 {
    let once = departures.iter().filter(|departure| departure.again.is_none() && !departure.is_replaced);
    once.filter_map(|departure| Some(departure.acked_at? - departure.at)).min().unwrap_or(0)
}

/// When packets waited at the bottleneck, and the rate then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Busy {
    /// The least round-trip time, ns.
    pub(super) base: i64,
    /// The rate of delivery while a queue stands, or else the greatest one, bits a second.
    pub(super) rate: f64,
    /// Its deciles, and the greatest rate of any window.
    pub(super) between: (f64, f64),
    pub(super) most: f64,
    /// The windows in which a queue stood, of all.
    pub(super) windows: u64,
    pub(super) of: u64,
    /// The longest wait that the round-trip times show, ns.
    pub(super) longest: i64,
}

/// The windows in which a queue stands, least, so that there is one.
const BUSY_LEAST: u64 = 5;
const WINDOW_LEAST_NS: i64 = 50_000_000;

impl Busy {
    pub(super) fn of(evidence: &Evidence) -> Option<Busy> {
        let trips = evidence.round_trips();
        let base = trips.iter().map(|(_, rtt)| *rtt).min()?;
        let mean = mean_rate(&evidence.deliveries)?;
        let a_packet = (f64::from(evidence.packet) * 8e9 / mean) as i64;
        let length = base.max(WINDOW_LEAST_NS).max(5 * a_packet);
        let limit = base + (base / 10).max(1_000_000);
        let place = |at: i64| at / length;
        let mut windows: BTreeMap<i64, (f64, u32, u32)> = BTreeMap::new();
        for (at, bytes) in &evidence.deliveries {
            windows.entry(place(*at)).or_default().0 += bytes;
        }
        for (at, rtt) in &trips {
            if let Some(window) = windows.get_mut(&place(at + rtt)) {
                (window.1, window.2) = (window.1 + 1, window.2 + u32::from(*rtt > limit));
            }
        }
        let rate = |bytes: f64| bytes * 8e9 / length as f64;
        let mut busy: Vec<f64> =
            windows.values().filter(|(_, all, late)| *all > 0 && all == late).map(|(bytes, ..)| rate(*bytes)).collect();
        let mut all: Vec<f64> = windows.values().map(|(bytes, ..)| rate(*bytes)).collect();
        busy.sort_unstable_by(f64::total_cmp);
        all.sort_unstable_by(f64::total_cmp);
        let (count, of) = (busy.len() as u64, all.len() as u64);
        let at = |rates: &[f64], part: f64| rates[((rates.len() - 1) as f64 * part) as usize];
        let longest = trips.iter().map(|(_, rtt)| rtt - base).max().unwrap_or(0);
        let (rate, between) = match count >= BUSY_LEAST {
            true => (at(&busy, 0.5), (at(&busy, 0.1), at(&busy, 0.9))),
            false => (at(&all, 0.95), (at(&all, 0.5), at(&all, 1.0))),
        };
        let most = at(&all, 1.0);
        (rate > 0.0).then_some(Busy { base, rate, between, most, windows: count, of, longest })
    }

    pub(super) fn has_queue(&self) -> bool {
        self.windows >= BUSY_LEAST
    }
}

fn mean_rate(deliveries: &[(i64, f64)]) -> Option<f64> {
    let (first, last) = (deliveries.first()?.0, deliveries.last()?.0);
    let bytes: f64 = deliveries.iter().map(|(_, bytes)| bytes).sum();
    (last > first).then(|| bytes * 8e9 / (last - first) as f64)
}
