//! s2n-quic's controllers: its own two, and one that breaks every rule.

use std::time::Duration;

use s2n_quic_core::random::Generator;
use s2n_quic_core::recovery::congestion_controller::{CongestionController, Endpoint, PathInfo, Publisher};
use s2n_quic_core::recovery::{RttEstimator, bbr, cubic};
use s2n_quic_core::time::Timestamp;
use vegas_conform::{Quic, Report, State, cases, grid, s2n, write};

fn generic(subject: &Quic) -> Report {
    subject.run_cases(cases::generic(), &grid::QUIC[..1])
}

fn failed(report: &Report) -> Vec<&'static str> {
    report.findings.iter().filter(|finding| finding.failed()).map(|finding| finding.case.name).collect()
}

#[test]
fn cubic_does_the_least() {
    let report = generic(&s2n("s2n-cubic", cubic::Endpoint::default));
    assert_eq!(failed(&report), Vec::<&str>::new(), "{}", write::text(&report));
}

#[test]
fn reports_of_bbr_repeat_themselves() {
    let once = || write::cases_json(&generic(&s2n("s2n-bbr", bbr::Endpoint::default)));
    assert_eq!(once(), once());
}

/// The controller reports its states, from STARTUP on.
#[test]
fn bbr_is_judged_by_its_states() {
    let subject = s2n("s2n-bbr", bbr::Endpoint::default);
    let case: Vec<_> = cases::bbr().iter().filter(|case| case.name == "probe-rtt").copied().collect();
    let report = subject.run_cases(&case, &grid::QUIC[..1]);
    let observed = &report.findings[0].evidence.as_ref().expect("a run").observed;
    let mut states: Vec<State> = observed.moments.iter().filter_map(|moment| Some(moment.inside?.state)).collect();
    states.dedup();
    assert_eq!(states[..2], [State::Startup, State::Drain]);
    assert!(states.contains(&State::ProbeRtt), "{states:?}");
}

/// A window that no event changes, and a packet every `between`.
#[derive(Clone, Debug)]
struct Fixed {
    packets: u32,
    between: Duration,
    mtu: u16,
    in_flight: u32,
    next: Option<Timestamp>,
}

impl Endpoint for Fixed {
    type CongestionController = Self;

    fn new_congestion_controller(&mut self, path: PathInfo<'_>) -> Self {
        Fixed { mtu: path.max_datagram_size, ..self.clone() }
    }
}

impl CongestionController for Fixed {
    type PacketInfo = u32;

    fn congestion_window(&self) -> u32 {
        self.packets * u32::from(self.mtu)
    }

    fn bytes_in_flight(&self) -> u32 {
        self.in_flight
    }

    fn is_congestion_limited(&self) -> bool {
        self.in_flight + u32::from(self.mtu) > self.congestion_window()
    }

    fn requires_fast_retransmission(&self) -> bool {
        false
    }

    fn on_packet_sent<P: Publisher>(
        &mut self,
        now: Timestamp,
        bytes: usize,
        _: Option<bool>,
        _: &RttEstimator,
        _: &mut P,
    ) -> u32 {
        self.in_flight += bytes as u32;
        self.next = Some(self.next.map_or(now, |next| next.max(now)) + self.between);
        bytes as u32
    }

    fn on_rtt_update<P: Publisher>(&mut self, _: Timestamp, _: Timestamp, _: &RttEstimator, _: &mut P) {}

    fn on_ack<P: Publisher>(
        &mut self,
        _: Timestamp,
        bytes: usize,
        _: u32,
        _: &RttEstimator,
        _: &mut dyn Generator,
        _: Timestamp,
        _: &mut P,
    ) {
        self.in_flight -= bytes as u32; // panics where bytes are reported twice
    }

    /// Each lost packet comes with the value that its departure returned.
    fn on_packet_lost<P: Publisher>(
        &mut self,
        bytes: u32,
        info: u32,
        _: bool,
        _: bool,
        _: &mut dyn Generator,
        _: Timestamp,
        _: &mut P,
    ) {
        assert_eq!(bytes, info);
        self.in_flight -= bytes;
    }

    fn on_explicit_congestion<P: Publisher>(&mut self, _: u64, _: Timestamp, _: &mut P) {}

    fn on_mtu_update<P: Publisher>(&mut self, mtu: u16, _: &mut P) {
        self.mtu = mtu;
    }

    fn on_packet_discarded<P: Publisher>(&mut self, bytes: usize, _: &mut P) {
        self.in_flight -= bytes as u32;
    }

    fn earliest_departure_time(&self) -> Option<Timestamp> {
        self.next
    }
}

fn fixed(packets: u32, between: Duration) -> Quic {
    s2n("fixed", move || Fixed { packets, between, mtu: 1200, in_flight: 0, next: None })
}

#[test]
fn a_window_that_nothing_moves_is_found_out() {
    let all = ["initial-window", "loss-response", "collapse", "app-limited", "ce-response", "responds"];
    assert_eq!(failed(&generic(&fixed(200, Duration::ZERO))), all);
    assert_eq!(failed(&generic(&fixed(1, Duration::ZERO))), ["least-window", "responds"]);
}

/// 1000 packets a second where the path carries 3000 and the window does not limit the sender.
#[test]
fn departures_are_kept() {
    let subject = fixed(200, Duration::from_millis(1));
    let case: Vec<_> = cases::generic().iter().filter(|case| case.name == "initial-window").copied().collect();
    let report = subject.run_cases(&case, &grid::QUIC[..1]);
    let observed = &report.findings[0].evidence.as_ref().expect("a run").observed;
    let (middle, last) = (&observed.moments[observed.moments.len() / 2], observed.moments.last().expect("moments"));
    let seconds = last.at.since(middle.at).as_nanos() as f64 / 1e9;
    let rate = (last.delivered - middle.delivered) as f64 / seconds;
    assert!((980.0..=1020.0).contains(&rate), "{rate} packets a second");
}
