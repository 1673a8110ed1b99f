//! Tests of lost connections. Without an idle timeout no network makes quinn lose one, so a server closes it here.

use vegas_sim::Simulation;
use vegas_sim::external::{Connection, Datagram, DatagramId, FlowTotals, Stack};
use vegas_sim::outcome::{Incident, IncidentKind, Outcome};
use vegas_sim::scenario::{EcnField, FlowSpec, Scenario};

use super::*;

/// A stack that closes the first flow's connection after half a second.
#[derive(Debug)]
struct GivesUp;

impl Stack for GivesUp {
    fn connect(&self, spec: &FlowSpec, flow: u32, seed: u64) -> Box<dyn Connection> {
        let quic = Quic::new(spec, flow, seed);
        if flow == 0 { Box::new(GivenUp(quic)) } else { Box::new(quic) }
    }
}

#[derive(Debug)]
struct GivenUp(Quic);

const GIVEN_UP: Time = Time::from_nanos(500_000_000);

impl Connection for GivenUp {
    fn receive(&mut self, now: Time, datagram: DatagramId, field: EcnField) {
        let instant = self.0.clock.instant(now);
        if let Some(server) = self.0.server.connection().filter(|_| now >= GIVEN_UP) {
            server.close(instant, VarInt::from_u32(1), "enough".into());
        }
        self.0.receive(now, datagram, field);
    }

    fn start(&mut self, now: Time) {
        self.0.start(now);
    }

    fn stop(&mut self, now: Time) {
        self.0.stop(now);
    }

    fn duplicate(&mut self, datagram: DatagramId) {
        self.0.duplicate(datagram);
    }

    fn discard(&mut self, datagram: DatagramId) {
        self.0.discard(datagram);
    }

    fn on_timer(&mut self, now: Time) {
        self.0.on_timer(now);
    }

    fn timer(&mut self) -> Option<Time> {
        self.0.timer()
    }

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        self.0.transmit(now)
    }

    fn totals(&self, now: Time) -> FlowTotals {
        self.0.totals(now)
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }
}

fn run(more: &str) -> Outcome {
    let text = format!(
        r#"
        name = "lost"
        duration = "20s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "10mbit", delay = "20ms", queue = "50p"{more} }}
        [[flow]]
        algorithm = "vegas"
        transport = "quic"
        size = "2mb"
        stop = "10s"
        [[flow]]
        algorithm = "vegas"
        transport = "quic"
        size = "2mb"
        "#
    );
    let scenario = Scenario::from_toml(&text, "lost.toml", &[("until_complete".into(), "true".into())]).unwrap();
    let mut simulation = Simulation::with_stack(&scenario, Some(&GivesUp));
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish()
}

#[test]
fn a_lost_connection_is_a_result_of_its_flow() {
    let outcome = run("");
    let [lost, whole] = &outcome.flows[..] else { panic!("two flows") };
    let of_losses = |incident: &&Incident| incident.kind == IncidentKind::ConnectionLost;
    let [incident] = outcome.incidents.iter().filter(of_losses).collect::<Vec<_>>()[..] else { panic!("one loss") };
    assert_eq!((incident.flow, incident.link, incident.sequence), (0, None, lost.delivered_bytes));
    // at most a round trip, and a queue of 50 packets
    assert!((0.5..0.7).contains(&incident.time_s), "{incident:?}");
    assert_eq!(lost.completion_s, None);
    assert!((100_000..1_000_000).contains(&lost.delivered_bytes), "{lost:?}");
    // means are over the lifetime of the connection
    let mbps = lost.delivered_bytes as f64 * 8e-6 / incident.time_s;
    assert!((lost.goodput_mbps / mbps - 1.0).abs() < 1e-9, "{lost:?}");
    assert_eq!(whole.delivered_bytes, 2_000_000);
    assert_eq!(outcome.end_s, whole.completion_s.unwrap(), "a lost connection is not waited for");
}

/// Copies of the client's first packets arrive after the connection has ended at both ends.
#[test]
fn late_packets_of_a_lost_connection_open_no_other() {
    for delay in ["200ms", "1s", "3s"] {
        let faults = format!(", duplicate = 0.3, reorder = {{ probability = 0.3, delay = \"{delay}\" }}");
        let outcome = run(&faults);
        let losses = outcome.incidents.iter().filter(|incident| incident.kind == IncidentKind::ConnectionLost);
        assert_eq!(losses.map(|incident| incident.flow).collect::<Vec<_>>(), [0], "{delay}");
    }
}
