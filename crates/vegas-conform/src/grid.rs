//! The paths that cases are played on: rates of 64 kb/s to 10 Gb/s, round trips of 1 ms to 1 s.

use vegas_core::units::Span;

/// A path: its bottleneck's rate, and its propagation delay there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Bits a second on the wire.
    pub rate_bps: u64,
    /// Round-trip propagation delay, above 0.
    pub rtt: Span,
}

/// Packets are no smaller than this, bytes.
const PACKET_MIN: u64 = 250;
/// IPv4 has none much larger; the host's header is in it.
const PACKET_MAX: u64 = 60_000;
/// Packets that fill a path: enough to see losses of 2 %, and few enough for short runs.
const PACKETS: u64 = 150;

impl Point {
    /// In bits a second and milliseconds.
    pub const fn new(rate_bps: u64, rtt_ms: u64) -> Self {
        Point { rate_bps, rtt: Span::from_millis(rtt_ms) }
    }

    /// Bytes of a full packet on the wire: a part of what the path holds.
    pub fn packet_bytes(self) -> u64 {
        let path_bytes = u128::from(self.rate_bps) * u128::from(self.rtt.as_nanos()) / 8_000_000_000;
        (path_bytes as u64 / PACKETS).clamp(PACKET_MIN, PACKET_MAX)
    }

    /// Packets a second that the bottleneck carries.
    pub fn packets_per_second(self) -> f64 {
        self.rate_bps as f64 / 8.0 / self.packet_bytes() as f64
    }

    /// Packets on the way on a path that is full and without a queue: rate times propagation delay.
    pub fn holds_packets(self) -> f64 {
        self.packets_per_second() * self.rtt.as_nanos() as f64 / 1e9
    }

    /// This many round trips, with what six packets take to leave: about what an RTT is under way.
    pub fn rounds(self, rounds: u64) -> Span {
        let packets_ns = 6 * self.packet_bytes() * 8 * 1_000_000_000 / self.rate_bps;
        Span::from_nanos(rounds * (self.rtt.as_nanos() + packets_ns))
    }

    /// As long as PROBE_BW waits at most before it probes: T_probe, three seconds or 63 round trips, and PROBE_RTT before it.
    pub fn wait(self) -> Span {
        Span::from_secs(4).min(self.rounds(70))
    }

    /// Such as `10mbit-100ms`.
    pub fn name(self) -> String {
        format!("{}-{}ms", rate(self.rate_bps), self.rtt.as_nanos() / 1_000_000)
    }
}

/// A rate as scenario files have it.
pub(crate) fn rate(bps: u64) -> String {
    match bps {
        _ if bps.is_multiple_of(1_000_000_000) => format!("{}gbit", bps / 1_000_000_000),
        _ if bps.is_multiple_of(1_000_000) => format!("{}mbit", bps / 1_000_000),
        _ if bps.is_multiple_of(1_000) => format!("{}kbit", bps / 1_000),
        _ => format!("{bps}bit"),
    }
}

/// The point of pictures, and of a quick look.
pub const REFERENCE: Point = Point::new(10_000_000, 100);

/// A quick look: the reference, a short fast path, a long slow one.
pub const QUICK: [Point; 3] = [REFERENCE, Point::new(100_000_000, 30), Point::new(1_000_000, 300)];

/// For subjects of QUIC: packets of 2000 bytes, more than QUIC's least and less than half of its first window.
pub const QUIC: [Point; 3] = [Point::new(48_000_000, 50), Point::new(240_000_000, 10), Point::new(12_000_000, 200)];

/// From end to end of both ranges. 10 Gb/s with a second is left out: 21,000 packets of the largest size a round trip, three times
/// the processor time of all others, and more round trips of STARTUP than two cases wait (`docs/conformance.md`).
pub const WHOLE: [Point; 11] = [
    REFERENCE,
    Point::new(64_000, 1),
    Point::new(64_000, 1_000),
    Point::new(1_000_000, 10),
    Point::new(1_000_000, 300),
    Point::new(100_000_000, 1),
    Point::new(100_000_000, 30),
    Point::new(100_000_000, 1_000),
    Point::new(1_000_000_000, 100),
    Point::new(10_000_000_000, 1),
    Point::new(10_000_000_000, 30),
];
