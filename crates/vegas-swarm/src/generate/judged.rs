//! Networks that the real kernel carries too (docs/kernel-world.md): one bottleneck of at most 50 Mb/s, hosts with the
//! kernel's rules, and some thousands of packets.

use serde_json::{Value, json};

use super::{Table, maybe, set};
use crate::document::quantity;
use crate::draw::Draw;

/// The presets: copies of the kernel's own congestion controls, and one of vegaslab's, which runs there by BPF. CDG is
/// not here: it cuts by chance, from the kernel's random numbers (docs/deviations.md).
const ALGORITHMS: [&str; 16] = [
    "reno-linux",
    "cubic-linux",
    "vegas-linux",
    "bbr1",
    "nv",
    "veno",
    "westwood",
    "yeah",
    "illinois",
    "htcp",
    "bic",
    "highspeed",
    "hybla",
    "scalable",
    "lp",
    "vegas-next",
];
const RATES: (u64, u64) = (1_000_000, 50_000_000);
const DELAYS_NS: (u64, u64) = (1_000_000, 80_000_000);
const DURATIONS_NS: (u64, u64) = (1_000_000_000, 10_000_000_000);
/// About as many packets as the bottleneck sends in a run: some seconds of work in the kernel's world.
const PACKETS: u64 = 8_000;
const PACKET_BITS: u64 = 1_500 * 8;
/// On slower links the acknowledgement that ends the handshake takes its place in the queue for longer than the guest
/// takes to send the first data (docs/deviations.md).
const SLOW: u64 = 10_000_000;
/// A receive window that limits no sender, segments.
const NEVER_LIMITS: u32 = 1 << 20;
const SECOND_NS: u64 = 1_000_000_000;
/// Each of these networks is run at several starts of the second flow (docs/swarm.md).
const SECOND_FLOW_PERCENT: u64 = 20;

/// What the parts of a network are drawn around.
struct Path {
    rate: u64,
    round_trip_ns: u64,
    duration_ns: u64,
    /// The packets that fill the path.
    full: u64,
}

/// Returns the document of a network for both worlds.
pub fn document(draw: &mut Draw) -> Value {
    let rate = draw.log_between(RATES.0, RATES.1);
    let delay = draw.log_between(DELAYS_NS.0, DELAYS_NS.1);
    let round_trip_ns = 2 * (delay + 2 * ACCESS_DELAY_NS);
    let duration_ns = (PACKETS * PACKET_BITS * SECOND_NS / rate).clamp(DURATIONS_NS.0, DURATIONS_NS.1);
    let full = (rate / PACKET_BITS * round_trip_ns / SECOND_NS).max(2);
    let path = Path { rate, round_trip_ns, duration_ns, full };
    let mut document = Table::new();
    set(&mut document, "name", "judged");
    set(&mut document, "duration", quantity::time(draw, duration_ns));
    set(&mut document, "seed", draw.below(1_000));
    set(&mut document, "sample", "off");
    let mut bottleneck = Table::new();
    set(&mut bottleneck, "rate", quantity::rate(draw, rate));
    set(&mut bottleneck, "delay", quantity::time(draw, delay));
    let room = draw.log_between((path.full / 4).max(4), 2 * path.full + 10);
    set(&mut bottleneck, "queue", queue(draw, room));
    if draw.percent(35) {
        fault(draw, &path, &mut bottleneck);
    }
    let access = json!({ "rate": "1gbit", "delay": format!("{ACCESS_DELAY_NS}ns") });
    set(&mut document, "topology", json!({ "kind": "dumbbell", "access": access, "bottleneck": bottleneck }));
    let first_window_max = if rate < SLOW { room - 2 } else { u64::MAX };
    let mut flows = vec![flow(draw, first_window_max)];
    if draw.percent(15) {
        set(&mut document, "change", vec![change(draw, &path)]);
    }
    // drawn last, so that the others are the networks that a swarm without a second flow has
    if draw.percent(SECOND_FLOW_PERCENT) {
        flows.push(second(draw, &path, &flows[0]));
    }
    set(&mut document, "flow", flows);
    document.into()
}

