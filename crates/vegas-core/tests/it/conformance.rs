//! The conformance suite: every preset and every combination of parts keeps the contract on any events.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use vegas_core::units::{Segments, Time, Window};
use vegas_core::{
    Algorithm, Avoidance, Composed, Composition, CongestionControl, Cut, HostCapabilities, Limits, Loss, LossKind,
    LossResponse, Mechanisms, Needs, Parameters, Phase, Refusal, STATE_BYTES_MAX, Signal, SlowStart, SlowStartEnds,
    State, registry,
};

use crate::support::compositions::{algorithms, all, parameter_sets, steering};
use crate::support::events::{Event, Host, events_from_bytes};
use crate::support::rules::{check, replay};

/// The same sequences on every machine and every run.
fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..800)
}

fn host() -> impl Strategy<Value = Host> {
    prop_oneof![Just(Host::Honest), Just(Host::Hostile)]
}

fn any_algorithm() -> impl Strategy<Value = Algorithm> {
    prop::sample::select(algorithms())
}

fn of(name: &str) -> Algorithm {
    let preset = registry::preset(name).unwrap();
    Algorithm::new(preset.composition, preset.parameters).unwrap()
}

/// A byte sequence per number, without a generator's state: the low bits of a Weyl sequence, mixed.
fn mixed_bytes(seed: u64, length: usize) -> Vec<u8> {
    let byte = |index: u64| {
        let mixed = (seed * 1_000 + index).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 56) as u8
    };
    (0..length as u64).map(byte).collect()
}

#[test]
fn every_composition_keeps_the_rules() {
    for (index, algorithm) in algorithms().iter().enumerate() {
        let bytes = mixed_bytes(index as u64, 300);
        for host in [Host::Honest, Host::Hostile] {
            check(algorithm, &events_from_bytes(&bytes, host), host);
        }
    }
}

