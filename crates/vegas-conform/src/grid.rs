//! The paths of the cases: rates of 64 kb/s to 10 Gb/s, round trips of 1 ms to 1 s.

use vegas_core::units::Span;

/// A path: its bottleneck's rate, and its round-trip propagation delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The bottleneck's rate on the wire, bits a second.
    pub rate_bps: u64,
    /// Round-trip propagation delay, above 0.
    pub rtt: Span,
}

/// The least size of a packet, bytes.
const PACKET_MIN: u64 = 250;
/// The greatest size, near the limit of IPv4, which includes the host's header.
const PACKET_MAX: u64 = 60_000;
/// The number of packets that fill a path: enough to show losses of 2 %, and few enough for short runs.
const PACKETS: u64 = 150;

impl Point {
    /// Makes a point from bits a second and milliseconds.
    pub const fn new(rate_bps: u64, rtt_ms: u64) -> Self {
        Point { rate_bps, rtt: Span::from_millis(rtt_ms) }
    }

    /// The size of a full packet on the wire, bytes: a fraction of the path's capacity.
    pub fn packet_bytes(self) -> u64 {
        let path_bytes = u128::from(self.rate_bps) * u128::from(self.rtt.as_nanos()) / 8_000_000_000;
        (path_bytes as u64 / PACKETS).clamp(PACKET_MIN, PACKET_MAX)
    }

    /// Packets a second that the bottleneck carries.
    pub fn packets_per_second(self) -> f64 {
        self.rate_bps as f64 / 8.0 / self.packet_bytes() as f64
    }

    /// The number of packets in flight on a full path without a queue: rate times propagation delay.
    pub fn holds_packets(self) -> f64 {
        self.packets_per_second() * self.rtt.as_nanos() as f64 / 1e9
    }

    /// This number of round trips, plus the sending time of six packets: about an RTT of a flow.
    pub fn rounds(self, rounds: u64) -> Span {
        let packets_ns = 6 * self.packet_bytes() * 8 * 1_000_000_000 / self.rate_bps;
        Span::from_nanos(rounds * (self.rtt.as_nanos() + packets_ns))
    }

    /// The longest wait of PROBE_BW before a probe: T_probe, three seconds or 63 round trips, and PROBE_RTT before it.
    pub fn wait(self) -> Span {
        Span::from_secs(4).min(self.rounds(70))
    }

    /// Its name, such as `10mbit-100ms`.
    pub fn name(self) -> String {
        format!("{}-{}ms", rate(self.rate_bps), self.rtt.as_nanos() / 1_000_000)
    }
}

/// Formats a rate for scenario files.
pub(crate) fn rate(bps: u64) -> String {
    match bps {
        _ if bps.is_multiple_of(1_000_000_000) => format!("{}gbit", bps / 1_000_000_000),
        _ if bps.is_multiple_of(1_000_000) => format!("{}mbit", bps / 1_000_000),
        _ if bps.is_multiple_of(1_000) => format!("{}kbit", bps / 1_000),
        _ => format!("{bps}bit"),
    }
}

/// The point of pictures and of quick checks.
pub const REFERENCE: Point = Point::new(10_000_000, 100);

/// The points of a quick check: the reference, a short fast path, a long slow one.
pub const QUICK: [Point; 3] = [REFERENCE, Point::new(100_000_000, 30), Point::new(1_000_000, 300)];

/// The points for subjects of QUIC: packets of 2000 bytes, above QUIC's least size and below half of its first window.
pub const QUIC: [Point; 3] = [Point::new(48_000_000, 50), Point::new(240_000_000, 10), Point::new(12_000_000, 200)];

/// Points from end to end of both ranges. 10 Gb/s with a second is left out: a round trip has 21,000 packets of the
/// largest size, which takes three times the processor time of all other points, and STARTUP takes more round trips
/// than two of the cases wait (`docs/conformance.md`).
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
