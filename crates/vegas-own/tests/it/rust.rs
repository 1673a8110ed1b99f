//! Algorithms of a Rust program: they run as any other, and the conformance suite finds those that break a rule.

use std::panic::catch_unwind;
use std::sync::Arc;

use vegas_core::units::{Segments, Window};
use vegas_core::{Ack, CongestionControl, Loss, Needs, Output, Parameters, Phase, Status};
use vegas_own::rust::{Library, Own, OwnAlgorithm, conforms, own};
use vegas_sim::scenario::{OnDisk, Scenario};
use vegas_sim::{Limits, Watch, run};

/// Halves the window at a loss, or with `RAISES` adds a segment.
#[derive(Clone, Debug, PartialEq)]
struct Halves<const RAISES: bool> {
    window: Window,
}

impl<const RAISES: bool> OwnAlgorithm for Halves<RAISES> {
    const NAME: &'static str = if RAISES { "raises" } else { "halves" };
    const NEEDS: Needs = Needs::NONE;

    fn start(parameters: &Parameters, _: u64) -> Self {
        Halves { window: Window::whole(parameters.initial_window) }
    }
}

impl<const RAISES: bool> CongestionControl for Halves<RAISES> {
    fn on_ack(&mut self, _: &Ack) {}

    fn on_loss(&mut self, _: &Loss) {
        self.window = match RAISES {
            true => self.window.plus(Window::ONE),
            false => self.window.half().max(Window::ONE),
        };
    }

    fn output(&self) -> Output {
        Output { window: self.window, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status { window: self.window, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance }
    }
}

/// Adds a segment with each acknowledgement, while the window limits the sender.
#[derive(Clone, Debug, PartialEq)]
struct Follows {
    window: Window,
}

impl OwnAlgorithm for Follows {
    const NAME: &'static str = "follows";
    const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };

    fn start(parameters: &Parameters, _: u64) -> Self {
        Follows { window: Window::whole(parameters.initial_window) }
    }
}

impl CongestionControl for Follows {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.window_limited {
            self.window = self.window.plus(Window::ONE);
        }
    }

    fn on_loss(&mut self, _: &Loss) {}

    fn output(&self) -> Output {
        Output { window: self.window, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status { window: self.window, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance }
    }
}

const KNOWN: [Own; 3] = [own::<Halves<false>>(), own::<Halves<true>>(), own::<Follows>()];

#[test]
fn the_suite_finds_what_breaks_a_rule() {
    conforms::<Halves<false>>();
    let found = catch_unwind(conforms::<Halves<true>>).expect_err("a loss raises the window");
    let message = found.downcast_ref::<String>().expect("a text");
    assert!(message.contains("a loss raised the window") || message.contains("above max_window"), "{message}");
}

fn read(algorithm: &str) -> Result<Scenario, String> {
    let text = format!(
        r#"
        name = "own"
        duration = "2s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "10mbit", delay = "20ms", queue = "20p" }}
        flow = [{{ algorithm = {algorithm}, initial_window = 7 }}]
        "#
    );
    let folder = OnDisk::of("own.toml").with_loader(Arc::new(Library::new(&KNOWN, b"program".to_vec())));
    let (limits, mut stop) = (Limits::default(), |_| None);
    let watch = &mut Watch::new(limits, &mut stop);
    Scenario::read_toml_in(&folder, &text, "own.toml", &[], watch).map_err(|error| error.to_string())
}

#[test]
fn a_scenario_names_it() {
    let scenario = read(r#"{ rust = "halves" }"#).expect("a scenario");
    assert_eq!(scenario.flows[0].algorithm, "halves");
    assert_eq!(run(&scenario).flows[0].final_cwnd_segments, 7.0);
}

#[test]
fn what_it_needs_is_told() {
    let scenario = read(r#"{ rust = "follows", preset = "reno" }"#).expect("a scenario");
    let window = run(&scenario).flows[0].final_cwnd_segments;
    assert!(window > 100.0, "{window}");
}

#[test]
fn what_is_not_there_is_refused() {
    let refused = read(r#"{ rust = "thirds" }"#).expect_err("it is not there");
    assert!(refused.ends_with("thirds: is not in this program, which has halves, raises, follows"), "{refused}");
    let refused = read(r#"{ python = "mine.py" }"#).expect_err("no Python here");
    assert!(refused.ends_with("mine.py: is run by the command vegaslab, not by a Rust program"), "{refused}");
}
