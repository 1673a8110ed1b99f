//! One direction of a connection in its capture: what was sent, retransmitted, acknowledged, lost, and how long
//! that took.

mod again;
mod holes;
pub(crate) mod log;
mod outstanding;
mod ranges;
mod recovery;

pub(crate) use again::Again;

use self::holes::Holes;
use self::log::{Acknowledgement, Departure, Log};
use self::outstanding::{Outstanding, Sent};
use self::ranges::Ranges;
use self::recovery::{Doubt, Recovery};

/// What a segment with payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    New,
    Again(Again),
    /// Behind later ones, and not retransmitted.
    Reordered,
    /// Sent by an idle host to hear from the other one (RFC 9293, 3.8.4).
    KeepAlive,
}

/// A segment with payload, or with FIN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) at: i64,
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// The length of the IP packet.
    pub(crate) ip_bytes: u32,
    pub(crate) ip_id: u16,
    /// The sender's time stamp.
    pub(crate) stamp: Option<u32>,
}

/// What an acknowledgement tells about the other direction's data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack<'a> {
    pub(crate) at: i64,
    pub(crate) edge: i64,
    /// SACK blocks.
    pub(crate) blocks: &'a [(i64, i64)],
    /// The window, bytes; none while its scale is unknown.
    pub(crate) window: i64,
    /// Whether the segment carries nothing else.
    pub(crate) is_pure: bool,
    /// The length of the IP packet.
    pub(crate) ip_bytes: u32,
}

/// What an acknowledgement brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// The time since the newest segment that it acknowledges was sent, if that was sent once, ns.
    pub(crate) rtt: Option<i64>,
    /// The first payload byte of that segment.
    pub(crate) sequence: i64,
    /// Bytes newly acknowledged, or newly in SACK blocks.
    pub(crate) delivered: i64,
    pub(crate) duplicate: bool,
}

/// The counts of a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Segments, retransmissions included; a packet that the interface divides later counts as many.
    pub(crate) segments: u64,
    /// Bytes of IP packets with payload.
    pub(crate) ip_bytes: u64,
    /// Segments retransmitted, by the kinds of [`Again`].
    pub(crate) again: [u64; 6],
    pub(crate) reordered: u64,
    pub(crate) keep_alives: u64,
    /// Bytes that were acknowledged, or covered by later ones, and that the capture does not have.
    pub(crate) missing_bytes: i64,
    /// Segments of which the receiver reported a second copy (RFC 2883).
    pub(crate) reported_twice: u64,
    pub(crate) duplicate_acks: u64,
    /// Bytes acknowledged in order.
    pub(crate) acked_bytes: i64,
    /// Packets longer than a segment: the interface divides them, or has joined them.
    pub(crate) joined_packets: u64,
    /// Segments that left while the window had room for less than one more.
    pub(crate) window_limited: u64,
    pub(crate) most_in_flight: i64,
    /// Bytes that left before the first acknowledgement of any.
    pub(crate) first_flight: i64,
}

impl Counts {
    pub(crate) fn retransmitted(&self) -> u64 {
        self.again.iter().sum()
    }
}

/// A direction's data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    pub(crate) counts: Counts,
    /// The payload of a full segment, as far as it is known.
    pub(crate) mss: i64,
    /// The highest sequence number sent, and the first one that is not acknowledged.
    next: i64,
    acked: i64,
    has_sent: bool,
    /// The sequence number of FIN.
    fin: Option<i64>,
    outstanding: Outstanding,
    sacked: Ranges,
    holes: Holes,
    recovery: Recovery,
    departures: u64,
    window: i64,
    pub(crate) log: Option<Log>,
}

impl Sender {
    /// Bytes sent and not yet acknowledged, those in SACK blocks left out.
    pub(crate) fn in_flight(&self) -> i64 {
        (self.next - self.acked - self.sacked.count()).max(0)
    }

    pub(crate) fn has_sent(&self) -> bool {
        self.has_sent
    }

    /// Bytes that were acknowledged or are in SACK blocks.
    pub(crate) fn delivered(&self) -> i64 {
        self.acked + self.sacked.count()
    }

    /// The next new byte.
    pub(crate) fn next(&self) -> i64 {
        self.next
    }

    /// How many segments are remembered.
    pub(crate) fn remembered(&self) -> usize {
        self.outstanding.len()
    }

    /// Forgets the oldest segment, for want of memory.
    pub(crate) fn forget_one(&mut self) {
        self.outstanding.forget_one();
    }

    /// The receiver's newest window, bytes; -1 while its scale is unknown.
    pub(crate) fn window(&self) -> i64 {
        self.window
    }

