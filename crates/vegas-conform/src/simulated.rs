//! Subjects on the simulator's TCP: a preset, or any algorithm that a scenario file can name.

use std::fmt;
use std::sync::{Arc, Mutex};

use vegas_core::units::{Segments, Span, Time, Window};
use vegas_core::{
    Ack, Algorithm, Composition, CongestionControl, Controller, Loss, LossKind, LostSegment, Needs, Output, Parameters,
    Restart, Sent, Standalone, Status,
};
use vegas_sim::external::Stack;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{Loaded, Loader, OnDisk, Own, Program, Scenario, ScenarioError};
use vegas_sim::{Engine, Limits, Stop, Watch, run_within};

use crate::grid::REFERENCE;
use crate::network::Network;
use crate::observed::{Answer, Inside, LossAt, Moment, Observed, Recorder, State, Totals};

/// A subject that can be judged.
pub trait Subject: fmt::Debug + Sync {
    /// Its name in reports.
    fn name(&self) -> &str;
    /// The lines of a scenario's `[[flow]]` that choose it, such as `algorithm = "bbr3"`.
    fn flow(&self) -> String;
    /// Runs the scenario file and returns the observations of its first flow. The error is one line.
    fn run(&self, scenario: &str) -> Result<Observed, String>;
    /// The kind of the hosts of its TCP: `linux`, or `bsd` where the algorithm needs what Linux does not provide.
    fn host(&self) -> &'static str {
        "linux"
    }
    /// Whether its packets are QUIC's, so that RFC 9002 applies; otherwise RFC 5681 applies.
    fn is_quic(&self) -> bool {
        false
    }
}

/// An algorithm by its name in scenario files, on the simulator's TCP.
#[derive(Clone, Debug)]
pub struct Preset {
    name: String,
    algorithm: String,
    loader: Option<Arc<dyn Loader>>,
    host: &'static str,
    stop: Stopper,
}

/// Ends the runs in progress and to come.
#[derive(Clone)]
struct Stopper(Stop);

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopper")
    }
}

impl Preset {
    /// A preset of this name; none if there is no such preset.
    pub fn named(name: &str) -> Option<Self> {
        let preset = vegas_core::registry::preset(name)?;
        Some(Preset::written(preset.name, &format!("{:?}", preset.name), None))
    }

    /// A subject called `name` in reports and `algorithm`, a TOML value, in scenario files. `loader` loads an algorithm
    /// from outside.
    pub fn written(name: &str, algorithm: &str, loader: Option<Arc<dyn Loader>>) -> Self {
        let linux =
            Preset { name: name.into(), algorithm: algorithm.into(), loader, host: "linux", stop: Stopper(no_stop()) };
        match linux.check() {
            Ok(()) => linux,
            // an algorithm that neither carries out is refused on the hosts that most run on
            Err(_) => Some(Preset { host: "bsd", ..linux.clone() }).filter(|bsd| bsd.check().is_ok()).unwrap_or(linux),
        }
    }
}

impl Preset {
    /// Makes `stop` end all runs, those in progress among them; such a report means nothing.
    #[must_use]
    pub fn stopped_by(self, stop: Stop) -> Self {
        Preset { stop: Stopper(stop), ..self }
    }

    /// Whether scenario files can use this name; otherwise the error is a line that says what would be right.
    pub fn check(&self) -> Result<(), String> {
        let network = Network { host_kind: self.host, ..Network::of("check", REFERENCE) };
        read(&network.text(&self.flow()), self.loader.as_ref(), &self.stop.0).map(drop)
    }
}

impl Subject for Preset {
    fn name(&self) -> &str {
        &self.name
    }

    fn flow(&self) -> String {
        format!("algorithm = {}", self.algorithm)
    }

    fn host(&self) -> &'static str {
        self.host
    }

    fn run(&self, text: &str) -> Result<Observed, String> {
        let mut scenario = read(text, self.loader.as_ref(), &self.stop.0)?;
        let recorder = Arc::new(Mutex::new(Recorder::default()));
        watch_first_flow(&mut scenario, &recorder);
        let outcome = run(&scenario, None, &self.stop.0)?;
        let mut recorder = recorder.lock().expect("the run is over");
        Ok(recorder.finish(totals(&scenario, &outcome)))
    }
}

/// Returns what stops nothing.
pub(crate) fn no_stop() -> Stop {
    Arc::new(|_| None)
}

