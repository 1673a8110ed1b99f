//! iperf3's report, `iperf3 -J`, or a line for each event, `--json-stream`. Intervals are read one by one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};

use super::json::wrong;
use super::{LogFlows, Reading};
use crate::error::Read;
use crate::source::{Attend, Quota, Source};
use crate::tables::Recorder;

/// Whether a text looks like a report, or a stream of events.
pub(crate) fn is_report(head: &str) -> bool {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let names = ["\"intervals\"", "\"test_start\"", "\"connecting_to\"", "\"accepted_connection\""];
    head.starts_with('{') && (names.iter().any(|name| head.contains(name)) || is_stream(head))
}

fn is_stream(head: &str) -> bool {
    let first = head.lines().next().unwrap_or_default();
    first.contains("\"event\"") && first.contains("\"start\"") && first.contains("\"data\"")
}

/// Reads a report.
pub(crate) fn read(source: &Source, head: &str, attend: Attend<'_>, recorder: &mut Recorder) -> Read<()> {
    let mut report = Report::default();
    match is_stream(head) {
        true => read_stream(source, attend, &mut report, recorder)?,
        false => read_whole(source, attend, &mut report, recorder)?,
    }
    report.finish(recorder)
}

fn read_whole(source: &Source, attend: Attend<'_>, report: &mut Report, recorder: &mut Recorder) -> Read<()> {
    let (bytes, quota) = source.parts(attend)?;
    let shared = RefCell::new(Parts { report, recorder, quota });
    let mut json = Deserializer::from_reader(bytes);
    Whole(&shared).deserialize(&mut json).map_err(|error| wrong(source, &error))
}

