//! The memory that a run reports equals the growth of the process, whatever grows in the run.

use vegas_sim::scenario::Scenario;
use vegas_sim::{Engine, Limits, Simulation, Watch};

use crate::growth;

/// The kinds of run: what grows, the scenario's flows, network and other keys, and the number of events before
/// measuring.
const RUNS: [(&str, &str, u64); 8] = [
    ("flows", "flow = [{ algorithm = 'vegas', start = '50s', count = 40000 }]", 0),
    (
        "packets in flight",
        "flow = [{ algorithm = 'reno', initial_window = 1000000, access = { rate = '10gbit', delay = '5s', loss = '0.0001%' } }]",
        1_000_000,
    ),
    ("series", "sample = '1us'\nduration = '0.5s'\nflow = [{ algorithm = 'vegas', count = 10 }]", 30_000),
    ("capture", "capture = true\nflow = [{ algorithm = 'vegas', count = 10 }]", 600_000),
    ("incidents", "flow = [{ algorithm = 'sack', initial_window = 1000000 }]", 1_500_000),
    ("rows at every change", "sample = 'change'\nflow = [{ algorithm = 'vegas', initial_window = 200000 }]", 300_000),
    (
        "queues of FQ-CoDel",
        "flow = [{ algorithm = 'reno', count = 20000, access = { rate = '1gbit', delay = '1ms', queue = { kind = 'fq-codel', limit = '100p', queues = 65536 } } }]",
        400_000,
    ),
    (
        "connections",
        "traffic = [{ kind = 'poisson-transfers', interarrival = '5us', size = '1mb', flow = { algorithm = 'reno' } }]\nflow = [{ algorithm = 'vegas' }]",
        1_000_000,
    ),
];

fn scenario(keys: &str) -> Scenario {
    let given = |key: &str, default: &'static str| if keys.contains(key) { "" } else { default };
    let text = format!(
        r#"
        name = "memory"
        {}
        {}
        {keys}
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottleneck = {{ rate = "100mbit", delay = "48ms", queue = "100p" }}
        "#,
        given("duration =", "duration = '60s'"),
        given("sample =", "sample = 'off'"),
    );
    Scenario::from_toml(&text, "memory.toml", &[]).unwrap()
}

#[test]
fn what_a_run_holds_is_what_the_process_has_grown_by() {
    growth::check("engine::memory::one_run", RUNS.iter().map(|run| run.0));
}

/// Runs in a process that the test above starts.
#[test]
#[ignore = "a part of the other test"]
fn one_run() {
    growth::measure(|name| {
        let (_, keys, events) = RUNS.into_iter().find(|run| run.0 == name).unwrap();
        let scenario = scenario(keys);
        let mut simulation = Simulation::new(&scenario);
        while simulation.events() < events && !simulation.advance(10_000).finished {}
        (scenario, simulation)
    });
}

/// A million flows are refused before they are created.
#[test]
fn the_set_up_is_counted_before_it_is_made() {
    let scenario = scenario(RUNS[0].1);
    let limits = Limits { memory_bytes: Some(50_000_000), ..Limits::default() };
    let stopped =
        Simulation::watched(Engine::Fast, &scenario, None, &mut Watch::new(limits, &mut |_| None)).unwrap_err();
    assert_eq!(stopped.to_string(), "memory limit of 50000000 bytes reached");
}

/// A long phase checks the watch: the reading of the scenario, and the set-up of the run.
#[test]
fn reading_and_setting_up_can_be_stopped() {
    let scenario = scenario(RUNS[0].1);
    let text = scenario.document.to_string();
    for asked_max in [0, 1, 2, 50, 200, 400] {
        let mut asked = 0;
        let mut stop = |_| {
            asked += 1;
            (asked > asked_max).then(|| "enough".to_owned())
        };
        let mut watch = Watch::new(Limits::default(), &mut stop);
        let read = Scenario::read_json(&text, "memory.json", &[], &mut watch);
        let ended = read
            .map_err(|_| ())
            .and_then(|read| Simulation::watched(Engine::Fast, &read, None, &mut watch).map_err(|_| ()));
        assert!(ended.is_err(), "not stopped after {asked_max}");
        assert_eq!(watch.stopped().unwrap().to_string(), "enough");
    }
}
