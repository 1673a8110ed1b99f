//! The path of a case, and the changes on it, as a scenario file.

use vegas_core::units::Span;

use crate::grid::{Point, rate};

/// A sender, a bottleneck and a receiver: nodes `s`, `r1`, `r2`, `d`. Texts are keys of the scenario file
/// (`docs/scenario.md`).
#[derive(Clone, Debug)]
pub struct Network {
    /// The scenario's name.
    pub name: String,
    /// The path's rate and round trip.
    pub point: Point,
    /// The duration of the run.
    pub duration: Span,
    /// The seed of the draws.
    pub seed: u64,
    /// Bytes of a full packet on the wire.
    pub packet_bytes: u64,
    /// The limit of the bottleneck's queue, packets.
    pub queue_packets: u64,
    /// Further keys of the bottleneck, such as `loss = 0.1`.
    pub bottleneck: Vec<String>,
    /// Further keys of the way back, such as `batch = "10ms"`.
    pub backward: Vec<String>,
    /// Phases of the application; none means bulk data.
    pub application: Vec<String>,
    /// Changes of the bottleneck, by their times: keys such as `rate = "1mbit"`.
    pub changes: Vec<(Span, String)>,
    /// A path around the last link, longer by `delay`, that packets take between two times.
    pub detour: Option<Detour>,
    /// The bottleneck's queue where it is not drop-tail, a TOML value.
    pub managed_queue: Option<String>,
    /// Further keys of the flow, such as `ecn = true`.
    pub flow: Vec<String>,
    /// The kind of the flow's hosts.
    pub host_kind: &'static str,
    /// Further keys of the flow's hosts.
    pub host: Vec<String>,
}

/// A longer path for a while: packets that leave before its end arrive after some that leave later.
#[derive(Clone, Copy, Debug)]
pub struct Detour {
    /// The additional one-way delay.
    pub delay: Span,
    /// The start.
    pub from: Span,
    /// The end.
    pub until: Span,
}

/// A host's own interface.
const UNLIMITED: &str = "\"unlimited\"";
/// The receive window of all networks, segments: receivers limit no sender that is judged.
const NEVER_LIMITS: u32 = 1 << 20;
/// The ratio of the other links' rate to the bottleneck's: they add little to the round trip.
const FASTER: u64 = 100;
/// The greatest rate of the other links, bits a second.
const FASTEST: u64 = 1_000_000_000_000;

impl Network {
    /// A path without further features: a queue of three BDP, a run of 30 round trips.
    pub fn of(case: &str, point: Point) -> Self {
        Network {
            name: format!("{case}-{}", point.name()),
            point,
            duration: point.rounds(30),
            seed: 1,
            packet_bytes: point.packet_bytes(),
            queue_packets: (3.0 * point.holds_packets()).ceil() as u64 + 30,
            bottleneck: Vec::new(),
            backward: Vec::new(),
            application: Vec::new(),
            changes: Vec::new(),
            detour: None,
            host_kind: "linux",
            managed_queue: None,
            flow: Vec::new(),
            host: Vec::new(),
        }
    }

    /// The scenario file with this flow: `algorithm = ...` and further keys, a line each.
    pub fn text(&self, flow: &str) -> String {
        let mut lines = self.head();
        lines.extend(self.links());
        lines.push(format!("\n[[flow]]\n{flow}\nfrom = \"s\"\nto = \"d\"\npacket = \"{}b\"", self.packet_bytes));
        lines.extend(self.flow.iter().cloned());
        if !self.application.is_empty() {
            lines.push(format!("application = [\n    {},\n]", self.application.join(",\n    ")));
        }
        lines.push(format!("\n[flow.host]\nkind = {:?}\nreceive_window = {NEVER_LIMITS}", self.host_kind));
        lines.extend(self.host.iter().cloned());
        lines.extend(self.all_changes());
        lines.join("\n") + "\n"
    }

    fn head(&self) -> Vec<String> {
        let nodes = if self.detour.is_some() { r#"["s", "r1", "r2", "x", "d"]"# } else { r#"["s", "r1", "r2", "d"]"# };
        let seed = if self.seed == 1 { String::new() } else { format!("seed = {}\n", self.seed) };
        vec![
            format!("name = {:?}", self.name),
            format!("duration = {}\nsample = \"off\"\n{seed}", time(self.duration)),
            format!("[topology]\nkind = \"graph\"\nnodes = {nodes}"),
        ]
    }

    fn links(&self) -> Vec<String> {
        let fast = rate((FASTER * self.point.rate_bps).min(FASTEST));
        let half = time(Span::from_nanos(self.point.rtt.as_nanos() / 2));
        let link = |from: &str, to: &str, rate: &str, delay: &str, queue: &str| {
            let between = format!("between = [{from:?}, {to:?}]");
            format!("\n[[topology.link]]\n{between}\nrate = {rate:?}\ndelay = {delay}\nqueue = {queue}")
        };
        let mut lines = vec![link("s", "r1", &fast, "\"0s\"", UNLIMITED)];
        let bottleneck = rate(self.point.rate_bps);
        let drop_tail = format!("\"{}p\"", self.queue_packets);
        lines.push(link("r1", "r2", &bottleneck, &half, self.managed_queue.as_ref().unwrap_or(&drop_tail)));
        lines.extend(self.bottleneck.iter().cloned());
        let mut backward = vec![format!("rate = {fast:?}"), "queue = \"unlimited\"".into()];
        backward.extend(self.backward.iter().cloned());
        lines.push(format!("backward = {{ {} }}", backward.join(", ")));
        lines.push(link("r2", "d", &fast, "\"0s\"", UNLIMITED));
        if let Some(detour) = self.detour {
            // each of its links has half of the additional delay, so that the other path is nearer to neither end
            let half = time(Span::from_nanos(detour.delay.as_nanos() / 2));
            lines.push(link("r2", "x", &fast, &half, UNLIMITED));
            lines.push(link("x", "d", &fast, &half, UNLIMITED));
        }
        lines
    }

    fn all_changes(&self) -> Vec<String> {
        let of_link =
            |(at, keys): &(Span, String)| format!("\n[[change]]\nat = {}\nlink = \"r1->r2\"\n{keys}", time(*at));
        let mut changes: Vec<String> = self.changes.iter().map(of_link).collect();
        if let Some(detour) = self.detour {
            let route = |at: Span, via: &str| format!("\n[[change]]\nat = {}\nflow = 0\nvia = [{via}]", time(at));
            changes.push(route(detour.from, "\"x\""));
            changes.push(route(detour.until, ""));
        }
        changes
    }
}

/// Formats a time for scenario files.
pub(crate) fn time(span: Span) -> String {
    let nanos = span.as_nanos();
    match nanos {
        0 => "\"0s\"".into(),
        _ if nanos.is_multiple_of(1_000_000_000) => format!("\"{}s\"", nanos / 1_000_000_000),
        _ if nanos.is_multiple_of(1_000_000) => format!("\"{}ms\"", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1_000) => format!("\"{}us\"", nanos / 1_000),
        _ => format!("\"{nanos}ns\""),
    }
}
