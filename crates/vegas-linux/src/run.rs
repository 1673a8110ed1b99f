//! A scenario with real sockets: endpoints in two namespaces, the simulator's network between them in real time.
//!
//! All that a run makes (namespaces, devices, congestion controls, sockets) belongs to this process and has no name
//! that outlives it: however the run ends, nothing is left.

mod completion;
mod endpoints;
mod quic;
pub mod recording;

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

use libbpf_rs::Link;
use serde_json::{Value, json};
use vegas_core::units::Time;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{FlowSpec, ReceiveWindow, Scenario, TcpOptions, Transport};

use crate::Error;
use crate::choice::Choice;
use crate::choice::kernels::Kernels;
use crate::clock::{Clock, Pace, pause};
use crate::kernel::observer::{By, Observer};
use crate::kernel::option::{Device, Programs};
use crate::kernel::records::Record;
use crate::kernel::trace::Trace;
use crate::machine::host;
use crate::machine::own::Own;
use crate::network::addresses::{self, FLOWS_MAX, RECEIVERS, SENDERS};
use crate::network::lateness::Lateness;
use crate::network::namespace::{DEVICE, Namespace};
use crate::network::processors::Processors;
use crate::network::router::{Routed, Router};
use completion::Completion;
use endpoints::{Reads, Sender};
use quic::{Fetched, Server};
use recording::{FlowRecord, flow_series};

/// The result of a run on real sockets.
#[derive(Debug)]
pub struct Run {
    /// The simulator's totals, series and incidents.
    pub outcome: Outcome,
    /// The router's lateness.
    pub lateness: Lateness,
    /// Packets in the run's namespaces that belong to no flow or are malformed; the router dropped them.
    pub packets_refused: u64,
    /// The kernel's records, in the order of time.
    pub records: Vec<Record>,
    /// Each flow's algorithm in the kernel; `None` for a flow by QUIC, and for one of a congestion control of the
    /// kernel's own.
    pub algorithms: Vec<Option<Choice>>,
}

impl Run {
    /// Returns the kernel's records of a flow.
    pub fn records_of(&self, flow: usize) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(move |record| addresses::flow_of_port(record.local_port) == Some(flow))
    }

    /// Returns the summary's fields that a simulated run does not have.
    pub fn to_json(&self) -> Value {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut about = json!({ "kernel": release.trim() });
        if let (Value::Object(about), Value::Object(lateness)) = (&mut about, self.lateness.to_json()) {
            about.extend(lateness);
            about.insert("packets_refused".into(), json!(self.packets_refused));
        }
        about
    }
}

/// The time that records take to arrive after the last packet.
const LAST_RECORDS: Duration = Duration::from_millis(20);
const NAP: Duration = Duration::from_millis(10);

/// Whether the receivers know RoVegas's option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// They echo the times that routers have stamped.
    Echo,
    /// They ignore the option, as any host without the programs does.
    Ignore,
}

/// How a run is carried out.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Whether the receivers know RoVegas's option.
    pub receivers: Receivers,
    /// Whether the kernel's own congestion controls run where presets are copies of them.
    pub kernels_own: bool,
    /// How time passes.
    pub pace: Pace,
}

impl Default for Manner {
    fn default() -> Self {
        Manner { receivers: Receivers::Echo, kernels_own: false, pace: Pace::Real }
    }
}

/// Carries the scenario out, in real time. The run ends with the scenario's duration, or when all flows have completed
/// if the scenario says so. `stop` ends it early, without a result.
pub fn run(scenario: &Scenario, stop: &AtomicBool) -> Result<Run, Error> {
    run_in(scenario, Manner::default(), stop)
}

