//! Numbers of an algorithm that replace its preset's: `--set gamma=3`, by their keys in a scenario file.

use vegas_quic::VegasQuic;

/// A number with its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    key: &'static str,
    segments: u32,
}

type Setter = fn(VegasQuic, u32) -> VegasQuic;

const KEYS: [(&str, Setter); 7] = [
    ("alpha", VegasQuic::alpha),
    ("beta", VegasQuic::beta),
    ("gamma", VegasQuic::gamma),
    ("initial_window", VegasQuic::initial_window),
    ("restart_window", VegasQuic::restart_window),
    ("ssthresh", VegasQuic::ssthresh),
    ("max_window", VegasQuic::max_window),
];

impl Number {
    /// Parses `KEY=SEGMENTS`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let keys = KEYS.map(|(key, _)| key).join(", ");
        let (key, value) = text.split_once('=').ok_or("write KEY=SEGMENTS")?;
        let known = KEYS.into_iter().find(|(known, _)| *known == key);
        let (key, _) = known.ok_or_else(|| format!("no number is called {key:?}; there are {keys}"))?;
        let segments = value.parse().map_err(|_| format!("{key}: {value:?} is no whole number of segments"))?;
        Ok(Number { key, segments })
    }
}

/// Returns the algorithm with these numbers; the last value of a key holds.
pub(crate) fn with(algorithm: VegasQuic, numbers: &[Number]) -> VegasQuic {
    let setter = |number: &Number| KEYS.into_iter().find(|(key, _)| *key == number.key).map(|(_, setter)| setter);
    numbers.iter().fold(algorithm, |algorithm, number| match setter(number) {
        Some(setter) => setter(algorithm, number.segments),
        None => algorithm,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_or_refused() {
        let gamma = Number::parse("gamma=3").unwrap();
        assert_eq!(with(VegasQuic::gallop(), &[gamma]), VegasQuic::gallop().gamma(3));
        assert!(Number::parse("delta=3").unwrap_err().contains("there are alpha, beta, gamma"));
        assert!(Number::parse("gamma=three").unwrap_err().contains("gamma: \"three\""));
        assert!(Number::parse("gamma").is_err());
    }
}
