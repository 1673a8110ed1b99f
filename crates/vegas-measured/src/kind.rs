//! The kind of a file, recognised by its content.

use crate::capture::CaptureKind;
use crate::error::{MeasuredError, Read};
use crate::logs::{csv, iperf3, link_log, qlog, ss, tcp_probe};

/// What a file was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Capture(CaptureKind),
    Ss,
    Iperf3,
    Qlog,
    TcpProbe,
    LinkLog,
    Csv,
}

/// Archives and compressed files: their first bytes, their name, and what unpacks them.
const PACKED: [(&[u8], &str, &str); 5] = [
    (&[0x1f, 0x8b], "gzip", "gunzip"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "Zstandard", "unzstd"),
    (&[0xfd, b'7', b'z', b'X', b'Z'], "xz", "unxz"),
    (b"BZh", "bzip2", "bunzip2"),
    (b"PK\x03\x04", "zip", "unzip"),
];
/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// Tells by the beginning of a text whether it is of a kind.
type Recognises = fn(&str) -> bool;

impl Kind {
    /// Recognises a file by its first bytes.
    pub(crate) fn of(name: &str, head: &[u8]) -> Read<Kind> {
        if let Some(kind) = CaptureKind::of(head) {
            return Ok(Kind::Capture(kind));
        }
        if let Some((_, what, unpack)) = PACKED.iter().find(|(magic, ..)| head.starts_with(magic)) {
            return Err(MeasuredError::Input(format!("{name}: is a {what} file; unpack it first, with {unpack}")));
        }
        if head.starts_with(PARQUET) {
            let remedy = "write its table as CSV with named columns, a time and others such as cwnd";
            return Err(MeasuredError::Input(format!("{name}: is a Parquet file, which is not read; {remedy}")));
        }
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}');
        let known: [(Recognises, Kind); 6] = [
            (qlog::is_log, Kind::Qlog),
            (iperf3::is_report, Kind::Iperf3),
            (tcp_probe::is_log, Kind::TcpProbe),
            (ss::is_log, Kind::Ss),
            (link_log::is_log, Kind::LinkLog),
            (csv::is_table, Kind::Csv),
        ];
        let found = known.into_iter().find(|(is_one, _)| is_one(text)).map(|(_, kind)| kind);
        found.ok_or_else(|| MeasuredError::Input(format!("{name}: is none of the files that are read: {}", Kind::ALL)))
    }

    const ALL: &str = "pcap, pcapng, ss -tin with times, iperf3 -J, qlog, tcp_probe, Mahimahi's link log, CSV with \
                       named columns (a trace of rates or delays: vegaslab trace)";

    /// What the file was taken for, in words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Capture(CaptureKind::Pcap) => "pcap capture",
            Kind::Capture(CaptureKind::PcapNg) => "pcapng capture",
            Kind::Ss => "log of ss -ti",
            Kind::Iperf3 => "report of iperf3",
            Kind::Qlog => "qlog",
            Kind::TcpProbe => "log of tcp_probe",
            Kind::LinkLog => "log of Mahimahi's link",
            Kind::Csv => "CSV table",
        }
    }
}
