//! A scenario with real sockets: endpoints in two namespaces, the simulator's network between them in real time.
//!
//! All that a run makes (namespaces, devices, congestion controls, sockets) belongs to this process and has no name
//! that outlives it: however the run ends, nothing is left.

mod completion;
mod endpoints;
mod quic;
pub mod recording;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

use libbpf_rs::Link;
use serde_json::{Value, json};
use vegas_core::units::Time;
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{FlowSpec, Scenario, Transport};

use crate::Error;
use crate::choice::Choice;
use crate::clock::{Clock, pause};
use crate::kernel::option::{Device, Programs};
use crate::kernel::records::Record;
use crate::kernel::trace::Trace;
use crate::machine::own::Own;
use crate::network::addresses::{self, FLOWS_MAX, RECEIVERS, SENDERS};
use crate::network::lateness::Lateness;
use crate::network::namespace::{DEVICE, Namespace};
use crate::network::processors::Processors;
use crate::network::router::{Routed, Router};
use completion::Completion;
use endpoints::Sender;
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
    /// Each flow's algorithm in the kernel; `None` for a flow by QUIC.
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

/// Carries the scenario out, in real time. The run ends with the scenario's duration, or when all flows have completed
/// if the scenario says so. `stop` ends it early, without a result.
pub fn run(scenario: &Scenario, stop: &AtomicBool) -> Result<Run, Error> {
    run_to(scenario, Receivers::Echo, stop)
}

/// Like [`run`], with receivers of this kind.
pub fn run_to(scenario: &Scenario, echo: Receivers, stop: &AtomicBool) -> Result<Run, Error> {
    check(scenario)?;
    let has_programs = scenario.flows.iter().any(|flow| flow.transport == Transport::Quic);
    let processors = Processors::ours()?.beside_programs(has_programs);
    let _elsewhere = processors.leave_to_router()?;
    let choices = scenario.flows.iter().map(choice).collect::<Result<Vec<_>, _>>()?;
    let by_tcp: Vec<Choice> = choices.iter().flatten().cloned().collect();
    let option = option_of(&by_tcp)?;
    let feedback = option.as_ref().map(Programs::feedback).transpose()?;
    let algorithms = Own::register(&by_tcp, feedback.as_ref())?;
    let (senders, senders_device) = Namespace::new(RECEIVERS)?;
    let (receivers, receivers_device) = Namespace::new(SENDERS)?;
    connect(scenario, &senders, &receivers)?;
    let carriers = [Some(&senders), (echo == Receivers::Echo).then_some(&receivers)];
    let _attached = option.as_ref().map(|option| attach(option, carriers)).transpose()?;
    let listeners =
        receivers.within(|| (0..scenario.flows.len()).map(endpoints::listen).collect::<Result<Vec<_>, _>>())?;
    let servers = servers(scenario, &senders)?;
    let traces = algorithms.traces()?;
    let end = Time::ZERO + scenario.duration;
    let router = Router::new(&quic::as_carried(scenario), senders_device, receivers_device);
    let over = AtomicBool::new(false);

    let (clock, routed, records, fetched) = thread::scope(|scope| {
        let (over, senders, receivers, processors) = (&over, &senders, &receivers, &processors);
        let (ready, started) = mpsc::channel();
        let routing = scope.spawn(move || {
            // set even if the router dies
            let _over = SetAtEnd(over);
            router.run(processors, over, &ready)
        });
        let died = |_| Err(Error("the router died".into()));
        let Ok(clock) = started.recv() else {
            return Err(routing.join().unwrap_or_else(died).err().unwrap_or(Error("the router did not start".into())));
        };
        for listener in &listeners {
            scope.spawn(move || endpoints::receive(listener, over));
        }
        let hosts = Hosts { senders, receivers, clock, end, over };
        let ends = hosts.carry_all(scope, scenario, &servers, &algorithms.names);
        let records = {
            // set even if the traces cannot be read
            let _over = SetAtEnd(over);
            read_traces(&traces, Completion::awaited(scenario), over, stop)
        };
        let routed = routing.join().unwrap_or_else(died)?;
        let end = |end: ScopedJoinHandle<'_, _>| end.join().unwrap_or_else(|_| Err(Error("a sender died".into())));
        let fetched = ends.into_iter().map(end).collect::<Result<Vec<_>, _>>()?;
        Ok((clock, routed, records?, fetched))
    })?;
    if stop.load(Ordering::Relaxed) {
        return Err(Error("stopped".into()));
    }
    algorithms.check_complete()?;
    let (lateness, packets_refused) = (routed.lateness, routed.refused);
    let by_quic = servers.into_iter().enumerate().filter_map(|(flow, server)| Some(server?.finish(flow)));
    let told: Vec<Record> = records.iter().copied().chain(by_quic.flatten()).collect();
    let outcome = outcome(scenario, clock, routed, fetched, &told);
    Ok(Run { outcome, lateness, packets_refused, records, algorithms: choices })
}

