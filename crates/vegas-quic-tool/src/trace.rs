//! The events of a controller and its outputs, as a line of CSV for each event on the standard output: for results in
//! the simulator's columns.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use vegas_quic::vegas_core::units::{Span, Window};
use vegas_quic::vegas_core::{LossKind, Phase};
use vegas_quic::{Event, Observer, VegasController};

/// The trace of one connection.
#[derive(Debug)]
pub(crate) struct Trace {
    connection: u64,
    /// One instant by both clocks: controllers use the first, readers of the lines the second.
    began: (Instant, SystemTime),
    counts: Mutex<Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    acked_bytes: u64,
    sent_packets: u64,
    lost_packets: u64,
}

/// The columns. `unix_ns` counts from 1970 by this machine's clock, other times are spans, in ns; windows are segments;
/// bytes and packets are counted from the connection's start. `rtt_ns` is that of an acknowledgement's newest packet.
/// Missing values are empty.
const COLUMNS: &str = "connection,unix_ns,event,cwnd_segments,ssthresh_segments,in_flight_segments,rtt_ns,base_rtt_ns,\
                       diff_segments,slow_start,acked_bytes,sent_packets,lost_packets";

impl Trace {
    /// Prints the header line.
    pub(crate) fn print_columns() {
        println!("{COLUMNS}");
    }

    /// Starts the trace of the connection with this number.
    pub(crate) fn new(connection: u64) -> Self {
        Trace { connection, began: (Instant::now(), SystemTime::now()), counts: Mutex::default() }
    }

    fn print(&self, now: Instant, event: &str, rtt: Option<Span>, of: &VegasController, counts: Counts) {
        let status = of.status();
        let at = self.began.1 + now.saturating_duration_since(self.began.0);
        let unix_ns = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let cwnd = status.window.as_raw() as f64 / Window::ONE.as_raw() as f64;
        let ssthresh = or_empty(status.ssthresh.map(|ssthresh| ssthresh.0));
        let (rtt, base) = (or_empty(rtt.map(Span::as_nanos)), or_empty(status.base_rtt.map(Span::as_nanos)));
        let (diff, slow_start) = (or_empty(status.diff), u8::from(status.phase == Phase::SlowStart));
        let (connection, in_flight) = (self.connection, of.in_flight().0);
        let Counts { acked_bytes, sent_packets, lost_packets } = counts;
        // a reader that closes its end stops the trace, not the transfer
        let _ = writeln!(
            std::io::stdout(),
            "{connection},{unix_ns},{event},{cwnd},{ssthresh},{in_flight},{rtt},{base},{diff},{slow_start},\
             {acked_bytes},{sent_packets},{lost_packets}"
        );
    }
}

impl Observer for Trace {
    fn on_event(&self, now: Instant, event: Event, controller: &VegasController) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, rtt) = match event {
            Event::Started => ("start", None),
            Event::Sent { packets } => {
                counts.sent_packets += packets;
                return;
            }
            Event::Acked { bytes, rtt } => {
                counts.acked_bytes += bytes;
                ("ack", rtt)
            }
            Event::Congested { kind, bytes, .. } => {
                counts.lost_packets += bytes.div_ceil(u64::from(controller.mtu()));
                (name_of(kind), None)
            }
            _ => return,
        };
        self.print(now, name, rtt, controller, *counts);
    }
}

fn name_of(kind: LossKind) -> &'static str {
    match kind {
        LossKind::DuplicateAcks => "loss",
        LossKind::Timeout => "persistent-congestion",
        LossKind::Ecn => "mark",
    }
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
