//! The hosts at both ends of a flow.

use vegas_core::units::{Bytes, Segments, Span};

/// The behaviour of a flow's hosts: the parts of TCP that do not belong to the congestion control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSpec {
    /// The loss detection, recovery and timers.
    pub kind: HostKind,
    /// The number of duplicate acknowledgements that indicate a loss (RFC 5681, section 3.2: 3).
    pub dupack_threshold: u32,
    /// Whether the first two duplicate acknowledgements release new data (RFC 3042).
    pub limited_transmit: bool,
    /// The most segments sent in answer to one acknowledgement during fast recovery; `None` for no limit.
    pub recovery_burst: Option<Segments>,
    /// The receiver's delayed acknowledgements.
    pub delayed_ack: DelayedAck,
    /// The options of TCP on a Linux host.
    pub options: TcpOptions,
    /// The receive window.
    pub receive_window: ReceiveWindow,
    /// The retransmission timeouts.
    pub rto: Timeouts,
    /// What delays what arrives at the receiver.
    pub receiving: Receiving,
    /// The exchange that precedes the data.
    pub handshake: Handshake,
    /// Whether the window grows by what an acknowledgement acknowledges, a segment at most (RFC 5681, section 3.1);
    /// else by a segment for each acknowledgement of new data, as RFC 2581 allowed.
    pub byte_counting: bool,
    /// Whether a window that is not used for a retransmission timeout shrinks (RFC 5681, section 4.1; on Linux also
    /// while the application has less to send).
    pub slow_start_after_idle: bool,
    /// The number of data packets to one that carries the option that routers stamp, if the algorithm asks for it.
    pub aqt_every: u32,
    /// The newest version of ECN that the receiver takes.
    pub accepts_ecn: EcnVersion,
    /// What the receiver does wrong; `None` for a receiver that keeps the rules.
    pub misbehaves: Option<Misbehaviour>,
}

/// The limits of a sender's retransmission timeouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The least (RFC 6298, section 2.4: 1 s; ns-2 and Linux: 200 ms).
    pub min: Span,
    /// The greatest.
    pub max: Span,
    /// The timeout before the first sample (RFC 6298, section 2.1).
    pub initial: Span,
    /// The grain of the clock (G of RFC 6298).
    pub grain: Span,
}

/// What delays what arrives at a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receiving {
    /// The longest time for which its network interface holds segments in order to merge those that follow (GRO);
    /// `None` if it merges none.
    pub merges_for: Option<Span>,
    /// The time from the arrival of data until the application reads, as far as acknowledgements and the window depend
    /// on it.
    pub reads_after: Span,
}

/// Options of TCP that a Linux host has or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpOptions {
    /// Whether acknowledgements are selective; on other hosts the recovery decides it.
    pub sack: bool,
    /// Whether segments have time stamps (RFC 7323); on other hosts none have.
    pub timestamps: bool,
}

/// The window that a receiver offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveWindow {
    /// Constant from the start to the end.
    Constant(Segments),
    /// As on Linux: it begins small and grows with what arrives in order and the application reads.
    Linux {
        /// The window of the handshake.
        initial: Bytes,
        /// The greatest one.
        max: Bytes,
    },
}

/// The full segments that the application of bulk data gives a kernel in one call of `send`.
pub const WRITE_SEGMENTS: u64 = 32;
/// The data that wait to leave while the application gives no more (`TCP_NOTSENT_LOWAT`): 0.3 s at 100 Mb/s.
pub const UNSENT: Bytes = Bytes::new(4 << 20);

impl ReceiveWindow {
    /// The greatest number of bytes in a SYN's window field, which has no scale; about half of Linux's default buffer
    /// (`tcp_rmem[1]`, 131,072 bytes).
    pub const INITIAL: Bytes = Bytes::new(65_535);
    /// Linux's greatest buffer (`tcp_rmem[2]`).
    const BUFFER_MAX: u64 = 6 << 20;
    /// The part of a buffer that is for data before any have come, in 256ths (`TCP_DEFAULT_SCALING_RATIO`).
    pub(crate) const RATIO_FIRST: u64 = 128;

