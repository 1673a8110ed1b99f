//! Tables with named columns, CSV: a time, perhaps a flow, and what a run's tables have too.

use csv::{ReaderBuilder, StringRecord};

use super::{LogFlows, Reading, time};
use crate::error::{MeasuredError, Read};
use crate::source::{Attend, LINE_BYTES_MAX, Source};
use crate::tables::Recorder;

/// A column that is read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// Its unit, ns.
    Time(f64),
    Flow,
    Algorithm,
    Cwnd,
    Ssthresh,
    InFlightSegments,
    InFlightBytes,
    /// Its unit, ms.
    Rtt(f64),
    BaseRtt(f64),
    Acked,
    Retransmits,
    Timeouts,
    /// Its unit, Mb/s.
    Delivered(f64),
    Sent(f64),
    Window,
    DeliveryRate(f64),
    PacingRate(f64),
    Marks,
}

/// The names of columns, in lower case; the first of each meaning is that of a run's tables.
const NAMES: [(&str, Meaning); 50] = [
    ("time_s", Meaning::Time(1e9)),
    ("time", Meaning::Time(1e9)),
    ("t", Meaning::Time(1e9)),
    ("timestamp", Meaning::Time(1e9)),
    ("time_ms", Meaning::Time(1e6)),
    ("timestamp_ms", Meaning::Time(1e6)),
    ("time_us", Meaning::Time(1e3)),
    ("time_ns", Meaning::Time(1.0)),
    ("flow", Meaning::Flow),
    ("connection", Meaning::Flow),
    ("flow_id", Meaning::Flow),
    ("algorithm", Meaning::Algorithm),
    ("congestion_control", Meaning::Algorithm),
    ("cwnd_segments", Meaning::Cwnd),
    ("cwnd", Meaning::Cwnd),
    ("snd_cwnd", Meaning::Cwnd),
    ("ssthresh_segments", Meaning::Ssthresh),
    ("ssthresh", Meaning::Ssthresh),
    ("in_flight_segments", Meaning::InFlightSegments),
    ("unacked", Meaning::InFlightSegments),
    ("in_flight_bytes", Meaning::InFlightBytes),
    ("bytes_in_flight", Meaning::InFlightBytes),
    ("rtt_ms", Meaning::Rtt(1.0)),
    ("rtt", Meaning::Rtt(1.0)),
    ("srtt_ms", Meaning::Rtt(1.0)),
    ("rtt_us", Meaning::Rtt(1e-3)),
    ("srtt_us", Meaning::Rtt(1e-3)),
    ("rtt_s", Meaning::Rtt(1e3)),
    ("base_rtt_ms", Meaning::BaseRtt(1.0)),
    ("min_rtt_ms", Meaning::BaseRtt(1.0)),
    ("minrtt_ms", Meaning::BaseRtt(1.0)),
    ("min_rtt_us", Meaning::BaseRtt(1e-3)),
    ("acked_bytes", Meaning::Acked),
    ("bytes_acked", Meaning::Acked),
    ("retransmits", Meaning::Retransmits),
    ("retrans", Meaning::Retransmits),
    ("timeouts", Meaning::Timeouts),
    ("delivered_mbps", Meaning::Delivered(1.0)),
    ("throughput_mbps", Meaning::Delivered(1.0)),
    ("goodput_mbps", Meaning::Delivered(1.0)),
    ("mbps", Meaning::Delivered(1.0)),
    ("bits_per_second", Meaning::Delivered(1e-6)),
    ("throughput_bps", Meaning::Delivered(1e-6)),
    ("sent_mbps", Meaning::Sent(1.0)),
    ("window_bytes", Meaning::Window),
    ("snd_wnd", Meaning::Window),
    ("delivery_rate_mbps", Meaning::DeliveryRate(1.0)),
    ("delivery_rate_bps", Meaning::DeliveryRate(1e-6)),
    ("pacing_rate_mbps", Meaning::PacingRate(1.0)),
    ("marks", Meaning::Marks),
];

/// Whether the first line names a time and something else that is read.
pub(crate) fn is_table(head: &str) -> bool {
    let names = StringRecord::from(head.lines().next().unwrap_or_default().split([',', ';', '\t']).collect::<Vec<_>>());
    let meanings = meanings(&names);
    let of_time = |meaning: &Option<Meaning>| matches!(meaning, Some(Meaning::Time(_)));
    meanings.iter().any(of_time) && meanings.iter().flatten().count() > 1
}

fn meanings(names: &StringRecord) -> Vec<Option<Meaning>> {
    let mut found: Vec<Option<Meaning>> = Vec::new();
    for name in names {
        let name = name
            .trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}' || letter == '"')
            .to_lowercase();
        let meaning = NAMES.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning);
        // of two columns of one meaning the first counts
        let is_new = |meaning: &Meaning| {
            found.iter().flatten().all(|other| std::mem::discriminant(other) != std::mem::discriminant(meaning))
        };
        found.push(meaning.filter(is_new));
    }
    found
}

