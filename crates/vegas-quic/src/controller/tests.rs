//! Scripted events, in milliseconds, at an MTU of 1200 bytes; the expected windows are worked out by hand.

use std::time::Duration;

use proptest::prelude::*;
use vegas_core::Phase;
use vegas_core::units::{Segments, Span};

use super::*;
use crate::VegasQuic;

const MTU: u16 = 1200;

/// A controller, and the clock that it is driven by.
struct Script {
    controller: Box<VegasController>,
    origin: Instant,
}

impl Script {
    fn new(algorithm: VegasQuic) -> Self {
        #[expect(clippy::disallowed_methods, reason = "some origin; only differences count")]
        let origin = Instant::now();
        let controller = algorithm.build().unwrap().build(origin, MTU).into_any().downcast().unwrap();
        Script { controller, origin }
    }

    fn at(&self, ms: u64) -> Instant {
        self.origin + Duration::from_millis(ms)
    }

    fn send(&mut self, ms: u64, packets: u64) {
        self.controller.on_sent(self.at(ms), packets * u64::from(MTU), 0);
    }

    /// Acknowledgements at `ms`, each for this many of the packets that were sent at `sent_ms`.
    fn acks(&mut self, ms: u64, sent_ms: u64, covers: impl IntoIterator<Item = u64>) {
        for packets in covers {
            self.ack(ms, sent_ms, packets, false);
        }
    }

    fn ack(&mut self, ms: u64, sent_ms: u64, packets: u64, app_limited: bool) {
        (0..packets).for_each(|_| self.controller.on_packet(self.at(sent_ms), u64::from(MTU)));
        self.controller.on_end_acks(self.at(ms), 0, app_limited, None);
    }

    fn lose(&mut self, ms: u64, sent_ms: u64, persistent: bool, bytes: u64) {
        self.controller.on_congestion_event(self.at(ms), self.at(sent_ms), persistent, bytes);
    }

    /// In packets: quinn sends while what is in flight and the next packet are below the window.
    fn window(&self) -> u64 {
        (self.controller.window() - 1) / u64::from(MTU)
    }
}

/// The windows of this many round trips of 100 ms on an empty path, each acknowledged in parts of `cover` packets.
fn empty_path(algorithm: VegasQuic, rounds: u64, cover: u64) -> Vec<u64> {
    let mut script = Script::new(algorithm);
    let one = |round| {
        let window = script.window();
        script.send(100 * round, window);
        let covers = (0..window.div_ceil(cover)).map(|part| cover.min(window - part * cover));
        script.acks(100 * (round + 1), 100 * round, covers);
        window
    };
    (0..rounds).map(one).collect()
}

/// "Gallop-Vegas", section III, with the increments 0, 1, 2, 3 and on; from ten packets on with 4, 5, 6.
#[test]
fn gallop_opens_as_its_paper_says_however_acknowledgements_are_thinned() {
    for cover in [1, 2, 3, 10, u64::MAX] {
        let as_printed = VegasQuic::gallop().initial_window(2);
        assert_eq!(empty_path(as_printed, 10, cover), [2, 2, 3, 5, 8, 12, 17, 23, 30, 38], "{cover}");
        assert_eq!(empty_path(VegasQuic::gallop(), 5, cover), [10, 14, 19, 25, 32], "{cover}");
    }
}

/// Vegas doubles in every second round; Reno in every one. Both begin with ten packets (RFC 9002, section 7.2), or two.
#[test]
fn slow_starts_count_packets_and_not_acknowledgements() {
    for cover in [1, 2, 5] {
        assert_eq!(empty_path(VegasQuic::vegas(), 4, cover), [10, 10, 20, 20], "{cover}");
        assert_eq!(empty_path(VegasQuic::vegas().initial_window(2), 6, cover), [2, 2, 4, 4, 8, 8], "{cover}");
        assert_eq!(empty_path(VegasQuic::reno(), 3, cover), [10, 20, 40], "{cover}");
        assert_eq!(empty_path(VegasQuic::reno().initial_window(1), 5, cover), [2, 4, 8, 16, 32], "{cover}");
    }
}

