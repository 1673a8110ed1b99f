//! A file, from its recognition to its tables.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;

use serde::Serialize;
use vegas_core::registry;
use vegas_results::sha256;

use crate::capture::packet::Transport;
use crate::capture::{CaptureKind, Contents, link_name, read_packets};
use crate::datagrams::Exchanges;
use crate::error::{MeasuredError, Read};
use crate::identify::{self, Identified};
use crate::kind::Kind;
use crate::logs::{csv, iperf3, link_log, qlog, ss, tcp_probe};
use crate::path::{self, Path as PathReport, Subject};
use crate::source::{Attend, Source};
use crate::tables::rows::Flow;
use crate::tables::{FLOWS_MAX, Recorded, Recorder};
use crate::tcp::sender::log::Log;
use crate::tcp::{Connection, Connections, Totals};

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The step of the time series, ns.
    pub step_ns: i64,
    /// Which flow's path is worked out.
    pub path: PathOf,
}

/// The flow of which the path is worked out; only captures show one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathOf {
    /// That of the flow that delivered most.
    #[default]
    Largest,
    /// That of the flow of this number.
    Flow(u32),
    /// None.
    Nothing,
}

impl Default for Options {
    fn default() -> Self {
        Options { step_ns: 10_000_000, path: PathOf::Largest }
    }
}

/// What a file held, in short.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The file's name.
    pub file: String,
    /// What it was taken for.
    pub taken_for: String,
    /// The beginning of the measurement, s since 1970, or since what the log counts from.
    pub began_s: Option<f64>,
    /// How long it lasted, s.
    pub duration_s: f64,
    /// The number of flows.
    pub flows: usize,
    /// The number of links.
    pub links: usize,
    /// The number of round-trip samples of a capture.
    pub rtt_samples: u64,
    /// What is odd about it, a line each.
    pub odd: Vec<String>,
    /// The path that a capture shows.
    pub path: Option<PathReport>,
}

/// Reads a file of any kind that is known, and writes its tables into `folder`; without one it only reads.
///
/// # Errors
/// One line: the file is damaged, or of no known kind, or a table cannot be written; or `attend` has stopped the work.
pub fn read(path: &Path, folder: Option<&Path>, options: Options, attend: Attend<'_>) -> Read<Report> {
    let source = Source::open(path)?;
    let head = source.head()?;
    let kind = Kind::of(&source.name, &head)?;
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}');
    let mut recorder = Recorder::new(folder, options.step_ns)?;
    let mut taken_for = kind.name().to_owned();
    let recorder_ref = &mut recorder;
    match kind {
        Kind::Capture(_) => taken_for = read_capture(&source, kind, &mut *attend, recorder_ref)?,
        Kind::Ss => ss::read(&source, &mut *attend, recorder_ref)?,
        Kind::Iperf3 => iperf3::read(&source, text, &mut *attend, recorder_ref)?,
        Kind::Qlog => qlog::read(&source, text, &mut *attend, recorder_ref)?,
        Kind::TcpProbe => tcp_probe::read(&source, &mut *attend, recorder_ref)?,
        Kind::LinkLog => link_log::read(&source, &mut *attend, recorder_ref)?,
        Kind::Csv => csv::read(&source, text, &mut *attend, recorder_ref)?,
    }
    if source.is_stopped() {
        return Err(MeasuredError::Stopped);
    }
    if recorder.flow_count() as usize > FLOWS_MAX {
        let (all, most) = (recorder.flow_count(), FLOWS_MAX);
        recorder.odd(format!("{all} flows, of which the first {most} are listed"));
    }
    let mut recorded = recorder.close()?;
    let path = match kind {
        Kind::Capture(capture) => path_of(&source, capture, options, &mut recorded, attend)?,
        _ => None,
    };
    let written = match (folder, &path) {
        (Some(folder), Some(path)) => write_path(folder, path)?,
        _ => BTreeMap::new(),
    };
    let report = Report {
        file: source.name.clone(),
        taken_for,
        began_s: recorded.origin.map(|origin| origin as f64 / 1e9),
        duration_s: recorded.duration_s,
        flows: recorded.flows.len(),
        links: recorded.links.len(),
        rtt_samples: recorded.samples,
        odd: recorded.odd,
        path,
    };
    if let Some(folder) = folder {
        write_manifest(&folder.join(MANIFEST), &report, &written)?;
    }
    Ok(report)
}

