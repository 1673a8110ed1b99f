//! Rules that every standalone algorithm keeps on every sequence of events.

use std::sync::Arc;

use proptest::prelude::*;
use vegas_core::registry::{PRESETS, Preset};
use vegas_core::units::{Segments, SendIndex, Span, Time};
use vegas_core::{
    Ack, Algorithm, Avoidance, BaseRtt, Composition, CongestionControl, Controller, Cut, HostCapabilities, Joined,
    Loss, LossKind, LossResponse, Needs, Parameters, Phase, Rivals, STANDALONE_BYTES_MAX, SlowStart, StandaloneControl,
    State,
};

use crate::support::compositions::parameter_sets;
use crate::support::control;
use crate::support::events::{Event, Host, events_from_bytes};

type Control = Controller<Arc<Algorithm>, Box<Joined>>;

fn presets() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(|preset| preset.standalone.is_some())
}

fn start(preset: &Preset, parameters: &Parameters) -> StandaloneControl {
    StandaloneControl::start(preset.standalone.expect("standalone"), parameters, 1)
}

/// The preset with each slow start that may take the place of its own.
fn joined(preset: &Preset, parameters: Parameters) -> impl Iterator<Item = (&'static str, Control)> {
    let which = preset.standalone.expect("standalone");
    let taken = SlowStart::NAMES.iter().filter(move |(_, part)| which.takes(*part).is_ok());
    let composition = preset.composition;
    let built = move |(name, part): &(&'static str, SlowStart)| {
        let algorithm = Algorithm::new(composition.opening_by(*part), parameters).ok()?;
        Some((*name, Controller::start(Arc::new(algorithm), Some(which), 1)))
    };
    taken.filter_map(built)
}

fn check(preset: &Preset, parameters: Parameters, events: &[Event]) {
    control::check(preset.name, |parameters| start(preset, parameters), &parameters, events);
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
            let (name, control) = all[any.index(all.len())].clone();
            control::check_rules(&name, control, &Parameters { max_window: Segments(1 << 20), ..parameter_sets()[0] }, &events);
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
            for (part, opened) in joined(preset, preset.parameters) {
                control::check_rules(&format!("{} by {part}", preset.name), opened, &preset.parameters, &events);
            }
        }
    }
}

/// Compositions of the family with drains and rivals, and `vegas-next` with parts of compositions: with each slow start
/// and avoidance.
fn with_drains(name: &str) -> Vec<(String, Control)> {
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
                    let algorithm = Algorithm::new(parts, preset.parameters);
                    if let Some(algorithm) = algorithm.ok().filter(|_| is_taken) {
                        let control = Controller::start(Arc::new(algorithm), preset.standalone, 1);
                        all.push((format!("{name} {base} {mode} {avoids} {opens}"), control));
                    }
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
    ];
    let mut reasons: Vec<_> = each.iter().filter_map(|needs| needs.unmet(&nothing)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    assert_eq!(reasons.len(), each.len());
}

/// What a connection takes, printed by `cargo test -- --nocapture sizes`.
#[test]
fn sizes_are_within_what_hosts_keep() {
    let size = size_of::<StandaloneControl>();
    println!("standalone or with parts {size}, composition {}", size_of::<State>());
    assert!(size <= 3 * STANDALONE_BYTES_MAX, "{size}");
}

#[test]
fn state_of_its_own_has_names_of_its_own() {
    for preset in presets() {
        let control = start(preset, &preset.parameters);
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

/// Which standalone algorithms open by a part, and why others do not.
#[test]
fn a_slow_start_is_taken_or_refused_with_a_reason() {
    let takes: Vec<_> = presets().filter(|preset| joined(preset, preset.parameters).next().is_some()).collect();
    let names: Vec<_> = takes.iter().map(|preset| preset.name).collect();
    let expected =
        ["vegas-next", "nv", "veno", "westwood", "yeah", "illinois", "htcp", "copa", "fast", "lp", "cdg", "reno-linux"];
    assert_eq!(names, expected);
    for preset in presets() {
        let taken = preset.standalone.unwrap().takes(SlowStart::RapidStart);
        assert!(taken.unwrap_err().contains(if names.contains(&preset.name) { "drains" } else { "rule" }));
    }
}

/// What `vegas-next` knows of a path is of that path: after a move to a longer one it has no base RTT until it measures
/// there, opens, and finds no queue.
#[test]
fn a_path_change_forgets_the_path() {
    let preset = presets().find(|preset| preset.name == "vegas-next").unwrap();
    let mut control = start(preset, &preset.parameters);
    let round = |control: &mut StandaloneControl, at_ms, rtt_ms, round: u64| {
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
