//! What quinn can carry is built; what it cannot is refused by name.

use std::sync::Arc;
use std::time::Instant;

use quinn_proto::congestion::ControllerFactory;
use vegas_core::units::Segments;
use vegas_core::{Host, HostCapabilities, Limits, Mechanisms, SlowStart, registry};
use vegas_quic::{VegasController, VegasQuic};

#[expect(clippy::disallowed_methods, reason = "some origin; only differences count")]
fn controller(algorithm: VegasQuic) -> VegasController {
    let boxed = algorithm.build().unwrap().build(Instant::now(), 1200);
    *boxed.into_any().downcast().unwrap()
}

fn refusal(algorithm: VegasQuic) -> String {
    algorithm.build().unwrap_err().to_string()
}

#[test]
fn every_preset_but_those_that_need_another_host_is_carried() {
    let carried: Vec<_> = VegasQuic::presets().collect();
    for name in [
        "reno",
        "sack",
        "vegas",
        "vegas-linux",
        "gallop",
        "dynamic",
        "cubic",
        "cubic-linux",
        "bbr1",
        "bbr3",
        "bbr3-linux",
    ] {
        assert!(carried.contains(&name), "{name}");
    }
    for preset in registry::PRESETS {
        assert_eq!(carried.contains(&preset.name), Host::Quinn.carries(preset).is_ok(), "{}", preset.name);
    }
    assert!(["streak", "rovegas", "ledbat", "lp"].iter().all(|name| !carried.contains(name)), "{carried:?}");
    for name in carried {
        controller(VegasQuic::preset(name).unwrap().ssthresh(64));
    }
}

#[test]
fn what_needs_another_host_is_refused_by_name() {
    let vegas = registry::preset("vegas").unwrap();
    let mut parts = vegas.composition;
    let blamed = |parts| refusal(VegasQuic::new(parts, vegas.parameters));
    assert_eq!(blamed(parts), "fine_retransmit: mechanism C needs the retransmission path (host: quic)");
    parts.detection.fine_retransmit = false;
    assert_eq!(blamed(parts), "recheck_after_retransmit: mechanism D needs the retransmission path (host: quic)");
    parts.detection.recheck_after_retransmit = false;
    assert_eq!(blamed(parts), "burst: mechanism H needs a host that holds segments back (host: quic)");
    parts.limits = Limits { burst: None, ..parts.limits };
    assert!(VegasQuic::new(parts, vegas.parameters).build().is_ok(), "I is quinn's to carry");
    let routers = "signal: needs a host that carries the queueing times of routers (host: quic)";
    assert_eq!(refusal(VegasQuic::preset("rovegas").unwrap()), routers);
    let delays = "algorithm: needs a host that measures one-way delays (host: quic)";
    assert_eq!(["ledbat", "lp"].map(|name| refusal(VegasQuic::preset(name).unwrap())), [delays; 2]);
    let counts = "algorithm: needs a host with Accurate ECN (RFC 9768) (host: quic)";
    assert_eq!(refusal(VegasQuic::preset("dctcp").unwrap()), counts);
    assert_eq!(refusal(VegasQuic::preset("prague").unwrap()), "algorithm: needs a host that paces (host: quic)");
    let paces = "slow_start: needs a host that paces (host: quic)";
    assert_eq!(refusal(VegasQuic::preset("streak").unwrap()), paces);
    assert!(VegasQuic::dynamic().build().is_ok(), "its slow start has a threshold by itself");
    let with_c = Mechanisms::from_letters("AC").unwrap();
    assert!(refusal(VegasQuic::new(with_c.composition(), with_c.parameters())).starts_with("fine_retransmit"));
}

#[test]
fn a_slow_start_takes_the_place_of_a_standalone_algorithm_s_own() {
    let opened = |name: &str, part: SlowStart| {
        let preset = registry::preset(name).unwrap();
        VegasQuic::new(preset.composition.opening_by(part), preset.parameters).standalone(preset.standalone)
    };
    assert!(opened("nv", SlowStart::Gallop).build().is_ok());
    let refused = refusal(opened("nv", SlowStart::RapidStart));
    assert_eq!(refused, "slow_start: it drains the recovery of its first loss, which the algorithm answers itself");
    assert_eq!(refusal(opened("nv", SlowStart::Streak)), "slow_start: needs a host that paces (host: quic)");
}

#[test]
fn numbers_are_checked_when_it_is_built() {
    assert_eq!(refusal(VegasQuic::gallop().alpha(4)), "alpha: must not exceed beta");
    assert_eq!(refusal(VegasQuic::gallop().ssthresh(1)), "ssthresh: must be at least 2 segments");
    assert_eq!(
        refusal(VegasQuic::gallop().max_window(1)),
        "max_window: must not be below the initial and the restart window"
    );
    assert_eq!(refusal(VegasQuic::gallop().initial_window(0)), "initial_window: must be at least 1 segment");
    let built = controller(VegasQuic::gallop().alpha(2).beta(5).gamma(3).ssthresh(40).max_window(90));
    let numbers = built.algorithm().parameters();
    assert_eq!((numbers.alpha, numbers.beta, numbers.gamma), (Segments(2), Segments(5), Segments(3)));
    assert_eq!((numbers.ssthresh, numbers.max_window), (Some(Segments(40)), Segments(90)));
}

#[test]
fn a_window_of_one_is_taken_for_two() {
    let numbers = *controller(VegasQuic::reno().initial_window(1)).algorithm().parameters();
    assert_eq!((numbers.initial_window, numbers.restart_window), (Segments(2), Segments(2)));
}

#[test]
fn names_are_known_or_listed() {
    let unknown = VegasQuic::preset("tahoe").unwrap_err().to_string();
    assert!(unknown.starts_with("no algorithm for QUIC is called \"tahoe\"; there are reno, "), "{unknown}");
    assert!(!unknown.contains("rovegas"), "{unknown}");
    assert_eq!(HostCapabilities::QUIC.name, "quic");
}

#[test]
fn a_factory_serves_any_number_of_paths() {
    let factory = VegasQuic::vegas().initial_window(10).build().unwrap();
    #[expect(clippy::disallowed_methods, reason = "some origin; only differences count")]
    let now = Instant::now();
    let windows = [1200, 1452].map(|mtu| Arc::clone(&factory).build(now, mtu).window());
    assert_eq!(windows, [12_001, 14_521]);
}

#[cfg(feature = "s2n")]
#[test]
fn s2n_quic_carries_what_quinn_does_and_what_paces() {
    let carried: Vec<_> = VegasQuic::s2n_presets().collect();
    assert!(VegasQuic::presets().all(|name| carried.contains(&name)) && carried.contains(&"streak"), "{carried:?}");
    assert!(carried.iter().all(|name| VegasQuic::preset(name).unwrap().ssthresh(64).build_s2n().is_ok()));
    let refused = VegasQuic::preset("rovegas").unwrap().build_s2n().unwrap_err().to_string();
    assert_eq!(refused, "signal: needs a host that carries the queueing times of routers (host: s2n-quic)");
}