/// Works out the path of the flow that is asked for: reads the capture once more, for that flow's packets alone.
fn path_of(
    source: &Source,
    kind: CaptureKind,
    options: Options,
    recorded: &mut Recorded,
    attend: Attend<'_>,
) -> Read<Option<PathReport>> {
    let origin = recorded.origin.unwrap_or(0);
    let Some(flow) = chosen(&source.name, options.path, &recorded.flows)? else { return Ok(None) };
    let name = file_stem(&source.name);
    let found = log_of(source, kind, flow, origin, attend)?.and_then(|(log, first_at)| {
        path::find(&Subject { flow, log: &log, name: &name, file: &source.name, origin, first_at })
    });
    if found.is_none() {
        let (id, least) = (flow.id, path::SAMPLES_LEAST);
        let why = format!("it has fewer than {least} round-trip samples");
        recorded.odd.push(format!("flow {id}: its path cannot be worked out, as {why}"));
    }
    Ok(found)
}

/// Returns the flow that is asked for.
fn chosen<'a>(name: &str, which: PathOf, flows: &'a [Flow]) -> Read<Option<&'a Flow>> {
    let mut tcp = flows.iter().filter(|flow| flow.transport == "tcp");
    match which {
        PathOf::Nothing => Ok(None),
        PathOf::Largest => Ok(tcp.max_by_key(|flow| flow.delivered_bytes)),
        PathOf::Flow(id) => {
            let unknown = || format!("{name}: has no flow {id} of TCP; its flows are in flows.parquet");
            tcp.find(|flow| flow.id == id).map(Some).ok_or_else(|| MeasuredError::Input(unknown()))
        }
    }
}

/// Tells which of these congestion controls, by the presets' names, explains a flow of a capture best.
///
/// # Errors
/// One line, as [`read`] has; also for a file that is no capture, and for a flow that shows its window too seldom.
pub fn identify(path: &Path, which: PathOf, names: &[String], attend: Attend<'_>) -> Read<Identified> {
    let source = Source::open(path)?;
    let refused = |why: &str| MeasuredError::Input(format!("{}: {why}", source.name));
    if let Some(unknown) = names.iter().find(|name| registry::preset(name).is_none()) {
        return Err(MeasuredError::Input(format!("{unknown:?} is no preset; vegaslab list algorithms names them")));
    }
    let kind = Kind::of(&source.name, &source.head()?)?;
    let Kind::Capture(capture) = kind else {
        return Err(refused("is no capture; give packets, as tcpdump -s 96 -w FILE writes them"));
    };
    let mut recorder = Recorder::new(None, i64::MAX / 4)?;
    read_capture(&source, kind, &mut *attend, &mut recorder)?;
    let recorded = recorder.close()?;
    let no_flow = || refused("has no flow of TCP with data");
    let flow = chosen(&source.name, which, &recorded.flows)?.ok_or_else(no_flow)?;
    if flow.capture_point == Some("receiver") {
        return Err(refused("was captured at the receiver, which does not show departures; give one of the sender"));
    }
    let origin = recorded.origin.unwrap_or(0);
    let (log, _) = log_of(&source, capture, flow, origin, attend)?.ok_or_else(no_flow)?;
    let identified = identify::identify(flow, &log, origin, names);
    if identified.points < identify::POINTS_LEAST {
        let (id, points, least) = (flow.id, identified.points, identify::POINTS_LEAST);
        return Err(refused(&format!("flow {id} shows its window {points} times, of {least} that are needed")));
    }
    Ok(identified)
}

