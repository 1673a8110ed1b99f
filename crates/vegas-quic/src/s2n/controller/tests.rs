//! Scripted calls, in milliseconds, at 1200 bytes a packet, with windows worked out by hand; and a path of one queue.

use std::collections::VecDeque;

use proptest::prelude::*;
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::recovery::bandwidth::RateSample;
use s2n_quic_core::time::{Clock, NoopClock};
use vegas_core::units::Segments;

use super::*;
use crate::VegasQuic;

const MTU: u16 = 1200;

/// Hears of every slow start that ends.
#[derive(Default)]
struct Heard(Vec<SlowStartExitCause>);

impl Publisher for Heard {
    fn on_slow_start_exited(&mut self, cause: SlowStartExitCause, _congestion_window: u32) {
        self.0.push(cause);
    }

    fn on_delivery_rate_sampled(&mut self, _rate_sample: RateSample) {}

    fn on_pacing_rate_updated(
        &mut self,
        _rate: s2n_quic_core::recovery::bandwidth::Bandwidth,
        _burst_bytes: u32,
        _gain: num_rational::Ratio<u64>,
    ) {
    }

    fn on_bbr_state_changed(&mut self, _state: s2n_quic_core::event::builder::BbrState) {}
}

/// No randomness is asked for.
struct NoRandomness;

impl random::Generator for NoRandomness {
    fn public_random_fill(&mut self, _dest: &mut [u8]) {
        unreachable!("a controller draws nothing");
    }

    fn private_random_fill(&mut self, _dest: &mut [u8]) {
        unreachable!("a controller draws nothing");
    }
}

/// A controller with what s2n-quic keeps beside it.
struct Script {
    controller: S2nController,
    rtt: RttEstimator,
    heard: Heard,
}

impl Script {
    fn new(algorithm: VegasQuic) -> Self {
        let endpoint = algorithm.build_s2n().unwrap();
        let controller = S2nController::new(endpoint.choice, endpoint.host_noise, MTU);
        Script { controller, rtt: RttEstimator::default(), heard: Heard::default() }
    }

    fn send_at(&mut self, now: Timestamp) -> Sent {
        self.controller.on_packet_sent(now, MTU.into(), Some(false), &self.rtt, &mut self.heard)
    }

    fn send(&mut self, ms: u64, packets: usize) -> Vec<(Timestamp, Sent)> {
        (0..packets).map(|_| (at(ms), self.send_at(at(ms)))).collect()
    }

    /// One acknowledgement of these packets.
    fn ack_at(&mut self, now: Timestamp, packets: &[(Timestamp, Sent)]) {
        let Some(&(sent, newest)) = packets.last() else { return };
        let sample = now.saturating_duration_since(sent);
        self.rtt.update_rtt(Duration::ZERO, sample, now, true, PacketNumberSpace::ApplicationData);
        self.controller.on_rtt_update(sent, now, &self.rtt, &mut self.heard);
        let bytes = packets.len() * usize::from(MTU);
        self.controller.on_ack(sent, bytes, newest, &self.rtt, &mut NoRandomness, now, &mut self.heard);
    }

    fn lose(&mut self, ms: u64, lost: Sent, persistent: bool) {
        let bytes = MTU.into();
        self.controller.on_packet_lost(bytes, lost, persistent, true, &mut NoRandomness, at(ms), &mut self.heard);
    }

    /// In packets.
    fn window(&self) -> u32 {
        self.controller.congestion_window() / u32::from(MTU)
    }
}

fn at(ms: u64) -> Timestamp {
    NoopClock.get_time() + Duration::from_millis(ms)
}

fn preset(name: &str) -> VegasQuic {
    VegasQuic::preset(name).unwrap().ssthresh(1000)
}

/// The windows of this many round trips of 100 ms on an empty path, each acknowledged in parts of `cover` packets.
fn empty_path(algorithm: VegasQuic, rounds: u64, cover: usize) -> Vec<u32> {
    let mut script = Script::new(algorithm);
    let one = |round| {
        let window = script.window();
        let sent = script.send(100 * round, window as usize);
        sent.chunks(cover).for_each(|packets| script.ack_at(at(100 * (round + 1)), packets));
        window
    };
    (0..rounds).map(one).collect()
}