/// Ten packets a round, base RTT 100 ms, then 160 ms: 10 - 10 x 100/160 = 3.75, so 4.
#[test]
fn thinned_acknowledgements_do_not_change_the_backlog() {
    for cover in [1, 2, 5, 10] {
        let mut script = Script::new(VegasQuic::vegas().initial_window(10));
        for (sent, acked) in [(0, 100), (100, 260), (260, 420)] {
            script.send(sent, 10);
            script.acks(acked, sent, (0..10 / cover).map(|_| cover));
        }
        assert_eq!(script.controller.status().diff, Some(4), "{cover}");
        assert_eq!(script.controller.status().base_rtt, Some(Span::from_millis(100)));
    }
}

/// quinn's pacer is not the controller's, so a pace is kept to by the window: what leaves in a round trip. Ten packets
/// left before BBR has a pace; the first sample of 100 ms makes it 2.77 x 10 packets of 100 ms, less a hundredth. The
/// ten that were acknowledged have opened the window to 20, which is less.
#[test]
fn a_pace_is_kept_to_by_the_window() {
    let mut script = Script::new(VegasQuic::preset("bbr3").unwrap());
    let rtts = |script: &mut Script, ms| script.controller.smoothed_rtt = Span::from_millis(ms);
    script.send(0, 10);
    script.acks(100, 0, [10]);
    rtts(&mut script, 100);
    assert_eq!(script.window(), 20);
    // 50 ms carry 2.77 x 10 x 0.99 / 2 = 13.7
    rtts(&mut script, 50);
    assert_eq!(script.window(), 14);
    rtts(&mut script, 1);
    assert_eq!(script.window(), 2, "QUIC's least");
}

/// 10 packets, base 100 ms. At 130 ms with 30 ms of noise nothing is backlog; at 160 ms 130 ms count:
/// 10 - 10 x 100/130 = 2.31, so 2.
#[test]
fn what_hosts_add_is_no_backlog() {
    for (rtt, backlog) in [(130, 0), (160, 2)] {
        let noise = Duration::from_millis(30);
        let mut script = Script::new(VegasQuic::vegas().initial_window(10).host_noise(noise));
        for (sent, acked) in [(0, 100), (100, 100 + rtt), (100 + rtt, 100 + 2 * rtt)] {
            script.send(sent, 10);
            script.acks(acked, sent, [1; 10]);
        }
        assert_eq!(script.controller.status().diff, Some(backlog));
    }
}

/// Ten packets that leave together come back 10 ms apart, on a path of 100 ms: nothing is backlog. With 60 ms in a
/// queue that stays, less the noise of 0.2 ms, 159.8 ms count: 10 - 10 x 100/159.8 = 3.74, so 4.
#[test]
fn what_a_burst_waits_for_itself_is_no_backlog() {
    for (queue, backlog) in [(0, 0), (60, 4)] {
        let mut script = Script::new(VegasQuic::vegas().initial_window(10));
        for (sent, waits) in [(0, 0), (300, queue), (600, queue)] {
            script.send(sent, 10);
            (0..10).for_each(|packet| script.ack(sent + 100 + waits + 10 * packet, sent, 1, false));
        }
        assert_eq!(script.controller.status().diff, Some(backlog));
    }
}

/// A path of 100 ms. The clock is looked at 9 ms before the acknowledgements come of ten packets that left a
/// millisecond apart; then the host is stopped, and reads them all by that look. The first would have taken 91 ms.
#[test]
fn a_host_that_was_stopped_finds_no_shorter_path() {
    let mut script = Script::new(VegasQuic::vegas().initial_window(10));
    for (start, looks) in [(0, [100, 101, 102, 103, 104, 105, 106, 107, 108, 109]), (200, [291; 10]), (400, [500; 10])]
    {
        (0..10).for_each(|packet| script.send(start + packet, 1));
        (0..).zip(looks).for_each(|(packet, look)| script.ack(look, start + packet, 1, false));
    }
    assert_eq!(script.controller.status().base_rtt, Some(Span::from_millis(100)));
}

/// From 100 ms to 80 ms: known by the second look.
#[test]
fn a_shorter_path_is_found() {
    let mut script = Script::new(VegasQuic::vegas());
    for (sent, acked, base) in [(0, 100, 100), (200, 280, 100), (300, 380, 80)] {
        script.send(sent, 2);
        script.acks(acked, sent, [1; 2]);
        assert_eq!(script.controller.status().base_rtt, Some(Span::from_millis(base)), "{acked}");
    }
}

