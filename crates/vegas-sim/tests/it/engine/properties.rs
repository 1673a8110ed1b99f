//! Properties that hold in every network: random scenarios with loss, reordering and duplication.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use vegas_core::units::{Bytes, Rate, Segments, Span, Time};
use vegas_core::{Avoidance, BaseRtt, Composition, Detection, Recovery, Rivals};
use vegas_core::{Cut, Limits, LossResponse, Signal, SlowStart, SlowStartEnds, Standalone, registry};
use vegas_sim::outcome::{CapturePoint, CapturedPacket, IncidentKind, Outcome};
use vegas_sim::scenario::{
    Change, FlowSpec, GilbertElliott, Handshake, HostKind, Impairments, Jitter, LinkChange, Policer, QueueLimit,
    ReceiveWindow, Sampling, Scenario, ScheduledChange,
};
use vegas_sim::scenario::{CoDelSpec, DelaySchedule, DelayedAck, Discipline, FqCoDelSpec, Isolation, PieSpec, RedSpec};

use crate::support::one_flow;

fn any_impairments() -> impl Strategy<Value = Impairments> {
    let loss = prop_oneof![3 => Just(0u32), 2 => 1u32..50_000, 1 => 50_000u32..200_000];
    let rare = || prop_oneof![2 => Just(0u32), 1 => 1u32..100_000];
    let jitter = prop_oneof![2 => Just(0u64), 1 => 1u64..50_000];
    let drops = prop::collection::btree_set(1u64..200, 0..5);
    let reorder = (rare(), 0u64..200);
    let at_the_end = (any_policer(), prop_oneof![2 => Just(0u64), 1 => 1u64..30_000]);
    (loss, any_burst_loss(), jitter, rare(), reorder, drops, at_the_end).prop_map(
        |(loss_ppm, burst_loss, jitter_us, duplicate_ppm, (reorder_ppm, delay_ms), drops, (policer, batch_us))| {
            Impairments {
                loss_ppm,
                burst_loss,
                policer,
                jitter: Jitter::Uniform(Span::from_micros(jitter_us)),
                delay_schedule: DelaySchedule::default(),
                batch: Span::from_micros(batch_us),
                duplicate_ppm,
                reorder_ppm,
                reorder_delay: Span::from_millis(delay_ms),
                ecn_field: None,
                drop_data: drops.into_iter().collect(),
            }
        },
    )
}

fn any_policer() -> impl Strategy<Value = Option<Policer>> {
    let policer = (100_000u64..50_000_000, 3_000u64..60_000).prop_map(|(bits_per_second, burst)| Policer {
        rate: Rate::from_bits_per_second(bits_per_second),
        burst: Bytes::new(burst),
    });
    prop::option::weighted(0.2, policer)
}

/// Bursts of losses of a few packets at most, so that transfers end.
fn any_burst_loss() -> impl Strategy<Value = Option<GilbertElliott>> {
    let channel = (1u32..50_000, 200_000u32..=1_000_000, 0u32..10_000, 0u32..=1_000_000);
    prop::option::weighted(
        0.3,
        channel.prop_map(|(good_to_bad_ppm, bad_to_good_ppm, loss_good_ppm, loss_bad_ppm)| GilbertElliott {
            good_to_bad_ppm,
            bad_to_good_ppm,
            loss_good_ppm,
            loss_bad_ppm,
        }),
    )
}

fn any_queue() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        (2u32..60).prop_map(QueueLimit::Packets),
        (3000u64..60_000).prop_map(|bytes| QueueLimit::Bytes(Bytes::new(bytes))),
        Just(QueueLimit::Unlimited),
    ]
}

/// A transfer of some hundred segments, which is small enough to end on any path.
fn any_scenario() -> impl Strategy<Value = Scenario> {
    let presets: Vec<&str> = registry::PRESETS.iter().map(|preset| preset.name).collect();
    let network = (any_queue(), any_impairments(), any_impairments(), 100_000u64..50_000_000, 0u64..100_000);
    let hosts = (1u64..400_000, 2u32..64, any::<[bool; 5]>(), 41u64..1500, 0u64..4);
    (prop::sample::select(presets), network, hosts, any_changes(), [any_discipline(), any_discipline()], any::<u64>())
        .prop_map(|(preset, network, hosts, changes, [data, acks], seed)| {
            let (queue, forward, backward, rate, delay_us) = network;
            let (size, window, [delayed, handshake, linux, ecn, suppress_spikes], packet, start_s) = hosts;
            let mut scenario = one_flow(preset, Rate::from_bits_per_second(rate), Span::from_micros(delay_us), queue);
            scenario.seed = seed;
            scenario.changes = changes;
            scenario.links[1].discipline = data;
            scenario.links[4].discipline = acks;
            scenario.duration = Span::from_secs(50_000);
            scenario.sampling = Sampling::Off;
            scenario.capture = true;
            scenario.links[1].impairments = forward;
            scenario.links[4].impairments = backward;
            let flow = &mut scenario.flows[0];
            flow.composition.limits.suppress_spikes = suppress_spikes;
            flow.size = Some(Bytes::new(size.min(400 * (packet - 40))));
            flow.packet = Bytes::new(packet);
            flow.ecn = ecn;
            flow.start = vegas_core::units::Time::ZERO + Span::from_secs(start_s);
            flow.host.receive_window = ReceiveWindow::Constant(Segments(window));
            flow.parameters.max_window = Segments(window);
            flow.parameters.initial_window = flow.parameters.initial_window.min(Segments(window));
            flow.parameters.restart_window = flow.parameters.restart_window.min(Segments(window));
            flow.host.delayed_ack = if delayed { DelayedAck::After(Span::from_millis(100)) } else { DelayedAck::None };
            flow.host.handshake = if handshake { Handshake::Full } else { Handshake::None };
            if linux {
                run_on_linux(flow);
            }
            scenario
        })
}

