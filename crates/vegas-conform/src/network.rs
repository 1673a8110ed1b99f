//! The path of a case, and what happens on it, as a scenario file.

use std::fmt::Write as _;

use vegas_core::units::Span;

use crate::grid::{Point, rate};

/// A dumbbell with one flow. Fields are texts of the scenario file (`docs/scenario.md`).
#[derive(Clone, Debug)]
pub struct Network {
    name: String,
    /// The path's rate and round trip.
    pub point: Point,
    /// How long the run lasts.
    pub duration: Span,
    /// Packets that the bottleneck's queue holds.
    pub queue_packets: u64,
    /// More keys of the bottleneck, such as `loss = 0.1`.
    pub bottleneck: Vec<String>,
    /// More keys of the way back, such as `batch = "10ms"`.
    pub backward: Vec<String>,
    /// Phases of the application; none: bulk data.
    pub application: Vec<String>,
    /// Changes of the bottleneck, by their times: keys such as `rate = "1mbit"`.
    pub changes: Vec<(Span, String)>,
    /// Keys of the flow's hosts beside `kind = "linux"`.
    pub host: Vec<String>,
}

impl Network {
    /// Nothing special: a queue of two of the path's products, a run of 20 s and 60 round trips.
    pub fn of(case: &str, point: Point) -> Self {
        Network {
            name: format!("{case}-{}", point.name()),
            point,
            duration: Span::from_secs(20) + point.rtt.times(60),
            queue_packets: (2.0 * point.holds_packets()).ceil() as u64 + 20,
            bottleneck: Vec::new(),
            backward: Vec::new(),
            application: Vec::new(),
            changes: Vec::new(),
            host: Vec::new(),
        }
    }

    /// The scenario file with this flow, `algorithm = ...` and more keys a line each.
    pub fn text(&self, flow: &str) -> String {
        let point = self.point;
        let mut text = String::new();
        let mut line = |line: String| {
            // a String takes all
            let _ = writeln!(text, "{line}");
        };
        line(format!("name = {:?}", self.name));
        line(format!("duration = {}", time(self.duration)));
        line("sample = \"off\"\n\n[topology]\nkind = \"dumbbell\"".into());
        line(format!("access = {{ rate = {:?}, delay = \"0s\" }}", rate(FASTER * point.rate_bps)));
        line("\n[topology.bottleneck]".into());
        line(format!("rate = {:?}", rate(point.rate_bps)));
        line(format!("delay = {}", time(Span::from_nanos(point.rtt.as_nanos() / 2))));
        line(format!("queue = \"{}p\"", self.queue_packets));
        self.bottleneck.iter().for_each(|key| line(key.clone()));
        line("\n[topology.bottleneck.backward]".into());
        line(format!("rate = {:?}\nqueue = \"unlimited\"", rate(FASTER * point.rate_bps)));
        self.backward.iter().for_each(|key| line(key.clone()));
        line(format!("\n[[flow]]\n{flow}\npacket = \"{}b\"", point.packet_bytes()));
        if !self.application.is_empty() {
            line(format!("application = [{}]", self.application.join(", ")));
        }
        line("\n[flow.host]\nkind = \"linux\"".into());
        self.host.iter().for_each(|key| line(key.clone()));
        for (at, keys) in &self.changes {
            line(format!("\n[[change]]\nat = {}\nlink = \"r1->r2\"\n{keys}", time(*at)));
        }
        text
    }
}

/// How much faster than the bottleneck the other links are: what they add to the round trip is small.
const FASTER: u64 = 100;

/// A time as scenario files have it.
pub(crate) fn time(span: Span) -> String {
    format!("\"{}ns\"", span.as_nanos())
}