/// Like [`run`], in this manner.
pub fn run_in(scenario: &Scenario, manner: Manner, stop: &AtomicBool) -> Result<Run, Error> {
    check(scenario)?;
    let has_programs = scenario.flows.iter().any(|flow| flow.transport == Transport::Quic);
    let processors = Processors::ours()?.beside_programs(has_programs);
    let _elsewhere = processors.leave_to_router()?;
    let controls = Control::of_flows(scenario, manner.kernels_own)?;
    let choices: Vec<Option<Choice>> = controls.iter().map(Control::ours).collect();
    let ours: Vec<Choice> = choices.iter().flatten().cloned().collect();
    if !ours.is_empty() {
        host::check()?;
    }
    let option = option_of(&ours)?;
    let feedback = option.as_ref().map(Programs::feedback).transpose()?;
    let algorithms = Own::register(&ours, feedback.as_ref())?;
    let observer = observer(&controls)?;
    let options = TcpOptions {
        sack: scenario.flows.iter().any(|spec| spec.host.options.sack),
        timestamps: scenario.flows.iter().any(|spec| spec.host.options.timestamps),
    };
    let tuned_window = scenario.flows.iter().any(has_tuned_window);
    let (senders, senders_device) = Namespace::new(RECEIVERS, options, tuned_window)?;
    let (receivers, receivers_device) = Namespace::new(SENDERS, options, tuned_window)?;
    connect(scenario, &controls, &senders, &receivers)?;
    let carriers = [Some(&senders), (manner.receivers == Receivers::Echo).then_some(&receivers)];
    let _attached = option.as_ref().map(|option| attach(option, carriers)).transpose()?;
    let listeners = receivers.within(|| {
        let listen = |(flow, spec)| endpoints::listen(flow, has_tuned_window(spec));
        scenario.flows.iter().enumerate().map(listen).collect::<Result<Vec<_>, _>>()
    })?;
    let servers = servers(scenario, &senders)?;
    let mut traces = algorithms.traces()?;
    traces.extend(observer.as_ref().map(Observer::trace).transpose()?);
    let names = names(&controls, &algorithms.names);
    let end = Time::ZERO + scenario.duration;
    let router = Router::new(&quic::as_carried(scenario), senders_device, receivers_device, manner.pace);
    let prepared = Prepared {
        scenario,
        processors: &processors,
        senders: &senders,
        receivers: &receivers,
        servers: &servers,
        end,
    };
    let (clock, routed, records, ends) = prepared.carry_out(router, &listeners, &traces, &names, stop)?;
    if stop.load(Ordering::Relaxed) {
        return Err(Error("stopped".into()));
    }
    algorithms.check_complete()?;
    observer.as_ref().map_or(Ok(()), Observer::check_complete)?;
    let (lateness, packets_refused) = (routed.lateness, routed.refused);
    let by_quic = servers.into_iter().enumerate().filter_map(|(flow, server)| Some(server?.finish(flow)));
    let told: Vec<Record> = records.iter().copied().chain(by_quic.flatten()).collect();
    let outcome = outcome(scenario, clock, routed, ends, &told);
    Ok(Run { outcome, lateness, packets_refused, records, algorithms: choices })
}

/// What a run has before its time begins.
#[derive(Clone, Copy)]
struct Prepared<'a> {
    scenario: &'a Scenario,
    processors: &'a Processors,
    senders: &'a Namespace,
    receivers: &'a Namespace,
    servers: &'a [Option<Server>],
    end: Time,
}

