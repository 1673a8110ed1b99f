//! A rate that varies, as the deliveries show it.

use super::evidence::Evidence;
use super::service::OPPORTUNITY_BYTES;

/// The length of the stretches of one rate, ns; more where few packets pass.
const STRETCH_NS: i64 = 100_000_000;
/// The packets of a stretch, least.
const PACKETS: f64 = 8.0;
/// The most opportunities.
const OPPORTUNITIES_MAX: usize = 1 << 22;

/// A stretch of time with the bytes delivered in it, and whether a queue stood all along.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    bytes: f64,
    samples: u32,
    waiting: u32,
}

/// Returns the times of opportunities of 1500 bytes, ns. In a stretch without a queue the link could have sent more
/// than it did: it has the rate of the stretches around it. Acknowledgements come `base` after the opportunities. None
/// if no queue stood anywhere.
pub(super) fn opportunities(evidence: &Evidence, base: i64, rate: f64) -> Option<Vec<i64>> {
    let packet = f64::from(evidence.packet.max(1));
    let length = STRETCH_NS.max((PACKETS * packet * 8e9 / rate) as i64);
    let (first, last) = (evidence.arrivals.first()?.at, evidence.deliveries.last()?.0);
    let count = usize::try_from((last - first) / length + 1).ok().filter(|count| *count <= OPPORTUNITIES_MAX)?;
    let mut stretches = vec![Stretch::default(); count];
    let place = |at: i64| usize::try_from((at - first) / length).ok().filter(|place| *place < count);
    for (at, bytes) in &evidence.deliveries {
        if let Some(place) = place(*at) {
            stretches[place].bytes += bytes;
        }
    }
    let limit = base + (base / 10).max((2.0 * packet * 8e9 / rate) as i64);
    for (number, rtt) in &evidence.samples {
        if let Some(place) = place(evidence.arrivals[*number].at + rtt) {
            stretches[place].samples += 1;
            stretches[place].waiting += u32::from(*rtt > limit);
        }
    }
    let known: Vec<Option<f64>> = stretches.iter().map(|stretch| stretch.is_busy().then_some(stretch.bytes)).collect();
    let rates = filled(&known)?;
    Some(times(&rates, first - base, length))
}

impl Stretch {
    /// Whether most of what was delivered had waited; a stretch without any delivery between busy ones is an outage.
    fn is_busy(self) -> bool {
        2 * self.waiting > self.samples
    }
}

/// Returns the values, and for those that are not known the mean of the known ones before and behind.
fn filled(known: &[Option<f64>]) -> Option<Vec<f64>> {
    let mut values: Vec<f64> = Vec::with_capacity(known.len());
    let mut behind: Vec<Option<f64>> = known.to_vec();
    for place in (0..known.len().saturating_sub(1)).rev() {
        behind[place] = known[place].or(behind[place + 1]);
    }
    let mut before = None;
    for (value, behind) in known.iter().zip(&behind) {
        before = value.or(before);
        values.push(match (value, before, behind) {
            (Some(value), ..) => *value,
            (None, Some(before), Some(behind)) => (before + behind) / 2.0,
            (None, one, other) => one.or(*other)?,
        });
    }
    Some(values)
}

fn times(bytes: &[f64], first: i64, length: i64) -> Vec<i64> {
    let mut found = Vec::new();
    let mut owed = 0.0;
    let each = f64::from(OPPORTUNITY_BYTES);
    for (number, bytes) in bytes.iter().enumerate() {
        let begin = first + number as i64 * length;
        if *bytes <= 0.0 {
            continue;
        }
        let mut used = each - owed;
        while used <= *bytes && found.len() < OPPORTUNITIES_MAX {
            found.push(begin + (used / bytes * length as f64) as i64);
            used += each;
        }
        owed = bytes - (used - each);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opportunities_carry_what_was_delivered() {
        // 4500 bytes in the first 100 ns, none in the next, then 750 and 750 of one more
        let found = times(&[4500.0, 0.0, 750.0, 750.0], 0, 100);
        assert_eq!(found, [33, 66, 100, 400]);
    }

    #[test]
    fn unknown_stretches_are_like_those_around_them() {
        assert_eq!(filled(&[None, Some(4.0), None, Some(8.0), None]), Some(vec![4.0, 4.0, 6.0, 8.0, 8.0]));
        assert_eq!(filled(&[None, None]), None);
    }
}