/// Returns the departures and acknowledgements of a flow, and when its first data was seen.
fn log_of(
    source: &Source,
    kind: CaptureKind,
    flow: &Flow,
    origin: i64,
    attend: Attend<'_>,
) -> Read<Option<(Log, i64)>> {
    let Some((from, to)) = flow.connection.split_once(" -> ") else { return Ok(None) };
    let (Ok(from), Ok(to)) = (from.parse::<SocketAddr>(), to.parse::<SocketAddr>()) else { return Ok(None) };
    let mut recorder = Recorder::new(None, i64::MAX / 4)?;
    let mut connection: Option<Connection> = None;
    let mut found: Option<(Log, i64)> = None;
    let keep = |connection: &mut Connection| {
        let handshake = connection.handshake.round_trip();
        let side = connection.sides.iter_mut().find(|side| side.end == from)?;
        let first_at = side.first_at.filter(|at| ((at - origin) as f64 / 1e9 - flow.start_s).abs() < 1e-9)?;
        Some((Log { handshake, ..side.sender.log.take()? }, first_at))
    };
    read_packets(source, kind, attend, |packet| {
        let is_forward = packet.from.ip() == from.ip() && packet.to.ip() == to.ip();
        let is_of_it = (packet.from == from && packet.to == to) || (packet.from == to && packet.to == from);
        let has_data = is_of_it && matches!(&packet.transport, Transport::Tcp(tcp) if tcp.payload > 0);
        if let (true, false, Some(connection)) = (is_forward, has_data, &mut connection) {
            let log =
                connection.sides.iter_mut().find(|side| side.end == from).and_then(|side| side.sender.log.as_mut());
            log.into_iter().for_each(|log| log.passes(packet.at, packet.ip_bytes));
        }
        let (true, Transport::Tcp(tcp)) = (is_of_it && found.is_none(), &packet.transport) else { return Ok(()) };
        if let Some(over) = connection.take_if(|connection| connection.is_over_by(tcp)) {
            found = keep(&mut { over });
        }
        let connection = connection.get_or_insert_with(|| {
            let mut connection = Connection::new(packet);
            connection.log();
            connection
        });
        connection.take(packet, tcp, &mut recorder)
    })?;
    Ok(found.or_else(|| keep(&mut connection?)))
}

fn file_stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let letters =
        stem.chars().map(|letter| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' });
    let name: String = letters.skip_while(|letter| "-_.".contains(*letter)).take(60).collect();
    if name.is_empty() { "measured".to_owned() } else { name }
}

/// Writes the path's files; returns the hash of each.
fn write_path(folder: &Path, path: &PathReport) -> Read<BTreeMap<&'static str, String>> {
    let trace = path.trace.as_ref().map(|(name, text)| (*name, text));
    let mut written = BTreeMap::new();
    for (name, text) in trace.into_iter().chain([(SCENARIO, &path.scenario)]) {
        let file = folder.join(name);
        fs::write(&file, text).map_err(MeasuredError::io(&file))?;
        written.insert(name, sha256(text.as_bytes()));
    }
    Ok(written)
}

const MANIFEST: &str = "manifest.json";
/// The scenario file of the path.
const SCENARIO: &str = "path.toml";

/// The manifest of a folder of measurements.
#[derive(Serialize)]
struct Manifest<'a> {
    /// First, as the manifests of runs have it: by this a folder may be replaced.
    generator: &'static str,
    format: u64,
    version: &'static str,
    commit: Option<&'static str>,
    /// The files of the path by their hashes: an edited one is not replaced.
    written: &'a BTreeMap<&'static str, String>,
    measured: &'a Report,
}

fn write_manifest(path: &Path, report: &Report, written: &BTreeMap<&'static str, String>) -> Read<()> {
    let (version, commit) = (vegas_sim::ENGINE_VERSION, vegas_results::ENGINE_COMMIT);
    let manifest = Manifest { generator: "vegaslab", format: 1, version, commit, written, measured: report };
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        serde_json::to_writer_pretty(&mut file, &manifest)?;
        file.write_all(b"\n")?;
        file.flush()
    };
    write().map_err(MeasuredError::io(path))
}