impl Prepared<'_> {
    /// Runs the router, and both ends of each flow beside it.
    fn carry_out(
        self,
        router: Router,
        listeners: &[TcpListener],
        traces: &[Trace<'_>],
        names: &[String],
        stop: &AtomicBool,
    ) -> Result<(Clock, Routed, Vec<Record>, Ends), Error> {
        let Prepared { scenario, processors, senders, receivers, servers, end } = self;
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let over = &over;
            let (ready, started) = mpsc::channel();
            let routing = scope.spawn(move || {
                // set even if the router dies
                let _over = SetAtEnd(over);
                router.run(processors, over, &ready)
            });
            let died = |_| Err(Error("the router died".into()));
            let Ok(clock) = started.recv() else {
                return Err(routing
                    .join()
                    .unwrap_or_else(died)
                    .err()
                    .unwrap_or(Error("the router did not start".into())));
            };
            let receive = |(listener, spec)| {
                let reads = if has_tuned_window(spec) { Reads::AsTheyCome } else { Reads::AtIntervals };
                scope.spawn(move || endpoints::receive(listener, reads, over))
            };
            let receiving: Vec<_> = listeners.iter().zip(&scenario.flows).map(receive).collect();
            let hosts = Hosts { senders, receivers, clock, end, over };
            let ends = hosts.carry_all(scope, scenario, servers, names);
            let records = {
                // set even if the traces cannot be read
                let _over = SetAtEnd(over);
                read_traces(traces, Completion::awaited(scenario), over, stop)
            };
            let routed = routing.join().unwrap_or_else(died)?;
            let end = |end: ScopedJoinHandle<'_, _>| end.join().unwrap_or_else(|_| Err(Error("a sender died".into())));
            let fetched = ends.into_iter().map(end).collect::<Result<Vec<_>, _>>()?;
            // a receiver that died, or lost its connection, has no count
            let in_order = receiving.into_iter().map(|receiver| receiver.join().ok()?.ok()).collect();
            Ok((clock, routed, records?, Ends { fetched, in_order }))
        })
    }
}

/// The congestion control of a flow.
enum Control {
    /// The core's copy in the kernel.
    Ours(Choice),
    /// One of the kernel's own.
    Kernels(Kernels),
    /// By QUIC, in a program.
    Quic,
}

impl Control {
    fn of_flows(scenario: &Scenario, kernels_own: bool) -> Result<Vec<Self>, Error> {
        let control = |(flow, spec): (usize, &FlowSpec)| {
            if spec.transport == Transport::Quic {
                return Ok(Control::Quic);
            }
            match if kernels_own { Kernels::of_flow(flow, spec)? } else { None } {
                Some(kernels) => Ok(Control::Kernels(kernels)),
                None => Choice::of_flow(spec).map(Control::Ours),
            }
        };
        scenario.flows.iter().enumerate().map(control).collect()
    }

    fn ours(&self) -> Option<Choice> {
        match self {
            Control::Ours(choice) => Some(choice.clone()),
            Control::Kernels(_) | Control::Quic => None,
        }
    }

    fn kernels(&self) -> Option<&Kernels> {
        match self {
            Control::Kernels(kernels) => Some(kernels),
            Control::Ours(_) | Control::Quic => None,
        }
    }
}

/// Returns the name for `TCP_CONGESTION` of each flow, of which `ours` has those of the core's copies in their order.
fn names(controls: &[Control], ours: &[String]) -> Vec<String> {
    let mut ours = ours.iter();
    let name = |control: &Control| match control {
        Control::Ours(_) => ours.next().cloned().unwrap_or_default(),
        Control::Kernels(kernels) => kernels.name.clone(),
        Control::Quic => String::new(),
    };
    controls.iter().map(name).collect()
}

/// Observes the flows of the kernel's own congestion controls, if there are any.
fn observer(controls: &[Control]) -> Result<Option<Observer>, Error> {
    let by: Vec<_> = controls.iter().map(|control| control.kernels().map(|kernels| By::of(&kernels.name))).collect();
    by.iter().any(Option::is_some).then(|| Observer::attach(&by)).transpose()
}

/// Starts the senders of the flows by QUIC.
fn servers(scenario: &Scenario, senders: &Namespace) -> Result<Vec<Option<Server>>, Error> {
    let server = |(flow, spec): (usize, &FlowSpec)| {
        (spec.transport == Transport::Quic).then(|| Server::start(flow, spec, senders)).transpose()
    };
    scenario.flows.iter().enumerate().map(server).collect()
}