/// Reads a table.
pub(crate) fn read(source: &Source, head: &str, attend: Attend<'_>, recorder: &mut Recorder) -> Read<()> {
    let first = head.lines().next().unwrap_or_default();
    let delimiter =
        [b',', b';', b'\t'].into_iter().max_by_key(|byte| first.bytes().filter(|other| other == byte).count());
    let bytes = source.bytes(attend)?;
    let mut reader = ReaderBuilder::new().delimiter(delimiter.unwrap_or(b',')).flexible(true).from_reader(bytes);
    let failed = |error: csv::Error| {
        let line = error.position().map_or(0, |position| position.line());
        match error.into_kind() {
            csv::ErrorKind::Io(error) => source.failed(error),
            _ => MeasuredError::at_line(&source.name, line, "is no row of the table"),
        }
    };
    let names = reader.headers().map_err(failed)?.clone();
    let meanings = meanings(&names);
    let unread: Vec<&str> =
        names.iter().zip(&meanings).filter(|(_, meaning)| meaning.is_none()).map(|(name, _)| name.trim()).collect();
    if !unread.is_empty() {
        recorder.odd(format!("columns that are not read: {}", shortened(&unread.join(", "))));
    }
    let (mut flows, mut row) = (LogFlows::default(), StringRecord::new());
    while reader.read_record(&mut row).map_err(failed)? {
        let line = row.position().map_or(0, |position| position.line());
        if row.as_slice().len() > LINE_BYTES_MAX {
            return Err(MeasuredError::at_line(&source.name, line, "is longer than a row can be"));
        }
        let wrong = |what: &str| MeasuredError::at_line(&source.name, line, what);
        let (at, name, algorithm, reading) = reading(&row, &meanings).map_err(|what| wrong(&what))?;
        let name = name.map_or_else(|| "flow".to_owned(), |name| format!("flow {name}"));
        flows.take(&name, "tcp", at, reading, recorder)?;
        if let Some(algorithm) = algorithm {
            flows.algorithm(&name, &algorithm);
        }
    }
    flows.finish(recorder);
    Ok(())
}

type Row = (i64, Option<String>, Option<String>, Reading);

fn reading(row: &StringRecord, meanings: &[Option<Meaning>]) -> Result<Row, String> {
    let (mut at, mut name, mut algorithm, mut found) = (None, None, None, Reading::default());
    for (cell, meaning) in row.iter().zip(meanings) {
        let (Some(meaning), cell) = (meaning, cell.trim()) else { continue };
        // a missing value: as pandas, R and others write it
        if ["", "nan", "NaN", "NA", "null", "None"].contains(&cell) {
            continue;
        }
        match meaning {
            Meaning::Flow => name = Some(shortened(cell)),
            Meaning::Algorithm => algorithm = Some(shortened(cell)),
            Meaning::Time(unit) => at = Some(instant(cell, *unit).ok_or("its time is neither a number nor a date")?),
            _ => {
                let number: f64 =
                    cell.parse().ok().filter(|number: &f64| number.is_finite()).ok_or("a value is no number")?;
                set(&mut found, *meaning, number);
            }
        }
    }
    Ok((at.ok_or("has no time")?, name, algorithm, found))
}

fn instant(cell: &str, unit: f64) -> Option<i64> {
    if let Some((at, "")) = time::leading(cell) {
        return Some(at);
    }
    cell.parse::<f64>().ok().map(|number| number * unit).filter(|ns| ns.abs() < 4e18).map(|ns| ns.round() as i64)
}

fn set(found: &mut Reading, meaning: Meaning, number: f64) {
    let count = Some(number.max(0.0) as u64);
    match meaning {
        Meaning::Time(_) | Meaning::Flow | Meaning::Algorithm => {}
        Meaning::Cwnd => found.cwnd_segments = Some(number),
        Meaning::Ssthresh => found.ssthresh_segments = Some(number),
        Meaning::InFlightSegments => found.in_flight_segments = Some(number),
        Meaning::InFlightBytes => found.in_flight_bytes = count,
        Meaning::Rtt(unit) => found.rtt_ms = Some(number * unit),
        Meaning::BaseRtt(unit) => found.base_rtt_ms = Some(number * unit),
        Meaning::Acked => found.acked_bytes = count,
        Meaning::Retransmits => found.retransmits = count,
        Meaning::Timeouts => found.timeouts = count,
        Meaning::Delivered(unit) => found.delivered_mbps = Some(number * unit),
        Meaning::Sent(unit) => found.sent_mbps = Some(number * unit),
        Meaning::Window => found.window_bytes = count,
        Meaning::DeliveryRate(unit) => found.delivery_rate_mbps = Some(number * unit),
        Meaning::PacingRate(unit) => found.pacing_rate_mbps = Some(number * unit),
        Meaning::Marks => found.marks = count,
    }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(200).collect()
}
