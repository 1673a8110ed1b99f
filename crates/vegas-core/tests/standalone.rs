//! Rules that every standalone algorithm keeps on every sequence of events.

mod support;

use proptest::prelude::*;
use support::compositions::parameter_sets;
use support::events::{Event, Host, events_from_bytes};
use vegas_core::registry::{PRESETS, Preset};
use vegas_core::units::{Segments, Window};
use vegas_core::{
    CongestionControl, HostCapabilities, Needs, Parameters, Phase, STANDALONE_BYTES_MAX, StandaloneControl, State,
};

fn presets() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(|preset| preset.standalone.is_some())
}

fn start(preset: &Preset, parameters: &Parameters) -> StandaloneControl {
    StandaloneControl::start(preset.standalone.expect("standalone"), parameters, 1)
}

fn tell(control: &mut StandaloneControl, event: &Event) {
    match event {
        Event::Ack(ack) => control.on_ack(ack),
        Event::Loss(loss) => control.on_loss(loss),
    }
}

fn check(preset: &Preset, parameters: Parameters, events: &[Event]) {
    let mut control = start(preset, &parameters);
    assert_eq!(control.output().window, Window::whole(parameters.initial_window), "{}", preset.name);
    let mut again = control.clone();
    for (index, event) in events.iter().enumerate() {
        let before = control.output().window;
        let saved = control.clone();
        tell(&mut control, event);
        tell(&mut again, event);
        let (output, status) = (control.output(), control.status());
        let context = || format!("{}: event {index} {event:?}\n{saved:?}\n{control:?}", preset.name);
        assert!(output.window >= Window::ONE, "below one segment: {}", context());
        assert!(output.window <= Window::whole(parameters.max_window), "above max_window: {}", context());
        assert_eq!(output.window, status.window);
        assert!(output.quantum >= Segments(1));
        assert!(output.pace.is_none() || control.needs().pacing, "paces unasked: {}", context());
        assert!(status.ssthresh.is_none_or(|threshold| threshold >= Segments(2)), "{}", context());
        if let Some(threshold) = status.ssthresh {
            let opens = output.window < Window::whole(threshold);
            assert_eq!(opens, status.phase == Phase::SlowStart, "{}", context());
        }
        match event {
            Event::Ack(ack) if ack.in_recovery && !control.needs().own_recovery => {
                assert!(output.window <= before, "grew in recovery: {}", context())
            }
            Event::Ack(_) => {}
            Event::Loss(_) => {
                assert!(output.window <= before, "a loss raised the window: {}", context());
                let mut undone = control.clone();
                undone.on_spurious(&saved);
                assert!(undone.output().window >= before, "not undone: {}", context());
            }
        }
        assert_eq!(control, again, "the same events, another answer");
    }
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
}

/// What a host must give is asked before the connection begins, and each need has words of its own.
#[test]
fn needs_are_refused_by_name() {
    let nothing = Needs::default();
    assert_eq!(nothing.unmet(&nothing), None);
    let rate = Needs { rate: true, ..nothing };
    assert_eq!(rate.unmet(&nothing), Some("needs a host that measures the delivery rate"));
    assert_eq!(rate.unmet(&HostCapabilities::SIMULATOR.gives), None);
    assert_eq!(rate.unmet(&HostCapabilities::QUIC.gives), rate.unmet(&nothing));
    let each = [
        Needs { rate: true, ..nothing },
        Needs { every_ack: true, ..nothing },
        Needs { window_limited: true, ..nothing },
        Needs { sent: true, ..nothing },
        Needs { pacing: true, ..nothing },
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
    println!("standalone {size}, composition {}", size_of::<State>());
    assert!(size <= STANDALONE_BYTES_MAX);
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
