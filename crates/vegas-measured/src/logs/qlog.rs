//! qlog of QUIC connections (draft-ietf-quic-qlog-main-schema and -quic-events): one JSON document, or JSON-SEQ with a
//! record for each event. The names of events have changed from draft to draft; what is read has them all.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};

use super::json::wrong;
use super::{LogFlows, Reading};
use crate::error::Read;
use crate::source::{Attend, Quota, Source, TIME_MAX};
use crate::tables::Recorder;
use crate::tables::rows::{Incident, IncidentKind};

/// The separator of records (RFC 7464).
const RECORD: char = '\u{1e}';
/// The most packets of a connection that are remembered until they are acknowledged.
const PACKETS_MAX: usize = 1 << 20;
/// The payload of a QUIC packet that every path takes (RFC 9000, 14), bytes.
const PACKET_LEAST: u32 = 1200;

/// Whether a text looks like a qlog.
pub(crate) fn is_log(head: &str) -> bool {
    let head = head.trim_start_matches(['\u{feff}', RECORD]).trim_start();
    let names = [
        "\"qlog_version\"",
        "\"qlog_format\"",
        "\"file_schema\":\"urn:ietf:params:qlog",
        "\"file_schema\": \"urn:ietf:params:qlog",
    ];
    head.starts_with('{') && names.iter().any(|name| head.contains(name))
}

/// Reads a log.
pub(crate) fn read(source: &Source, head: &str, attend: Attend<'_>, recorder: &mut Recorder) -> Read<()> {
    let mut log = Log::default();
    let is_sequence =
        head.starts_with(RECORD) || head.contains("JSON-SEQ") || head.contains("json-seq") || head.contains("NDJSON");
    match is_sequence {
        true => read_sequence(source, attend, &mut log, recorder)?,
        false => {
            let (bytes, quota) = source.parts(attend)?;
            let shared = RefCell::new(Parts { log: &mut log, recorder: &mut *recorder, quota });
            Part::Document(&shared)
                .deserialize(&mut Deserializer::from_reader(bytes))
                .map_err(|error| wrong(source, &error))?;
        }
    }
    log.finish(recorder);
    Ok(())
}

fn read_sequence(source: &Source, attend: Attend<'_>, log: &mut Log, recorder: &mut Recorder) -> Read<()> {
    let mut lines = source.lines(attend)?;
    while let Some((number, line)) = lines.next()? {
        let text = line.trim_start_matches(RECORD).trim();
        if text.is_empty() {
            continue;
        }
        let record: Value =
            serde_json::from_str(text).map_err(|error| lines.wrong(number, format!("is no record: {error}")))?;
        match record.get("trace") {
            Some(trace) => log.begin(trace),
            None => log.event(&record, recorder)?,
        }
    }
    Ok(())
}

/// How a trace tells times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Times {
    #[default]
    Relative,
    Absolute,
    Delta,
}

/// What was read of a log.
#[derive(Debug, Default)]
struct Log {
    flows: LogFlows,
    traces: u32,
    trace: Trace,
    unread_events: u64,
}

/// What a trace says about its connection.
#[derive(Debug, Default)]
struct Name {
    /// Its id, or the trace's title.
    id: String,
    /// The end that noted the trace.
    end: String,
    /// That of the trace's flow, once it has one.
    flow: Option<String>,
}

/// A trace: what one end of a connection noted.
#[derive(Debug, Default)]
struct Trace {
    name: Name,
    times: Times,
    reference_ns: i64,
    last_ns: i64,
    /// The names of the values of events that are arrays (draft 01).
    fields: Vec<String>,
    /// The sizes of the packets that are not acknowledged, by number space and number.
    sent: BTreeMap<(u8, u64), u32>,
    packets: u64,
    sent_bytes: u64,
    /// Bytes of acknowledged packets; none as long as no frame names them.
    acked_bytes: Option<u64>,
    rtts: Rtts,
    /// When the rate of sending was last worked out, and what had been sent.
    rated: (i64, u64),
    lost: u64,
    marks: u64,
    largest: u32,
    metrics: Reading,
}

