//! Users' own algorithms: one that behaves like a preset gives the preset's results; one that cannot run is refused.

use std::path::Path;
use std::sync::Arc;

use vegas_core::registry::preset;
use vegas_core::units::{Segments, Window};
use vegas_core::{
    Ack, Algorithm, CongestionControl, Controller, Loss, LostSegment, Needs, Output, Parameters, Phase, Status,
};
use vegas_sim::scenario::{Failure, Language, Loaded, Loader, OnDisk, Program, Scenario};
use vegas_sim::{Engine, Limits, Watch, run, run_within};

/// A loader of the presets by their own names, and of an algorithm that fails.
#[derive(Debug)]
struct Known {
    content: &'static str,
}

impl Loader for Known {
    fn load(&self, language: Language, name: &str, folder: &Path) -> Result<Loaded, String> {
        assert_eq!((language, folder), (Language::Rust, Path::new("")));
        let program: Arc<dyn Program> = match name {
            "fails" => Arc::new(Fails),
            "hears-losses" => Arc::new(HearsLosses),
            _ => {
                let file = name.rsplit('/').next().unwrap_or(name);
                Arc::new(OfPreset(preset(file).ok_or_else(|| format!("{name}: is not here"))?))
            }
        };
        Ok(Loaded { name: format!("own-{}", name.replace('/', "-")), content: self.content.into(), program })
    }
}