    /// The part of a buffer that is for data where full segments have `payload` bytes, in 256ths: their part of the
    /// memory that such a segment takes (`tcp_measure_rcv_mss`). That is 256 bytes beside a buffer of a size that is a
    /// power of two, for headers (52 bytes), what the kernel keeps free before them (64) and its description (320), so
    /// that 1448 bytes take 2304.
    pub(crate) fn ratio(payload: Bytes) -> u64 {
        const DESCRIPTOR: u64 = 256;
        const BESIDE_DATA: u64 = 52 + 64 + 320;
        let memory = DESCRIPTOR + (payload.get() + BESIDE_DATA).next_power_of_two();
        (256 * payload.get() / memory).max(1)
    }

    /// The greatest window in Linux's greatest buffer, where full segments have `payload` bytes.
    pub(crate) fn max(payload: Bytes) -> Bytes {
        Bytes::new(Self::BUFFER_MAX * Self::ratio(payload) / 256)
    }

    /// The window before any data, where full segments have `payload` bytes: whole ones, where it is tuned
    /// (`tcp_select_initial_window`).
    pub fn first(&self, payload: Bytes) -> Bytes {
        match *self {
            ReceiveWindow::Constant(segments) => Bytes::new(u64::from(segments.0) * payload.get()),
            ReceiveWindow::Linux { initial, .. } => Bytes::new(initial.get() - initial.get() % payload.get()),
        }
    }

    /// The scale of the window field where acknowledgements have one (`tcp_select_initial_window`: the least for the
    /// greatest buffer); `None` if the window is constant.
    pub fn shift(&self) -> Option<u8> {
        match *self {
            ReceiveWindow::Constant(_) => None,
            ReceiveWindow::Linux { max, .. } => Some(((2 * max.get()).ilog2().clamp(15, 29) - 15) as u8),
        }
    }
}

/// A version of ECN, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EcnVersion {
    /// Marks are not used.
    None,
    /// Echoes (RFC 3168).
    Classic,
    /// Counts (RFC 9768).
    Accurate,
}

/// What a receiver does wrong to get more than its share (S. Savage et al., "TCP Congestion Control with a Misbehaving
/// Receiver", 1999).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    /// It follows each acknowledgement of a segment by three duplicates.
    DupackSpoofing,
    /// It reports no mark of a queue.
    ConcealsMarks,
    /// It reports a mark of each packet.
    InflatesMarks,
    /// It acknowledges everything up to the newest segment that has arrived, holes included, and then this many
    /// segments more, which it has not seen.
    OptimisticAcks {
        /// The segments beyond the newest one; with 0 there is no second acknowledgement.
        ahead: Segments,
    },
    /// It divides each acknowledgement of new data into parts.
    AckDivision {
        /// The number of parts, 2 at least.
        parts: u32,
    },
}

/// The rule for the time at which a receiver acknowledges segments in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedAck {
    /// Each segment at once.
    None,
    /// Every second segment, and a single one after this span (RFC 5681, section 4.2).
    After(Span),
    /// As on Linux: each segment at once while the receive window grows, then every second one.
    Linux,
}

impl DelayedAck {
    /// Returns whether each segment is acknowledged at once.
    pub fn is_none(self) -> bool {
        match self {
            DelayedAck::None => true,
            DelayedAck::After(_) | DelayedAck::Linux => false,
        }
    }
}

/// The loss detection, recovery and timers of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// Those of the papers: Reno, NewReno or SACK recovery by the composition, and a retransmission clock of settable
    /// grain.
    Bsd,
    /// Those of Linux: SACK, RACK-TLP (RFC 8985), PRR (RFC 6937), F-RTO (RFC 5682), and its own retransmission timeout.
    Linux,
}

/// The exchange that precedes the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// No exchange: the first data packet leaves at the flow's start.
    None,
    /// A SYN, its acknowledgement, and the acknowledgement of that: the first data leave behind it, one round trip
    /// after the flow's start.
    Full,
}
