//! Real connections over a lossy path: all events of the kernel's copy of the core, replayed in the core, give the same
//! answers. Takes fifteen seconds; makes namespaces of its own.

use std::sync::atomic::AtomicBool;

use vegas_linux::abi::{
    EVENT_ACK, EVENT_DUPLICATE_ACKS, EVENT_ECN, EVENT_RECOVERED, EVENT_START, EVENT_TIMEOUT, EVENT_UNDO,
    FLAG_WINDOW_LIMITED, News,
};
use vegas_linux::kernel::records::Record;
use vegas_linux::run::{Run, run};
use vegas_sim::outcome::IncidentKind;
use vegas_sim::scenario::Scenario;

use crate::support;
use crate::support::twin::Core;

/// Losses of all kinds: by a full queue, single ones, bursts, and late packets that were not lost. From 2 s to 3 s the
/// path is longer than the retransmission timers wait, so that there are timeouts that turn out to be spurious,
/// whatever chance does.
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
    [[flow]]
    algorithm = "bbr3"
"#;

#[test]
fn live_flows_decide_as_the_core_does() {
    if !support::kernel_is_ready() {
        return;
    }
    let scenario = Scenario::from_toml(LOSSY, "lossy.toml", &[]).expect("a scenario");
    let run = run(&scenario, &AtomicBool::new(false)).expect("the run succeeds");
    let kinds = replay_all(&run);
    println!("events by kind: {kinds:?}");
    assert_eq!(kinds[EVENT_START as usize], scenario.flows.len());
    assert!(kinds[EVENT_ACK as usize] > 3_000, "{kinds:?}");
    assert!(kinds[EVENT_UNDO as usize] > 0, "{kinds:?}");
    assert!(kinds[EVENT_DUPLICATE_ACKS as usize] > 10, "{kinds:?}");
    assert!(kinds[EVENT_TIMEOUT as usize] > 0, "{kinds:?}");
}

/// A flow of each standalone algorithm, in parallel: single losses, late packets, and a queue that drops. It serves the
/// flows in turn: before a drop-tail queue, which `copa-mvfst` keeps full, another flow's packets find no room in some
/// runs, its repairs neither, and nothing is reported to it from its first timeout or loss to the end.
const HEIRS: &str = r#"
    name = "heirs"
    duration = "5s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }

    [topology.bottleneck]
    rate = "40mbit"
    delay = "8ms"
    queue = { kind = "fq-codel", limit = "60p" }
    loss = 0.003
    reorder = { probability = 0.0005, delay = "30ms" }
"#;

#[test]
fn live_heirs_decide_as_the_core_does() {
    if !support::kernel_is_ready() {
        return;
    }
    let flows = support::carried(|preset| preset.standalone.is_some())
        .map(|preset| format!("[[flow]]\nalgorithm = \"{}\"\n", preset.name));
    let text = HEIRS.to_owned() + &flows.collect::<String>();
    let scenario = Scenario::from_toml(&text, "heirs.toml", &[]).expect("a scenario");
    let run = run(&scenario, &AtomicBool::new(false)).expect("the run succeeds");
    let kinds = replay_all(&run);
    println!("events by kind: {kinds:?}");
    for (flow, outcome) in run.outcome.flows.iter().enumerate() {
        let told = run.records_of(flow).filter(|record| record.event.kind == EVENT_ACK).count();
        println!("{:12} {told} acknowledgements told", scenario.flows[flow].algorithm);
        // an equal share of the path would be some 1500
        assert!(told > 100, "{}: {told} acknowledgements, {outcome:?}", scenario.flows[flow].algorithm);
    }
    // in avoidance only the kernel's bit tells a limited window
    let in_avoidance = |record: &&Record| record.event.kind == EVENT_ACK && record.decision.slow_start == 0;
    let is_limited = |record: &&Record| record.event.flags & FLAG_WINDOW_LIMITED != 0;
    let reno = scenario.flows.iter().position(|flow| flow.algorithm == "reno-linux").expect("a flow of it");
    let limited = run.records_of(reno).filter(in_avoidance).filter(is_limited).count();
    assert!(limited > 10, "the window limited reno-linux {limited} times, as reported to it");
    assert!(kinds[EVENT_DUPLICATE_ACKS as usize] > 20, "{kinds:?}");
    assert!(kinds[EVENT_RECOVERED as usize] > 10, "{kinds:?}");
}

/// BBR alone: its STARTUP overflows the queue, and single losses follow.
const ACCOUNTED: &str = r#"
    name = "accounted"
    duration = "4s"
    topology.kind = "dumbbell"
    topology.access = { rate = "1gbit", delay = "1ms" }
    topology.bottleneck = { rate = "10mbit", delay = "18ms", queue = "20p", loss = 0.005 }
    flow = [{ algorithm = "bbr3" }]
