//! Subjects that use QUIC: any controller of quinn's interface or of s2n-quic's, driven by quinn's own endpoints in
//! simulated time.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use quinn_proto::congestion::{Controller, ControllerFactory};
use vegas_core::LossKind;
use vegas_core::units::Bytes;
use vegas_quic::{Event, VegasController, VegasQuic};
use vegas_quic_sim::{Call, Listener, QuicBy};
use vegas_sim::external::Stack;
use vegas_sim::scenario::{DelayedAck, FlowSpec, HostKind, Transport};

use crate::case::{Case, QUIC_PACKET_MIN};
use crate::grid;
use crate::observed::{Answer, Inside, LossAt, Moment, Observed, Recorder, State};
use crate::play::conform;
use crate::report::Report;
use crate::simulated::{Subject, no_stop, read, run, totals};

/// Makes the transport of a run, with a recorder that receives each call to the controller.
type MakeStack = dyn Fn(Arc<dyn Listener>) -> Box<dyn Stack> + Sync;

/// A QUIC controller, of quinn's interface or of s2n-quic's.
pub struct Quic {
    name: String,
    stack: Box<MakeStack>,
    inside: fn(&Call<'_>) -> Option<Inside>,
}

/// A subject called `name` in reports: the controllers of a factory, which is made for each run.
///
/// ```no_run
/// use std::sync::Arc;
/// use quinn_proto::congestion::CubicConfig;
///
/// let report = vegas_conform::quinn("cubic", || Arc::new(CubicConfig::default())).run();
/// assert!(report.passed(), "{}", vegas_conform::write::text(&report));
/// ```
pub fn quinn<F>(name: &str, factory: impl Fn() -> Arc<F> + Sync + 'static) -> Quic
where
    F: ControllerFactory + Send + Sync + 'static,
{
    let stack = move |listener| Box::new(QuicBy::new(factory()).heard_by(listener)) as Box<dyn Stack>;
    Quic { name: name.into(), stack: Box::new(stack), inside: |_| None }
}

/// A subject called `name` in reports: the controllers of an s2n-quic endpoint, which is made for each run. A
/// controller that reports its states by s2n-quic's events (`on_bbr_state_changed`) is judged by them.
///
/// ```no_run
/// use s2n_quic_core::recovery::cubic;
///
/// let report = vegas_conform::s2n("s2n-cubic", cubic::Endpoint::default).run();
/// assert!(report.passed(), "{}", vegas_conform::write::text(&report));
/// ```
#[cfg(feature = "s2n")]
pub fn s2n<E>(name: &str, endpoint: impl Fn() -> E + Send + Sync + 'static) -> Quic
where
    E: s2n_quic_core::recovery::congestion_controller::Endpoint,
{
    let endpoint = Arc::new(endpoint);
    let stack = move |listener| {
        let endpoint = Arc::clone(&endpoint);
        Box::new(vegas_quic_sim::S2nBy::new(move || endpoint()).heard_by(listener)) as Box<dyn Stack>
    };
    let inside = |call: &Call<'_>| {
        let gain = call.told.pacing_gain_256ths.and_then(|gain| i64::try_from(gain).ok());
        Some(Inside { pacing_gain: gain, ..Inside::new(State::named(call.told.state?)?) })
    };
    Quic { name: name.into(), stack: Box::new(stack), inside }
}

/// A controller that reports the inner state that cases need: states and values by the draft's names. Without it, cases
/// are judged from outside where that is possible.
pub trait Tells {
    /// The state after the newest call.
    fn inside(&self) -> Option<Inside>;
}

impl Quic {
    /// One of this project's presets, as a controller for quinn; none if there is no such preset, or if quinn cannot
    /// carry it.
    pub fn preset(name: &str) -> Option<Self> {
        let algorithm = VegasQuic::preset(name).ok()?;
        algorithm.build().ok()?;
        Some(quinn(name, move || algorithm.build().expect("it was built before")).telling::<VegasController>())
    }

    /// Adds the state that its controllers report. Each call costs a copy of the controller, because quinn's interface
    /// gives no other access.
    pub fn telling<C: Controller + Tells + 'static>(self) -> Self {
        let inside = |call: &Call<'_>| call.controller.clone_box().into_any().downcast::<C>().ok()?.inside();
        Quic { inside, ..self }
    }

    /// Plays the generic cases at [`grid::QUIC`].
    pub fn run(&self) -> Report {
        self.run_cases(crate::cases::generic(), &grid::QUIC)
    }

    /// Plays these cases at these points, of which [`grid::QUIC`] is an example: a full packet has at least 1228 bytes,
    /// and initial windows in bytes must hold two.
    pub fn run_cases(&self, cases: &[Case], points: &[grid::Point]) -> Report {
        conform(self, cases, points, 2)
    }
}

impl Tells for VegasController {
    fn inside(&self) -> Option<Inside> {
        let control = self.control();
        let mut inside = Inside::new(State::named(control.state_name()?)?);
        control.report(&mut |name, value| inside.set(name, value));
        Some(inside)
    }
}

impl fmt::Debug for Quic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quic").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Subject for Quic {
    fn name(&self) -> &str {
        &self.name
    }

