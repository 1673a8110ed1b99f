//! QUIC flows of a run: each end is a process of the program behind `vegaslab quic`, in the namespaces of the run.
//!
//! The flow's sender is the server, which sends what the client asks for. It prints each event and output of its
//! algorithm; these lines become the records that TCP flows have from the kernel.

use std::env;
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;
use vegas_core::registry;
use vegas_core::units::{Bytes, Span, Window};
use vegas_sim::scenario::{FlowSpec, Scenario, Transport};

use crate::Error;
use crate::abi::{Decision, EVENT_ACK, EVENT_ECN, EVENT_START, EVENT_TIMEOUT, Event, NONE_U32};
use crate::clock::pause;
use crate::clock::real_and_monotonic_ns;
use crate::kernel::records::Record;
use crate::network::addresses;
use crate::network::namespace::Namespace;

const PROGRAM: &str = "vegaslab-quic";
/// The UDP and IPv4 headers, bytes.
const HEADERS: u64 = 28;
/// The interval between checks whether a client has ended, and the number of checks that follow the end of the run.
const NAP: Duration = Duration::from_millis(20);
const GRACE_NAPS: u32 = 100;
/// The request of a flow without a size, bytes: more than any run carries.
const ENDLESS_BYTES: u64 = 1 << 40;
/// The client's own limit, seconds: longer than any run, so that the run ends it first.
const ENDLESS_SECONDS: u64 = 1 << 31;

/// The client's report of its transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fetched {
    /// The payload received, bytes.
    pub(crate) bytes: u64,
    /// The time from the client's first packet to the last byte; `None` for a transfer that was cut short.
    pub(crate) completion: Option<Span>,
    /// The time from the client's first packet until the connection was lost; `None` if it was not lost.
    pub(crate) lost: Option<Span>,
}

/// Checks that real sockets can carry a flow by QUIC.
pub(crate) fn check(key: &str, spec: &FlowSpec) -> Result<(), Error> {
    if !spec.host.delayed_ack.is_none() {
        return Err(Error(format!("{key}.delayed_ack: over the router QUIC acknowledges every packet; leave it out")));
    }
    preset_of(spec).map(|_| ()).ok_or_else(|| {
        Error(format!("{key}.algorithm: over the router QUIC takes a preset with numbers of one's own, not parts"))
    })
}

/// Returns the scenario with its QUIC flows as TCP flows: the router carries packets of any protocol.
pub(crate) fn as_carried(scenario: &Scenario) -> Scenario {
    let mut carried = scenario.clone();
    carried.flows.iter_mut().for_each(|flow| flow.transport = Transport::Tcp);
    carried
}

/// The sending end of a flow, which waits for its client. The process ends when this value is dropped.
pub(crate) struct Server {
    process: Child,
    /// The standard input of the program, which ends when this is closed.
    input: Option<ChildStdin>,
    address: String,
    fingerprint: String,
    trace: Option<JoinHandle<Vec<String>>>,
}

impl Server {
    /// Starts the server in the senders' namespace.
    pub(crate) fn start(flow: usize, spec: &FlowSpec, senders: &Namespace) -> Result<Self, Error> {
        let mut process = senders.within(|| spawn(&mut serving(flow, spec)?))?;
        let output = process.stdout.take().ok_or_else(|| Error::new(PROGRAM, "has no output"))?;
        let mut lines = BufReader::new(output).lines();
        let first = lines.next().and_then(Result::ok).unwrap_or_default();
        let Some((address, fingerprint)) = first.split_once(' ') else {
            return Err(Error::new(PROGRAM, complaint(&mut process)));
        };
        Ok(Server {
            input: process.stdin.take(),
            process,
            address: address.into(),
            fingerprint: fingerprint.into(),
            trace: Some(thread::spawn(move || lines.map_while(Result::ok).collect())),
        })
    }

    /// Fetches from the server for at most `longest`; this thread is in the receivers' namespace. Returns `None` if
    /// `over` was set before the client reported.
    pub(crate) fn fetch(
        &self,
        flow: usize,
        spec: &FlowSpec,
        longest: Span,
        over: &AtomicBool,
    ) -> Result<Option<Fetched>, Error> {
        let mut command = Command::new(program()?);
        let bytes = spec.size.map_or(ENDLESS_BYTES, Bytes::get).to_string();
        let name = preset_of(spec).unwrap_or_default();
        let seconds = (longest.as_nanos() as f64 / 1e9).to_string();
        command.args(["fetch", &self.address, &bytes, "--algorithm", name, "--fingerprint", &self.fingerprint]);
        command.args(["--for", &seconds, "--max-seconds", &ENDLESS_SECONDS.to_string()]).args(path_options(spec));
        let mut process = spawn(&mut command)?;
        let was_cut_short = wait(&mut process, over)?;
        let last = process.stdout.take().and_then(|output| BufReader::new(output).lines().map_while(Result::ok).last());
        match last.as_deref().and_then(fetched) {
            None if !was_cut_short => Err(Error(format!("flow.{flow}: {}", complaint(&mut process)))),
            fetched => Ok(fetched),
        }
    }