    /// Bytes as segments, rounded up.
    pub(crate) fn segments(&self, bytes: i64) -> u64 {
        if bytes <= 0 { 0 } else { (bytes as u64).div_ceil(self.mss.max(1) as u64) }
    }

    /// Notes a segment with FIN, which has a sequence number of its own behind the payload.
    pub(crate) fn finishes(&mut self, at: i64) {
        self.fin = Some(at);
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.acked >= fin)
    }

    /// Takes a segment with payload. `upstream` is the part of the RTT on the sender's side of the capture, ns.
    pub(crate) fn on_data(&mut self, data: Data, upstream: i64) -> Nature {
        let nature = self.nature(&data, upstream);
        if nature == Nature::KeepAlive {
            self.counts.keep_alives += 1;
            return nature;
        }
        let segments = self.segments(data.to - data.from);
        self.counts.segments += segments;
        self.counts.ip_bytes += u64::from(data.ip_bytes);
        self.counts.joined_packets += u64::from(segments > 1);
        match nature {
            Nature::Again(kind) => self.counts.again[kind as usize] += segments,
            Nature::Reordered => self.counts.reordered += segments,
            _ => {}
        }
        self.depart(&data, nature);
        self.has_sent = true;
        let in_flight = self.in_flight();
        self.counts.most_in_flight = self.counts.most_in_flight.max(in_flight);
        if self.counts.acked_bytes == 0 {
            self.counts.first_flight = self.counts.first_flight.max(in_flight);
        }
        if self.window > 0 && self.next - self.acked + self.mss > self.window {
            self.counts.window_limited += segments;
        }
        nature
    }

    fn nature(&self, data: &Data, upstream: i64) -> Nature {
        if !self.has_sent || data.from >= self.next {
            return Nature::New;
        }
        let is_old = data.to <= self.acked;
        if is_old && data.to - data.from <= 1 && data.to == self.next {
            return Nature::KeepAlive;
        }
        match self.holes.is_overtaken(data) {
            Some(true) => return Nature::Reordered,
            Some(false) => return Nature::Again(Again::LostBefore),
            None => {}
        }
        if is_old || self.is_sacked(data) {
            return Nature::Again(Again::Spurious);
        }
        Nature::Again(self.retransmission(data, upstream))
    }

    fn is_sacked(&self, data: &Data) -> bool {
        !self.sacked.is_empty() && self.sacked.has(data.from.max(self.acked), data.to)
    }

    /// Tells what made the sender retransmit a segment that the receiver has not acknowledged.
    fn retransmission(&self, data: &Data, upstream: i64) -> Again {
        let head = self.outstanding.head();
        self.recovery.retransmission(Doubt {
            acked: self.acked,
            is_head: head.is_some_and(|head| data.from <= head.from.max(self.acked)),
            is_tail: data.to >= self.next,
            has_sacked: !self.sacked.is_empty(),
            since_head: data.at - head.map_or(i64::MIN / 2, |head| head.last_at) - upstream,
            at: data.at - upstream,
        })
    }

    fn depart(&mut self, data: &Data, nature: Nature) {
        if let Nature::Again(again) = nature {
            self.recovery.begin(again, self.acked, self.next);
        }
        if !self.has_sent {
            self.next = self.next.max(data.from);
        }
        if data.from > self.next {
            self.counts.missing_bytes += self.holes.open(self.next, data);
            self.next = data.from;
        }
        let mut from = data.from;
        while from < data.to {
            let to = if self.mss > 0 { data.to.min(from + self.mss) } else { data.to };
            from = if from < self.next {
                self.send_again(data, from, to.min(self.next), nature)
            } else {
                self.send_new(data, from, to)
            };
        }
    }

    fn send_new(&mut self, data: &Data, from: i64, to: i64) -> i64 {
        let departure = self.note_departure(data, from, to, None);
        let at = data.at;
        self.outstanding.push(Sent { from, to, first_at: at, last_at: at, times: 1, sacked: false, departure });
        self.next = to;
        to
    }

    /// Marks what is outstanding of a range as retransmitted, and fills holes in it.
    fn send_again(&mut self, data: &Data, from: i64, to: i64, nature: Nature) -> i64 {
        let again = if let Nature::Again(again) = nature { Some(again) } else { None };
        let departure = self.note_departure(data, from, to, again);
        let mut log = self.log.as_mut();
        for sent in self.outstanding.range_mut(from, to) {
            if let Some(log) = &mut log {
                log.replaced(sent.departure);
            }
            (sent.last_at, sent.times, sent.departure) = (data.at, sent.times + 1, departure);
        }
        let times = if again.is_some() { 2 } else { 1 };
        let (first_at, last_at) = (data.at, data.at);
        for (from, to) in self.holes.fill(from, to).into_iter().filter(|(_, to)| *to > self.acked) {
            let from = from.max(self.acked);
            self.outstanding.insert(Sent { from, to, first_at, last_at, times, sacked: false, departure });
        }
        to
    }

    fn note_departure(&mut self, data: &Data, from: i64, to: i64, again: Option<Again>) -> u64 {
        let number = self.departures;
        self.departures += 1;
        if let Some(log) = &mut self.log {
            let headers = i64::from(data.ip_bytes) - (data.to - data.from);
            let ip_bytes = u32::try_from(to - from + headers).unwrap_or(data.ip_bytes);
            log.departs(Departure { at: data.at, from, to, ip_bytes, again, acked_at: None, is_replaced: false });
        }
        number
    }

    /// Takes an acknowledgement of the other host.
    pub(crate) fn on_ack(&mut self, ack: &Ack<'_>) -> News {
        let mut news = News::default();
        let mut newest: Option<Sent> = None;
        self.sack(ack, &mut news, &mut newest);
        // FIN has a number of its own, and no payload
        let edge = self.fin.map_or(ack.edge, |fin| ack.edge.min(fin));
        let is_same_window = ack.window == self.window;
        if edge > self.acked {
            self.advance(ack.at, edge, &mut news, &mut newest);
        } else if edge == self.acked
            && ack.is_pure
            && self.next > self.acked
            && (is_same_window || !ack.blocks.is_empty())
        {
            self.recovery.duplicates += 1;
            self.counts.duplicate_acks += 1;
            news.duplicate = true;
        }
        self.window = ack.window;
        if let Some(newest) = newest.filter(|newest| newest.times == 1) {
            news.rtt = Some(ack.at - newest.first_at);
            news.sequence = newest.from;
        }
        if let Some(log) = &mut self.log {
            log.acknowledges(Acknowledgement {
                at: ack.at,
                delivered: news.delivered,
                is_pure: ack.is_pure,
                ip_bytes: ack.ip_bytes,
                edge: self.acked,
                sacked: self.sacked.count(),
                window: self.window,
                is_duplicate: news.duplicate,
            });
        }
        news
    }

    /// Gives the timer a sample of the whole RTT.
    pub(crate) fn sample_timer(&mut self, rtt: i64) {
        self.recovery.sample(rtt);
    }

    fn sack(&mut self, ack: &Ack<'_>, news: &mut News, newest: &mut Option<Sent>) {
        let Some(first) = ack.blocks.first() else { return };
        let within = |outer: &(i64, i64)| outer.0 <= first.0 && first.1 <= outer.1;
        let is_report = first.1 <= ack.edge || ack.blocks.get(1).is_some_and(within);
        if is_report {
            self.counts.reported_twice += self.segments(first.1 - first.0);
        }
        for &(from, to) in &ack.blocks[usize::from(is_report)..] {
            let (from, to) = (from.max(self.acked).max(ack.edge), to.min(self.next));
            let (outstanding, log) = (&mut self.outstanding, &mut self.log);
            let mut added = 0;
            self.sacked.add(from, to, |from, to| {
                added += to - from;
                for sent in outstanding.range_mut(from, to) {
                    sent.sacked = true;
                    newer(newest, sent);
                    if let Some(log) = log {
                        log.arrived(sent.departure, ack.at);
                    }
                }
            });
            news.delivered += added;
        }
    }

    fn advance(&mut self, at: i64, edge: i64, news: &mut News, newest: &mut Option<Sent>) {
        if edge > self.next {
            // what was acknowledged has been sent, though the capture has not seen it; one number alone is that of FIN
            let unseen = edge - self.next;
            self.counts.missing_bytes += if self.has_sent && unseen > 1 { unseen } else { 0 };
            self.next = edge;
        }
        while let Some(sent) = self.outstanding.pop_below(edge) {
            if !sent.sacked {
                newer(newest, &sent);
                if let Some(log) = &mut self.log {
                    log.arrived(sent.departure, at);
                }
            }
        }
        self.counts.missing_bytes += self.holes.pass(edge);
        let known = self.sacked.drop_below(edge);
        let advanced = edge - self.acked;
        news.delivered += advanced - known;
        if self.has_sent {
            self.counts.acked_bytes += advanced;
        }
        self.acked = edge;
        self.recovery.advance(at);
    }
}

fn newer(newest: &mut Option<Sent>, sent: &Sent) {
    if newest.is_none_or(|newest| newest.last_at <= sent.last_at) {
        *newest = Some(*sent);
    }
}
