//! Random numbers of a congestion control: xorshift64* (Marsaglia 2003, Vigna 2016), a pure function of its seed.

/// A generator of 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Random(u64);

impl Random {
    /// Any seed will do.
    pub(crate) fn new(seed: u64) -> Self {
        // the generator stands still at 0; the golden ratio's digits spread seeds that are near each other
        Random((seed ^ 0x9e37_79b9_7f4a_7c15).max(1))
    }

    /// Uniform in 0..256.
    pub(crate) fn byte(&mut self) -> u8 {
        (self.word() >> 24) as u8
    }

    /// Uniform in all of 32 bits.
    pub(crate) fn word(&mut self) -> u32 {
        let mut word = self.0;
        word ^= word >> 12;
        word ^= word << 25;
        word ^= word >> 27;
        self.0 = word;
        (word.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
}
