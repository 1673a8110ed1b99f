//! The totals of media: how many frames of a layer came late or not at all, and how long the layer stood still.

use std::collections::BTreeMap;

use vegas_sim::outcome::{FrameState, MediaFrame, Outcome};

use crate::columns::{TableSpec, column};
use crate::values::Values;

/// A frame that takes longer than this is late, ms: the one-way delay up to which users of a conversation are content
/// (ITU-T G.114, section 4).
pub const LATE_MS: f64 = 150.0;

/// The totals with a row for each layer of each flow that sends media. They are in the summary and in the rows of
/// sweeps; the table [`MEDIA`](crate::columns::MEDIA) has the frames themselves.
pub const MEDIA_TOTALS: TableSpec = TableSpec {
    name: "media",
    columns: &[
        column("id", "-", "flow and layer, such as 8.0", |_, o| {
            Values::Texts(layers(o).iter().map(|layer| format!("{}.{}", layer.flow, layer.number)).collect())
        }),
        column("flow", "-", "the flow's id", |_, o| {
            Values::Numbers(layers(o).iter().map(|layer| layer.flow).collect())
        }),
        column("layer", "-", "the layer, counted from 0, the most important", |_, o| {
            Values::Numbers(layers(o).iter().map(|layer| layer.number).collect())
        }),
        column("frames", "frames", "frames that the application made", |_, o| counts(o, |l| l.frames.len())),
        column("delivered_frames", "frames", "frames that the receiver has whole", |_, o| {
            counts(o, |l| l.in_state(FrameState::Delivered))
        }),
        column("given_up_frames", "frames", "frames that their application gave up", |_, o| {
            counts(o, |l| l.in_state(FrameState::GivenUp))
        }),
        column("late_frames", "frames", "frames that took, or are under way for, more than 150 ms", |_, o| {
            counts(o, |l| l.late())
        }),
        column("frozen_s", "s", "time in gaps between frames that a viewer takes for a standstill", |_, o| {
            Values::Floats(layers(o).iter().map(Layer::frozen_s).collect())
        }),
        column("mean_delay_ms", "ms", "until the receiver has all of a frame, mean", |_, o| delays(o, mean)).nullable(),
        column("p50_delay_ms", "ms", "median of these times", |_, o| delays(o, |d| percentile(d, 50))).nullable(),
        column("p95_delay_ms", "ms", "95th percentile of these times", |_, o| delays(o, |d| percentile(d, 95)))
            .nullable(),
        column("p99_delay_ms", "ms", "99th percentile of these times", |_, o| delays(o, |d| percentile(d, 99)))
            .nullable(),
        column("max_delay_ms", "ms", "longest of these times", |_, o| delays(o, |d| percentile(d, 100))).nullable(),
    ],
};

/// The frames of one layer of a flow, in the order in which they were made.
struct Layer<'a> {
    flow: u32,
    number: u32,
    frames: Vec<&'a MediaFrame>,
    end_s: f64,
}

fn layers(outcome: &Outcome) -> Vec<Layer<'_>> {
    let mut of: BTreeMap<(u32, u32), Vec<&MediaFrame>> = BTreeMap::new();
    for frame in &outcome.media {
        of.entry((frame.flow, frame.layer)).or_default().push(frame);
    }
    of.into_iter().map(|((flow, number), frames)| Layer { flow, number, frames, end_s: outcome.end_s }).collect()
}

impl Layer<'_> {
    fn in_state(&self, state: FrameState) -> usize {
        self.frames.iter().filter(|frame| frame.state == state).count()
    }

    fn late(&self) -> usize {
        let age_ms = |frame: &MediaFrame| match frame.state {
            FrameState::UnderWay => 1000.0 * (self.end_s - frame.time_s),
            _ => frame.delay_ms.unwrap_or(0.0),
        };
        self.frames.iter().filter(|frame| age_ms(frame) > LATE_MS).count()
    }

    /// The gaps between frames that W3C's statistics of WebRTC count as a freeze (`totalFreezesDuration`): three times
    /// the mean interval, or that interval and 150 ms, whichever is longer. The time from the last frame to the end
    /// of the run is such a gap, too; the wait for the first frame is none.
    fn frozen_s(&self) -> f64 {
        const MORE_S: f64 = 0.15;
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else { return 0.0 };
        let mean_s = (last.time_s - first.time_s) / (self.frames.len() - 1).max(1) as f64;
        let least_s = (3.0 * mean_s).max(mean_s + MORE_S);
        let arrivals = self.frames.iter().filter_map(|frame| Some(frame.time_s + frame.delay_ms? / 1000.0));
        let mut before_s = None;
        let mut frozen_s = 0.0;
        for now_s in arrivals.chain([self.end_s]) {
            let gap_s = now_s - before_s.unwrap_or(now_s);
            frozen_s += if gap_s > least_s { gap_s } else { 0.0 };
            before_s = Some(now_s);
        }
        frozen_s
    }

    /// The delays of the frames delivered, in ascending order, ms.
    fn delays_ms(&self) -> Vec<f64> {
        let mut delays: Vec<f64> = self.frames.iter().filter_map(|frame| frame.delay_ms).collect();
        delays.sort_by(f64::total_cmp);
        delays
    }
}

