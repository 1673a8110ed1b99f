//! A host's time stamps beside the capture's clock: when both run apart at once, the capture's clock was set.

/// Ticks a second of hosts' time stamps: Linux's, with its microseconds, and older ones.
const RATES: [f64; 5] = [10.0, 100.0, 250.0, 1000.0, 1_000_000.0];
/// How long stamps are watched before their rate is known, ns.
const WATCHED_NS: i64 = 500_000_000;
/// What is too much for a delay of a packet to be worth a thought, ns.
const STEP_NS: i64 = 200_000_000;
/// How near two directions must agree, in time and in parts of the step.
const TOGETHER_NS: i64 = 2_000_000_000;
const TOGETHER_PART: f64 = 0.25;

/// The time stamps of one host.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamps {
    first: Option<(i64, u32)>,
    last: Option<(i64, u32)>,
    per_second: Option<f64>,
    /// The newest difference: when, and how much the capture's clock gained, ns.
    gained: Option<(i64, i64)>,
}

impl Stamps {
    /// Takes the stamp of a packet.
    pub(crate) fn on_stamp(&mut self, at: i64, stamp: u32) {
        let first = *self.first.get_or_insert((at, stamp));
        let Some(last) = self.last.replace((at, stamp)) else { return };
        let ticks = |since: u32| f64::from(stamp.wrapping_sub(since) as i32);
        if self.per_second.is_none() && at - first.0 >= WATCHED_NS {
            let found = ticks(first.1) / ((at - first.0) as f64 / 1e9);
            self.per_second = RATES.into_iter().find(|rate| (found / rate - 1.0).abs() < 0.2);
            return;
        }
        let Some(per_second) = self.per_second else { return };
        let gained = (at - last.0) - (ticks(last.1) / per_second * 1e9) as i64;
        if gained.abs() > STEP_NS.max((2e9 / per_second) as i64) {
            self.gained = Some((at, gained));
        }
    }
}

/// Returns the step of the capture's clock, ns, and when, if both hosts' stamps show it; each is returned once.
pub(crate) fn step(sides: &mut [Stamps; 2]) -> Option<(i64, i64)> {
    let [(one_at, one), (other_at, other)] = [sides[0].gained?, sides[1].gained?];
    let together = (one_at - other_at).abs() <= TOGETHER_NS;
    let alike = (one - other).abs() as f64 <= TOGETHER_PART * one.abs() as f64;
    sides.iter_mut().for_each(|side| side.gained = None);
    (together && alike).then_some((one_at.max(other_at), one))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both hosts' stamps go on by 10 ms where the capture's clock jumps by 5 s; the next second's stall is in one
    /// direction.
    #[test]
    fn a_step_shows_in_both_directions() {
        let mut sides = [Stamps::default(); 2];
        let mut steps = Vec::new();
        let (mut at, mut stamp) = (1_000_000_000_000_i64, 500_u32);
        for packet in 0..300 {
            at += 10_000_000 + if packet == 100 { 5_000_000_000 } else { 0 };
            stamp += 10;
            let late = if packet > 200 { 1_000_000_000 } else { 0 };
            sides[0].on_stamp(at + late, stamp);
            sides[1].on_stamp(at + late, stamp + 70 + (late / 1_000_000) as u32);
            steps.extend(step(&mut sides));
        }
        assert_eq!(steps.len(), 1, "{steps:?}");
        assert_eq!(steps[0].1, 5_000_000_000);
    }
}