#[derive(Debug)]
struct OfPreset(&'static vegas_core::registry::Preset);

impl Program for OfPreset {
    fn needs(&self) -> Needs {
        Controller::needs(&self.0.composition, self.0.standalone)
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        let algorithm = Algorithm::new(self.0.composition, *parameters).expect("a preset's parts");
        Controller::start(algorithm, self.0.standalone, seed)
    }
}

#[derive(Debug)]
struct Fails;

impl Program for Fails {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn start(&self, _: &Parameters, _: u64) -> Controller {
        Controller::boxed(FailsAtLoss, 0)
    }
}

#[derive(Clone, Debug)]
struct FailsAtLoss;

const WINDOW: Window = Window::whole(Segments(200));

impl CongestionControl for FailsAtLoss {
    fn on_ack(&mut self, _: &Ack) {}

    fn on_loss(&mut self, loss: &Loss) {
        Failure(format!("fails at {} ns", loss.now.as_nanos())).end_run()
    }

    fn output(&self) -> Output {
        Output { window: WINDOW, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status { window: WINDOW, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance }
    }
}

/// It asks for each segment lost and nothing else; its backlog is their number.
#[derive(Clone, Debug)]
struct HearsLosses;

impl Program for HearsLosses {
    fn needs(&self) -> Needs {
        Needs { each_loss: true, ..Needs::NONE }
    }

    fn start(&self, _: &Parameters, _: u64) -> Controller {
        Controller::boxed(Heard(0), 0)
    }
}

#[derive(Clone, Debug)]
struct Heard(i32);

impl CongestionControl for Heard {
    fn on_segment_lost(&mut self, lost: &LostSegment) {
        assert!(Segments(0) < lost.lost && lost.lost <= lost.in_flight, "{lost:?}");
        self.0 += 1;
    }

    fn on_ack(&mut self, ack: &Ack) {
        assert_eq!(ack.rate, None, "it did not ask");
    }

    fn on_loss(&mut self, _: &Loss) {}

    fn output(&self) -> Output {
        Output { window: Window::whole(Segments(30)), pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status { window: WINDOW, ssthresh: None, base_rtt: None, diff: Some(self.0), phase: Phase::Avoidance }
    }
}

/// A scenario with a queue that overflows, random losses and reordering, so that a Linux host undoes recoveries.
fn text(flow: &str) -> String {
    format!(
        r#"
        name = "own"
        duration = "20s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "10mbit", delay = "20ms", queue = "20p", loss = "0.2%", reorder = {{ probability = "0.3%", delay = "15ms" }} }}
        flow = [{{ {flow} }}, {{ algorithm = "newreno", start = "3s" }}]
        "#
    )
}

fn read_with(content: &'static str, flow: &str) -> Result<Scenario, String> {
    let folder = OnDisk::of("own.toml").with_loader(Arc::new(Known { content }));
    let (limits, mut stop) = (Limits::default(), |_| None);
    let watch = &mut Watch::new(limits, &mut stop);
    Scenario::read_toml_in(&folder, &text(flow), "own.toml", &[], watch).map_err(|error| error.to_string())
}

fn read(flow: &str) -> Scenario {
    read_with("", flow).expect("a scenario")
}

fn refusal(flow: &str) -> String {
    read_with("", flow).expect_err("it is refused")
}

/// The RTTs of time stamps are for the kernel's own, of which a copy from outside is none.
#[test]
fn a_preset_from_outside_is_the_preset() {
    const LINUX: &str = "{ kind = \"linux\", timestamps = false }";
    const BSD: &str = "\"bsd\"";
    for (algorithm, host) in [
        ("vegas", BSD),
        ("reno", BSD),
        ("nv", BSD),
        ("rovegas", BSD),
        ("veno", LINUX),
        ("vegas-linux", LINUX),
        ("cubic-linux", LINUX),
    ] {
        let preset = read(&format!(r#"algorithm = "{algorithm}", host = {host}"#));
        let name = format!("name = \"{algorithm}-of-mine\", ");
        let table = format!(r#"{{ {name}rust = "{algorithm}", preset = "{algorithm}" }}"#);
        let own = read(&format!(r#"algorithm = {table}, host = {host}"#));
        assert_eq!(own.flows[0].algorithm, format!("{algorithm}-of-mine"));
        assert!(run(&preset) == run(&own), "{algorithm} on host {host}");
    }
}

#[test]
fn an_algorithm_that_fails_ends_its_run() {
    let scenario = read(r#"algorithm = { rust = "fails" }"#);
    let (limits, mut stop) = (Limits::default(), |_| None);
    let watch = &mut Watch::new(limits, &mut stop);
    let stopped = run_within(Engine::Fast, &scenario, None, watch).expect_err("it fails");
    assert!(stopped.0.starts_with("fails at ") && watch.stopped().is_none(), "{stopped}");
}

#[test]
fn each_loss_is_told_to_one_that_asks_for_nothing_else() {
    let outcome = run(&read(r#"algorithm = { rust = "hears-losses" }, host = "linux""#));
    let series = &outcome.flow_series;
    let heard =
        (0..series.flow.len()).rev().find(|row| series.flow[*row] == 0).and_then(|row| series.diff_segments[row]);
    assert!(heard > Some(20.0), "{heard:?}");
}

#[test]
fn what_cannot_run_is_refused() {
    let nobody = Scenario::from_toml(&text(r#"algorithm = { python = "mine.py:Mine" }"#), "own.toml", &[]).unwrap_err();
    let line = "own.toml:7: flow.0.algorithm.python: mine.py:Mine: algorithms from outside are not loaded here; write a \
                preset's name";
    assert_eq!(nobody.to_string(), line);
    let cases = [
        (r#"algorithm = { rust = "mine" }"#, "algorithm.rust: mine: is not here"),
        (
            r#"algorithm = { rust = "reno", wasm = "x.wasm" }"#,
            "algorithm.rust: stands beside wasm; give one of the two",
        ),
        (r#"algorithm = { rust = "reno", cut = "half" }"#, "algorithm.cut: is decided by rust; leave it out"),
        (
            r#"algorithm = { rust = "reno", mechanisms = "AB" }"#,
            "algorithm.mechanisms: is decided by rust; leave it out",
        ),
        (
            r#"algorithm = { rust = "reno" }, transport = "quic""#,
            "algorithm.rust: algorithms from outside go with TCP; leave out transport = \"quic\"",
        ),
    ];
    for (flow, line) in cases {
        assert_eq!(refusal(flow), format!("own.toml:7: flow.0.{line}"));
    }
}