    /// Ends the server; returns the events and outputs of its algorithm, by the machine's monotonic clock.
    pub(crate) fn finish(mut self, flow: usize) -> Vec<Record> {
        drop(self.input.take());
        let lines = self.trace.take().and_then(|trace| trace.join().ok()).unwrap_or_default();
        let (real_ns, monotonic_ns) = real_and_monotonic_ns();
        let monotonic = |unix_ns: u64| (monotonic_ns + unix_ns).saturating_sub(real_ns);
        // a line that the end cut short is no record
        lines.iter().filter_map(|line| record(flow, line, monotonic)).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.wait();
    }
}

fn serving(flow: usize, spec: &FlowSpec) -> Result<Command, Error> {
    let mut command = Command::new(program()?);
    let parameters = &spec.parameters;
    let numbers = [
        ("alpha", Some(parameters.alpha)),
        ("beta", Some(parameters.beta)),
        ("gamma", Some(parameters.gamma)),
        ("initial_window", Some(parameters.initial_window)),
        ("restart_window", Some(parameters.restart_window)),
        ("ssthresh", parameters.ssthresh),
        ("max_window", Some(parameters.max_window)),
    ];
    command.args(["serve", "--trace", "--listen", &addresses::sender(flow).to_string()]);
    command.args(["--max-bytes", &ENDLESS_BYTES.to_string(), "--max-seconds", &ENDLESS_SECONDS.to_string()]);
    command.args(path_options(spec));
    for (key, segments) in numbers {
        if let Some(segments) = segments {
            command.args(["--set", &format!("{key}={}", segments.0)]);
        }
    }
    Ok(command)
}

fn path_options(spec: &FlowSpec) -> [String; 3] {
    ["--tied".into(), "--udp-payload".into(), spec.packet.get().saturating_sub(HEADERS).to_string()]
}

/// Returns the preset with the flow's parts as QUIC carries them; the preset that the flow names is preferred.
fn preset_of(spec: &FlowSpec) -> Option<&'static str> {
    let is_it = |preset: &&registry::Preset| {
        preset.standalone == spec.standalone && preset.composition.left_to_quic() == spec.composition
    };
    let named = registry::preset(&spec.algorithm).filter(is_it);
    named.or_else(|| registry::PRESETS.iter().find(is_it)).map(|preset| preset.name)
}

/// Finds the program beside this one, or in PATH.
fn program() -> Result<PathBuf, Error> {
    let beside = env::current_exe().ok().and_then(|own| own.parent().map(|folder| folder.to_path_buf()));
    let path = env::var_os("PATH").unwrap_or_default();
    let places = beside.into_iter().chain(env::split_paths(&path));
    let found = places.map(|folder| folder.join(PROGRAM)).find(|file| file.is_file());
    found.ok_or_else(|| Error(format!("{PROGRAM} is not built, which flows by QUIC need: make quic")))
}

fn spawn(command: &mut Command) -> Result<Child, Error> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| Error::new(PROGRAM, error))
}

/// Waits for a process to end, and ends it soon after `over` is set; returns whether that cut it short.
fn wait(process: &mut Child, over: &AtomicBool) -> Result<bool, Error> {
    let mut naps_left = GRACE_NAPS;
    while process.try_wait().map_err(|error| Error::new(PROGRAM, error))?.is_none() {
        naps_left -= u32::from(over.load(Ordering::Relaxed));
        if naps_left == 0 {
            drop(process.stdin.take());
            let _ = process.wait();
            return Ok(true);
        }
        pause(NAP);
    }
    Ok(false)
}

/// Returns the reason for which a process ended: its last line of standard error.
fn complaint(process: &mut Child) -> String {
    let said: Option<Lines<_>> = process.stderr.take().map(|errors| BufReader::new(errors).lines());
    let last = said.and_then(|lines| lines.map_while(Result::ok).last());
    let _ = process.wait();
    last.unwrap_or_else(|| format!("{PROGRAM} ended early"))
}