/// Returns the flow's algorithm in the kernel; `None` if the kernel does not carry the flow.
fn choice(spec: &FlowSpec) -> Result<Option<Choice>, Error> {
    (spec.transport == Transport::Tcp).then(|| Choice::of_flow(spec)).transpose()
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
        // the kernel's algorithms have the order of the flows by TCP
        let mut names = names.iter();
        let carry = |(flow, (spec, server)): (usize, (&'scope FlowSpec, &'scope Option<Server>))| {
            let name = if server.is_some() { "" } else { names.next().map(String::as_str).unwrap_or_default() };
            scope.spawn(move || self.carry(flow, spec, server.as_ref(), name))
        };
        scenario.flows.iter().zip(servers).enumerate().map(carry).collect()
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
    if let Some(flow) = scenario.flows.iter().position(|spec| !spec.host.sack) {
        return Err(Error(format!("flow.{flow}.host.sack: the kernel's flows here all have SACK; leave it out")));
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

fn connect(scenario: &Scenario, senders: &Namespace, receivers: &Namespace) -> Result<(), Error> {
    for (flow, spec) in scenario.flows.iter().enumerate() {
        let (near, far) = (addresses::sender(flow).ip().to_string(), addresses::receiver(flow).ip().to_string());
        senders.connect(&near, &far, spec)?;
        receivers.connect(&far, &near, spec)?;
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
        payload: spec.packet.get().saturating_sub(TCP_IP_HEADERS).max(1) as usize,
    }
}

/// The IPv4 and TCP headers without options, bytes; timestamps are off.
const TCP_IP_HEADERS: u64 = 40;

/// Reads the traces until the run is over, and ends it when all flows have completed or `stop` is set.
fn read_traces(
    traces: &[Trace<'_>],
    mut awaited: Option<Completion>,
    over: &AtomicBool,
    stop: &AtomicBool,
) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let known = records.len();
        if traces.is_empty() {
            pause(NAP);
        }
        for trace in traces {
            records.extend(trace.next(NAP)?);
        }
        if let Some(completion) = &mut awaited {
            records[known..].iter().for_each(|record| completion.note(record));
        }
        if stop.load(Ordering::Relaxed) || awaited.as_ref().is_some_and(Completion::is_reached) {
            break;
        }
    }
    over.store(true, Ordering::Relaxed);
    pause(LAST_RECORDS);
    for trace in traces {
        records.extend(trace.next(Duration::ZERO)?);
    }
    records.sort_by_key(|record| record.event.now_ns);
    Ok(records)
}

fn outcome(
    scenario: &Scenario,
    clock: Clock,
    routed: Routed,
    fetched: Vec<Option<Fetched>>,
    records: &[Record],
) -> Outcome {
    let end = routed.end;
    let mut flows = vec![FlowRecord::default(); scenario.flows.len()];
    flows.iter_mut().zip(fetched).for_each(|(flow, fetched)| flow.set_fetched(fetched));
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
