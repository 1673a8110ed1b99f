//! "TCP-Vegas slow start performance in large bandwidth delay network", section 4: Streak Doubling on the dumbbell of
//! its figure 1.

use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use super::{BOTTLENECK, link_series};

const DELAYS_MS: [u64; 7] = [10, 20, 50, 100, 200, 500, 1000];
const RATES_MBPS: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const PACKET_BITS: f64 = 8_000.0;

/// A path with this round-trip propagation delay; each of the four passes over an access link has a tenth of it.
#[derive(Clone, Copy, Debug)]
struct Path {
    delay_ms: u64,
    rate_mbps: u64,
    access_mbps: u64,
}

impl Path {
    /// The round-trip time of a single packet, without its acknowledgement's few bytes, s.
    fn round_s(self) -> f64 {
        let (rate, access) = (self.rate_mbps as f64 * 1e6, self.access_mbps as f64 * 1e6);
        self.delay_ms as f64 / 1e3 + PACKET_BITS / rate + 2.0 * PACKET_BITS / access
    }

    /// The number of segments that the path holds.
    fn holds(self) -> f64 {
        self.round_s() * self.rate_mbps as f64 * 1e6 / PACKET_BITS
    }

    fn run(self, algorithm: &str, queue: &str, duration_ns: u64, sample_ns: u64) -> Outcome {
        let Path { delay_ms, rate_mbps, access_mbps } = self;
        let (access_us, bottleneck_us) = (delay_ms * 50, delay_ms * 400);
        let text = format!(
            r#"name = "streak"
duration = "{duration_ns}ns"
sample = "{sample_ns}ns"
[topology]
kind = "dumbbell"
access = {{ rate = "{access_mbps}mbit", delay = "{access_us}us" }}
bottleneck = {{ rate = "{rate_mbps}mbit", delay = "{bottleneck_us}us", queue = "{queue}" }}
[[flow]]
algorithm = {algorithm}
"#
        );
        let scenario = Scenario::from_toml(&text, "streak.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        vegas_sim::run(&scenario)
    }

    /// Checks the requirements of figure 12 and of the design on slow start on this path; the error names the one that
    /// fails.
    fn check(self) -> Result<(), String> {
        let rounds = 2.0 * self.holds().log2() + 4.0;
        let nanos = |rounds: f64| (rounds * self.round_s() * 1e9) as u64;
        // three more rounds show whether the link stays full
        let whole = self.run("\"streak\"", "5p", nanos(rounds + 3.0), nanos(0.25));
        let end_s = whole.flows[0].slow_start_end_s.ok_or("slow start does not end")?;
        let opening = self.run("\"streak\"", "4p", (end_s * 1e9) as u64, nanos(1.0));
        let link = &opening.links[BOTTLENECK];
        if link.max_queue_packets > 2 || link.drops > 0 {
            return Err(format!("queue {}, drops {}", link.max_queue_packets, link.drops));
        }
        if whole.links[BOTTLENECK].drops > 0 {
            return Err(format!("{} drops after slow start", whole.links[BOTTLENECK].drops));
        }
        let idle = link_series(&whole, BOTTLENECK, &whole.link_series.utilisation)
            .into_iter()
            .find(|(time, busy)| *time > (rounds + 0.25) * self.round_s() && *busy < 0.999);
        match idle.filter(|_| self.holds() >= 8.0) {
            Some((time, busy)) => Err(format!("{busy} of the link at {time} s, after {rounds} rounds")),
            None => Ok(()),
        }
    }
}

/// Figures 12 and 10: the queue is at most two at every delay and rate, for both rates of access links.
#[test]
fn the_queue_stays_at_two_and_the_link_fills() {
    let mut failures = Vec::new();
    for delay_ms in DELAYS_MS {
        for rate_mbps in RATES_MBPS {
            for access_mbps in [rate_mbps, 10 * rate_mbps] {
                let path = Path { delay_ms, rate_mbps, access_mbps };
                failures.extend(path.check().err().map(|why| format!("{path:?}: {why}")));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