/// Reads a capture; returns what it was taken for.
fn read_capture(source: &Source, kind: Kind, attend: Attend<'_>, recorder: &mut Recorder) -> Read<String> {
    let Kind::Capture(capture) = kind else { return Ok(String::new()) };
    let (mut connections, mut exchanges) = (Connections::default(), Exchanges::default());
    let contents = read_packets(source, capture, attend, |packet| {
        recorder.seconds(packet.at);
        match &packet.transport {
            Transport::Tcp(tcp) => connections.take(packet, tcp, recorder),
            Transport::Udp(udp) => exchanges.take(packet, udp, recorder),
        }
    })?;
    let totals = connections.finish(recorder)?;
    let without_flow = exchanges.finish(recorder)?;
    contents.say_what_is_odd(without_flow, recorder);
    totals.say_what_is_odd(recorder);
    let flows = std::mem::take(&mut recorder.flows);
    flows.iter().filter(|flow| flow.missing_bytes > Some(0)).for_each(|flow| say_what_is_missing(flow, recorder));
    recorder.flows = flows;
    let links: Vec<String> = contents.link_types.iter().map(|number| link_name(*number)).collect();
    let links = if links.is_empty() { String::new() } else { format!(", {}", links.join(" and ")) };
    Ok(format!("{}{links}: {} packets", kind.name(), contents.frames))
}

fn say_what_is_missing(flow: &Flow, recorder: &mut Recorder) {
    let missing = flow.missing_bytes.unwrap_or(0);
    let part = missing as f64 / flow.delivered_bytes.unwrap_or(0).max(1) as f64;
    recorder.odd(format!(
        "flow {}: {missing} bytes ({:.2} %) were acknowledged and are not in the capture: it has not seen all packets",
        flow.id,
        100.0 * part.min(1.0)
    ));
}

impl Contents {
    fn say_what_is_odd(&self, without_flow: u64, recorder: &mut Recorder) {
        let mut say = |count: u64, line: String| {
            if count > 0 {
                recorder.odd(line);
            }
        };
        let gaps = &self.gaps;
        if let Some(byte) = gaps.cut_at {
            say(1, format!("the file ends inside a record, at byte {byte}: the capture was cut"));
        }
        say(
            gaps.dropped,
            format!("{} packets were dropped by the capturing host, by the file's own counters", gaps.dropped),
        );
        say(gaps.without_time, format!("{} packets without a time are left out", gaps.without_time));
        for (at, step) in &self.clock.steps {
            let time_s = (at - self.first.unwrap_or(*at)) as f64 / 1e9;
            say(
                1,
                format!(
                    "the capture's clock goes back by {:.3} s at {time_s:.3} s; later times are moved by as much",
                    *step as f64 / 1e9
                ),
            );
        }
        let disorder = self.clock.worst_disorder as f64 / 1e6;
        say(
            self.clock.out_of_order,
            format!(
                "{} packets stand behind later ones in the file, by up to {disorder:.3} ms",
                self.clock.out_of_order
            ),
        );
        say(
            self.twice.packets,
            format!(
                "{} packets are in the capture twice (two interfaces, or a mirrored port); the first counts",
                self.twice.packets
            ),
        );
        say(self.cut, format!("{} packets are cut within their headers, and left out", self.cut));
        say(self.fragments, format!("{} fragments of IP packets are left out", self.fragments));
        say(self.other_protocols, format!("{} packets of other protocols are left out", self.other_protocols));
        let types: Vec<String> = self.unknown_link_types.iter().take(8).map(i32::to_string).collect();
        say(
            self.unknown_links,
            format!(
                "{} packets of link types that are not read are left out: {}",
                self.unknown_links,
                types.join(", ")
            ),
        );
        say(without_flow, format!("{without_flow} datagrams of short exchanges over UDP have no flow"));
    }
}

impl Totals {
    fn say_what_is_odd(&self, recorder: &mut Recorder) {
        if self.cut_options > 0 {
            recorder.odd(format!(
                "{} TCP headers are cut within their options: SACK and time stamps may be missing",
                self.cut_options
            ));
        }
        for (at, step) in &self.clock_steps {
            let time_s = recorder.seconds(*at);
            recorder.odd(format!(
                "by both hosts' time stamps, the capture's clock was set by {:+.3} s at {time_s:.3} s",
                *step as f64 / 1e9
            ));
        }
        if self.given_up > 0 {
            recorder.odd(format!("{} connections were ended early, as too many were open at once", self.given_up));
        }
        if self.forgotten > 0 {
            recorder.odd(format!("{} segments that were never acknowledged were forgotten", self.forgotten));
        }
    }
}