proptest! {
    #![proptest_config(config(12_000))]

    #[test]
    fn any_composition_keeps_the_rules(algorithm in any_algorithm(), host in host(), bytes in bytes()) {
        check(&algorithm, &events_from_bytes(&bytes, host), host);
    }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn every_preset_keeps_the_rules(host in host(), bytes in bytes()) {
        for preset in registry::PRESETS {
            check(&of(preset.name), &events_from_bytes(&bytes, host), host);
        }
    }

    /// The same events give the same answers, from the start and from a copy made on the way.
    #[test]
    fn the_same_events_give_the_same_answers(
        algorithm in any_algorithm(),
        host in host(),
        bytes in bytes(),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = events_from_bytes(&bytes, host);
        let controls = replay(&algorithm, &events);
        prop_assert_eq!(&controls, &replay(&algorithm, &events));
        if !controls.is_empty() {
            let at = cut.index(controls.len());
            let mut copy = controls[at];
            for event in &events[at + 1..] {
                crate::support::rules::step(&mut copy, event);
            }
            prop_assert_eq!(controls.last(), Some(&copy));
        }
    }

    /// "Revisited", section VI: with every mechanism off, Vegas is Reno.
    #[test]
    fn vegas_with_every_mechanism_off_is_reno(host in host(), bytes in bytes()) {
        let events = events_from_bytes(&bytes, host);
        prop_assert_eq!(steered(&vegas_without_mechanisms(), &events), steered(&of("reno"), &events));
    }

    /// Recovery, C, D, H and J are the host's to carry out: they never move the window.
    #[test]
    fn the_hosts_part_does_not_steer(algorithm in any_algorithm(), host in host(), bytes in bytes()) {
        let events = events_from_bytes(&bytes, host);
        let parts = algorithm.composition();
        let reno = of("reno");
        let plain = Composition {
            detection: reno.composition().detection,
            limits: Limits { burst: None, suppress_spikes: false, ..parts.limits },
            ..*parts
        };
        prop_assert_eq!(steered(&algorithm, &events), steered(&with(&algorithm, plain), &events));
    }

    /// Without a part that reads it, the signal changes nothing.
    #[test]
    fn an_unread_signal_does_not_steer(host in host(), bytes in bytes(), numbers in 0..parameter_sets().len()) {
        let events = events_from_bytes(&bytes, host);
        let numbers = parameter_sets()[numbers];
        let reno = *of("reno").composition();
        let expected = steered(&Algorithm::new(reno, numbers).unwrap(), &events);
        for signal in crate::support::compositions::signals() {
            let algorithm = Algorithm::new(Composition { signal, ..reno }, numbers).unwrap();
            prop_assert_eq!(&steered(&algorithm, &events), &expected);
        }
    }

    /// Two senders that differ only in congestion avoidance agree until slow start is over.
    #[test]
    fn avoidance_does_not_touch_slow_start(algorithm in any_algorithm(), host in host(), bytes in bytes()) {
        let parts = *algorithm.composition();
        let loss = LossResponse { cut: Cut::Half, ..parts.loss };
        let parts = if parts.loss.cut.goes_with().is_some() { Composition { loss, ..parts } } else { parts };
        let algorithm = with(&algorithm, parts);
        let reno = with(&algorithm, Composition { avoidance: Avoidance::Reno, ..parts });
        let events = events_from_bytes(&bytes, host);
        let (one, other) = (steered(&algorithm, &events), steered(&reno, &events));
        let opening = one.iter().take_while(|(_, _, phase)| *phase == Phase::SlowStart).count();
        prop_assert_eq!(&one[..opening], &other[..opening]);
    }

    /// Two senders that differ only in slow start agree from a loss on that both meet with the same window, until a
    /// timeout lets them open it again.
    #[test]
    fn slow_start_does_not_touch_avoidance(parts in steering_with_signal(), host in host(), bytes in bytes()) {
        let mut events: Vec<Event> = first_loss().into_iter().chain(events_from_bytes(&bytes, host)).collect();
        events.retain(|event| !matches!(event, Event::Loss(loss) if loss.kind == LossKind::Timeout));
        // without one mid-speed has another threshold than the others; and ns-2's delayed one begins with another
        // window
        let ssthresh = Some(Segments(1000));
        let numbers = Parameters { initial_window: Segments(40), ssthresh, ..*of("vegas").parameters() };
        let answers: Vec<_> = crate::support::compositions::slow_starts()
            .filter(|slow_start| slow_start.first_window().is_none() && !slow_start.promise().drains)
            .map(|slow_start| steered(&Algorithm::new(Composition { slow_start, ..parts }, numbers).unwrap(), &events)).collect();
        let waits = parts.loss.slow_start_ends == SlowStartEnds::AtNextAck;
        prop_assert!(waits || answers[0].iter().all(|(_, _, phase)| *phase == Phase::Avoidance));
        for answer in &answers[1..] {
            prop_assert_eq!(&answers[0], answer);
        }
    }

    /// Two senders that differ only in the loss response agree until something is lost or marked, but for what one
    /// counts.
    #[test]
    fn the_loss_response_does_not_touch_growth(algorithm in any_algorithm(), host in host(), bytes in bytes()) {
        let parts = *algorithm.composition();
        let loss = LossResponse { cut: Cut::Half, once_per_window: false, slow_start_ends: SlowStartEnds::AtCut };
        let halving = with(&algorithm, Composition { loss, ..parts });
        let mut events = events_from_bytes(&bytes, host);
        // some also set the threshold after a timeout (RFC 9438, section 4.8)
        let shares = parts.loss.cut.share_after_timeout() != Cut::Half.share_after_timeout();
        let tells = |kind| kind != LossKind::Timeout || shares;
        events.retain(|event| !matches!(event, Event::Loss(loss) if tells(loss.kind)));
        prop_assert_eq!(steered(&algorithm, &events), steered(&halving, &events));
    }

    /// I changes nothing for a sender that fills its window.
    #[test]
    fn keeping_up_does_not_touch_a_sender_that_does(algorithm in any_algorithm(), bytes in bytes()) {
        let parts = *algorithm.composition();
        let mut events = events_from_bytes(&bytes, Host::Honest);
        for event in &mut events {
            if let Event::Ack(ack) = event {
                ack.in_flight = Segments(u32::MAX);
            }
        }
        let other = Limits { keep_up: !parts.limits.keep_up, ..parts.limits };
        let switched = with(&algorithm, Composition { limits: other, ..parts });
        prop_assert_eq!(states(&algorithm, &events), states(&switched, &events));
    }
}

