//! The memory that results take beside the outcome from which they are made.

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

/// Returns the memory that the results take, bytes; `rows` are those of the series of flows and of links.
pub(crate) fn memory_bytes(flows: u64, links: u64, rows: [u64; 2], incidents: u64, packets: u64) -> u64 {
    let [flow_rows, link_rows] = rows;
    let tables = flow_rows * FLOW_ROW_BYTES + link_rows * LINK_ROW_BYTES + incidents * INCIDENT_BYTES;
    let tables = tables.max(packets / 2 * PACKET_BYTES);
    let encoder = flow_rows.max(link_rows).min(GROUP_ROWS) * FLOW_ROW_BYTES;
    (flows + links) * TOTALS_BYTES + tables + encoder
}
