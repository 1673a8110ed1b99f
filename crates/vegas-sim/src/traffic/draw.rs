//! Random quantities. Logarithm and power come from software (`libm`), because the last bits of a platform's own differ
//! from machine to machine; IEEE 754 defines every other operation here to the bit.

use vegas_core::units::{Bytes, Span};

use crate::scenario::Distribution;
use crate::util::random::Stream;

/// Draws by inversion from a distribution with this mean.
pub(super) fn draw(distribution: Distribution, mean: f64, stream: &mut Stream) -> f64 {
    match distribution {
        Distribution::Exponential => -mean * libm::log(stream.unit()),
        Distribution::Pareto { shape_milli } => {
            let shape = f64::from(shape_milli) / 1e3;
            let least = mean * (shape - 1.0) / shape;
            least * libm::pow(stream.unit(), -1.0 / shape)
        }
    }
}

/// Draws a span from a distribution with this mean, to the nearest nanosecond.
pub(super) fn draw_span(distribution: Distribution, mean: Span, stream: &mut Stream) -> Span {
    Span::from_nanos((draw(distribution, mean.as_nanos() as f64, stream) + 0.5) as u64)
}

/// Draws a size of at least one byte from a distribution with this mean, to the nearest byte.
pub(super) fn draw_size(distribution: Distribution, mean: Bytes, stream: &mut Stream) -> Bytes {
    /// The greatest size, bytes: JSON and a double count exactly up to it.
    const SIZE_MAX: u64 = 1 << 53;
    Bytes::new(((draw(distribution, mean.get() as f64, stream) + 0.5) as u64).clamp(1, SIZE_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 200_000;

    fn drawn(distribution: Distribution) -> Vec<f64> {
        let mut stream = Stream::named(3, "test");
        let mut values: Vec<f64> = (0..DRAWS).map(|_| draw(distribution, 10.0, &mut stream)).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn quantile(values: &[f64], part: f64) -> f64 {
        values[(part * values.len() as f64) as usize]
    }

    fn assert_near(value: f64, expected: f64, tolerance: f64, what: &str) {
        assert!((value / expected - 1.0).abs() < tolerance, "{what}: {value}, expected {expected}");
    }

    /// Quartiles of an exponential distribution of mean 10 from tables: 2.8768, 6.9315, 13.863.
    #[test]
    fn exponential() {
        let values = drawn(Distribution::Exponential);
        assert_near(values.iter().sum::<f64>() / DRAWS as f64, 10.0, 0.01, "mean");
        for (part, expected) in [(0.25, 2.8768), (0.5, 6.9315), (0.75, 13.863)] {
            assert_near(quantile(&values, part), expected, 0.02, "quantile");
        }
    }

    /// Shape 2, mean 10: no value is below 5; half are above 5 x sqrt 2 = 7.0711, a quarter above 10, and one in a
    /// hundred above 50. Shape 3: the least value is 20/3, and the mean converges fast.
    #[test]
    fn pareto() {
        let values = drawn(Distribution::Pareto { shape_milli: 2_000 });
        assert!(values[0] >= 5.0);
        for (part, expected) in [(0.5, 7.0711), (0.75, 10.0), (0.99, 50.0)] {
            assert_near(quantile(&values, part), expected, 0.04, "quantile");
        }
        let values = drawn(Distribution::Pareto { shape_milli: 3_000 });
        assert_near(values[0], 6.6667, 0.001, "least");
        assert_near(values.iter().sum::<f64>() / DRAWS as f64, 10.0, 0.01, "mean");
    }
}