/// What the contract gives the host to act on.
fn steered(algorithm: &Algorithm, events: &[Event]) -> Vec<(Window, Option<Segments>, Phase)> {
    let told = |control: &Composed| {
        let status = control.status();
        (status.window, status.ssthresh, status.phase)
    };
    replay(algorithm, events).iter().map(told).collect()
}

/// What the connection remembers after each event.
fn states(algorithm: &Algorithm, events: &[Event]) -> Vec<State> {
    replay(algorithm, events).iter().map(|control| *control.state()).collect()
}

fn with(algorithm: &Algorithm, parts: Composition) -> Algorithm {
    Algorithm::new(parts, *algorithm.parameters()).unwrap()
}

fn steering_with_signal() -> impl Strategy<Value = Composition> {
    let with_signal = |parts: &Composition| {
        parts.signal != Signal::None && parts.slow_start == SlowStart::Reno && parts.check(&parameter_sets()[0]).is_ok()
    };
    prop::sample::select(steering().into_iter().filter(with_signal).collect::<Vec<_>>())
}

/// A fast retransmission, before anything else.
fn first_loss() -> Option<Event> {
    let is_loss = |event: &Event| matches!(event, Event::Loss(loss) if loss.kind == LossKind::DuplicateAcks);
    events_from_bytes(&[1, 5], Host::Honest).into_iter().find(is_loss)
}

/// Vegas with each mechanism of "Revisited", section VI, switched to what Reno does; what it measures is then unread.
fn vegas_without_mechanisms() -> Algorithm {
    let none = Mechanisms::default();
    Algorithm::new(Composition { signal: of("vegas").composition().signal, ..none.composition() }, none.parameters())
        .unwrap()
}

#[test]
fn all_mechanisms_are_vegas_and_none_is_reno() {
    for (letters, name) in [("ABCDEFGHI", "vegas"), ("IHGFEDCBA", "vegas"), ("", "reno")] {
        let mechanisms = Mechanisms::from_letters(letters).unwrap();
        assert_eq!(mechanisms.composition(), *of(name).composition(), "{letters}");
        assert_eq!(mechanisms.parameters(), *of(name).parameters(), "{letters}");
    }
}

/// "Revisited", section VI, letter by letter: what each one alone changes of Reno.
#[test]
fn each_mechanism_changes_its_own_part_of_reno() {
    let reno = *of("reno").composition();
    let vegas = *of("vegas").composition();
    let alone = |letters| Mechanisms::from_letters(letters).unwrap().composition();
    assert_eq!(alone("A"), Composition { signal: vegas.signal, slow_start: vegas.slow_start, ..reno });
    assert_eq!(alone("B"), Composition { signal: vegas.signal, avoidance: Avoidance::Vegas, ..reno });
    let mut expected = [reno; 7];
    expected[0].detection.fine_retransmit = true;
    expected[1].detection.recheck_after_retransmit = true;
    expected[2].loss.once_per_window = true;
    expected[3].loss.cut = Cut::ThreeQuarters;
    expected[4].limits.burst = Some(Segments(3));
    expected[5].limits.keep_up = true;
    expected[6].limits.suppress_spikes = true;
    for (letter, expected) in ["C", "D", "E", "F", "H", "I", "J"].iter().zip(expected) {
        assert_eq!(alone(letter), expected, "{letter}");
    }
    let g = Mechanisms::from_letters("G").unwrap();
    assert_eq!(
        (g.composition(), g.parameters().initial_window, g.parameters().restart_window),
        (reno, Segments(2), Segments(2))
    );
}