/// The same packets half a millisecond apart, which is no burst: 100, 109.5, 119 ms and so on, less 0.2 ms, are 142.55
/// ms in the mean: 10 - 10 x 100/142.55 = 2.98, so 3.
#[test]
fn what_packets_wait_that_left_apart_is_backlog() {
    let mut script = Script::new(VegasQuic::vegas().initial_window(10));
    let at = |script: &Script, us: u64| script.origin + Duration::from_micros(us);
    for start in [0, 300_000, 600_000] {
        let leaves = |packet: u64| start + 500 * packet;
        (0..10).for_each(|packet| script.controller.on_sent(at(&script, leaves(packet)), MTU.into(), 0));
        for packet in 0..10 {
            script.controller.on_packet(at(&script, leaves(packet)), MTU.into());
            script.controller.on_end_acks(at(&script, start + 100_000 + 10_000 * packet), 0, false, None);
        }
    }
    assert_eq!(script.controller.status().diff, Some(3));
}

/// Two packets, 40 ms apart on a path of 100 ms: the host looked at its clock at 100 ms, was stopped, and reads both
/// acknowledgements after that.
#[test]
fn what_is_read_late_is_not_taken_for_a_shorter_path() {
    let mut script = Script::new(VegasQuic::vegas());
    script.send(0, 1);
    script.send(40, 1);
    script.ack(100, 0, 1, false);
    script.ack(100, 40, 1, false);
    assert_eq!(script.controller.status().base_rtt, Some(Span::from_millis(100)));
}

/// Of ten packets at 100 ms the third and fourth are lost; at no queue the backlog is none, not negative.
#[test]
fn what_was_lost_counts_as_sent_and_as_in_flight() {
    let mut script = Script::new(VegasQuic::vegas().initial_window(10));
    script.send(0, 10);
    script.acks(100, 0, [1; 10]);
    for packet in 0..10 {
        script.send(100 + packet, 1);
    }
    for packet in [0, 1, 4, 5, 6, 7, 8, 9] {
        script.ack(200 + packet, 100 + packet, 1, false);
        script.send(200 + packet, 1);
    }
    script.acks(300, 200, [1]);
    assert_eq!(script.controller.status().diff, Some(0));
}

#[test]
fn a_window_that_does_not_limit_the_sender_does_not_grow() {
    for algorithm in [VegasQuic::gallop(), VegasQuic::reno(), VegasQuic::dynamic().ssthresh(64), VegasQuic::cubic()] {
        let mut script = Script::new(algorithm);
        let before = script.window();
        for round in 0..20 {
            script.send(100 * round, 1);
            script.ack(100 * (round + 1), 100 * round, 1, true);
        }
        assert_eq!(script.window(), before);
    }
}

/// Westwood+ on a path of 100 ms. 20 packets are acknowledged in the first 221 ms: 372 in 1024ths of a packet a tick of
/// 4 ms, and with a least round trip of 25 ticks a product of 9. The window is 60 by then. A loss halves it for the
/// recovery; what was sent before the loss does not move it, the first packet sent after it ends the recovery, and then
/// the window is the product.
#[test]
fn an_algorithm_that_asks_hears_of_recovery_and_its_end() {
    let mut script = Script::new(VegasQuic::preset("westwood").unwrap().initial_window(20));
    for (sent, acked) in [(0, 100), (120, 221)] {
        script.send(sent, 20);
        script.ack(acked, sent, 20, false);
    }
    script.send(221, 20);
    assert_eq!(script.window(), 60);
    script.lose(250, 221, false, 1200);
    assert_eq!(script.window(), 30);
    script.ack(322, 221, 5, false);
    assert_eq!(script.window(), 30, "in recovery");
    script.send(322, 5);
    script.ack(423, 322, 5, false);
    assert_eq!(script.window(), 9);
}

/// As above until the loss, which is persistent congestion here: the window is 2, nothing ends a recovery, and slow
/// start adds what is acknowledged.
#[test]
fn persistent_congestion_is_no_recovery() {
    let mut script = Script::new(VegasQuic::preset("westwood").unwrap().initial_window(20));
    for (sent, acked) in [(0, 100), (120, 221)] {
        script.send(sent, 20);
        script.ack(acked, sent, 20, false);
    }
    script.send(221, 20);
    script.lose(250, 221, true, 24_000);
    assert_eq!(script.window(), 2);
    script.send(322, 2);
    script.ack(423, 322, 2, false);
    assert_eq!(script.window(), 4);
}

