//! What is counted of a link.

use vegas_core::units::Span;

/// What had happened on a link up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkTotals {
    pub(crate) departed_bytes: u64,
    /// Time that the transmitter was busy.
    pub(crate) busy: Span,
    /// The integral of the waiting packets over time, packets x ns.
    pub(crate) waited_ns: u128,
    /// Packets lost to a full queue or to an impairment.
    pub(crate) drops: u64,
    /// Packets marked (ECN).
    pub(crate) marks: u64,
    pub(crate) max_queue_packets: u32,
    /// Most packets waiting since the last sample.
    pub(crate) step_max_queue_packets: u32,
    /// Packets waiting then, and their bytes; the one being sent does not wait.
    pub(crate) queue_packets: u32,
    pub(crate) queue_bytes: u64,
}
