//! Event sequences from bytes: the one decoder of the conformance suite and of the fuzz target.
//!
//! The bytes drive a host that sends, hears acknowledgements, and now and then a loss. An honest host keeps the
//! contract of [`Ack`] and [`Loss`]; a hostile one is that host with fields overwritten here and there by
//! extreme values, time running backwards among them.

use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{Ack, Loss, LossKind, RateSample, RouterFeedback};

/// One call from the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Ack(Ack),
    Loss(Loss),
}

/// Whether the host keeps the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    Honest,
    Hostile,
}

/// Decodes a sequence; any bytes give one, the empty ones none.
pub fn events_from_bytes(bytes: &[u8], host: Host) -> Vec<Event> {
    let mut reader = Reader(bytes);
    let mut sender = Sender::default();
    let mut events = Vec::new();
    while !reader.0.is_empty() {
        let event = sender.event(&mut reader);
        events.push(match host {
            Host::Honest => event,
            Host::Hostile => spoiled(event, &mut reader),
        });
    }
    events
}

/// Bytes from the front; zeros once they are used up.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    fn bit(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Mostly the edges of what a field can hold.
    fn extreme(&mut self) -> u64 {
        match self.byte() {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => u64::MAX - 1,
            4 => u64::from(u32::MAX),
            5 => u64::from(u32::MAX) + 1,
            other => (1 << (other % 64)) + u64::from(other / 64),
        }
    }

    /// Up to the last that a host can reach, which is before [`Time::NEVER`].
    fn extreme_time(&mut self) -> Time {
        Time::from_nanos(self.extreme().min(Time::NEVER.as_nanos() - 1))
    }
}

/// The sending side of a connection, as far as the contract shows it.
#[derive(Default)]
struct Sender {
    now_ns: u64,
    /// The oldest segment that is not acknowledged.
    oldest: u64,
    /// The next segment to send.
    next: u64,
    /// Everything below this has been sent at least once.
    sent: u64,
}

const MILLISECOND: u64 = 1_000_000;

impl Sender {
    fn event(&mut self, reader: &mut Reader) -> Event {
        let choice = reader.byte();
        let pause = if choice % 16 == 15 { 5_000 } else { 1 };
        self.now_ns += u64::from(reader.byte() % 32) * pause * MILLISECOND;
        self.send(reader.byte());
        match choice % 16 {
            0 => self.loss(LossKind::Timeout, reader),
            1 | 2 => self.loss(LossKind::DuplicateAcks, reader),
            3 => self.loss(LossKind::Ecn, reader),
            _ => self.ack(reader),
        }
    }

    /// Up to seven segments, and at least what leaves one in flight.
    fn send(&mut self, choice: u8) {
        self.next += u64::from(choice % 8);
        if self.next.max(self.sent) == self.oldest {
            self.next += 1;
        }
        self.sent = self.sent.max(self.next);
    }

    fn ack(&mut self, reader: &mut Reader) -> Event {
        let (stretch, delay, options) = (reader.byte(), reader.byte(), reader.byte());
        let outstanding = self.sent - self.oldest;
        let acked = match stretch {
            0..128 => 1,
            128..192 => 2.min(outstanding),
            _ => 1 + u64::from(stretch) % outstanding,
        };
        let ack = Ack {
            now: Time::from_nanos(self.now_ns),
            rtt: (delay < 224).then_some(Span::from_millis(20 + u64::from(delay))),
            acked: Segments(acked as u32),
            in_flight: self.in_flight(),
            newest: SendIndex(self.oldest + acked - 1),
            next: SendIndex(self.next),
            window_limited: options & 1 == 0,
            ce_marked: u32::from(options & 2),
            feedback: (options & 4 == 4).then_some(RouterFeedback {
                forward: Span::from_micros(u64::from(options)),
                backward: Span::from_micros(u64::from(delay)),
            }),
            in_recovery: options & 8 == 8,
            delivered: Segments(acked as u32),
            lost: Segments(0),
            one_way_delay: (options & 16 == 16).then_some(Span::from_millis(10 + u64::from(delay / 2))),
            rate: (options & 32 == 0).then_some(self.rate(acked, delay)),
        };
        self.oldest += acked;
        self.next = self.next.max(self.oldest);
        Event::Ack(ack)
    }