/// "Gallop-Vegas", section III, as with quinn.
#[test]
fn windows_are_those_of_quinn_however_acknowledgements_are_thinned() {
    for cover in [1, 2, 10] {
        assert_eq!(empty_path(VegasQuic::gallop(), 5, cover), [10, 14, 19, 25, 32], "{cover}");
        assert_eq!(empty_path(VegasQuic::vegas(), 4, cover), [10, 10, 20, 20], "{cover}");
        assert_eq!(empty_path(VegasQuic::reno(), 3, cover), [10, 20, 40], "{cover}");
    }
}

/// Room for two packets more, and for one and a half.
#[test]
fn the_window_limits_what_is_in_flight() {
    let mut script = Script::new(VegasQuic::reno());
    let sent = script.send(0, 9);
    assert!(!script.controller.is_congestion_limited());
    script.send(0, 1);
    assert!(script.controller.is_congestion_limited());
    assert_eq!(script.controller.bytes_in_flight(), 12_000);
    script.controller.on_packet_discarded(600, &mut script.heard);
    assert!(script.controller.is_congestion_limited(), "600 bytes are no packet");
    script.ack_at(at(100), &sent[..1]);
    assert!(!script.controller.is_congestion_limited());
}

/// RFC 9002, sections 7.3.2 and 7.6.2. Vegas takes a quarter: 20 to 15; persistent congestion leaves 2, once.
#[test]
fn losses_cut_once_a_recovery_period_and_one_packet_may_leave_at_once() {
    let mut script = Script::new(VegasQuic::vegas().initial_window(20));
    let sent = script.send(10, 20);
    script.lose(110, sent[0].1, false);
    assert!(script.controller.requires_fast_retransmission());
    script.lose(111, sent[1].1, false);
    assert_eq!(script.window(), 15);
    script.send(112, 1);
    assert!(!script.controller.requires_fast_retransmission());
    let ssthresh = |script: &Script| script.controller.status().ssthresh;
    sent[2..10].iter().for_each(|(_, lost)| script.lose(400, *lost, true));
    assert_eq!((script.window(), ssthresh(&script)), (2, Some(Segments(7))), "half of 15");
    assert_eq!(script.heard.0.len(), 1);
    assert!(matches!(script.heard.0[..], [SlowStartExitCause::PacketLoss]));
}

/// Reno: a mark halves 20 to 10, and marks on what was sent before that do not.
#[test]
fn marks_cut_once_a_round() {
    let mut script = Script::new(VegasQuic::reno().initial_window(20));
    let sent = script.send(10, 20);
    for (ms, packet) in [(110, 0), (115, 1)] {
        script.controller.on_rtt_update(sent[packet].0, at(ms), &script.rtt, &mut script.heard);
        script.controller.on_explicit_congestion(1, at(ms), &mut script.heard);
        assert_eq!(script.window(), 10);
    }
}

/// The window of BBR and of Nimbus is not what limits them, but their pace: BBR's grows by what arrives, up to what its
/// model asks for, and Nimbus's is twice what leaves in an RTT.
#[test]
fn a_window_that_does_not_limit_the_sender_does_not_grow() {
    for name in VegasQuic::s2n_presets().filter(|name| !name.starts_with("bbr") && *name != "nimbus") {
        let mut script = Script::new(preset(name));
        let before = script.window();
        for round in 0..20 {
            let now = at(100 * round);
            let sent = script.controller.on_packet_sent(now, MTU.into(), Some(true), &script.rtt, &mut script.heard);
            script.ack_at(at(100 * (round + 1)), &[(now, sent)]);
        }
        assert_eq!(script.window(), before, "{name}");
    }
}

/// A packet of acknowledgements only belongs to no window, and a sample of it is the newest packet's.
#[test]
fn pure_acknowledgements_do_not_count() {
    let mut script = Script::new(VegasQuic::reno());
    let sent = script.send(0, 1);
    let nothing = script.controller.on_packet_sent(at(1), 0, None, &script.rtt, &mut script.heard);
    assert_eq!((script.controller.bytes_in_flight(), nothing.index), (1200, sent[0].1.index));
}