pub(crate) fn read(text: &str, loader: Option<&Arc<dyn Loader>>, stop: &Stop) -> Result<Scenario, String> {
    let folder = OnDisk::of("");
    let folder = match loader {
        Some(loader) => folder.with_loader(Arc::clone(loader)),
        None => folder,
    };
    let watch = &mut Watch::within_events(Limits::default(), Arc::clone(stop));
    // only the algorithm of the scenario comes from the user
    let line = |error: ScenarioError| match error.key().starts_with("flow.0.algorithm") {
        true => error.message().to_owned(),
        false => error.to_string(),
    };
    Scenario::read_toml_in(&folder, text, "case.toml", &[], watch).map_err(line)
}

pub(crate) fn run(scenario: &Scenario, stack: Option<&dyn Stack>, stop: &Stop) -> Result<Outcome, String> {
    let watch = &mut Watch::within_events(Limits::default(), Arc::clone(stop));
    run_within(Engine::Fast, scenario, stack, watch).map_err(|stopped| stopped.to_string())
}

/// Combines the totals of a run's first flow and of its bottleneck.
pub(crate) fn totals(scenario: &Scenario, outcome: &Outcome) -> Totals {
    let flow = &outcome.flows[0];
    let path = &scenario.flows[0].path;
    Totals {
        packet_bytes: scenario.flows[0].packet.get(),
        goodput_mbps: flow.goodput_mbps,
        segments_sent: flow.segments_sent,
        segments_retransmitted: flow.segments_retransmitted,
        timeouts: flow.timeouts,
        drops: path.iter().map(|link| outcome.links[*link].drops).sum(),
        most_in_flight: 0,
    }
}

/// Puts a recorder around the first flow's control.
fn watch_first_flow(scenario: &mut Scenario, recorder: &Arc<Mutex<Recorder>>) {
    let flow = &mut scenario.flows[0];
    let watched = WatchedProgram {
        composition: flow.composition,
        standalone: flow.standalone,
        own: flow.own.clone(),
        recorder: Arc::clone(recorder),
    };
    let loaded = Loaded { name: flow.algorithm.clone(), content: Vec::new(), program: Arc::new(watched) };
    flow.own = Some(Own::new(&flow.algorithm.clone(), loaded));
}

#[derive(Debug)]
struct WatchedProgram {
    composition: Composition,
    standalone: Option<Standalone>,
    own: Option<Own>,
    recorder: Arc<Mutex<Recorder>>,
}

impl Program for WatchedProgram {
    /// To a control that does not ask for it, what the recorder counts changes nothing.
    fn needs(&self) -> Needs {
        Needs { rate: true, sent: true, each_loss: true, ..self.controls_needs() }
    }

    fn start(&self, parameters: &Parameters, seed: u64) -> Controller {
        let control = match &self.own {
            Some(own) => own.program().start(parameters, seed),
            None => {
                let algorithm = Algorithm::new(self.composition, *parameters).expect("the scenario is checked");
                Controller::start(algorithm, self.standalone, seed)
            }
        };
        Controller::boxed(Watched::new(control, self.controls_needs(), &self.recorder), 0)
    }
}

impl WatchedProgram {
    fn controls_needs(&self) -> Needs {
        let own = self.own.as_ref().map(|own| own.program().needs());
        own.unwrap_or_else(|| Controller::needs(&self.composition, self.standalone))
    }
}

/// A control with a recorder. The control receives unchanged events, and its decisions are not changed.
#[derive(Clone, Debug)]
pub struct Watched {
    control: Controller,
    /// What the control asks for; the recorder asks for more.
    needs: Needs,
    recorder: Arc<Mutex<Recorder>>,
    in_flight: u32,
    delivered: u64,
    lost: u64,
    rtt: Option<Span>,
    rate: Option<f64>,
    app_limited: bool,
}

impl Watched {
    /// Records the state of `control`, which asks for `needs`.
    pub fn new(control: Controller, needs: Needs, recorder: &Arc<Mutex<Recorder>>) -> Self {
        Watched {
            control,
            needs,
            recorder: Arc::clone(recorder),
            in_flight: 0,
            delivered: 0,
            lost: 0,
            rtt: None,
            rate: None,
            app_limited: false,
        }
    }

    fn moment(&self, at: Time) -> Moment {
        let output = self.control.output();
        let inside = self.control.state_name().and_then(State::named).map(|state| {
            let mut inside = Inside::new(state);
            self.control.report(&mut |name, value| inside.set(name, value));
            inside
        });
        Moment {
            at,
            window: segments(output.window),
            pace: output.pace.map(|pace| 1e9 / pace.spacing().as_nanos() as f64),
            in_flight: self.in_flight,
            rtt: self.rtt,
            delivered: self.delivered,
            lost: self.lost,
            rate: self.rate,
            app_limited: self.app_limited,
            undone: false,
            inside,
        }
    }