const ACCESS_DELAY_NS: u64 = 500_000;

fn queue(draw: &mut Draw, packets: u64) -> Value {
    match draw.below(10) {
        0 => json!({ "kind": draw.pick(&["codel", "fq-codel", "pie", "red"]), "limit": format!("{}p", packets + 20) }),
        1..3 => quantity::size(draw, packets * PACKET_BITS / 8).into(),
        _ => format!("{packets}p").into(),
    }
}

/// Adds one impairment.
fn fault(draw: &mut Draw, path: &Path, link: &mut Table) {
    let ppm = draw.log_between(200, 20_000);
    let probability = quantity::probability(draw, ppm);
    match draw.below(6) {
        0 | 1 => set(link, "loss", probability),
        2 => set(link, "backward", json!({ "loss": probability })),
        3 => set(link, "duplicate", probability),
        4 => {
            let delay = draw.log_between(100_000, path.round_trip_ns / 2);
            set(link, "reorder", json!({ "probability": probability, "delay": quantity::time(draw, delay) }));
        }
        _ => {
            let mut packets: Vec<u64> = (0..draw.between(1, 5)).map(|_| draw.log_between(1, 500)).collect();
            packets.sort_unstable();
            packets.dedup();
            set(link, "drop", packets);
        }
    }
}

/// Returns the first flow.
fn flow(draw: &mut Draw, first_window_max: u64) -> Value {
    let mut host = json!({ "kind": "linux", "handshake": "full", "delayed_ack": "linux" });
    for (key, percent) in [("sack", 85), ("timestamps", 50)] {
        host[key] = draw.percent(percent).into();
    }
    if draw.percent(85) {
        host["receive_window"] = NEVER_LIMITS.into();
    }
    let mut flow = Table::new();
    set(&mut flow, "algorithm", draw.pick(&ALGORITHMS));
    // smaller ones are acknowledged otherwise since Linux 6.11 (docs/deviations.md)
    set(&mut flow, "packet", "1500b");
    set(&mut flow, "initial_window", draw.pick(&[2, 4, 10, 10, 10, 20]).min(first_window_max));
    set(&mut flow, "host", host);
    maybe(draw, 25, &mut flow, "size", |draw| {
        let bytes = draw.log_between(20_000, 3_000_000);
        quantity::size(draw, bytes)
    });
    maybe(draw, 15, &mut flow, "ecn", |_| true);
    flow.into()
}

/// Returns a flow that joins the first one with data to the end, often by another algorithm. The kernel has SACK and
/// time stamps for both or for neither.
fn second(draw: &mut Draw, path: &Path, first: &Value) -> Value {
    let mut flow = Table::new();
    set(&mut flow, "algorithm", draw.pick(&ALGORITHMS));
    let start = draw.between(0, path.duration_ns / 3);
    set(&mut flow, "start", quantity::time(draw, start));
    for key in ["packet", "initial_window", "host"] {
        set(&mut flow, key, first[key].clone());
    }
    flow.into()
}

fn change(draw: &mut Draw, path: &Path) -> Value {
    let at = draw.between(path.duration_ns / 4, path.duration_ns * 3 / 4);
    let mut change = Table::new();
    set(&mut change, "at", quantity::time(draw, at));
    set(&mut change, "link", "r1->r2");
    match draw.percent(50) {
        true => {
            let rate = path.rate * draw.between(2, 10) / 10;
            set(&mut change, "rate", quantity::rate(draw, rate));
        }
        false => {
            let delay = draw.log_between(DELAYS_NS.0, DELAYS_NS.1);
            set(&mut change, "delay", quantity::time(draw, delay));
        }
    }
    change.into()
}
