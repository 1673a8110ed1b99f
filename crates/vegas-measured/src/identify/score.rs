//! How far what a control expects is from what was in flight.

use super::replay::Expected;
use super::timeline::Settled;

/// The part of the mean error that counts, beside how the error changes within a block: a window that is a little off
/// at a loss stays so, with the right rule too.
const LEVEL: f64 = 1.0 / 3.0;
/// The most that a point counts for, as the logarithm of the ratio.
const MOST: f64 = 1.0;
/// The length of a block, and of a stretch over which a pace is followed, in round trips.
const BLOCK_TRIPS: f64 = 12.0;
const PACED_TRIPS: f64 = 2.5;

/// The points, divided into blocks.
pub(super) struct Points {
    points: Vec<Settled>,
    blocks: Vec<std::ops::Range<usize>>,
    paced: Vec<bool>,
    /// The most that was ever in flight: windows and buffers of hosts that the capture does not show may limit it.
    most: f64,
}

impl Points {
    /// `round_trip_s` is the least one.
    pub(super) fn new(points: Vec<Settled>, round_trip_s: f64, most: f64) -> Self {
        let place = |point: &Settled, trips: f64| {
            (point.epoch, (point.at.as_nanos() as f64 / 1e9 / (trips * round_trip_s.max(1e-6))) as u64)
        };
        let mut from = 0;
        let blocks = points
            .chunk_by(|one, other| place(one, BLOCK_TRIPS) == place(other, BLOCK_TRIPS))
            .map(|block| {
                let range = from..from + block.len();
                from = range.end;
                range
            })
            .collect();
        let goes_on = |pair: &[Settled]| place(&pair[0], PACED_TRIPS) == place(&pair[1], PACED_TRIPS);
        let paced = std::iter::once(false).chain(points.windows(2).map(goes_on)).collect();
        Points { points, blocks, paced, most }
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns the mean error of a control of which these are runs by chance: in each block that of the nearest one.
    pub(super) fn error(&self, runs: &[Vec<Expected>]) -> f64 {
        let errors: Vec<Vec<f64>> = runs.iter().map(|run| self.errors(run)).collect();
        let of_block = |block: &std::ops::Range<usize>| {
            errors.iter().map(|errors| weighed(&errors[block.clone()])).min_by(f64::total_cmp).unwrap_or(MOST)
        };
        self.blocks.iter().map(of_block).sum::<f64>() / self.points.len().max(1) as f64
    }

    /// Returns the logarithms of what was in flight over what is expected.
    fn errors(&self, run: &[Expected]) -> Vec<f64> {
        let mut in_flight = 0.0;
        let mut last_after = 0.0;
        let mut errors = Vec::with_capacity(self.points.len());
        for ((point, expected), goes_on) in self.points.iter().zip(run).zip(&self.paced) {
            let (before, after) = (f64::from(point.before.max(1)), f64::from(point.after.max(1)));
            let window = expected.window.min(self.most).max(1.0);
            let reached = match expected.spacing_s {
                Some(spacing_s) => {
                    let acknowledged = (last_after - before).max(0.0);
                    let begun = if *goes_on { (in_flight - acknowledged).max(1.0) } else { before };
                    let leave = point.waited.as_nanos() as f64 / 1e9 / spacing_s.max(1e-9);
                    (begun + leave).min(window).max(begun)
                }
                None if after > before => window,
                None => window.max(before),
            };
            (in_flight, last_after) = (reached, after);
            errors.push((after / reached).ln().clamp(-MOST, MOST));
        }
        errors
    }
}

/// Sums the errors of a block, and how far they are from the middle one.
fn weighed(errors: &[f64]) -> f64 {
    let mut sorted = errors.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    errors.iter().map(|error| LEVEL * error.abs() + (error - middle).abs()).sum()
}

#[cfg(test)]
mod tests {
    use vegas_core::units::{Span, Time};

    use super::*;

    /// Ten points, 100 ms apart, with 10 segments in flight after 8.
    fn points() -> Points {
        let point = |number: u64| Settled {
            at: Time::from_nanos(number * 100_000_000),
            before: 8,
            after: 10,
            waited: Span::from_millis(100),
            epoch: 0,
        };
        Points::new((0..10).map(point).collect(), 0.1, 20.0)
    }

    fn run(window: impl Fn(usize) -> f64) -> Vec<Expected> {
        (0..10).map(|number| Expected { window: window(number), spacing_s: None }).collect()
    }

    /// By hand: a window that is always twice counts a third of ln 2; one that is twice every other time all of it, and
    /// a half of a third. 20 are the most that was in flight.
    #[test]
    fn an_error_that_changes_counts_more_than_one_that_stays() {
        let points = points();
        let error = |window: &dyn Fn(usize) -> f64| points.error(&[run(window)]) / 2f64.ln();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(near(error(&|_| 10.0), 0.0));
        assert!(near(error(&|_| 20.0), 1.0 / 3.0));
        assert!(near(error(&|_| 900.0), 1.0 / 3.0), "no window counts as more than was ever in flight");
        assert!(near(error(&|number| if number % 2 == 0 { 10.0 } else { 20.0 }), 0.5 + 1.0 / 6.0));
        assert!(near(points.error(&[run(|_| 20.0), run(|_| 10.0)]), 0.0), "the nearest run counts");
    }

    /// By hand: a segment each 50 ms lets 2 leave in 100 ms, as here; each 25 ms 4 more, up to the window.
    #[test]
    fn a_pace_is_followed() {
        let paced = |spacing_s: f64, window: f64| {
            let expected = Expected { window, spacing_s: Some(spacing_s) };
            points().error(&[vec![expected; 10]])
        };
        assert!(paced(0.05, 20.0) < 1e-9);
        assert!(paced(0.025, 20.0) > 0.1);
        assert!(paced(0.025, 10.0) < 1e-9);
    }
}
