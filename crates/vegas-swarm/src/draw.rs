//! Random numbers of a network: a function of the swarm's seed and the network's number.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The stream that one network is drawn from.
#[derive(Clone, Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of network `number` of the swarm with this seed.
    pub fn of_network(seed: u64, number: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        Draw(rng)
    }

    /// Returns any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number uniform in `0..bound`, but for a bias that no test sees (2^64 is no multiple of most bounds).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound.max(1)
    }

    /// Returns a number uniform from `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least).saturating_add(1))
    }

    /// Returns a number from `least` to `most` of three significant digits. Each doubling is as probable as the next,
    /// so that tiny and huge values are equally frequent. It is computed in integers, as logarithms differ from machine
    /// to machine in their last bit.
    pub fn log_between(&mut self, least: u64, most: u64) -> u64 {
        let least = least.min(most);
        let doubling = self.between(u64::from(least.max(1).ilog2()), u64::from(most.max(1).ilog2()));
        let value = (1 << doubling) + self.below(1 << doubling);
        let step = 10u64.pow(value.ilog10().saturating_sub(2));
        (value - value % step).clamp(least, most)
    }

    /// Returns true in `percent` of a hundred calls.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns one of these.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}