fn read_stream(source: &Source, attend: Attend<'_>, report: &mut Report, recorder: &mut Recorder) -> Read<()> {
    let mut lines = source.lines(attend)?;
    while let Some((number, line)) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let event: Event =
            serde_json::from_str(&line).map_err(|error| lines.wrong(number, format!("is no event: {error}")))?;
        match event.event.as_str() {
            "start" => report.start(&event.data),
            "interval" => {
                let interval = serde_json::from_value(event.data);
                report.interval(
                    interval.map_err(|error| lines.wrong(number, format!("is no interval: {error}")))?,
                    recorder,
                )?;
            }
            "end" => report.end(&event.data),
            _ => {}
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Event {
    event: String,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
struct Interval {
    #[serde(default)]
    streams: Vec<Stream>,
}

#[derive(Deserialize)]
struct Stream {
    socket: i64,
    #[serde(default)]
    start: f64,
    end: f64,
    bytes: Option<f64>,
    bits_per_second: Option<f64>,
    retransmits: Option<f64>,
    snd_cwnd: Option<f64>,
    snd_wnd: Option<f64>,
    rtt: Option<f64>,
    #[serde(default)]
    omitted: bool,
}

/// What was read of a report.
struct Report {
    /// The ends of each socket.
    names: BTreeMap<i64, String>,
    began_ns: i64,
    mss: Option<u32>,
    transport: &'static str,
    /// Bytes and retransmissions of each socket so far.
    totals: BTreeMap<i64, (f64, f64)>,
    flows: LogFlows,
    omitted: u64,
    algorithm: Option<String>,
    error: Option<String>,
}

impl Default for Report {
    fn default() -> Self {
        Report {
            names: BTreeMap::new(),
            began_ns: 0,
            mss: None,
            transport: "tcp",
            totals: BTreeMap::new(),
            flows: LogFlows::default(),
            omitted: 0,
            algorithm: None,
            error: None,
        }
    }
}

impl Report {
    fn start(&mut self, start: &Value) {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        for connected in start.get("connected").and_then(Value::as_array).into_iter().flatten() {
            let port = |key: &str| connected.get(key).and_then(Value::as_u64).unwrap_or(0);
            let host = |key: &str| text(connected, key).unwrap_or_default();
            let name = format!(
                "{}:{} -> {}:{}",
                host("local_host"),
                port("local_port"),
                host("remote_host"),
                port("remote_port")
            );
            if let Some(socket) = connected.get("socket").and_then(Value::as_i64) {
                self.names.insert(socket, name);
            }
        }
        let seconds = start.pointer("/timestamp/timesecs").and_then(Value::as_f64).filter(|seconds| *seconds < 1e10);
        self.began_ns = (seconds.unwrap_or(0.0).max(0.0) * 1e9) as i64;
        self.mss = start
            .get("tcp_mss")
            .or(start.get("tcp_mss_default"))
            .and_then(Value::as_u64)
            .and_then(|mss| mss.try_into().ok());
        let protocol = start.pointer("/test_start/protocol").and_then(Value::as_str);
        self.transport = if protocol == Some("UDP") { "udp" } else { "tcp" };
    }

    fn interval(&mut self, interval: Interval, recorder: &mut Recorder) -> Read<()> {
        for stream in interval.streams {
            if stream.omitted {
                self.omitted += 1;
                continue;
            }
            let name = self.name(stream.socket);
            if !self.totals.contains_key(&stream.socket) {
                let begun = Reading { acked_bytes: Some(0), ..Reading::default() };
                self.flows.take(&name, self.transport, self.at(stream.start), begun, recorder)?;
            }
            let mss = self.mss.filter(|mss| *mss > 0);
            let (bytes, resent) = self.totals.entry(stream.socket).or_default();
            *bytes += stream.bytes.unwrap_or(0.0).max(0.0);
            *resent += stream.retransmits.unwrap_or(0.0).max(0.0);
            let (acked, resent) = (*bytes as u64, *resent as u64);
            let reading = Reading {
                cwnd_segments: stream.snd_cwnd.zip(mss).map(|(bytes, mss)| bytes / f64::from(mss)),
                window_bytes: stream.snd_wnd.map(|bytes| bytes.max(0.0) as u64),
                rtt_ms: stream.rtt.filter(|rtt| *rtt > 0.0).map(|us| us / 1e3),
                acked_bytes: Some(acked),
                retransmits: stream.retransmits.map(|_| resent),
                delivered_mbps: stream.bits_per_second.map(|rate| rate / 1e6),
                mss_bytes: mss,
                ..Reading::default()
            };
            self.flows.take(&name, self.transport, self.at(stream.end), reading, recorder)?;
        }
        Ok(())
    }

    fn name(&self, socket: i64) -> String {
        self.names.get(&socket).cloned().unwrap_or_else(|| format!("socket {socket}"))
    }

    /// Seconds of the test as ns since 1970.
    fn at(&self, seconds: f64) -> i64 {
        self.began_ns.saturating_add((seconds.clamp(0.0, 1e9) * 1e9) as i64)
    }

    fn end(&mut self, end: &Value) {
        self.algorithm = end.get("sender_tcp_congestion").and_then(Value::as_str).map(str::to_owned);
    }

    fn finish(mut self, recorder: &mut Recorder) -> Read<()> {
        if let Some(error) = &self.error {
            recorder.odd(format!("iperf3 reports: {error}"));
        }
        if self.omitted > 0 {
            recorder.odd(format!("{} intervals that iperf3 omits are left out", self.omitted));
        }
        if let Some(algorithm) = &self.algorithm {
            self.flows.algorithm_of_all(algorithm);
        }
        self.flows.finish(recorder);
        Ok(())
    }
}

/// What the parts of the document are read into.
struct Parts<'a> {
    report: &'a mut Report,
    recorder: &'a mut Recorder,
    quota: Quota,
}

/// The whole document, of which the intervals are read one by one.
struct Whole<'s, 'a>(&'s RefCell<Parts<'a>>);

impl<'de> DeserializeSeed<'de> for Whole<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report of iperf3")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "start" => {
                    let start: Value = map.next_value()?;
                    self.0.borrow_mut().report.start(&start);
                }
                "intervals" => map.next_value_seed(Intervals(self.0))?,
                "end" => {
                    let end: Value = map.next_value()?;
                    self.0.borrow_mut().report.end(&end);
                }
                "error" => self.0.borrow_mut().report.error = Some(map.next_value::<Value>()?.to_string()),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct Intervals<'s, 'a>(&'s RefCell<Parts<'a>>);

impl<'de> DeserializeSeed<'de> for Intervals<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Intervals<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of intervals")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(interval) = list.next_element::<Interval>()? {
            let parts = &mut *self.0.borrow_mut();
            parts.report.interval(interval, parts.recorder).map_err(A::Error::custom)?;
            parts.quota.begin();
        }
        Ok(())
    }
}