/// Whether the round-trip times of a trace are measured: before, they are guesses.
#[derive(Debug, Default)]
struct Rtts {
    /// Whether a packet has come after one was sent, or a log without packets has another time than its first.
    are_measured: bool,
    first_ms: Option<f64>,
}

impl Log {
    /// Begins a trace, with what stands before its events.
    fn begin(&mut self, given: &Value) {
        self.traces += 1;
        self.trace = Trace::default();
        self.set(given);
    }

    fn set(&mut self, given: &Value) {
        let trace = &mut self.trace;
        let text = |pointer: &str| given.pointer(pointer).and_then(Value::as_str);
        let id = ["/common_fields/ODCID", "/common_fields/group_id", "/title", "/common_fields/original_connection_id"];
        if let Some(id) = id.iter().find_map(|pointer| text(pointer)) {
            trace.name.id = id.chars().filter(|letter| !letter.is_control()).take(80).collect();
        }
        if let Some(kind) = text("/vantage_point/type") {
            trace.name.end = kind.chars().filter(|letter| !letter.is_control()).take(20).collect();
        }
        match text("/common_fields/time_format") {
            Some("absolute") => trace.times = Times::Absolute,
            Some("delta" | "relative_to_previous_event") => trace.times = Times::Delta,
            _ => {}
        }
        let reference = given.pointer("/common_fields/reference_time").or(given.pointer("/configuration/time_offset"));
        if let Some(ms) = reference.and_then(number).filter(|ms| ms.abs() < 1e13) {
            trace.reference_ns = (ms * 1e6) as i64;
        }
        if let Some(fields) = given.get("event_fields").and_then(Value::as_array) {
            trace.fields = fields.iter().filter_map(|field| Some(field.as_str()?.to_lowercase())).collect();
        }
    }

    fn event(&mut self, event: &Value, recorder: &mut Recorder) -> Read<()> {
        let Some((time_ms, name, data)) = parts(event, &self.trace.fields) else {
            self.unread_events += 1;
            return Ok(());
        };
        let trace = &mut self.trace;
        let ns = (time_ms.clamp(-1e15, 4e12) * 1e6) as i64;
        trace.last_ns = match trace.times {
            Times::Absolute => ns,
            Times::Relative => trace.reference_ns.saturating_add(ns),
            Times::Delta => (if trace.last_ns == 0 { trace.reference_ns } else { trace.last_ns }).saturating_add(ns),
        };
        trace.last_ns = trace.last_ns.clamp(0, TIME_MAX);
        recorder.seconds(trace.last_ns);
        match name.rsplit([':', '.']).next().unwrap_or_default() {
            "metrics_updated" | "recovery_metrics_updated" | "metric_update" => self.metrics(&data, recorder),
            "packet_sent" => {
                self.trace.sent(&data);
                Ok(())
            }
            "packet_received" => {
                self.trace.received(&data);
                Ok(())
            }
            "packet_lost" => self.lost(recorder),
            _ => Ok(()),
        }
    }

    fn metrics(&mut self, data: &Value, recorder: &mut Recorder) -> Read<()> {
        let trace = &mut self.trace;
        let value = |key: &str| data.get(key).and_then(number);
        let known = &mut trace.metrics;
        let segment = f64::from(trace.largest.max(PACKET_LEAST));
        let set = |place: &mut Option<f64>, found: Option<f64>| *place = found.or(*place);
        set(&mut known.cwnd_segments, value("congestion_window").or(value("cwnd")).map(|bytes| bytes / segment));
        set(&mut known.ssthresh_segments, value("ssthresh").filter(|bytes| *bytes < 1e15).map(|bytes| bytes / segment));
        let rtt_ms = value("latest_rtt").or(value("smoothed_rtt")).filter(|ms| *ms > 0.0);
        let rtts = &mut trace.rtts;
        rtts.are_measured |= trace.packets == 0 && rtt_ms.is_some_and(|ms| *rtts.first_ms.get_or_insert(ms) != ms);
        set(&mut known.base_rtt_ms, value("min_rtt").filter(|ms| *ms < 1e9 && trace.rtts.are_measured));
        set(&mut known.pacing_rate_mbps, value("pacing_rate").map(|rate| rate / 1e6));
        known.in_flight_bytes = value("bytes_in_flight").map(|bytes| bytes.max(0.0) as u64).or(known.in_flight_bytes);
        let rtt_ms = rtt_ms.filter(|_| trace.rtts.are_measured);
        let (sent_mbps, known) = (trace.sent_mbps(), trace.metrics.clone());
        let reading = Reading {
            rtt_ms,
            acked_bytes: trace.acked_bytes,
            sent_mbps,
            segments_sent: Some(trace.packets),
            retransmits: Some(trace.lost),
            marks: Some(trace.marks),
            mss_bytes: Some(trace.largest.max(PACKET_LEAST)),
            ..known
        };
        let (name, at) = (self.name(), self.trace.last_ns);
        self.flows.take(&name, "quic", at, reading, recorder)
    }

