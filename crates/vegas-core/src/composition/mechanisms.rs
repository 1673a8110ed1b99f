//! The mechanisms A to J of "TCP Vegas Revisited", section VI, as switches over Reno.

use core::fmt;

use crate::composition::Composition;
use crate::composition::bases::{RENO, RENO_PARAMETERS, VEGAS, VEGAS_PARAMETERS};
use crate::composition::parts::cut::Cut;
use crate::composition::parts::loss_response::LossResponse;
use crate::contract::parameters::Parameters;

/// A set of mechanisms. A to I together are the preset `vegas`, none is `reno`. The released Vegas has J, spike
/// suppression, switched off ("Revisited", section VI), and so have the presets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mechanisms(u16);

/// The reason why a text is no set of mechanisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MechanismError {
    /// No mechanism has this letter.
    Unknown(char),
    /// The text has this letter twice.
    Repeated(char),
}

impl fmt::Display for MechanismError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MechanismError::Unknown(letter) => write!(f, "{letter} is no mechanism; write letters from A to J"),
            MechanismError::Repeated(letter) => write!(f, "{letter} stands there twice; write it once"),
        }
    }
}

impl core::error::Error for MechanismError {}

/// The letters of the mechanisms in the set, in alphabetical order.
impl fmt::Display for Mechanisms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ('A'..='J').filter(|letter| self.has(*letter)).try_for_each(|letter| write!(f, "{letter}"))
    }
}

impl Mechanisms {
    /// Reads letters from A to J, each once at most, in any order; the empty text is none of them.
    pub fn from_letters(letters: &str) -> Result<Self, MechanismError> {
        letters.chars().try_fold(Mechanisms::default(), |set, letter| match letter {
            'A'..='J' if set.has(letter) => Err(MechanismError::Repeated(letter)),
            'A'..='J' => Ok(Mechanisms(set.0 | bit(letter))),
            _ => Err(MechanismError::Unknown(letter)),
        })
    }

    /// The parts: Vegas's where the mechanism is on, Reno's where it is off. The backlog is measured only if A or B
    /// reads it.
    pub fn composition(self) -> Composition {
        let measures = self.has('A') || self.has('B');
        Composition {
            signal: pick(measures, VEGAS.signal, RENO.signal),
            base_rtt: RENO.base_rtt,
            rivals: RENO.rivals,
            slow_start: pick(self.has('A'), VEGAS.slow_start, RENO.slow_start),
            avoidance: pick(self.has('B'), VEGAS.avoidance, RENO.avoidance),
            loss: LossResponse {
                cut: if self.has('F') { Cut::ThreeQuarters } else { Cut::Half },
                once_per_window: self.has('E'),
                ..RENO.loss
            },
            detection: crate::Detection {
                fine_retransmit: self.has('C'),
                recheck_after_retransmit: self.has('D'),
                ..RENO.detection
            },
            limits: crate::Limits {
                burst: pick(self.has('H'), VEGAS.limits.burst, RENO.limits.burst),
                keep_up: self.has('I'),
                suppress_spikes: self.has('J'),
            },
        }
    }

    /// The numbers: G is the window of two segments at the start and after a timeout.
    pub fn parameters(self) -> Parameters {
        pick(self.has('G'), VEGAS_PARAMETERS, RENO_PARAMETERS)
    }

    fn has(self, letter: char) -> bool {
        self.0 & bit(letter) != 0
    }
}

fn bit(letter: char) -> u16 {
    1 << (u32::from(letter) - u32::from('A'))
}

fn pick<T>(on: bool, one: T, other: T) -> T {
    if on { one } else { other }
}
