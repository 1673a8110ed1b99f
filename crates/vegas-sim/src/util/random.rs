//! Random numbers: one named stream per component, so that adding a component does not shift another's draws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A component's own stream of random numbers, a pure function of the run's seed and the component's name.
#[derive(Clone, Debug)]
pub(crate) struct Stream(ChaCha8Rng);

const MILLION: u64 = 1_000_000;

impl Stream {
    pub(crate) fn named(seed: u64, name: &str) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(fnv1a(name));
        Stream(rng)
    }

    /// Returns true with probability `ppm` in a million. Draws only if the outcome is open, so that an impairment that
    /// is off costs nothing and shifts no other draws.
    pub(crate) fn happens(&mut self, ppm: u32) -> bool {
        match u64::from(ppm) {
            0 => false,
            MILLION.. => true,
            ppm => self.below(MILLION) < ppm,
        }
    }

    /// Returns a number uniform in (0, 1], in steps of 2^-53: never 0, so that its logarithm is finite.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Returns a draw from the Poisson distribution with this mean: the number of uniform draws for which their product
    /// stays above e^-mean (D. E. Knuth, The Art of Computer Programming, volume 2, section 3.4.1). The exponential is
    /// computed in software, so that it is equal on all machines.
    pub(crate) fn poisson(&mut self, mean: f64) -> u64 {
        let least = libm::exp(-mean);
        let mut product = self.unit();
        let mut count = 0;
        while product > least {
            product *= self.unit();
            count += 1;
        }
        count
    }

    /// Returns a number uniform in 0..bound, without bias (rejection).
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let zone = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.0.next_u64();
            if draw < zone {
                return draw % bound;
            }
        }
    }
}

/// FNV-1a, 64 bit: a fixed, documented map, as from a component's name to its stream number.
pub(crate) fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_their_own() {
        let mut first = Stream::named(1, "link r1->r2");
        let mut again = Stream::named(1, "link r1->r2");
        let mut other = Stream::named(1, "link r2->r1");
        let mut reseeded = Stream::named(2, "link r1->r2");
        let draw = |stream: &mut Stream| (0..8).map(|_| stream.below(1 << 40)).collect::<Vec<_>>();
        let drawn = draw(&mut first);
        assert_eq!(drawn, draw(&mut again));
        assert_ne!(drawn, draw(&mut other));
        assert_ne!(drawn, draw(&mut reseeded));
    }

    #[test]
    fn probability_is_kept() {
        let mut stream = Stream::named(7, "coin");
        let heads = (0..100_000).filter(|_| stream.happens(250_000)).count();
        assert!((24_000..26_000).contains(&heads), "{heads} of 100000 at 0.25");
        assert!(!stream.happens(0));
        assert!(stream.happens(1_000_000));
    }
}
