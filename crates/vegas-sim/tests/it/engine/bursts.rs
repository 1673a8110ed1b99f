//! Limits hold in the middle of events that send very many segments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vegas_core::units::Time;
use vegas_sim::scenario::Scenario;
use vegas_sim::{Engine, Limits, Simulation, Watch, run_within};

/// A flow sends 2^20 segments at its start, into a queue of one packet.
fn scenario(count: u32, queue: &str) -> Scenario {
    let text = format!(
        r#"
        name = "burst"
        duration = "1s"
        sample = "off"
        flow = [{{ algorithm = "reno", initial_window = 1048576, count = {count} }}]
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms", queue = "{queue}" }}
        bottleneck = {{ rate = "50mbit", delay = "48ms", queue = "100p" }}
        "#
    );
    Scenario::from_toml(&text, "burst.toml", &[]).unwrap()
}

/// The flows send 100 million segments, nearly all of which are lost, and a row of the incidents: 4 GB. Without a check
/// within events the first 20,000 events would hold all of them.
#[test]
fn memory_is_limited_within_an_event() {
    const LIMIT: u64 = 100_000_000;
    for engine in Engine::ALL {
        let scenario = scenario(100, "1p");
        let mut simulation = Simulation::with_engine(engine, &scenario, None);
        let stopped = simulation.advance_within(u64::MAX, LIMIT).unwrap_err();
        assert_eq!(stopped.to_string(), "memory limit of 100000000 bytes reached");
        assert!((LIMIT / 2..LIMIT * 6 / 5).contains(&simulation.memory_bytes()), "{}", simulation.memory_bytes());
        let (limits, mut stop) = (Limits { memory_bytes: Some(LIMIT), ..Limits::default() }, |_| None);
        let watch = &mut Watch::new(limits, &mut stop);
        assert_eq!(run_within(engine, &scenario, None, watch).unwrap_err(), stopped);
        assert_eq!(watch.stopped(), Some(&stopped));
    }
}

/// The simulation is asked to stop in its first event.
#[test]
fn a_run_stops_within_an_event() {
    for (engine, queue) in [(Engine::Fast, "1p"), (Engine::Fast, "unlimited"), (Engine::Reference, "1p")] {
        let asked = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&asked);
        let stop = move |now: Time| {
            (now.as_nanos() == 0 && counted.fetch_add(1, Ordering::Relaxed) > 20).then(|| "enough".to_owned())
        };
        let watch = &mut Watch::within_events(Limits::default(), Arc::new(stop));
        let stopped = run_within(engine, &scenario(1, queue), None, watch).unwrap_err();
        assert_eq!(stopped.to_string(), "enough");
        assert!(asked.load(Ordering::Relaxed) < 60, "{asked:?}");
    }
}