"#;

/// What the kernel does not tell of a segment, the glue's accounts do: what was in flight when it left is what was
/// delivered and what was lost from then until it arrived. An account is apart by the few segments that lie between a
/// loss and its detection.
#[test]
fn what_was_in_flight_is_what_arrives_and_what_is_lost() {
    if !support::kernel_is_ready() {
        return;
    }
    let scenario = Scenario::from_toml(ACCOUNTED, "accounted.toml", &[]).expect("a scenario");
    let run = run(&scenario, &AtomicBool::new(false)).expect("the run succeeds");
    let records: Vec<_> = run.records_of(0).collect();
    replay(&run, 0, &records);
    let acks = records.iter().filter(|record| record.event.kind == EVENT_ACK).map(|record| record.event.news);
    let sampled = acks.clone().filter(|news| news.interval_ns > 0);
    let apart: Vec<_> =
        sampled.map(|news| news.rate_in_flight.abs_diff(news.rate_delivered + news.rate_lost)).collect();
    let (exact, most) = (apart.iter().filter(|apart| **apart == 0).count(), apart.iter().max());
    println!("{exact} of {} flights are exact, the others at most {most:?} apart", apart.len());
    assert!(apart.len() > 1_000 && exact * 10 > apart.len() * 9, "{exact} of {}", apart.len());
    assert!(most <= Some(&5), "{most:?}");

    let told = |count: fn(&News) -> u32| records.iter().map(|record| u64::from(count(&record.event.news))).sum::<u64>();
    let last = records.last().expect("records");
    let left = acks.map(|news| u64::from(news.sent)).sum::<u64>();
    assert!(u64::from(last.segments_sent) - left < 200, "{left} of {} segments sent are reported", last.segments_sent);
    assert!(told(|news| news.loss_in_flight) > 0, "no lost segment is reported");
    // STARTUP's are found in the order in which they left, one more each time
    let lost: Vec<_> = records.iter().map(|record| record.event.news).filter(|news| news.loss_in_flight > 0).collect();
    let first: Vec<_> = lost.iter().take(20).map(|news| (news.loss_in_flight, news.loss_lost)).collect();
    println!("{} losses, in flight and lost: {first:?}", lost.len());
    assert!(first.len() == 20 && first.is_sorted(), "{first:?}");
}

/// The algorithm from outside beside the kernel's Reno: `make test-own`.
#[cfg(vegas_own)]
#[test]
fn a_live_own_algorithm_decides_as_the_core_does() {
    if !support::kernel_is_ready() {
        return;
    }
    let own = vegas_linux::choice::outside::OUTSIDE.expect("the build has one");
    let flows = format!("[[flow]]\nalgorithm = {{ rust = \"{}\" }}\n[[flow]]\nalgorithm = \"reno-linux\"\n", own.name);
    let scenario =
        vegas_linux::choice::outside::read(&(HEIRS.to_owned() + &flows), "own.toml", false, &[]).expect("a scenario");
    let run = run(&scenario, &AtomicBool::new(false)).expect("the run succeeds");
    let kinds = replay_all(&run);
    let told = run.records_of(0).filter(|record| record.event.kind == EVENT_ACK).count();
    println!("{}: {told} acknowledgements told; events by kind of both flows: {kinds:?}", own.name);
    assert!(told > 100, "{told} acknowledgements, {:?}", run.outcome.flows[0]);
}

/// A queue that marks, a path of 10 Mb/s: the flows' backlogs alone keep packets waiting above CoDel's target. The last
/// flow takes no part in ECN.
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
        assert!(told <= marks, "flow {flow}: {told} marks of {marks} are reported to the core");
        // the kernel runs for a moment longer than the run
        let counted = run.outcome.flows[flow].ecn_reductions as usize;
        assert!((counted..=counted + 2).contains(&told), "flow {flow}: {counted} of {told} counted");
    }
    assert_eq!(run.packets_refused, 0);
}

/// Replays all records; returns the number of events of each kind.
fn replay_all(run: &Run) -> [usize; 8] {
    let mut kinds = [0; 8];
    for flow in 0..run.algorithms.len() {
        let records: Vec<_> = run.records_of(flow).collect();
        replay(run, flow, &records);
        records.iter().for_each(|record| kinds[record.event.kind as usize] += 1);
    }
    kinds
}

fn replay(run: &Run, flow: usize, records: &[&Record]) {
    let mut core = Core::new(&run.algorithms[flow].as_ref().expect("a flow of TCP").config());
    for (number, record) in records.iter().enumerate() {
        assert_eq!(record.decision, core.step(record.event), "flow {flow}, record {number}: {:?}", record.event);
    }
}
