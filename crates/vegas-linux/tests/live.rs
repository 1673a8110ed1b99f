//! Real connections over a lossy path: all that the kernel's copy of the core was told, told to the core, gives the same
//! answers. Takes ten seconds; makes namespaces of its own.

mod support;

use std::sync::atomic::AtomicBool;

use vegas_core::{Algorithm, State};
use vegas_linux::abi::{Decision, EVENT_ACK, EVENT_DUPLICATE_ACKS, EVENT_ECN, EVENT_START, EVENT_TIMEOUT, EVENT_UNDO};
use vegas_linux::run::{Run, run};
use vegas_linux::trace::Record;
use vegas_sim::outcome::IncidentKind;
use vegas_sim::scenario::Scenario;

/// Losses of all kinds: full queue, single ones, bursts, and late packets that were none. From 2 s to 3 s the path is longer
/// than the retransmission timers wait, so that timeouts come, and are found to have been spurious, whatever chance does.
const LOSSY: &str = r#"
    name = "lossy"
    duration = "6s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }

    [topology.bottleneck]
    rate = "20mbit"
    delay = "8ms"
    queue = "20p"
    loss = { model = "gilbert-elliott", good_to_bad = 0.0005, bad_to_good = 0.2, loss_good = 0.0005, loss_bad = 1 }
    reorder = { probability = 0.0005, delay = "30ms" }

    [[change]]
    at = "2s"
    link = "r1->r2"
    delay = "400ms"
    [[change]]
    at = "3s"
    link = "r1->r2"
    delay = "8ms"

    [[flow]]
    algorithm = "gallop"
    [[flow]]
    algorithm = "vegas-linux"
    [[flow]]
    algorithm = "dynamic"
    ssthresh = 40
    [[flow]]
    algorithm = "newreno"
    [[flow]]
    algorithm = "streak"
    [[flow]]
    algorithm = "vegas"
    gamma = 3
"#;

#[test]
fn live_flows_decide_as_the_core_does() {
    if !support::kernel_is_ready() {
        return;
    }
    let scenario = Scenario::from_toml(LOSSY, "lossy.toml", &[]).expect("a scenario");
    let run = run(&scenario, &AtomicBool::new(false)).expect("the run succeeds");
    let mut kinds = [0; 6];
    for flow in 0..scenario.flows.len() {
        let records: Vec<_> = run.records_of(flow).collect();
        replay(&run, flow, &records);
        records.iter().for_each(|record| kinds[record.event.kind as usize] += 1);
    }
    println!("events by kind: {kinds:?}");
    assert_eq!(kinds[EVENT_START as usize], scenario.flows.len());
    assert!(kinds[EVENT_ACK as usize] > 3_000, "{kinds:?}");
    assert!(kinds[EVENT_UNDO as usize] > 0, "{kinds:?}");
    assert!(kinds[EVENT_DUPLICATE_ACKS as usize] > 10, "{kinds:?}");
    assert!(kinds[EVENT_TIMEOUT as usize] > 0, "{kinds:?}");
}

/// A queue that marks, a path of 10 Mb/s: the flows' backlogs alone keep packets waiting above CoDel's target. The last flow
/// takes no part in ECN.
const MARKED: &str = r#"
    name = "marked"
    duration = "3s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck.rate = "10mbit"
    topology.bottleneck.delay = "8ms"
    topology.bottleneck.queue = { kind = "codel", limit = "100p", target = "2ms", interval = "20ms", ecn = true }
    flow = [
        { algorithm = "gallop", ecn = true },
        { algorithm = "newreno", ecn = true },
        { algorithm = "streak", ecn = true },
        { algorithm = "newreno" },
    ]
"#;

#[test]
fn marks_reach_the_core() {
    if !support::kernel_is_ready() {
        return;
    }
    let scenario = Scenario::from_toml(MARKED, "marked.toml", &[]).expect("a scenario");
    let run = run(&scenario, &AtomicBool::new(false)).expect("the run succeeds");
    for (flow, spec) in scenario.flows.iter().enumerate() {
        let records: Vec<_> = run.records_of(flow).collect();
        replay(&run, flow, &records);
        let told = records.iter().filter(|record| record.event.kind == EVENT_ECN).count();
        let of_flow = run.outcome.incidents.iter().filter(|incident| incident.flow as usize == flow);
        let marks = of_flow.filter(|incident| incident.kind == IncidentKind::Mark).count();
        println!("flow {flow}: {marks} marks, {told} told to the core");
        assert_eq!((marks > 0, told > 0), (spec.ecn, spec.ecn), "flow {flow}: {marks} marks, {told} told");
        assert!(told <= marks, "flow {flow}: the core is told of {told} marks of {marks}");
        // the kernel goes on for a moment after the run's end
        let counted = run.outcome.flows[flow].ecn_reductions as usize;
        assert!((counted..=counted + 2).contains(&told), "flow {flow}: {counted} of {told} counted");
    }
    assert_eq!(run.packets_refused, 0);
}

fn replay(run: &Run, flow: usize, records: &[&Record]) {
    let algorithm: Algorithm =
        run.algorithms[flow].as_ref().expect("a flow of TCP").config().algorithm().expect("a valid configuration");
    let mut state: State = algorithm.start();
    let mut before_cut = state;
    for (number, record) in records.iter().enumerate() {
        match record.event.kind {
            EVENT_DUPLICATE_ACKS | EVENT_TIMEOUT | EVENT_ECN => before_cut = state,
            EVENT_UNDO => state = before_cut,
            _ => {}
        }
        record.event.apply(&algorithm, &mut state);
        assert_eq!(record.decision, Decision::of(&state), "flow {flow}, record {number}: {:?}", record.event);
    }
}