/// Where and when the flows of a run are carried.
#[derive(Clone, Copy)]
struct Hosts<'a> {
    senders: &'a Namespace,
    receivers: &'a Namespace,
    clock: Clock,
    end: Time,
    over: &'a AtomicBool,
}

impl<'scope> Hosts<'scope> {
    /// Carries each flow to its end, by a thread of its own.
    fn carry_all(
        self,
        scope: &'scope Scope<'scope, '_>,
        scenario: &'scope Scenario,
        servers: &'scope [Option<Server>],
        names: &'scope [String],
    ) -> Vec<ScopedJoinHandle<'scope, Result<Option<Fetched>, Error>>> {
        let carry =
            |(flow, ((spec, server), name)): (usize, ((&'scope FlowSpec, &'scope Option<Server>), &'scope String))| {
                scope.spawn(move || self.carry(flow, spec, server.as_ref(), name))
            };
        scenario.flows.iter().zip(servers).zip(names).enumerate().map(carry).collect()
    }

    /// Carries a flow to its end: by QUIC if it has a server, else by the congestion control of this name.
    fn carry(
        self,
        flow: usize,
        spec: &FlowSpec,
        server: Option<&Server>,
        name: &str,
    ) -> Result<Option<Fetched>, Error> {
        let Hosts { clock, end, over, .. } = self;
        let Some(server) = server else {
            self.senders.enter()?;
            endpoints::send(&sender(flow, spec, name, end), clock, end, over)?;
            return Ok(None);
        };
        self.receivers.enter()?;
        if !endpoints::wait_until(spec.start, clock, over) {
            return Ok(None);
        }
        let longest = spec.stop.unwrap_or(end).min(end).since(clock.now());
        server.fetch(flow, spec, longest, over)
    }
}

struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn check(scenario: &Scenario) -> Result<(), Error> {
    if scenario.flows.len() > FLOWS_MAX {
        return Err(Error(format!("flow: {} flows; at most {FLOWS_MAX} run on one machine", scenario.flows.len())));
    }
    let differs = |of: fn(&FlowSpec) -> bool| scenario.flows.iter().position(|spec| of(spec) != of(&scenario.flows[0]));
    if let Some(flow) = differs(|spec| spec.host.options.sack) {
        return Err(Error(format!("flow.{flow}.host.sack: the kernel's flows here all have SACK, or none; write one")));
    }
    if let Some(flow) = scenario.flows.iter().position(|spec| !spec.application.is_empty()) {
        return Err(Error(format!("flow.{flow}.application: the kernel's flows here send bulk data; leave it out")));
    }
    if let Some(flow) = scenario.flows.iter().position(|spec| spec.host.misbehaves.is_some()) {
        return Err(Error(format!("flow.{flow}.receiver: the kernel's receivers keep the rules; leave it out")));
    }
    for (flow, spec) in scenario.flows.iter().enumerate().filter(|(_, spec)| spec.transport == Transport::Quic) {
        quic::check(&format!("flow.{flow}"), spec)?;
        if scenario.until_complete {
            return Err(Error(format!(
                "until_complete: flow.{flow} is by QUIC, which the run cannot wait for; give a duration"
            )));
        }
    }
    Ok(())
}

/// Whether the receiver tunes its window; a constant one is so large that it never limits the sender.
fn has_tuned_window(spec: &FlowSpec) -> bool {
    matches!(spec.host.receive_window, ReceiveWindow::Linux { .. })
}

/// Loads the programs of RoVegas's option, if a flow asks routers.
fn option_of(choices: &[Choice]) -> Result<Option<Programs>, Error> {
    let asks = choices.iter().any(|choice| choice.composition.signal.needs_routers());
    asks.then(|| Programs::load(TUN_HEADER_BYTES, None)).transpose()
}

/// Attaches the programs to the devices of these hosts.
fn attach(option: &Programs, hosts: [Option<&Namespace>; 2]) -> Result<Vec<[Link; 2]>, Error> {
    let attach = |host: &Namespace| host.within(|| option.attach(&Device::find(DEVICE)?));
    hosts.into_iter().flatten().map(attach).collect()
}