    /// The flow is parsed as a TCP flow, and QUIC then carries it (`carry_by_quic`), because a scenario file has no
    /// name for the controller.
    fn flow(&self) -> String {
        "algorithm = \"reno\"".into()
    }

    fn is_quic(&self) -> bool {
        true
    }

    fn run(&self, text: &str) -> Result<Observed, String> {
        let mut scenario = read(text, None, &no_stop())?;
        carry_by_quic(&mut scenario.flows[0])?;
        let ear = Arc::new(Ear { inside: self.inside, heard: Mutex::default() });
        let stack = (self.stack)(Arc::clone(&ear) as Arc<dyn Listener>);
        let outcome = run(&scenario, Some(stack.as_ref()), &no_stop())?;
        let mut observed = ear.heard().recorder.finish(totals(&scenario, &outcome));
        begin_in_startup(&mut observed.moments);
        Ok(observed)
    }
}

/// Sets STARTUP in the moments before the first report of a control that reports its state only when it changes.
fn begin_in_startup(moments: &mut [Moment]) {
    let Some(first) = moments.iter().position(|moment| moment.inside.is_some()) else { return };
    for moment in &mut moments[..first] {
        moment.inside = Some(Inside::new(State::Startup));
    }
}

/// Makes the flow's packets QUIC packets, with their sizes unchanged.
fn carry_by_quic(flow: &mut FlowSpec) -> Result<(), String> {
    const HEADERS: Bytes = Bytes::new(28);
    if flow.packet.get() < QUIC_PACKET_MIN {
        return Err(format!("packets of {} bytes: QUIC's have {QUIC_PACKET_MIN} at least", flow.packet.get()));
    }
    flow.transport = Transport::Quic;
    flow.host.kind = HostKind::Bsd;
    flow.host.options.timestamps = false;
    if !matches!(flow.host.delayed_ack, DelayedAck::After(_)) {
        flow.host.delayed_ack = DelayedAck::None;
    }
    (flow.ack, flow.header) = (flow.packet, HEADERS);
    Ok(())
}

/// Records the events of a controller, and the state that it shows.
#[derive(Debug)]
struct Ear {
    inside: fn(&Call<'_>) -> Option<Inside>,
    heard: Mutex<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    recorder: Recorder,
    newest: Option<Moment>,
    delivered_bytes: u64,
    lost_bytes: u64,
    /// The size of a packet as the connection begins, bytes. Quinn may reduce packets after many losses; counts of
    /// packets here are in packets of this size. The controller's window is reported in packets of the present size.
    full: Option<u16>,
}

impl Ear {
    /// A run has a single thread.
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().expect("one thread runs it")
    }
}

impl Listener for Ear {
    fn on_call(&self, call: &Call<'_>) {
        let inside = (self.inside)(call);
        self.heard().on_call(call, inside);
    }
}

impl Heard {
    fn on_call(&mut self, call: &Call<'_>, inside: Option<Inside>) {
        let before = self.newest;
        let full = *self.full.get_or_insert(call.mtu);
        match call.event {
            Event::Acked { bytes, .. } => self.delivered_bytes += bytes,
            Event::Congested { bytes, .. } => self.lost_bytes += bytes,
            _ => {}
        }
        let moment = self.moment(call, full, inside);
        self.newest = Some(moment);
        if let Event::Congested { kind, bytes, .. } = call.event {
            let window_before = before.map_or(moment.window, |before| before.window);
            self.recorder.note_answer(Answer { at: call.now, kind, window_before, window_after: moment.window });
            if kind != LossKind::Ecn {
                let lost = u32::try_from(packets(bytes, full)).unwrap_or(u32::MAX);
                let timeout = kind == LossKind::Timeout;
                self.recorder.note_loss(LossAt { at: call.now, lost, timeout, undone: None });
            }
        }
        match call.event {
            Event::Sent { packets } => self.recorder.note_sent(call.now, packets, moment.in_flight),
            _ => self.recorder.note(moment),
        }
    }

    fn moment(&self, call: &Call<'_>, full: u16, inside: Option<Inside>) -> Moment {
        let metrics = call.controller.metrics();
        let rtt = match call.event {
            Event::Acked { rtt, .. } => rtt,
            _ => None,
        };
        Moment {
            at: call.now,
            window: call.controller.window() as f64 / f64::from(call.mtu.max(1)),
            pace: metrics.pacing_rate.map(|bps| bps as f64 / 8.0 / f64::from(full.max(1))),
            in_flight: u32::try_from(packets(call.in_flight_bytes, full)).unwrap_or(u32::MAX),
            rtt: rtt.or(self.newest.and_then(|newest| newest.rtt)),
            delivered: packets(self.delivered_bytes, full),
            lost: packets(self.lost_bytes, full),
            rate: None,
            app_limited: call.app_limited,
            undone: false,
            inside,
        }
    }
}

/// A last packet that is not full counts as one.
fn packets(bytes: u64, mtu: u16) -> u64 {
    bytes.div_ceil(u64::from(mtu.max(1)))
}