#[test]
fn every_set_of_mechanisms_runs() {
    for set in 0_u32..1024 {
        let letters: String =
            ('A'..='J').enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, letter)| letter).collect();
        let mechanisms = Mechanisms::from_letters(&letters).unwrap();
        let algorithm = Algorithm::new(mechanisms.composition(), mechanisms.parameters()).unwrap();
        let bytes = mixed_bytes(u64::from(set), 300);
        check(&algorithm, &events_from_bytes(&bytes, Host::Honest), Host::Honest);
    }
}

#[test]
fn letters_that_are_no_mechanisms_are_refused() {
    let refused = |letters| Mechanisms::from_letters(letters).unwrap_err().to_string();
    assert_eq!(refused("ABA"), "A stands there twice; write it once");
    assert_eq!(refused("AK"), "K is no mechanism; write letters from A to J");
    assert_eq!(refused("a"), "a is no mechanism; write letters from A to J");
}

#[test]
fn a_composition_fits_the_kernel_and_can_be_copied() {
    fn copies<T: Copy>() {}
    copies::<Composed>();
    assert!(size_of::<Composed>() <= STATE_BYTES_MAX);
    assert_eq!(STATE_BYTES_MAX, 320);
}

#[test]
fn parts_that_need_a_signal_are_refused_without_one() {
    let numbers = parameter_sets()[0];
    for parts in all() {
        let has_signal = parts.signal != Signal::None;
        let goes_with = parts.loss.cut.goes_with().map_or(parts.avoidance, |(avoidance, _)| avoidance);
        let blamed = match (parts.slow_start.needs_signal(), parts.avoidance.needs_signal()) {
            (true, _) if !has_signal => Some("slow_start"),
            (_, true) if !has_signal => Some("avoidance"),
            _ => (parts.avoidance != goes_with).then_some("cut"),
        };
        assert_eq!(parts.check(&numbers).err().map(|refusal| refusal.part), blamed, "{parts:?}");
    }
}

#[test]
fn numbers_that_make_no_sense_are_refused_by_name() {
    let numbers = parameter_sets()[0];
    let refused = |change: fn(&mut Parameters)| {
        let mut changed = numbers;
        change(&mut changed);
        Algorithm::new(*of("vegas").composition(), changed).err().map(|refusal| refusal.part)
    };
    assert_eq!(refused(|_| {}), None);
    assert_eq!(refused(|p| p.alpha = Segments(4)), Some("alpha"));
    assert_eq!(refused(|p| p.initial_window = Segments(0)), Some("initial_window"));
    assert_eq!(refused(|p| p.restart_window = Segments(0)), Some("restart_window"));
    assert_eq!(refused(|p| p.max_window = Segments(1)), Some("max_window"));
    assert_eq!(refused(|p| p.ssthresh = Some(Segments(1))), Some("ssthresh"));
    assert_eq!(refused(|p| p.ticks_per_second = 99), Some("ticks_per_second"));
    assert_eq!(refused(|p| p.max_window = Segments((1 << 24) + 1)), Some("max_window"));
    assert_eq!(refused(|p| p.initial_window = Segments((1 << 20) + 1)), Some("max_window"));
    assert_eq!(refused(|p| p.restart_window = Segments((1 << 20) + 1)), Some("max_window"));
}

