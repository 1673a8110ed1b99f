//! What a column of a table means, by its name.

/// The meaning of a column, with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::scenario::model) enum Meaning {
    /// A time; in ns, or in a unit that its size shows.
    Time(Option<u64>),
    /// A rate, in bits a second.
    Rate(f64),
    /// A one-way delay, in ns.
    Delay(u64),
    /// A round-trip time, in ns.
    RoundTrip(u64),
}

const SECOND: u64 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;

/// Units of times, ns.
const TIMES: [(&str, u64); 14] = [
    ("s", SECOND),
    ("sec", SECOND),
    ("secs", SECOND),
    ("second", SECOND),
    ("seconds", SECOND),
    ("ms", MILLISECOND),
    ("msec", MILLISECOND),
    ("millisecond", MILLISECOND),
    ("milliseconds", MILLISECOND),
    ("us", 1_000),
    ("usec", 1_000),
    ("microseconds", 1_000),
    ("ns", 1),
    ("nanoseconds", 1),
];
/// Units of rates, bits a second.
const RATES: [(&str, f64); 20] = [
    ("bps", 1.0),
    ("bit_s", 1.0),
    ("bits_per_second", 1.0),
    ("kbps", 1e3),
    ("kbit_s", 1e3),
    ("kb_s", 1e3),
    ("mbps", 1e6),
    ("mbit_s", 1e6),
    ("mbits_s", 1e6),
    ("mb_s", 1e6),
    ("mbit", 1e6),
    ("megabits_per_second", 1e6),
    ("gbps", 1e9),
    ("gbit_s", 1e9),
    ("bytes_sec", 8.0),
    ("bytes_s", 8.0),
    ("bytes_per_second", 8.0),
    // the 4G and 5G data sets of Raca et al. have kilobits
    ("dl_bitrate", 1e3),
    ("ul_bitrate", 1e3),
    ("bytes_per_s", 8.0),
];
const NAMES_OF_TIMES: [&str; 9] =
    ["time", "t", "timestamp", "ts", "elapsed", "elapsed_time", "relative_time", "seconds", "sec"];
const NAMES_OF_RATES: [&str; 8] =
    ["rate", "throughput", "bandwidth", "bw", "capacity", "goodput", "download", "bitrate"];
const NAMES_OF_DELAYS: [&str; 7] =
    ["delay", "latency", "owd", "one_way_delay", "downlink", "uplink", "propagation_delay"];
const NAMES_OF_ROUND_TRIPS: [&str; 6] = ["rtt", "ping", "round_trip", "round_trip_time", "rtt_avg", "min_rtt"];

impl Meaning {
    /// Returns the meaning of a name; none if it has none that is known.
    pub(in crate::scenario::model) fn of(name: &str) -> Option<Meaning> {
        let name = plain(name);
        if let Some((_, scale)) = RATES.iter().find(|(unit, _)| has_unit(&name, unit).is_some()) {
            return Some(Meaning::Rate(*scale));
        }
        if NAMES_OF_RATES.contains(&name.as_str()) {
            return Some(Meaning::Rate(1e6));
        }
        let united = TIMES.iter().find_map(|(unit, scale)| Some((has_unit(&name, unit)?.to_owned(), *scale)));
        let (base, unit) = united.map_or((name.clone(), None), |(base, scale)| (base, Some(scale)));
        let is_one = |names: &[&str]| names.contains(&base.as_str()) || names.contains(&name.as_str());
        match () {
            () if is_one(&NAMES_OF_DELAYS) => Some(Meaning::Delay(unit.unwrap_or(MILLISECOND))),
            () if is_one(&NAMES_OF_ROUND_TRIPS) => Some(Meaning::RoundTrip(unit.unwrap_or(MILLISECOND))),
            () if is_one(&NAMES_OF_TIMES) || (base.is_empty() && unit.is_some()) => Some(Meaning::Time(unit)),
            () => None,
        }
    }

    pub(in crate::scenario::model) fn is_time(self) -> bool {
        matches!(self, Meaning::Time(_))
    }

    pub(in crate::scenario::model) fn is_rate(self) -> bool {
        matches!(self, Meaning::Rate(_))
    }

    pub(in crate::scenario::model) fn is_delay(self) -> bool {
        matches!(self, Meaning::Delay(_) | Meaning::RoundTrip(_))
    }
}

/// Returns a name in lower case, with an underscore for what is neither letter nor digit: `Throughput (Mb/s)` is
/// `throughput_mb_s`.
fn plain(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_")
}

/// Returns what stands before the unit at a name's end.
fn has_unit<'a>(name: &'a str, unit: &str) -> Option<&'a str> {
    let base = name.strip_suffix(unit)?;
    if base.is_empty() { Some("") } else { base.strip_suffix('_') }
}

/// Returns the unit of a time without one, ns, by its size: since 1970 it may be in seconds or in any part of them.
pub(in crate::scenario::model) fn unit_of(first: f64) -> u64 {
    match first.abs() {
        size if size >= 1e17 => 1,
        size if size >= 1e14 => 1_000,
        size if size >= 1e11 => MILLISECOND,
        _ => SECOND,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns() {
        let cases = [
            ("time_s", Some(Meaning::Time(Some(SECOND)))),
            ("Timestamp", Some(Meaning::Time(None))),
            ("time (ms)", Some(Meaning::Time(Some(MILLISECOND)))),
            ("seconds", Some(Meaning::Time(Some(SECOND)))),
            ("Throughput (Mb/s)", Some(Meaning::Rate(1e6))),
            ("bandwidth_kbps", Some(Meaning::Rate(1e3))),
            ("DL_bitrate", Some(Meaning::Rate(1e3))),
            ("bytes_sec", Some(Meaning::Rate(8.0))),
            ("mbps", Some(Meaning::Rate(1e6))),
            ("delay_ms", Some(Meaning::Delay(MILLISECOND))),
            ("RTT", Some(Meaning::RoundTrip(MILLISECOND))),
            ("rtt_us", Some(Meaning::RoundTrip(1_000))),
            ("latitude", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(Meaning::of(name), expected, "{name}");
        }
    }
}