    fn rate(&self, acked: u64, delay: u8) -> RateSample {
        RateSample {
            delivered: Segments(acked as u32),
            interval: Span::from_millis(20 + u64::from(delay)),
            lost: Segments(0),
            in_flight: self.in_flight(),
            prior_delivered: self.oldest as u32,
            total: (self.oldest + acked) as u32,
            app_limited: delay % 2 == 1,
        }
    }

    fn loss(&mut self, kind: LossKind, reader: &mut Reader) -> Event {
        let in_flight = self.in_flight();
        if kind == LossKind::Timeout {
            self.next = self.oldest;
        }
        let age_ns = u64::from(reader.byte()) * MILLISECOND;
        Event::Loss(Loss {
            now: Time::from_nanos(self.now_ns),
            kind,
            sent: Time::from_nanos(self.now_ns.saturating_sub(age_ns)),
            retransmission: kind != LossKind::Ecn && reader.bit(),
            in_flight,
            next: SendIndex(self.next),
            lost: Segments(u32::from(kind != LossKind::Ecn)),
            threshold_holds: kind == LossKind::Timeout && reader.bit(),
        })
    }

    fn in_flight(&self) -> Segments {
        Segments((self.next - self.oldest) as u32)
    }
}

/// The event with some of its fields overwritten; every second event stays whole.
fn spoiled(event: Event, reader: &mut Reader) -> Event {
    let mask = reader.byte();
    if mask < 128 {
        return event;
    }
    match event {
        Event::Ack(ack) => Event::Ack(spoiled_ack(ack, mask, reader)),
        Event::Loss(loss) => Event::Loss(spoiled_loss(loss, mask, reader)),
    }
}

fn spoiled_ack(mut ack: Ack, mask: u8, reader: &mut Reader) -> Ack {
    if mask & 1 != 0 {
        ack.now = reader.extreme_time();
    }
    if mask & 2 != 0 {
        ack.rtt = Some(Span::from_nanos(reader.extreme()));
    }
    if mask & 4 != 0 {
        ack.acked = Segments(reader.extreme() as u32);
    }
    if mask & 8 != 0 {
        ack.in_flight = Segments(reader.extreme() as u32);
    }
    if mask & 16 != 0 {
        ack.newest = SendIndex(reader.extreme());
    }
    if mask & 32 != 0 {
        ack.next = SendIndex(reader.extreme());
    }
    if mask & 64 != 0 {
        ack.ce_marked = reader.extreme() as u32;
        ack.feedback = Some(RouterFeedback { forward: Span::MAX, backward: Span::from_nanos(reader.extreme()) });
        ack.one_way_delay = Some(Span::from_nanos(reader.extreme()));
        ack.rate = Some(RateSample {
            delivered: Segments(reader.extreme() as u32),
            interval: Span::from_nanos(reader.extreme()),
            lost: Segments(reader.extreme() as u32),
            in_flight: Segments(reader.extreme() as u32),
            prior_delivered: reader.extreme() as u32,
            total: reader.extreme() as u32,
            app_limited: mask & 1 == 1,
        });
    }
    ack
}

fn spoiled_loss(mut loss: Loss, mask: u8, reader: &mut Reader) -> Loss {
    if mask & 1 != 0 {
        loss.now = reader.extreme_time();
    }
    if mask & 2 != 0 {
        loss.sent = reader.extreme_time();
    }
    if mask & 4 != 0 {
        loss.in_flight = Segments(reader.extreme() as u32);
    }
    if mask & 8 != 0 {
        loss.next = SendIndex(reader.extreme());
    }
    loss
}