    fn lost(&mut self, recorder: &mut Recorder) -> Read<()> {
        self.trace.lost += 1;
        let (time_s, kind, sequence) = (recorder.seconds(self.trace.last_ns), IncidentKind::Loss, self.trace.packets);
        let name = self.name();
        let flow = self.flows.id(&name);
        recorder.incident(Incident { time_s, kind, flow, link: None, sequence, retransmission: None })
    }

    /// The name of the trace's flow; two traces of one name are two flows.
    fn name(&mut self) -> String {
        let (number, trace) = (self.traces, &mut self.trace);
        let known = format!("{} {}", trace.name.end, trace.name.id).trim().to_owned();
        let made = || match (known.is_empty(), number) {
            (true, _) => format!("trace {number}"),
            (false, 0 | 1) => known,
            (false, _) => format!("{known} ({number})"),
        };
        trace.name.flow.get_or_insert_with(made).clone()
    }

    fn finish(self, recorder: &mut Recorder) {
        if self.unread_events > 0 {
            recorder.odd(format!("{} events without a time and a name are left out", self.unread_events));
        }
        self.flows.finish(recorder);
    }
}

impl Trace {
    fn sent(&mut self, data: &Value) {
        let length = data.pointer("/raw/length").or(data.pointer("/header/packet_size")).or(data.get("packet_size"));
        let Some(length) = length.and_then(Value::as_u64).and_then(|length| u32::try_from(length).ok()) else { return };
        self.packets += 1;
        self.sent_bytes += u64::from(length);
        self.largest = self.largest.max(length.min(u32::from(u16::MAX)));
        if let Some(number) = packet_number(data) {
            self.sent.insert((space(data), number), length);
            if self.sent.len() > PACKETS_MAX {
                self.sent.pop_first();
            }
        }
    }

    /// The rate of sending since it was last worked out, once that is long enough ago to be one.
    fn sent_mbps(&mut self) -> Option<f64> {
        const LONG_NS: i64 = 50_000_000;
        let (at, bytes) = self.rated;
        let passed = self.last_ns - at;
        if at == 0 {
            self.rated = (self.last_ns, self.sent_bytes);
        }
        if at == 0 || passed < LONG_NS {
            return None;
        }
        self.rated = (self.last_ns, self.sent_bytes);
        Some((self.sent_bytes - bytes) as f64 * 8e3 / passed as f64)
    }

    fn received(&mut self, data: &Value) {
        self.rtts.are_measured |= self.packets > 0;
        let space = space(data);
        for frame in data.get("frames").and_then(Value::as_array).into_iter().flatten() {
            if frame.get("frame_type").and_then(Value::as_str) != Some("ack") {
                continue;
            }
            self.marks = self.marks.max(frame.get("ce").and_then(Value::as_u64).unwrap_or(0));
            for range in frame.get("acked_ranges").and_then(Value::as_array).into_iter().flatten() {
                let ends: Vec<u64> = match range.as_array() {
                    Some(ends) => ends.iter().filter_map(integer).collect(),
                    None => range
                        .as_str()
                        .into_iter()
                        .flat_map(|text| text.split('-'))
                        .filter_map(|end| end.parse().ok())
                        .collect(),
                };
                if let (Some(first), Some(last)) = (ends.first(), ends.last()) {
                    self.acknowledge(space, *first, *last);
                }
            }
        }
    }