/// Mostly drop-tail; else each discipline with its defaults, or with parameters that drop early.
fn any_discipline() -> impl Strategy<Value = Discipline> {
    any::<bool>().prop_flat_map(discipline)
}

fn discipline(ecn: bool) -> impl Strategy<Value = Discipline> {
    let codel = CoDelSpec {
        target: Span::from_millis(5),
        interval: Span::from_millis(50),
        ecn,
        ce_threshold: Span::from_millis(2),
    };
    let pie =
        PieSpec { target: Span::from_millis(10), update: Span::from_millis(15), max_burst: Span::from_millis(15), ecn };
    prop_oneof![
        4 => Just(Discipline::DropTail),
        1 => (1u32..10, 1u32..10, 0u32..500_000, 1u32..1_000_000).prop_map(move |(min_packets, more, most, weight_ppm)| {
            let max_packets = min_packets + more;
            Discipline::Red(RedSpec { min_packets, max_packets, max_probability_ppm: most, weight_ppm, ecn })
        }),
        1 => prop::sample::select(Discipline::KINDS).prop_map(|(_, kind)| kind.with_defaults()),
        1 => Just(Discipline::CoDel(codel)),
        1 => Just(Discipline::Pie(pie)),
        1 => (1u32..8, 1u32..3000, any::<bool>()).prop_map(move |(queues, quantum_bytes, users)| {
            let isolation = if users { Isolation::Users } else { Isolation::Flows };
            Discipline::FqCoDel(FqCoDelSpec { codel, queues, quantum_bytes, isolation })
        }),
    ]
}

/// Changes of the bottleneck in either direction, in the first seconds, while the transfer is in progress.
fn any_changes() -> impl Strategy<Value = Vec<ScheduledChange>> {
    let rate = prop::option::of((100_000u64..50_000_000).prop_map(Rate::from_bits_per_second));
    let delay = prop::option::of((0u64..100_000).prop_map(Span::from_micros));
    let change = (0u64..5_000, prop::sample::select(vec![1usize, 4]), rate, delay, prop::option::of(any_queue()));
    prop::collection::vec(change, 0..4).prop_map(|changes| {
        let mut changes: Vec<ScheduledChange> = changes
            .into_iter()
            .map(|(at_ms, link, rate, delay, queue)| ScheduledChange {
                at: Time::ZERO + Span::from_millis(at_ms),
                change: Change::Link(LinkChange { link, rate, delay, queue, loss_ppm: None }),
            })
            .collect();
        changes.sort_by_key(|change| change.at);
        changes
    })
}

/// Changes a flow as validation does for `host = "linux"`.
fn run_on_linux(flow: &mut FlowSpec) {
    flow.host.kind = HostKind::Linux;
    flow.composition.detection = registry::preset("sack").expect("a preset").composition.detection;
    flow.composition.limits.burst = None;
    flow.composition.limits.suppress_spikes = false;
}

fn at(outcome: &Outcome, point: CapturePoint) -> impl Iterator<Item = &CapturedPacket> {
    outcome.capture.iter().filter(move |packet| packet.point == point)
}

/// Checks that every byte is sent, arrives and is acknowledged, by the packets alone, not by the endpoints' counters.
fn check_every_byte(scenario: &Scenario, outcome: &Outcome) {
    let size = scenario.flows[0].size.expect("a sized flow").get();
    let flow = &outcome.flows[0];
    assert_eq!(flow.delivered_bytes, size, "delivered");
    assert!(flow.completion_s.is_some(), "the transfer stalled");
    let mut received = vec![false; size as usize];
    let mut prefix = 0;
    for packet in &outcome.capture {
        match packet.point {
            CapturePoint::ReceiverIn if packet.payload > 0 => {
                received[packet.sequence as usize..][..packet.payload as usize].fill(true);
                while prefix < size && received[prefix as usize] {
                    prefix += 1;
                }
            }
            CapturePoint::ReceiverOut if !packet.syn => {
                assert_eq!(packet.acknowledgement, prefix, "acknowledges what is there, neither more nor less");
            }
            _ => {}
        }
    }
    assert_eq!(prefix, size, "bytes that never arrived");
}