#[test]
fn dynamic_avoidance_divides_by_alpha() {
    let dynamic = registry::preset("dynamic").unwrap();
    let numbers = Parameters { alpha: Segments(0), ..dynamic.parameters };
    assert_eq!(dynamic.composition.check(&numbers).map_err(|refusal| refusal.part), Err("alpha"));
    assert_eq!(of("vegas").composition().check(&numbers), Ok(()));
}

#[test]
fn a_burst_of_nothing_is_refused() {
    let mut parts = *of("vegas").composition();
    parts.limits.burst = Some(Segments(0));
    assert_eq!(Algorithm::new(parts, parameter_sets()[0]).err().map(|refusal| refusal.part), Some("burst"));
}

#[test]
fn a_host_refuses_the_mechanism_that_it_cannot_carry_out() {
    let mut parts = *of("vegas").composition();
    let bare = HostCapabilities {
        name: "bare",
        retransmission_path: false,
        burst_limit: false,
        spike_suppression: false,
        gives: Needs::default(),
    };
    let blamed = |parts: &Composition| parts.check_host(&bare).map_err(|refusal| (refusal.part, refusal.host));
    assert_eq!(parts.check_host(&HostCapabilities::SIMULATOR), Ok(()));
    parts.signal = Signal::RouterAssisted { keeps_least_base: false };
    assert_eq!(blamed(&parts), Err(("signal", Some("bare"))));
    parts.signal = of("vegas").composition().signal;
    assert_eq!(blamed(&parts), Err(("fine_retransmit", Some("bare"))));
    parts.detection.fine_retransmit = false;
    assert_eq!(blamed(&parts), Err(("recheck_after_retransmit", Some("bare"))));
    parts.detection.recheck_after_retransmit = false;
    assert_eq!(blamed(&parts), Err(("burst", Some("bare"))));
    parts.limits.burst = None;
    parts.limits.suppress_spikes = true;
    assert_eq!(blamed(&parts), Err(("suppress_spikes", Some("bare"))));
    parts.limits.suppress_spikes = false;
    assert_eq!(blamed(&parts), Ok(()));
    parts.slow_start = paced();
    assert_eq!(blamed(&parts), Err(("slow_start", Some("bare"))));
    assert_eq!(parts.check_host(&HostCapabilities::LINUX), Ok(()));
}

fn paced() -> SlowStart {
    crate::support::compositions::slow_starts().find(|slow_start| slow_start.paces()).expect("one paces")
}

#[test]
fn a_refusal_is_one_line_with_part_reason_and_host() {
    let by_parts = Refusal::new("alpha", "must not exceed beta", None);
    assert_eq!(by_parts.to_string(), "alpha: must not exceed beta");
    let by_host = Refusal::new("burst", "cannot", Some("bare"));
    assert_eq!(by_host.to_string(), "burst: cannot (host: bare)");
}

#[test]
fn presets_have_names_of_their_own_and_run_in_the_simulator() {
    for preset in registry::PRESETS {
        let same_name = registry::PRESETS.iter().filter(|other| other.name == preset.name).count();
        assert_eq!(same_name, 1, "{}", preset.name);
        assert_eq!(registry::preset(preset.name), Some(preset));
        assert_eq!(preset.composition.check(&preset.parameters), Ok(()));
        assert_eq!(preset.composition.check_host(&HostCapabilities::SIMULATOR), Ok(()));
        assert!(!preset.summary.is_empty() && !preset.source.is_empty());
    }
    assert_eq!(registry::preset("tahoe"), None);
}

#[test]
fn a_cut_at_the_last_time_answers_all_losses_of_its_window() {
    let vegas = of("vegas");
    let Some(Event::Loss(loss)) = first_loss() else { panic!("no loss in the sequence") };
    let last = Time::from_nanos(Time::NEVER.as_nanos() - 1);
    let mut control = Composed::new(vegas);
    control.on_loss(&Loss { now: last, sent: last, ..loss });
    let cut = control;
    control.on_loss(&Loss { now: last, sent: last, ..loss });
    assert_eq!(control, cut);
}