/// 20 Mb/s and 100 ms: the path holds 208 packets of 1200 bytes.
const SERVICE: Duration = Duration::from_micros(480);
const DELAY: Duration = Duration::from_millis(100);

/// The greatest queue in packets, and the window, after this many seconds on that path with an endless queue.
fn one_queue(algorithm: VegasQuic, seconds: u64) -> (usize, u32) {
    let mut script = Script::new(algorithm);
    let (mut now, end) = (at(0), at(1000 * seconds));
    // departures from the queue; acknowledgements of every second packet on their way
    let (mut queue, mut acks) = (VecDeque::<Timestamp>::new(), VecDeque::<(Timestamp, Vec<_>)>::new());
    let (mut unanswered, mut greatest, mut free) = (Vec::new(), 0, now);
    while now < end {
        while acks.front().is_some_and(|(due, _)| *due <= now) {
            if let Some((due, packets)) = acks.pop_front() {
                script.ack_at(due, &packets);
            }
        }
        let may_leave = |script: &Script| {
            let in_time = script.controller.earliest_departure_time().is_none_or(|earliest| earliest.has_elapsed(now));
            in_time && !script.controller.is_congestion_limited()
        };
        while may_leave(&script) {
            let sent = script.send_at(now);
            free = free.max(now) + SERVICE;
            queue.push_back(free);
            unanswered.push((now, sent));
            if unanswered.len() == 2 {
                acks.push_back((free + DELAY, std::mem::take(&mut unanswered)));
            }
        }
        while queue.front().is_some_and(|leaves| *leaves <= now) {
            queue.pop_front();
        }
        greatest = greatest.max(queue.len());
        now += Duration::from_micros(20);
    }
    (greatest, script.window())
}

/// "TCP-Vegas slow start performance in large bandwidth delay network", section 3: the pipe is filled, and next to
/// nothing waits: the packets of the start, or what leaves within the millisecond to which departures are kept (three
/// packets here) on top of Vegas's own two.
#[test]
fn streak_fills_the_pipe_without_a_queue() {
    for first in [2, 10] {
        let (queue, window) = one_queue(preset("streak").initial_window(first), 4);
        assert!(queue <= 5.max(first as usize), "from {first} on a queue of {queue} packets");
        assert!((200..=220).contains(&window), "from {first} on a window of {window}");
    }
    let (by_reno, _) = one_queue(preset("reno"), 2);
    assert!(by_reno > 100, "unpaced doubling ends with {by_reno} packets in the queue");
}

/// One call of a random history: what, how much later, how many, which earlier packet.
type Call = (u8, u16, u8, u8);

fn play(script: &mut Script, calls: &[Call]) -> Vec<u32> {
    let (mut now_ms, mut sent) = (0, script.send(0, 1));
    let one = |&(what, later, packets, earlier): &Call| {
        now_ms += u64::from(later);
        let newest = sent.len() - 1 - usize::from(earlier).min(sent.len() - 1);
        let oldest = newest.saturating_sub(usize::from(packets));
        match what % 8 {
            0..3 => sent.extend(script.send(now_ms, packets.into())),
            3..5 => script.ack_at(at(now_ms), &sent[oldest..=newest]),
            5 => script.lose(now_ms, sent[newest].1, what & 16 == 16),
            6 => script.controller.on_explicit_congestion(packets.into(), at(now_ms), &mut script.heard),
            _ if what & 8 == 8 => script.controller.on_mtu_update(1200 + 10 * u16::from(packets), &mut script.heard),
            _ => script.controller.on_packet_discarded(packets.into(), &mut script.heard),
        }
        script.controller.congestion_window() / u32::from(script.controller.mtu)
    };
    calls.iter().map(one).collect()
}

proptest! {
    /// Any order of calls, on every preset that s2n-quic carries: no panic, two packets at least, and equal results
    /// when repeated.
    #[test]
    fn any_history_leaves_two_packets(calls in prop::collection::vec(any::<Call>(), 0..400)) {
        for name in VegasQuic::s2n_presets() {
            let windows = play(&mut Script::new(preset(name)), &calls);
            prop_assert!(windows.iter().all(|window| *window >= 2), "{name}: {windows:?}");
            prop_assert_eq!(&windows, &play(&mut Script::new(preset(name)), &calls));
        }
    }
}
