//! Which congestion control sent a captured flow?
//!
//! A sender that has more to send than its window lets out shows the window: it is what is in flight. Each candidate
//! gets the acknowledgements, losses and round-trip times of the capture, as the sender had them, and so says at each
//! acknowledgement what its window would have been. The one with the windows nearest to what was in flight explains
//! the capture best. No path has to be known, and what a candidate lets leave does not change what comes back.

mod replay;
mod score;
mod timeline;

use serde::Serialize;
use vegas_core::registry::{self, Preset};
use vegas_core::units::Segments;

use self::replay::{Expected, Manner, needs, replay};
use self::score::Points;
use self::timeline::{Event, Hosts, events};
use crate::tables::rows::Flow;
use crate::tcp::sender::log::Log;

/// How well a candidate explains the capture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The preset's name.
    pub name: String,
    /// How far what it expects is from what was in flight, as the logarithm of the ratio: 0.1 are 10 %.
    pub error: f64,
}

/// The candidates in order, the best one first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Identified {
    /// The flow's number.
    pub flow: u32,
    /// How often what was in flight shows the window.
    pub points: usize,
    /// All candidates, the best one first.
    pub candidates: Vec<Candidate>,
    /// Those that explain it about as well as the best one; empty if not even that one explains it.
    pub answer: Vec<String>,
    /// The answer has candidates with an error up to this multiple of the best one's (and 0.001 more).
    pub about: f64,
    /// Above this error of the best candidate the answer is empty.
    pub explains_most: f64,
}

/// The least number of points.
pub(crate) const POINTS_LEAST: usize = 5;
/// Candidates with an error up to this multiple of the best one's, and this much more, are about as good.
const ABOUT: f64 = 1.2;
const ABOUT_MORE: f64 = 0.001;
/// No candidate explains a capture with more error than this.
const EXPLAINS_MOST: f64 = 0.2;
/// A host begins with this window if the capture does not show it (RFC 6928), segments.
const INITIAL_WINDOW: u32 = 10;
/// Runs of a control that draws random numbers.
const SEEDS: u64 = 32;

/// Compares the candidates of these names with a flow; `origin` is the least time by the capture's clock, ns.
pub(crate) fn identify(flow: &Flow, log: &Log, origin: i64, names: &[String]) -> Identified {
    let segment = i64::from(flow.mss_bytes.unwrap_or(1).max(1));
    let upstream = (flow.upstream_rtt_ms.unwrap_or(0.0) * 1e6) as i64;
    let has_sack = flow.sack.unwrap_or(true);
    let hosts = Hosts { segment, has_sack, undoes: false, upstream, origin };
    let kernels: Vec<(Vec<Event>, Points)> = [false, true]
        .into_iter()
        .filter(|undoes| !has_sack || !undoes)
        .map(|undoes| {
            let events = events(log, Hosts { undoes, ..hosts });
            let points = points(flow, &events, segment);
            (events, points)
        })
        .collect();
    let initial_window = initial_window(flow, segment);
    let best_of = |preset: &Preset| {
        let errors = kernels.iter().filter_map(|(events, points)| error(preset, events, points, initial_window));
        errors.min_by(f64::total_cmp)
    };
    let named = |name: &String| Some(Candidate { name: name.clone(), error: best_of(registry::preset(name)?)? });
    let mut candidates: Vec<Candidate> = names.iter().filter_map(named).collect();
    candidates.sort_by(|one, other| one.error.total_cmp(&other.error));
    let least = candidates.first().map_or(f64::MAX, |best| best.error);
    let is_good = |one: &&Candidate| least <= EXPLAINS_MOST && one.error <= ABOUT * least + ABOUT_MORE;
    let answer = candidates.iter().filter(is_good).map(|one| one.name.clone()).collect();
    Identified {
        flow: flow.id,
        points: kernels[0].1.len(),
        candidates,
        answer,
        about: ABOUT,
        explains_most: EXPLAINS_MOST,
    }
}

fn points(flow: &Flow, events: &[Event], segment: i64) -> Points {
    let settled = |event: &Event| if let Event::Settled(settled) = event { Some(*settled) } else { None };
    let most = flow.max_in_flight_bytes.map_or(f64::MAX, |bytes| bytes as f64 / segment as f64);
    Points::new(events.iter().filter_map(settled).collect(), flow.base_rtt_ms.unwrap_or(0.0) / 1e3, most)
}

fn initial_window(flow: &Flow, segment: i64) -> Segments {
    let first = flow.first_flight_bytes.map_or(0, |bytes| (bytes as i64 + segment / 2) / segment);
    Segments(u32::try_from(first).ok().filter(|first| (2..=64).contains(first)).unwrap_or(INITIAL_WINDOW))
}

/// Returns the error of a preset: the least of those with one-way delays and without.
fn error(preset: &Preset, events: &[Event], points: &Points, initial_window: Segments) -> Option<f64> {
    let delays: &[bool] = if needs(preset).one_way_delay { &[true, false] } else { &[true] };
    let run = |seed, has_delays| replay(preset, events, Manner { initial_window, seed, has_delays });
    let errors = delays.iter().filter_map(|has_delays| {
        let mut runs: Vec<Vec<Expected>> = vec![run(1, *has_delays)?, run(2, *has_delays)?];
        if runs[0] == runs[1] {
            runs.truncate(1);
        } else {
            runs.extend((3..=SEEDS).filter_map(|seed| run(seed, *has_delays)));
        }
        Some(points.error(&runs))
    });
    errors.min_by(f64::total_cmp)
}