    fn note(&self, at: Time) {
        let moment = self.moment(at);
        self.recorder.lock().expect("one thread runs it").note(moment);
    }

    /// Counts the segments of an acknowledgement, whether the control requests them or not.
    fn count(&mut self, ack: &Ack) {
        let delivered = ack.delivered.0.max(ack.acked.0.min(self.in_flight));
        self.delivered += u64::from(delivered);
        self.in_flight = self.in_flight.saturating_sub(delivered);
        self.rtt = ack.rtt.or(self.rtt);
        if let Some(sample) = ack.rate {
            self.rate = Some(segments(sample.per_second()));
            self.app_limited = sample.app_limited;
        }
    }
}

fn segments(window: Window) -> f64 {
    window.as_raw() as f64 / Window::whole(Segments(1)).as_raw() as f64
}

impl CongestionControl for Watched {
    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.control.on_handshake(now, rtt);
        self.note(now);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.in_flight = sent.in_flight.0;
        self.recorder.lock().expect("one thread runs it").note_sent(sent.now, 1, sent.in_flight.0);
        if self.needs.sent {
            self.control.on_sent(sent);
        }
    }

    fn on_segment_lost(&mut self, lost: &LostSegment) {
        self.lost += 1;
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.needs.each_loss {
            self.control.on_segment_lost(lost);
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.count(ack);
        self.control.on_ack(ack);
        self.note(ack.now);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window_before = segments(self.control.output().window);
        self.control.on_loss(loss);
        let window_after = segments(self.control.output().window);
        let answer = Answer { at: loss.now, kind: loss.kind, window_before, window_after };
        self.recorder.lock().expect("one thread runs it").note_answer(answer);
        let timeout = loss.kind == LossKind::Timeout;
        if timeout {
            self.in_flight = 0;
        }
        if loss.kind != LossKind::Ecn {
            let found = LossAt { at: loss.now, lost: loss.lost.0, timeout, undone: None };
            self.recorder.lock().expect("one thread runs it").note_loss(found);
        }
        self.note(loss.now);
    }

    fn on_recovered(&mut self, now: Time) {
        self.control.on_recovered(now);
        self.note(now);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.control.on_spurious(&before.control);
        self.recorder.lock().expect("one thread runs it").note_spurious();
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.control.on_restart(restart);
        self.note(restart.now);
    }

    fn output(&self) -> Output {
        self.control.output()
    }

    fn status(&self) -> Status {
        self.control.status()
    }

    fn inner(&self) -> Option<&dyn CongestionControl> {
        Some(&*self.control)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn CongestionControl> {
        Some(&mut *self.control)
    }
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "a test file of vegas-core")]
#[path = "../../vegas-core/tests/support/heard.rs"]
mod heard;

#[cfg(test)]
mod tests {
    use vegas_core::registry;

    use super::heard::{ALL, Heard, shown, tell_all};
    use super::*;

    #[test]
    fn the_watched_control_is_told_every_event() {
        let recorder = Arc::new(Mutex::new(Recorder::default()));
        let needs = Needs { sent: true, each_loss: true, ..Needs::NONE };
        let mut watched = Watched::new(Controller::boxed(Heard::default(), 0), needs, &recorder);
        let before = watched.clone();
        tell_all(&mut watched);
        watched.on_spurious(&before);
        let expected = Controller::boxed(Heard(ALL.into_iter().chain(["on_spurious"]).collect()), 0);
        assert_eq!(format!("{:?}", watched.control), format!("{expected:?}"));
        assert_eq!(shown(&watched), shown(&*watched.control));
    }

    /// What delays segments or decides on retransmissions is not for Linux, as a preset and as a table of parts.
    #[test]
    fn every_preset_runs_on_hosts_that_carry_it_out() {
        let hosts = |name: &str| {
            let preset = Preset::named(name).expect("a preset");
            assert_eq!(preset.check(), Ok(()), "{name}");
            preset.host()
        };
        let bsd: Vec<&str> =
            registry::PRESETS.iter().map(|preset| preset.name).filter(|name| hosts(name) == "bsd").collect();
        assert_eq!(bsd, ["vegas", "vegas-1994", "gallop", "streak", "dynamic", "rovegas", "vegas-ns2"]);
        assert_eq!(Preset::written("mine", "{ preset = \"reno\", fine_retransmit = true }", None).host(), "bsd");
    }

    #[test]
    fn only_the_algorithm_is_named_where_it_is_wrong() {
        let unknown = Preset::written("mine", "{ preset = \"renos\" }", None).check();
        assert_eq!(unknown, Err("\"renos\" is no preset; did you mean \"reno\"?".into()));
    }
}
