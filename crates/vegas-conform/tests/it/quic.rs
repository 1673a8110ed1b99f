//! Controllers from any crate: quinn's own, and one that breaks every rule.
#![expect(clippy::disallowed_types, reason = "quinn's interface has instants; here they are simulated time")]

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::congestion::{Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use vegas_conform::{Quic, Report, cases, grid, quinn, write};

fn verdicts(report: &Report) -> Vec<(&'static str, &'static str)> {
    report.findings.iter().map(|finding| (finding.case.name, finding.verdict.name())).collect()
}

fn reference(subject: &Quic) -> Report {
    subject.run_cases(cases::generic(), &grid::QUIC[..1])
}

#[test]
fn quinns_loss_based_controllers_do_the_least() {
    for subject in [
        quinn("quinn-newreno", || Arc::new(NewRenoConfig::default())),
        quinn("quinn-cubic", || Arc::new(CubicConfig::default())),
    ] {
        let report = reference(&subject);
        assert!(verdicts(&report).iter().all(|(_, verdict)| *verdict == "pass"), "{}", write::text(&report));
    }
}

/// The run draws from the scenario's seed alone: two runs give equal bytes.
#[test]
fn reports_of_controllers_without_chance_repeat_themselves() {
    let subject = Quic::preset("bbr3").unwrap();
    let once = || write::cases_json(&reference(&subject));
    assert_eq!(once(), once());
}

/// A controller with a window that no event changes.
#[derive(Clone, Debug)]
struct Fixed {
    mtu: u16,
    /// The size of a packet.
    tenths: u64,
}

impl ControllerFactory for Fixed {
    fn build(self: Arc<Self>, _now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Fixed { mtu: current_mtu, ..*self })
    }
}

impl Controller for Fixed {
    fn on_congestion_event(&mut self, _now: Instant, _sent: Instant, _persistent: bool, _lost_bytes: u64) {}

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu;
    }

    fn window(&self) -> u64 {
        self.tenths * u64::from(self.mtu) / 10
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Each case can fail: 200 packets fill the path and wait in its queue, and one and a half are less than the least
/// window.
#[test]
fn a_window_that_nothing_moves_is_found_out() {
    let failed = |tenths| {
        let report = reference(&quinn("fixed", move || Arc::new(Fixed { mtu: 1200, tenths })));
        let failed = report.findings.iter().filter(|finding| finding.failed());
        failed.map(|finding| finding.case.name).collect::<Vec<_>>()
    };
    let all = ["initial-window", "loss-response", "collapse", "app-limited", "ce-response", "responds"];
    assert_eq!(failed(2000), all);
    assert_eq!(failed(15), ["least-window", "responds"]);
}