/// Checks that nothing leaves the sender beyond the receive window, which is also the largest congestion window here.
fn check_window(scenario: &Scenario, outcome: &Outcome) {
    let flow = &scenario.flows[0];
    let window = flow.host.receive_window.first(Bytes::new(flow.packet.get() - flow.header.get())).get();
    let mut acknowledged = 0;
    for packet in &outcome.capture {
        match packet.point {
            CapturePoint::SenderIn => acknowledged = acknowledged.max(packet.acknowledgement),
            CapturePoint::SenderOut => {
                let end = packet.sequence + u64::from(packet.payload);
                assert!(
                    end <= acknowledged + window,
                    "byte {end} with {acknowledged} acknowledged and window {window}"
                );
            }
            _ => {}
        }
    }
}

fn check_times(outcome: &Outcome) {
    assert!(outcome.capture.windows(2).all(|pair| pair[0].at <= pair[1].at), "time runs backwards");
    let sent = at(outcome, CapturePoint::SenderOut).filter(|packet| packet.payload > 0).count() as u64;
    assert_eq!(sent, outcome.flows[0].segments_sent, "segments counted");
}

/// Checks that each counted occurrence has a row, for the flow and for every link.
fn check_incidents(scenario: &Scenario, outcome: &Outcome) {
    let rows = |kind: IncidentKind| outcome.incidents.iter().filter(move |incident| incident.kind == kind);
    let flow = &outcome.flows[0];
    assert_eq!(rows(IncidentKind::Timeout).count() as u64, flow.timeouts, "timeouts");
    assert_eq!(rows(IncidentKind::Retransmit).count() as u64, flow.segments_retransmitted, "retransmissions");
    assert_eq!(
        rows(IncidentKind::SlowStartExit).next().map(|row| row.time_s),
        flow.slow_start_end_s,
        "slow start's end"
    );
    for (id, link) in outcome.links.iter().enumerate() {
        let here = |kind| rows(kind).filter(|row| row.link == Some(id as u32)).count() as u64;
        assert_eq!(here(IncidentKind::QueueDrop) + here(IncidentKind::Loss), link.drops, "drops of {id}");
        assert_eq!(here(IncidentKind::Mark), link.marks, "marks of {id}");
        let impairs = scenario.links[id].impairments != Impairments::default();
        assert!(impairs || here(IncidentKind::Loss) == 0, "losses of {id}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_within_the_window(scenario in any_scenario()) {
        let outcome = vegas_sim::run(&scenario);
        check_every_byte(&scenario, &outcome);
        check_window(&scenario, &outcome);
        check_times(&outcome);
        check_incidents(&scenario, &outcome);
        // the engine itself asserts conservation on every link when a run ends
    }

    #[test]
    fn same_scenario_same_outcome(scenario in any_scenario()) {
        prop_assert_eq!(vegas_sim::run(&scenario), vegas_sim::run(&scenario));
    }

    /// "Revisited", section VI: Vegas with every mechanism switched off is Reno, packet by packet.
    #[test]
    fn vegas_with_nothing_on_is_reno(scenario in any_scenario()) {
        let mut reno = scenario;
        let preset = registry::preset("reno").expect("a preset");
        let flow = &mut reno.flows[0];
        flow.host.kind = HostKind::Bsd;
        flow.composition = preset.composition;
        flow.parameters = vegas_core::Parameters { max_window: flow.parameters.max_window, ..preset.parameters };
        flow.host.limited_transmit = true;
        let mut stripped = reno.clone();
        stripped.flows[0].composition = vegas_with_nothing_on();
        prop_assert_eq!(vegas_sim::run(&reno).capture, vegas_sim::run(&stripped).capture);
    }

    /// Without random quantities the seed has no effect.
    #[test]
    fn seed_changes_only_what_is_random(mut scenario in any_scenario(), seed in any::<u64>()) {
        prop_assume!(!scenario.flows[0].standalone.is_some_and(Standalone::draws));
        for link in &mut scenario.links {
            if !matches!(link.discipline, Discipline::CoDel(_) | Discipline::FqCoDel(_)) {
                link.discipline = Discipline::DropTail;
            }
            link.impairments = Impairments { drop_data: link.impairments.drop_data.clone(), ..Impairments::default() };
        }
        let first = vegas_sim::run(&scenario);
        scenario.seed = seed;
        prop_assert_eq!(first, vegas_sim::run(&scenario));
    }
}

/// The preset `vegas`, with A to J each replaced by Reno's behaviour. The signal still measures, without an effect.
fn vegas_with_nothing_on() -> Composition {
    let vegas = registry::preset("vegas").expect("a preset").composition;
    assert_ne!(vegas.signal, Signal::None);
    Composition {
        base_rtt: BaseRtt::Least,
        rivals: Rivals::Ignore,
        signal: vegas.signal,
        slow_start: SlowStart::Reno,
        avoidance: Avoidance::Reno,
        loss: LossResponse { cut: Cut::Half, once_per_window: false, slow_start_ends: SlowStartEnds::AtCut },
        detection: Detection::by_host(Recovery::Reno),
        limits: Limits { burst: None, keep_up: false, suppress_spikes: false },
    }
}