fn mean(delays_ms: &[f64]) -> f64 {
    delays_ms.iter().sum::<f64>() / delays_ms.len() as f64
}

/// The least value that `percent` of the values, in ascending order, do not exceed (nearest rank).
fn percentile(ascending: &[f64], percent: usize) -> f64 {
    ascending[(ascending.len() * percent).div_ceil(100) - 1]
}

fn counts(outcome: &Outcome, of: fn(&Layer<'_>) -> usize) -> Values<'static> {
    Values::Counts(layers(outcome).iter().map(|layer| of(layer) as u64).collect())
}

fn delays(outcome: &Outcome, of: fn(&[f64]) -> f64) -> Values<'static> {
    let figure =
        |layer: &Layer<'_>| Some(layer.delays_ms()).filter(|delays| !delays.is_empty()).map(|delays| of(&delays));
    Values::SomeFloats(layers(outcome).iter().map(figure).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(frames: &[(f64, FrameState, Option<f64>)], end_s: f64) -> (Vec<MediaFrame>, f64) {
        let frame = |&(time_s, state, delay_ms)| MediaFrame { time_s, flow: 0, layer: 0, bytes: 80, state, delay_ms };
        (frames.iter().map(frame).collect(), end_s)
    }

    fn of((frames, end_s): &(Vec<MediaFrame>, f64)) -> Layer<'_> {
        Layer { flow: 0, number: 0, frames: frames.iter().collect(), end_s: *end_s }
    }

    #[test]
    fn a_frame_under_way_is_late_once_it_is_old() {
        let frames = [
            (0.0, FrameState::Delivered, Some(150.0)),
            (0.1, FrameState::Delivered, Some(151.0)),
            (0.2, FrameState::GivenUp, None),
            (0.3, FrameState::UnderWay, None),
            (0.9, FrameState::UnderWay, None),
        ];
        let layer = layer(&frames, 1.0);
        assert_eq!(of(&layer).late(), 2);
        assert_eq!(of(&layer).in_state(FrameState::GivenUp), 1);
    }

    #[test]
    fn a_gap_counts_from_three_intervals_or_150_ms_more_than_one() {
        let made = |number: u32, delay_ms| (f64::from(number) / 100.0, FrameState::Delivered, Some(delay_ms));
        // frames of 10 ms: the bound is 160 ms
        let short: Vec<_> = (0..50).map(|number| made(number, if number == 20 { 150.0 } else { 1.0 })).collect();
        assert_eq!(of(&layer(&short, 0.5)).frozen_s(), 0.0);
        let mut long = short.clone();
        for frame in &mut long[20..40] {
            *frame = (frame.0, FrameState::GivenUp, None);
        }
        // from the arrival at 191 ms to that at 401 ms
        assert!((of(&layer(&long, 0.5)).frozen_s() - 0.21).abs() < 1e-9);
    }

    #[test]
    fn the_end_of_a_run_ends_a_gap_and_no_frame_begins_one() {
        let frames = [(0.0, FrameState::Delivered, Some(500.0)), (1.0, FrameState::GivenUp, None)];
        assert_eq!(of(&layer(&frames, 9.5)).frozen_s(), 9.0);
        assert_eq!(of(&layer(&frames[1..], 9.5)).frozen_s(), 0.0);
        assert!(of(&layer(&frames[1..], 9.5)).delays_ms().is_empty());
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let ascending = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([50, 95, 100].map(|percent| percentile(&ascending, percent)), [2.0, 4.0, 4.0]);
    }
}
