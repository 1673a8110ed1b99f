//! The memory that a run holds: the part that grows with the run, without what every run needs. It is a function of the
//! run alone, so that a limit stops every repetition at the same event. `tests/it/engine/memory.rs` compares it with
//! what is allocated.

use super::event_loop::{EventLoop, FLOW_BYTES};
use crate::endpoint::Flow;
use crate::measure::outcome::{CapturedPacket, Incident};
use crate::measure::recorder::Recorder;
use crate::network::Network;

/// The memory of the totals of a flow or a link: its rows in the outcome and in the table of totals, its text in the
/// summary, and the objects that Python makes of that.
const TOTALS_BYTES: u64 = 1300;
/// The memory of a row of the series, or of an incident: its copy in a table.
const FLOW_ROW_BYTES: u64 = 100;
const LINK_ROW_BYTES: u64 = 52;
const INCIDENT_BYTES: u64 = 32;
/// The memory of a packet of the capture: its entry in the order of time.
const PACKET_BYTES: u64 = 24;
/// The most rows that the encoder of a Parquet file holds.
const GROUP_ROWS: u64 = 1 << 20;

impl<N: Network> EventLoop<N> {
    /// Returns about how much memory the run holds, bytes.
    pub(super) fn memory_bytes(&self) -> u64 {
        let hosts = &self.hosts;
        let opened = hosts.flows.len() - hosts.components.flows as usize;
        let flows: usize = hosts.flows.iter().map(Flow::memory_bytes).sum();
        let held = opened * FLOW_BYTES
            + flows
            + self.network.memory_bytes()
            + hosts.sacks.memory_bytes()
            + hosts.outbox.memory_bytes()
            + hosts.outcome.incidents.len() * size_of::<Incident>()
            + hosts.outcome.capture.len() * size_of::<CapturedPacket>();
        self.base.set_up + held as u64 + hosts.recorder.memory_bytes()
    }

    /// Returns about how much memory the run holds with what it is about to take, or at the end if that is more: the
    /// rows still to come and the results, bytes.
    pub(super) fn memory_to_end_bytes(&self) -> u64 {
        let [flow_rows, link_rows] = self.hosts.recorder.rows_to_come();
        let series = Recorder::rows_bytes(flow_rows, link_rows);
        // the memory that only the run needs is free by then
        let results = results_bytes(
            u64::from(self.hosts.components.flows),
            self.links as u64,
            [flow_rows, link_rows],
            self.hosts.outcome.incidents.len() as u64,
            self.hosts.outcome.capture.len() as u64,
        );
        let held = self.memory_bytes() - self.hosts.recorder.memory_bytes();
        series + held.max(self.kept_bytes() + results)
    }

    /// Returns the memory of scenario, captures and incidents, which stay until the results are written, bytes.
    fn kept_bytes(&self) -> u64 {
        let kept = self.hosts.outcome.incidents.len() * size_of::<Incident>()
            + self.hosts.outcome.capture.len() * size_of::<CapturedPacket>();
        self.base.scenario + kept as u64
    }

    /// Returns the number of events that may pass between checks of the memory: a check takes as long as there are
    /// flows and links. Meanwhile the connections that are opened take a fraction of what these flows hold.
    pub(super) fn events_between_looks(&self) -> u64 {
        (self.hosts.flows.len() + self.links) as u64 / 4
    }
}

/// Returns the memory that the results take in addition to the outcome from which they are made, bytes; `rows` are
/// those of the series of flows and of links.
fn results_bytes(flows: u64, links: u64, rows: [u64; 2], incidents: u64, packets: u64) -> u64 {
    let [flow_rows, link_rows] = rows;
    let tables = flow_rows * FLOW_ROW_BYTES + link_rows * LINK_ROW_BYTES + incidents * INCIDENT_BYTES;
    let tables = tables.max(packets / 2 * PACKET_BYTES);
    let encoder = flow_rows.max(link_rows).min(GROUP_ROWS) * FLOW_ROW_BYTES;
    (flows + links) * TOTALS_BYTES + tables + encoder
}