/// The link header of a TUN device, bytes: it has none.
const TUN_HEADER_BYTES: u32 = 0;

fn connect(scenario: &Scenario, controls: &[Control], senders: &Namespace, receivers: &Namespace) -> Result<(), Error> {
    for (flow, (spec, control)) in scenario.flows.iter().zip(controls).enumerate() {
        let (near, far) = (*addresses::sender(flow).ip(), *addresses::receiver(flow).ip());
        // the core's copies set theirs themselves
        let first_window = control.kernels().map(|kernels| kernels.initial_window);
        senders.connect(near, far, spec, first_window)?;
        receivers.connect(far, near, spec, None)?;
    }
    Ok(())
}

fn sender(flow: usize, spec: &FlowSpec, kernel_name: &str, end: Time) -> Sender {
    Sender {
        flow,
        kernel_name: kernel_name.into(),
        start: spec.start,
        stop: spec.stop.unwrap_or(end).min(end),
        size: spec.size,
        payload: (spec.packet.get() - spec.header.get()) as usize,
    }
}

/// Reads the traces until the run is over, and ends it when all flows have completed or `stop` is set.
fn read_traces(
    traces: &[Trace<'_>],
    mut awaited: Option<Completion>,
    over: &AtomicBool,
    stop: &AtomicBool,
) -> Result<Vec<Record>, Error> {
    // piece by piece: a long list that grows is moved, and the router waits for that
    let mut pieces = Vec::new();
    while !over.load(Ordering::Relaxed) {
        if traces.is_empty() {
            pause(NAP);
        }
        for trace in traces {
            let piece = trace.next(NAP)?;
            if let Some(completion) = &mut awaited {
                piece.iter().for_each(|record| completion.note(record));
            }
            pieces.push(piece);
        }
        if stop.load(Ordering::Relaxed) || awaited.as_ref().is_some_and(Completion::is_reached) {
            break;
        }
    }
    over.store(true, Ordering::Relaxed);
    pause(LAST_RECORDS);
    for trace in traces {
        pieces.push(trace.next(Duration::ZERO)?);
    }
    let mut records = pieces.concat();
    records.sort_by_key(|record| record.event.now_ns);
    Ok(records)
}

/// What the ends of the flows report when the run is over.
struct Ends {
    fetched: Vec<Option<Fetched>>,
    in_order: Vec<Option<u64>>,
}

fn outcome(scenario: &Scenario, clock: Clock, routed: Routed, ends: Ends, records: &[Record]) -> Outcome {
    let end = routed.end;
    let mut flows = vec![FlowRecord::default(); scenario.flows.len()];
    flows.iter_mut().zip(ends.fetched).for_each(|(flow, fetched)| flow.set_fetched(fetched));
    flows.iter_mut().zip(ends.in_order).for_each(|(flow, bytes)| flow.set_in_order(bytes));
    for record in records {
        let flow = addresses::flow_of_port(record.local_port).and_then(|flow| flows.get_mut(flow));
        if let Some(flow) = flow.filter(|_| clock.at(record.event.now_ns) <= end) {
            flow.push(clock, *record);
        }
    }
    for delivery in &routed.delivered {
        flows[delivery.flow as usize].push_delivery(delivery);
    }
    let mut outcome = routed.outcome;
    outcome.flows = flows.iter().zip(&scenario.flows).map(|(flow, spec)| flow.outcome(spec, end)).collect();
    outcome.flow_series = flow_series(&flows, scenario, end);
    let own = flows.iter().zip(&scenario.flows).enumerate();
    let own = own.flat_map(|(flow, (record, spec))| record.incidents(flow as u32, spec));
    outcome.incidents.extend(own);
    outcome.incidents.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    outcome.delivered_packets += routed.delivered.len() as u64;
    outcome
}