/// Parses the client's last line.
fn fetched(line: &str) -> Option<Fetched> {
    let done: Value = serde_json::from_str(line).ok()?;
    let span = |seconds: f64| Span::from_nanos((seconds * 1e9) as u64);
    let lost = done.get("lost").and_then(|_| done.get("elapsed_s")?.as_f64());
    Some(Fetched {
        bytes: done.get("bytes")?.as_u64()?,
        completion: done.get("completion_s")?.as_f64().map(span),
        lost: lost.map(span),
    })
}

/// Parses a line of the server's: connection, unix_ns, event, cwnd_segments, ssthresh_segments, in_flight_segments,
/// rtt_ns, base_rtt_ns, diff_segments, slow_start, acked_bytes, sent_packets, lost_packets. Returns `None` for the
/// header line.
fn record(flow: usize, line: &str, monotonic: impl Fn(u64) -> u64) -> Option<Record> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[_, unix_ns, event, cwnd, ssthresh, in_flight, rtt, base, diff, slow_start, acked, sent, lost] = &fields[..]
    else {
        return None;
    };
    let or_zero = |field: &str| if field.is_empty() { Some(0) } else { field.parse().ok() };
    let event = Event {
        now_ns: monotonic(unix_ns.parse().ok()?),
        rtt_ns: or_zero(rtt)?,
        in_flight: in_flight.parse().ok()?,
        kind: kind(event)?,
        ..Event::default()
    };
    let cwnd: f64 = cwnd.parse().ok()?;
    let decision = Decision {
        window_raw: (cwnd * Window::ONE.as_raw() as f64) as u64,
        base_rtt_ns: or_zero(base)?,
        ssthresh: ssthresh.parse().unwrap_or(NONE_U32),
        diff: diff.parse().unwrap_or(i32::MIN),
        slow_start: slow_start.parse().ok()?,
        ..Decision::default()
    };
    Some(Record {
        event,
        decision,
        bytes_acked: acked.parse().ok()?,
        snd_cwnd: cwnd as u32,
        segments_sent: sent.parse().ok()?,
        segments_retransmitted: lost.parse().ok()?,
        local_port: addresses::sender(flow).port().into(),
        ..Record::default()
    })
}

/// Returns the kind of a record. A loss counts as an acknowledgement, because QUIC repairs losses beside the algorithm
/// and the phase stays what it is.
fn kind(event: &str) -> Option<u32> {
    match event {
        "start" => Some(EVENT_START),
        "ack" | "loss" => Some(EVENT_ACK),
        "persistent-congestion" => Some(EVENT_TIMEOUT),
        "mark" => Some(EVENT_ECN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_records() {
        let line = "1,1700000000000000500,ack,12.5,,11,100000000,99000000,2,1,17000,13,0";
        let record = record(3, line, |unix_ns| unix_ns - 1_700_000_000_000_000_000).unwrap();
        assert_eq!((record.event.now_ns, record.event.rtt_ns, record.event.in_flight), (500, 100_000_000, 11));
        assert_eq!(record.decision.window_raw, Window::ONE.as_raw() * 25 / 2);
        assert_eq!((record.decision.ssthresh, record.decision.diff), (NONE_U32, 2));
        assert_eq!((record.bytes_acked, record.segments_sent), (17_000, 13));
        assert_eq!(addresses::flow_of_port(record.local_port), Some(3));
    }

    #[test]
    fn what_is_no_line_is_left() {
        let whole = "1,5,start,10,,0,,,,1,0,0,0";
        assert!(record(0, whole, |ns| ns).is_some());
        assert!((0..whole.len()).all(|end| record(0, &whole[..end], |ns| ns).is_none()));
        assert!(record(0, "connection,unix_ns,event", |ns| ns).is_none());
    }

    #[test]
    fn what_a_client_says_is_read() {
        let line = r#"{"bytes":5,"completion_s":0.25,"elapsed_s":0.25,"sender":{}}"#;
        assert_eq!(fetched(line), Some(Fetched { bytes: 5, completion: Some(Span::from_millis(250)), lost: None }));
        let cut_short = r#"{"bytes":5,"completion_s":null,"elapsed_s":0.5}"#;
        assert_eq!(fetched(cut_short), Some(Fetched { bytes: 5, completion: None, lost: None }));
        let lost = r#"{"bytes":5,"completion_s":null,"elapsed_s":0.5,"lost":"timed out"}"#;
        assert_eq!(fetched(lost), Some(Fetched { bytes: 5, completion: None, lost: Some(Span::from_millis(500)) }));
        assert_eq!(fetched(r#"{"received_bytes":5}"#), None);
    }
}
