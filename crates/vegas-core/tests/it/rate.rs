//! Delivery rate samples, worked out by hand from the draft's section 3.

use vegas_core::RateSample;
use vegas_core::rate::{RateEstimator, Snapshot};
use vegas_core::units::{Segments, Span, Time, Window};

/// A sender that keeps what it has in flight.
#[derive(Default)]
struct Sender {
    estimator: RateEstimator,
    in_flight: Vec<(Time, Snapshot)>,
}

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

impl Sender {
    fn send(&mut self, at: u64) {
        let snapshot = self.estimator.on_sent(ms(at), Segments(self.in_flight.len() as u32), self.in_flight.is_empty());
        self.in_flight.push((ms(at), snapshot));
    }

    /// The oldest `count` are acknowledged together.
    fn acknowledge(&mut self, at: u64, count: usize) -> Option<RateSample> {
        for (sent, snapshot) in self.in_flight.drain(..count) {
            self.estimator.on_delivered(ms(at), sent, snapshot);
        }
        self.estimator.sample(Span::from_millis(100))
    }
}

fn delivered_over(sample: Option<RateSample>) -> (u32, u64) {
    let sample = sample.expect("a sample");
    (sample.delivered.0, sample.interval.as_nanos() / 1_000_000)
}

/// Four segments leave every 10 ms on a path of 100 ms. A's sample: one in the 100 ms since the flight began. B's: two
/// in 110 ms. C and D come together: four, sent within 30 ms and acknowledged within 130 ms. E left when A was
/// delivered: B to E in the 100 ms since.
#[test]
fn a_sample_counts_what_was_delivered_since_the_segment_was_sent() {
    let mut sender = Sender::default();
    [0, 10, 20, 30].into_iter().for_each(|at| sender.send(at));
    let first = sender.acknowledge(100, 1);
    assert_eq!(delivered_over(first), (1, 100));
    assert_eq!(first.unwrap().in_flight, Segments(1));
    sender.send(100);
    assert_eq!(delivered_over(sender.acknowledge(110, 1)), (2, 110));
    let both = sender.acknowledge(130, 2);
    assert_eq!(delivered_over(both), (4, 130));
    assert_eq!((both.unwrap().in_flight, both.unwrap().prior_delivered, both.unwrap().total), (Segments(4), 0, 4));
    let last = sender.acknowledge(200, 1);
    assert_eq!(delivered_over(last), (4, 100));
    assert_eq!((last.unwrap().in_flight, last.unwrap().prior_delivered, last.unwrap().total), (Segments(4), 1, 5));
}

/// The acknowledgements of four segments are lost, and a timeout at 1,000 ms takes all four for lost. The one that is
/// retransmitted then begins no flight: its acknowledgement at 1,100 ms covers all four, in the 1,100 ms since the
/// flight began and not in 100.
#[test]
fn a_retransmission_after_a_timeout_begins_no_flight() {
    let mut sender = Sender::default();
    [0, 10, 20, 30].into_iter().for_each(|at| sender.send(at));
    sender.in_flight[0] = (ms(1_000), sender.estimator.on_sent(ms(1_000), Segments(0), false));
    assert_eq!(delivered_over(sender.acknowledge(1_100, 4)), (4, 1_100));
}

/// Acknowledgements that come together are no faster than what was sent: four left over 60 ms, and 120 ms passed
/// between the first's sending and the last's; with the acknowledgements of a second flight compressed into one
/// instant, 80 ms after the newest delivery before it, the 120 ms of its sending count.
#[test]
fn the_longer_of_sending_and_acknowledging_counts() {
    let mut sender = Sender::default();
    [0, 40, 80, 120].into_iter().for_each(|at| sender.send(at));
    assert_eq!(delivered_over(sender.acknowledge(160, 1)), (1, 160));
    // sent when A was delivered, at 160: B, C and D and itself arrive at 240, 80 ms later; sent from 0 to 160
    sender.send(160);
    assert_eq!(delivered_over(sender.acknowledge(240, 4)), (4, 160));
}

/// Nothing is in flight for 800 ms: the next flight begins again, and the pause is no part of its interval.
#[test]
fn idle_time_does_not_count() {
    let mut sender = Sender::default();
    sender.send(0);
    assert_eq!(delivered_over(sender.acknowledge(100, 1)), (1, 100));
    sender.send(900);
    assert_eq!(delivered_over(sender.acknowledge(1_000, 1)), (1, 100));
}

/// Section 3.3: a segment is retransmitted at 200, and its first copy's acknowledgement comes 5 ms later: that would
/// show a rate that no path of 100 ms has.
#[test]
fn an_interval_below_the_least_rtt_gives_no_sample() {
    let mut sender = Sender::default();
    sender.send(200);
    assert_eq!(sender.acknowledge(205, 1), None);
    assert_eq!(sender.acknowledge(206, 0), None, "nothing new");
}

/// The application has nothing to send with one in flight: what leaves is marked until one more than that is delivered.
#[test]
fn application_limited_samples_say_so() {
    let mut sender = Sender::default();
    sender.send(0);
    sender.estimator.on_app_limited(Segments(1));
    sender.send(50);
    assert!(!sender.acknowledge(100, 1).unwrap().app_limited);
    sender.send(100);
    assert!(sender.acknowledge(150, 1).unwrap().app_limited);
    sender.send(151);
    assert!(sender.acknowledge(200, 1).unwrap().app_limited, "it left at 100, when the first had been delivered");
    assert!(!sender.acknowledge(251, 1).unwrap().app_limited);
}

/// Three losses between sending and acknowledgement.
#[test]
fn losses_are_counted_over_the_interval() {
    let mut sender = Sender::default();
    sender.estimator.on_lost(Segments(7));
    sender.send(0);
    sender.estimator.on_lost(Segments(3));
    assert_eq!(sender.acknowledge(100, 1).unwrap().lost, Segments(3));
}

/// 3 in 160 ms are 18.75 a second; 2^31 in a nanosecond are more than the type holds.
#[test]
fn rates_are_segments_a_second() {
    let of = |delivered, nanos| RateSample {
        delivered: Segments(delivered),
        interval: Span::from_nanos(nanos),
        lost: Segments(0),
        in_flight: Segments(1),
        prior_delivered: 0,
        total: delivered,
        app_limited: false,
    };
    let rate = of(3, 160_000_000).per_second();
    assert_eq!(rate, Window::from_raw(75 << (Window::FRACTION_BITS - 2)));
    assert_eq!(of(1 << 31, 1).per_second(), Window::MAX);
    assert_eq!(of(1, u64::MAX).per_second().floor(), Segments(0));
}