/// RFC 9002, section 7.3.2. Vegas takes a quarter, rounded down: 20 to 15, then 15 to 12.
#[test]
fn one_cut_a_recovery_period() {
    let mut script = Script::new(VegasQuic::vegas().initial_window(20));
    script.send(10, 20);
    script.lose(110, 10, false, 1200);
    assert_eq!(script.window(), 15);
    script.lose(150, 110, false, 2400);
    assert_eq!(script.window(), 15, "sent before the cut");
    script.lose(200, 111, false, 1200);
    assert_eq!(script.window(), 12);
    assert_eq!(script.controller.status().phase, Phase::Avoidance);
}

/// Reno: a mark halves 20 to 10, persistent congestion leaves 2 and half of 10 as threshold.
#[test]
fn marks_and_persistent_congestion() {
    let mut script = Script::new(VegasQuic::reno().initial_window(20));
    script.send(10, 20);
    script.lose(110, 10, false, 0);
    assert_eq!(script.window(), 10);
    script.lose(150, 20, true, 24_000);
    assert_eq!(script.window(), 2);
    assert_eq!(script.controller.status().ssthresh, Some(Segments(5)));
    let metrics = script.controller.metrics();
    assert_eq!((metrics.congestion_window, metrics.ssthresh), (2401, Some(6001)));
}

#[test]
fn another_mtu_changes_bytes_and_not_segments() {
    let mut script = Script::new(VegasQuic::vegas().initial_window(10));
    assert_eq!(script.controller.window(), 12_001);
    script.controller.on_mtu_update(1452);
    assert_eq!(script.controller.window(), 14_521);
    assert_eq!(script.controller.initial_window(), 14_521);
}

/// The first path has 100 ms, the second one 250 ms.
#[test]
fn another_path_has_another_base_rtt() {
    let mut script = Script::new(VegasQuic::reno().initial_window(10));
    script.send(0, 10);
    script.acks(100, 0, [10]);
    script.send(100, 5);
    script.controller = script.controller.clone_box().into_any().downcast().unwrap();
    assert_eq!(script.window(), 20);
    assert_eq!(script.controller.status().base_rtt, Some(Span::from_millis(100)), "until it sends there");
    script.send(150, 2);
    script.ack(200, 100, 5, false);
    assert_eq!((script.window(), script.controller.status().base_rtt), (20, None), "of the earlier path");
    script.ack(400, 150, 2, false);
    assert_eq!((script.window(), script.controller.status().base_rtt), (22, Some(Span::from_millis(250))));
}

/// A packet that was overtaken is acknowledged late: it counts, and gives no sample.
#[test]
fn packets_that_were_overtaken_give_no_sample() {
    let mut script = Script::new(VegasQuic::reno().initial_window(2));
    script.send(0, 1);
    script.send(1, 1);
    script.ack(101, 1, 1, false);
    script.ack(102, 0, 1, false);
    assert_eq!(script.controller.status().base_rtt, Some(Span::from_millis(100)));
    assert_eq!(script.window(), 4);
}

/// One call of a random history: what, how much later, how many, which earlier instant.
type Call = (u8, u16, u8, u8);

fn play(script: &mut Script, calls: &[Call]) -> Vec<u64> {
    let (mut now, mut sent) = (0, vec![0]);
    let one = |&(what, later, packets, earlier): &Call| {
        now += u64::from(later);
        let sent_ms = sent[sent.len().saturating_sub(1 + usize::from(earlier))];
        match what % 8 {
            0..3 => {
                script.send(now, u64::from(packets));
                sent.push(now);
            }
            3..6 => script.ack(now, sent_ms, u64::from(packets), what & 8 == 8),
            6 => script.lose(now, sent_ms, what & 16 == 16, u64::from(packets)),
            _ if what & 8 == 8 => script.controller.on_mtu_update(1200 + 100 * u16::from(packets)),
            _ => script.controller = script.controller.clone_box().into_any().downcast().unwrap(),
        }
        script.controller.window() / u64::from(script.controller.mtu)
    };
    calls.iter().map(one).collect()
}

proptest! {
    /// Any order of calls, on every preset that QUIC carries: no panic, two packets at least, and equal results when
    /// repeated.
    #[test]
    fn any_history_leaves_two_packets(calls in prop::collection::vec(any::<Call>(), 0..400)) {
        for name in VegasQuic::presets() {
            let algorithm = VegasQuic::preset(name).unwrap().ssthresh(1000);
            let windows = play(&mut Script::new(algorithm), &calls);
            prop_assert!(windows.iter().all(|window| *window >= 2), "{name}: {windows:?}");
            prop_assert_eq!(&windows, &play(&mut Script::new(algorithm), &calls));
        }
    }
}
