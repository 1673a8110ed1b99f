//! The totals of a link.

use vegas_core::units::Span;

/// The totals of a link up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkTotals {
    pub(crate) departed_bytes: u64,
    /// The time for which the transmitter was busy.
    pub(crate) busy: Span,
    /// The integral of the waiting packets over time, packets x ns.
    pub(crate) waited_ns: u128,
    /// The number of packets lost to a full queue or to an impairment.
    pub(crate) drops: u64,
    /// The number of packets marked (ECN).
    pub(crate) marks: u64,
    pub(crate) max_queue_packets: u32,
    /// The most packets waiting since the last sample.
    pub(crate) step_max_queue_packets: u32,
    /// The packets waiting at that time, and below it their bytes, without the packet in the transmitter.
    pub(crate) queue_packets: u32,
    pub(crate) queue_bytes: u64,
}
