//! The path's own delay over time: what the queue does not explain of the round-trip times.

/// A level of the delay, from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) from: i64,
    pub(super) delay: i64,
}

/// The length of the windows that are compared, ns.
const WINDOW_NS: i64 = 1_000_000_000;
/// The number of windows in a row that have to differ before a level ends.
const WINDOWS: usize = 3;
/// The least change that counts: in ns, as a part of the delay, and as a multiple of what neighbouring windows differ
/// by.
const CHANGE_NS: i64 = 1_000_000;
const CHANGE_PART: f64 = 0.03;
const CHANGE_NOISE: f64 = 4.0;

/// Returns the levels of the delay. `residuals` are times and delays, in the order of time.
pub(super) fn levels(residuals: &[(i64, i64)]) -> Vec<Level> {
    let windows: Vec<Level> = residuals
        .chunk_by(|one, other| one.0 / WINDOW_NS == other.0 / WINDOW_NS)
        .map(|window| Level { from: window[0].0, delay: low(window) })
        .collect();
    let Some(first) = windows.first() else { return Vec::new() };
    let mut steps: Vec<i64> = windows.windows(2).map(|pair| (pair[1].delay - pair[0].delay).abs()).collect();
    steps.sort_unstable();
    let noise = steps.get(steps.len() / 2).copied().unwrap_or(0) as f64;
    let mut levels = vec![Level { from: residuals[0].0, delay: first.delay }];
    let mut begun = 0;
    for number in 1..windows.len() {
        let level = levels[levels.len() - 1].delay;
        let least = (CHANGE_NS as f64).max(CHANGE_PART * level as f64).max(CHANGE_NOISE * noise);
        let apart = |window: &Level| (window.delay - level) as f64;
        let ahead = &windows[number..windows.len().min(number + WINDOWS)];
        let is_up = ahead.len() == WINDOWS && ahead.iter().all(|window| apart(window) > least);
        let is_down = ahead.len() == WINDOWS && ahead.iter().all(|window| apart(window) < -least);
        if is_up || is_down {
            levels.push(Level { from: windows[number].from, delay: windows[number].delay });
            begun = number;
        }
        let of_level: Vec<i64> = windows[begun..=number].iter().map(|window| window.delay).collect();
        let last = levels.len() - 1;
        levels[last].delay = median(of_level);
    }
    levels
}

/// The delay of a window: its first decile, as acknowledgements are delayed, and none comes early.
fn low(window: &[(i64, i64)]) -> i64 {
    let mut delays: Vec<i64> = window.iter().map(|(_, delay)| *delay).collect();
    delays.sort_unstable();
    delays[delays.len() / 10]
}

pub(super) fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_lasts() {
        // 20 ms, an outlier of one second, then 35 ms from 20 s on
        let delay = |tenth: i64| match tenth {
            100..110 => 90,
            200.. => 35,
            _ => 20 + tenth % 2,
        };
        let residuals: Vec<(i64, i64)> =
            (0..400).map(|tenth| (tenth * 100_000_000, delay(tenth) * 1_000_000)).collect();
        let found = levels(&residuals);
        let expected = [Level { from: 0, delay: 20_000_000 }, Level { from: 20_000_000_000, delay: 35_000_000 }];
        assert_eq!(found, expected);
    }
}
