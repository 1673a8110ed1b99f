//! Rules that every standalone algorithm keeps on every sequence of events.

use std::fmt::Debug;

use proptest::prelude::*;
use vegas_core::registry::{PRESETS, Preset};
use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{
    Ack, Algorithm, Avoidance, BaseRtt, Composition, CongestionControl, Controller, Cut, Follow, HostCapabilities,
    Loss, LossKind, LossResponse, Needs, Parameters, Phase, Rivals, STATE_BYTES_MAX, SlowStart, Standalone, WithChosen,
    registry,
};

use crate::support::compositions::parameter_sets;
use crate::support::control;
use crate::support::events::{Event, Host, events_from_bytes};

fn presets() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(|preset| preset.standalone.is_some())
}

fn start(preset: &Preset) -> Controller {
    let algorithm = Algorithm::new(preset.composition, preset.parameters).expect("a preset");
    Controller::start(algorithm, preset.standalone, 1)
}

/// An algorithm by its parts, what it asks for, and its control.
type Named = (String, Needs, Controller);

fn begin(name: String, composition: Composition, parameters: Parameters, which: Option<Standalone>) -> Option<Named> {
    let algorithm = Algorithm::new(composition, parameters).ok()?;
    Some((name, Controller::needs(&composition, which), Controller::start(algorithm, which, 1)))
}

/// The preset with each slow start that may take the place of its own.
fn joined(preset: &Preset) -> impl Iterator<Item = Named> {
    let Preset { name, composition, parameters, .. } = *preset;
    let which = preset.standalone.expect("standalone");
    let taken = SlowStart::NAMES.iter().filter(move |(_, part)| which.takes(*part).is_ok());
    taken.filter_map(move |(part, slow_start)| {
        begin(format!("{name} by {part}"), composition.opening_by(*slow_start), parameters, Some(which))
    })
}

/// Holds an algorithm to the rules.
struct Check<'a> {
    preset: &'a Preset,
    parameters: Parameters,
    events: &'a [Event],
}

impl WithChosen for Check<'_> {
    type Answer = ();

    fn with<C>(self, start: impl Fn(&Parameters, u64) -> C, _: Option<Follow<C>>)
    where
        C: CongestionControl + Clone + Debug + PartialEq + Send + Sync + 'static,
    {
        let Check { preset, parameters, events } = self;
        let needs = preset.standalone.expect("standalone").needs();
        control::check((preset.name, &needs), |parameters| start(parameters, 1), &parameters, events);
    }
}

fn check(preset: &Preset, parameters: Parameters, events: &[Event]) {
    preset.standalone.expect("standalone").chosen(Check { preset, parameters, events });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_standalone_algorithm_keeps_the_rules(
        hostile in any::<bool>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..4000),
    ) {
        let host = if hostile { Host::Hostile } else { Host::Honest };
        let events = events_from_bytes(&bytes, host);
        for preset in presets() {
            for parameters in parameter_sets() {
                check(preset, parameters, &events);
            }
            check(preset, preset.parameters, &events);
        }
    }

    #[test]
    fn parts_of_vegas_next_keep_the_rules(
        hostile in any::<bool>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
        any in any::<prop::sample::Index>(),
    ) {
        let host = if hostile { Host::Hostile } else { Host::Honest };
        let events = events_from_bytes(&bytes, host);
        for preset in ["vegas", "vegas-ns2", "rovegas", "vegas-next"] {
            let all = with_drains(preset);
            let (name, needs, control) = all[any.index(all.len())].clone();
            let parameters = Parameters { max_window: Segments(1 << 20), ..parameter_sets()[0] };
            control::check_rules((&name, &needs), control, &parameters, &events);
        }
    }

    #[test]
    fn another_slow_start_keeps_the_rules(
        hostile in any::<bool>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
    ) {
        let host = if hostile { Host::Hostile } else { Host::Honest };
        let events = events_from_bytes(&bytes, host);
        for preset in presets() {
            for (name, needs, opened) in joined(preset) {
                control::check_rules((&name, &needs), opened, &preset.parameters, &events);
            }
        }
    }
}

/// Compositions of the family with drains and rivals, and `vegas-next` with parts of compositions: with each slow start
/// and avoidance.
fn with_drains(name: &str) -> Vec<Named> {
    let preset = PRESETS.iter().find(|preset| preset.name == name).expect("a preset");
    let mut all = Vec::new();
    for (base, base_rtt) in BaseRtt::NAMES {
        for (mode, rivals) in Rivals::NAMES {
            for (avoids, avoidance) in Avoidance::NAMES {
                for (opens, slow_start) in SlowStart::NAMES {
                    let is_taken = preset.standalone.is_none_or(|which| which.takes(*slow_start).is_ok());
                    let loss = LossResponse { cut: Cut::Half, ..preset.composition.loss };
                    let (base_rtt, rivals, avoidance, slow_start) = (*base_rtt, *rivals, *avoidance, *slow_start);
                    let parts = Composition { base_rtt, rivals, avoidance, slow_start, loss, ..preset.composition };
                    let name = format!("{name} {base} {mode} {avoids} {opens}");
                    all.extend(begin(name, parts, preset.parameters, preset.standalone).filter(|_| is_taken));
                }
            }
        }
    }
    all
}