    fn acknowledge(&mut self, space: u8, first: u64, last: u64) {
        while let Some((key, length)) = self.sent.range((space, first)..).next().map(|(key, length)| (*key, *length)) {
            if key > (space, last) {
                break;
            }
            self.sent.remove(&key);
            *self.acked_bytes.get_or_insert(0) += u64::from(length);
        }
    }
}

/// Returns time, name and data of an event: an object, or an array with values that `fields` names.
fn parts(event: &Value, fields: &[String]) -> Option<(f64, String, Value)> {
    if let Some(values) = event.as_array() {
        let value = |names: &[&str]| values.get(fields.iter().position(|field| names.contains(&field.as_str()))?);
        let name = format!("{}:{}", value(&["category"])?.as_str()?, value(&["event", "event_type"])?.as_str()?);
        let time = number(value(&["relative_time", "time", "delta_time"])?)?;
        return Some((time, name, value(&["data"]).cloned().unwrap_or_default()));
    }
    let name = event.get("name").and_then(Value::as_str)?.to_owned();
    Some((number(event.get("time")?)?, name, event.get("data").cloned().unwrap_or_default()))
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|number: &f64| number.is_finite())
}

fn integer(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn packet_number(data: &Value) -> Option<u64> {
    data.pointer("/header/packet_number").and_then(integer)
}

/// The number space of a packet: those of the handshake have their own.
fn space(data: &Value) -> u8 {
    let kind = data.pointer("/header/packet_type").or(data.get("packet_type")).and_then(Value::as_str);
    match kind {
        Some("initial") => 0,
        Some("handshake") => 1,
        _ => 2,
    }
}

/// What the parts of a document are read into.
struct Parts<'a> {
    log: &'a mut Log,
    recorder: &'a mut Recorder,
    quota: Quota,
}

type Shared<'a> = RefCell<Parts<'a>>;

/// A part of the document.
enum Part<'s, 'a> {
    Document(&'s Shared<'a>),
    Traces(&'s Shared<'a>),
    Trace(&'s Shared<'a>),
    Events(&'s Shared<'a>),
}

impl<'de> DeserializeSeed<'de> for Part<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self {
            Part::Document(_) | Part::Trace(_) => deserializer.deserialize_map(self),
            Part::Traces(_) | Part::Events(_) => deserializer.deserialize_seq(self),
        }
    }
}

impl<'de> Visitor<'de> for Part<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Document(_) => "a qlog",
            Part::Traces(_) => "a list of traces",
            Part::Trace(_) => "a trace",
            Part::Events(_) => "a list of events",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (Part::Document(shared) | Part::Trace(shared) | Part::Traces(shared) | Part::Events(shared)) = self;
        if matches!(self, Part::Trace(_)) {
            shared.borrow_mut().log.begin(&Value::Null);
        }
        while let Some(key) = map.next_key::<String>()? {
            match (&self, key.as_str()) {
                (Part::Document(_), "traces") => map.next_value_seed(Part::Traces(shared))?,
                (Part::Trace(_), "events") => map.next_value_seed(Part::Events(shared))?,
                (Part::Trace(_), _) => {
                    let value: Value = map.next_value()?;
                    shared.borrow_mut().log.set(&Value::Object([(key, value)].into_iter().collect()));
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (Part::Document(shared) | Part::Trace(shared) | Part::Traces(shared) | Part::Events(shared)) = self;
        if matches!(self, Part::Traces(_)) {
            while list.next_element_seed(Part::Trace(shared))?.is_some() {}
            return Ok(());
        }
        while let Some(event) = list.next_element::<Value>()? {
            let parts = &mut *shared.borrow_mut();
            parts.log.event(&event, parts.recorder).map_err(A::Error::custom)?;
            parts.quota.begin();
        }
        Ok(())
    }
}