/// What a host must give is asked before the connection begins, and each need has words of its own.
#[test]
fn needs_are_refused_by_name() {
    let nothing = Needs::default();
    assert_eq!(nothing.unmet(&nothing), None);
    let rate = Needs { rate: true, ..nothing };
    assert_eq!(rate.unmet(&nothing), Some("needs a host that measures the delivery rate"));
    assert_eq!(rate.unmet(&HostCapabilities::SIMULATOR.gives), None);
    let delay = Needs { one_way_delay: true, ..nothing };
    assert_eq!(rate.unmet(&HostCapabilities::QUIC.gives), None);
    assert_eq!(delay.unmet(&HostCapabilities::QUIC.gives), delay.unmet(&nothing));
    let each = [
        Needs { rate: true, ..nothing },
        Needs { every_ack: true, ..nothing },
        Needs { window_limited: true, ..nothing },
        Needs { sent: true, ..nothing },
        Needs { spread: true, ..nothing },
        Needs { pacing: true, ..nothing },
        Needs { pace_kept: true, ..nothing },
        Needs { one_way_delay: true, ..nothing },
        Needs { routers: true, ..nothing },
        Needs { own_recovery: true, ..nothing },
        Needs { each_loss: true, ..nothing },
        Needs { accurate_ecn: true, ..nothing },
        Needs { ect1: true, ..nothing },
    ];
    let mut reasons: Vec<_> = each.iter().filter_map(|needs| needs.unmet(&nothing)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    assert_eq!(reasons.len(), each.len());
}

#[test]
fn what_draws_random_numbers_keeps_its_seed() {
    let draws = |name| registry::preset(name).and_then(|preset| preset.standalone).expect("standalone").draws();
    assert!(["nv", "cdg", "bbr1", "bbr3", "bbr3-linux"].into_iter().all(draws));
    assert!(!["veno", "copa", "vegas-next", "reno-linux", "ledbat++"].into_iter().any(draws));
}

/// What a connection takes, printed by `cargo test -- --nocapture sizes`.
#[test]
fn sizes_are_within_what_hosts_keep() {
    let in_all = |control: &Controller| size_of::<Controller>() + control.memory_bytes();
    let vegas = registry::preset("vegas").expect("a preset");
    let search = SlowStart::NAMES.iter().find(|(name, _)| *name == "search").expect("a part").1;
    let drains = Composition { base_rtt: BaseRtt::Drains, slow_start: search, ..vegas.composition };
    let (_, _, with_drains) = begin("".into(), drains, vegas.parameters, None).expect("goes together");
    println!("composition {}, with drains {}", in_all(&start(vegas)), in_all(&with_drains));
    assert!(in_all(&start(vegas)) <= STATE_BYTES_MAX);
    for control in presets().flat_map(joined).map(|(_, _, control)| control).chain([with_drains]) {
        assert!(in_all(&control) <= 4 * STATE_BYTES_MAX, "{}", in_all(&control));
    }
}

#[test]
fn state_of_its_own_has_names_of_its_own() {
    for preset in presets() {
        let control = start(preset);
        let mut names = Vec::new();
        control.report(&mut |name, _| names.push(name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", preset.name);
        assert!(count > 0, "{} reports nothing", preset.name);
        assert!(
            names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')),
            "{names:?}"
        );
    }
}

/// A slow start is taken, or refused with a reason; docs/contract.md has which.
#[test]
fn a_slow_start_is_taken_or_refused_with_a_reason() {
    for preset in presets() {
        let taken = preset.standalone.unwrap().takes(SlowStart::RapidStart);
        let reason = if joined(preset).next().is_some() { "drains" } else { "rule" };
        assert!(taken.unwrap_err().contains(reason), "{}", preset.name);
    }
    let takes = presets().filter(|preset| joined(preset).next().is_some()).count();
    assert!((1..presets().count()).contains(&takes), "{takes}");
}

/// What `vegas-next` knows of a path is of that path: after a move to a longer one it has no base RTT until it measures
/// there, opens, and finds no queue.
#[test]
fn a_path_change_forgets_the_path() {
    let preset = presets().find(|preset| preset.name == "vegas-next").unwrap();
    let mut control = start(preset);
    let round = |control: &mut Controller, at_ms, rtt_ms, round: u64| {
        control.on_ack(&Ack {
            now: Time::ZERO + Span::from_millis(at_ms),
            rtt: Some(Span::from_millis(rtt_ms)),
            acked: Segments(10),
            delivered: Segments(10),
            in_flight: Segments(10),
            newest: SendIndex(10 * round + 9),
            next: SendIndex(10 * round + 10),
            window_limited: true,
            ..Ack::default()
        });
    };
    round(&mut control, 40, 40, 0);
    round(&mut control, 100, 60, 1);
    control.on_loss(&Loss {
        now: Time::ZERO + Span::from_millis(100),
        kind: LossKind::DuplicateAcks,
        sent: Time::ZERO + Span::from_millis(50),
        retransmission: false,
        in_flight: Segments(10),
        next: SendIndex(20),
        lost: Segments(1),
        threshold_holds: false,
    });
    assert_eq!((control.status().base_rtt, control.status().phase), (Some(Span::from_millis(40)), Phase::Avoidance));
    control.on_path_change(SendIndex(20), Time::ZERO + Span::from_millis(110));
    assert_eq!((control.status().base_rtt, control.status().phase), (None, Phase::SlowStart));
    round(&mut control, 310, 200, 2);
    round(&mut control, 510, 200, 3);
    let after = control.status();
    assert_eq!((after.base_rtt, after.diff), (Some(Span::from_millis(200)), Some(0)));
    assert_eq!(after.phase, Phase::SlowStart);
}
