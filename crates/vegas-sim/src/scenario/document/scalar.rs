//! The scalars of a scenario file that are not quantities: names, counts, probabilities, queue limits, switches.

use vegas_core::units::{Segments, Span};
use vegas_core::{Avoidance, BaseRtt, Cut, Mechanisms, Recovery, Rivals, Signal, SlowStart};

use crate::scenario::model::{DelayedAck, EcnField, EcnVersion, Handshake, HostKind, QueueLimit, Sampling, Transport};
use crate::scenario::read::error::suggestion;
use crate::scenario::read::field::{FromGiven, Given};
use crate::scenario::read::quantity::{Inexact, SIZE, TIME, scaled};

/// The greatest window, threshold or count of segments, 2^20: larger than any path of the papers needs.
pub(crate) const SEGMENTS_MAX: u64 = 1 << 20;

/// A name that is safe in a file name, in a link's name `a->b`, and in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) String);

const NAME_LENGTH_MAX: usize = 100;

impl FromGiven for Name {
    const EXPECTED: &'static str = "a name of letters, digits, - _ .";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        match given {
            Given::Text("") => Err("is empty; expected letters, digits, - _ .".into()),
            Given::Text(text) if text.len() > NAME_LENGTH_MAX => {
                Err(format!("is {} characters long; at most {NAME_LENGTH_MAX} are allowed", text.chars().count()))
            }
            Given::Text(text) if text.starts_with(['.', '-']) || !text.chars().all(allowed) => {
                Err(format!("{given} is no name; write letters, digits, - _ . and begin with none of - ."))
            }
            Given::Text(text) => Ok(Name(text.into())),
            _ => Err(format!("{given} is not a text; expected {}", Self::EXPECTED)),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$" })
    }
}

/// The name of a table of parts, which is safe as a folder's name, in HTML and in LaTeX.
#[derive(Clone, Debug)]
pub(crate) struct CompositionName(pub(crate) String);

const COMPOSITION_NAME_LENGTH_MAX: usize = 60;

impl FromGiven for CompositionName {
    const EXPECTED: &'static str = "a name of letters, digits, - _ +";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let Given::Text(text) = given else {
            return Err(format!("{given} is not a text; expected {}", Self::EXPECTED));
        };
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
        if text.is_empty() || text.starts_with(['-', '+']) || !text.chars().all(allowed) {
            return Err(format!("{given} is no name; write letters, digits, - _ + and begin with none of - +"));
        }
        if text.len() > COMPOSITION_NAME_LENGTH_MAX {
            return Err(format!(
                "is {} characters long; at most {COMPOSITION_NAME_LENGTH_MAX} are allowed",
                text.len()
            ));
        }
        Ok(CompositionName(text.into()))
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_+-]{0,59}$" })
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<const MIN: u64, const MAX: u64>(pub(crate) u64);

impl<const MIN: u64, const MAX: u64> FromGiven for Whole<MIN, MAX> {
    const EXPECTED: &'static str = "a whole number";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        match given {
            Given::Whole(number) if number >= MIN.into() && number <= MAX.into() => Ok(Whole(number as u64)),
            _ => Err(format!("{given} was given; expected a whole number from {MIN} to {MAX}")),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// A count of segments, `MIN` at least.
pub(crate) type Count<const MIN: u64> = Whole<MIN, SEGMENTS_MAX>;

impl<const MIN: u64> Count<MIN> {
    /// Converts to segments; the range fits 32 bits.
    pub(crate) fn segments(self) -> Segments {
        Segments(self.0 as u32)
    }
}

/// A probability in millionths, below 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probability {
    /// The value in millionths.
    pub(crate) ppm: u32,
}

impl FromGiven for Probability {
    const EXPECTED: &'static str = "a probability such as 0.01 or \"1%\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let remedy = "write a probability from 0 to below 1, such as 0.01 or \"1%\"";
        match millionths(&given, remedy)? {
            ppm if ppm < MILLION => Ok(Probability { ppm: ppm as u32 }),
            _ => Err(format!("{given} is not below 1; {remedy}")),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [
            { "type": "number", "minimum": 0, "exclusiveMaximum": 1 },
            { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$", "examples": ["1%"] },
        ] })
    }
}

/// The shape of a Pareto distribution: above 1, so that the mean exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The value in thousandths.
    pub(crate) milli: u32,
}

const SHAPE_MILLI_MIN: u64 = 1_010;
const SHAPE_MILLI_MAX: u64 = 100_000;

impl FromGiven for Shape {
    const EXPECTED: &'static str = "a number such as 1.5";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let milli = match given {
            Given::Whole(_) | Given::Fraction(_) => scaled(&given.to_string(), 1_000),
            Given::Text(_) | Given::Switch(_) => Err(Inexact::NotANumber),
        };
        match milli {
            Ok(milli @ SHAPE_MILLI_MIN..=SHAPE_MILLI_MAX) => Ok(Shape { milli: milli as u32 }),
            _ => Err(format!("{given} was given; expected a number from 1.01 to 100 in steps of 0.001, such as 1.5")),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 1.01, "maximum": 100 })
    }
}

/// A probability in millionths, 1 included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance {
    /// The value in millionths.
    pub(crate) ppm: u32,
}

impl FromGiven for Chance {
    const EXPECTED: &'static str = "a probability such as 0.01 or \"1%\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let remedy = "write a probability from 0 to 1, such as 0.01 or \"1%\"";
        match millionths(&given, remedy)? {
            ppm if ppm <= MILLION => Ok(Chance { ppm: ppm as u32 }),
            _ => Err(format!("{given} is above 1; {remedy}")),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [
            { "type": "number", "minimum": 0, "maximum": 1 },
            { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$", "examples": ["1%"] },
        ] })
    }
}

const MILLION: u64 = 1_000_000;

/// Reads a probability, as a number or in percent, in millionths.
fn millionths(given: &Given<'_>, remedy: &str) -> Result<u64, String> {
    let value = match given {
        Given::Text(text) => match text.strip_suffix('%') {
            Some(percent) => scaled(percent, MILLION / 100),
            None => Err(Inexact::NotANumber),
        },
        Given::Switch(_) => Err(Inexact::NotANumber),
        // Display returns the shortest decimal that reads back as an equal number, which is what the user wrote
        _ => scaled(&given.to_string(), MILLION),
    };
    value.or_else(|inexact| match inexact {
        Inexact::TooLarge => Ok(u64::MAX),
        Inexact::TooFine => Err(format!("{given} is finer than one in a million; {remedy}")),
        Inexact::NotANumber => Err(format!("{given} is no probability; {remedy}")),
    })
}

/// Returns "did you mean ...?" for packets under another name.
fn meant_packets(text: &str) -> Option<String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let known = ["p", "packet", "packets", "pkt", "pkts"].contains(&unit.trim().to_lowercase().as_str());
    (known && !number.is_empty()).then(|| format!("did you mean \"{number}p\"?"))
}

impl FromGiven for QueueLimit {
    const EXPECTED: &'static str = "a queue such as \"100p\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let remedy = "write packets (\"100p\"), bytes (\"64kb\") or \"unlimited\"";
        let Given::Text(text) = given else {
            return Err(format!("{given} has no unit; {remedy}"));
        };
        if text == "unlimited" {
            return Ok(QueueLimit::Unlimited);
        }
        let limit = match text.strip_suffix('p').map(str::parse::<u32>) {
            Some(Ok(packets)) => QueueLimit::Packets(packets),
            Some(Err(_)) => return Err(format!("{given} is no whole number of packets; {remedy}")),
            None => match SIZE.parse(&given) {
                Ok(bytes) => QueueLimit::Bytes(vegas_core::units::Bytes::new(bytes)),
                Err(_) => {
                    let remedy = meant_packets(text).or_else(|| SIZE.meant(text)).unwrap_or_else(|| remedy.into());
                    return Err(format!("{given} is no queue; {remedy}"));
                }
            },
        };
        match limit {
            QueueLimit::Packets(0) => {
                Err(format!("{given} lets nothing through: the packet being sent counts; {remedy}"))
            }
            QueueLimit::Bytes(bytes) if bytes.get() == 0 => Err(format!("{given} lets nothing through; {remedy}")),
            limit => Ok(limit),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(unlimited|[0-9]+p|[0-9]+(\\.[0-9]+)?(b|kb|mb|gb|tb|kib|mib|gib))$",
            "examples": ["100p", "64kb", "unlimited"],
        })
    }
}

/// The capacity of a queue: a limit, or bandwidth-delay products of its path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Capacity {
    Limit(QueueLimit),
    /// Thousandths of a bandwidth-delay product.
    BdpMilli(u64),
}

const BDP: &str = "bdp";
const BDP_MILLI_MAX: u64 = 1_000_000;

impl FromGiven for Capacity {
    const EXPECTED: &'static str = QueueLimit::EXPECTED;

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let Given::Text(text) = given else { return QueueLimit::from_given(given).map(Capacity::Limit) };
        let spelled = text.to_lowercase();
        let Some(number) = spelled.strip_suffix(BDP).map(str::trim_end) else {
            return QueueLimit::from_given(given).map(Capacity::Limit);
        };
        match scaled(number, 1_000) {
            Ok(_) if text != format!("{number}{BDP}") => {
                Err(format!("{given} is no queue; did you mean \"{number}{BDP}\"?"))
            }
            Ok(milli @ 1..=BDP_MILLI_MAX) => Ok(Capacity::BdpMilli(milli)),
            _ => Err(format!("{given} was given; expected bandwidth-delay products from \"0.001bdp\" to \"1000bdp\"")),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(unlimited|[0-9]+p|[0-9]+(\\.[0-9]+)?(b|kb|mb|gb|tb|kib|mib|gib|bdp))$",
            "examples": ["100p", "64kb", "0.5bdp", "unlimited"],
        })
    }
}

impl FromGiven for Sampling {
    const EXPECTED: &'static str = "a step such as \"100ms\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        match given {
            Given::Text("change") => Ok(Sampling::EveryChange),
            Given::Text("off") => Ok(Sampling::Off),
            _ => TIME
                .parse(&given)
                .map(Span::from_nanos)
                .map(Sampling::Every)
                .map_err(|problem| format!("{problem}, or write \"change\" or \"off\"")),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [Span::schema(), { "enum": ["change", "off"] }] })
    }
}

/// The most segments that leave in answer to one acknowledgement; `None` for no limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst(pub(crate) Option<Segments>);

impl FromGiven for Burst {
    const EXPECTED: &'static str = "a number of segments, or \"none\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        if let Given::Text("none") = given {
            return Ok(Burst(None));
        }
        let count = Count::<1>::from_given(given).map_err(|problem| format!("{problem}, or \"none\""))?;
        Ok(Burst(Some(count.segments())))
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [Count::<1>::schema(), { "const": "none" }] })
    }
}

impl FromGiven for Mechanisms {
    const EXPECTED: &'static str = "letters from A to J, such as \"ACF\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        match given {
            Given::Text(letters) => Mechanisms::from_letters(letters).map_err(|error| format!("{given}: {error}")),
            _ => Err(format!("{given} was given; expected {}", Self::EXPECTED)),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-J]{0,10}$" })
    }
}

impl FromGiven for DelayedAck {
    const EXPECTED: &'static str = "false, \"linux\", or a time such as \"200ms\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        match given {
            Given::Switch(false) => Ok(DelayedAck::None),
            Given::Switch(true) => {
                Err("true does not say for how long; write the longest wait, such as \"200ms\"".into())
            }
            Given::Text("linux") => Ok(DelayedAck::Linux),
            _ => TIME.parse(&given).map(|nanos| DelayedAck::After(Span::from_nanos(nanos))),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [Span::schema(), { "enum": ["linux"] }, { "const": false }] })
    }
}

/// The longest time for which an interface holds segments to merge them; none if it merges none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gro(pub(crate) Option<Span>);

impl FromGiven for Gro {
    const EXPECTED: &'static str = "false, or a time such as \"0s\"";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        match given {
            Given::Switch(false) => Ok(Gro(None)),
            Given::Switch(true) => {
                Err("true does not say for how long; write \"0s\", or the longest time such as \"20us\"".into())
            }
            _ => TIME.parse(&given).map(|nanos| Gro(Some(Span::from_nanos(nanos)))),
        }
    }

    fn schema() -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [Span::schema(), { "const": false }] })
    }
}

/// A choice among named values.
pub(crate) trait Named: Copy + 'static {
    /// The name of the choice, with its article.
    const WHAT: &'static str;
    /// All values with their names.
    const CHOICES: &'static [(&'static str, Self)];
}

impl<T: Named> FromGiven for T {
    const EXPECTED: &'static str = "a name";

    fn from_given(given: Given<'_>) -> Result<Self, String> {
        let names = || T::CHOICES.iter().map(|(name, _)| *name);
        let chosen = match given {
            Given::Text(text) => T::CHOICES.iter().find(|(name, _)| *name == text),
            _ => None,
        };
        match chosen {
            Some((_, choice)) => Ok(*choice),
            None => Err(format!("{given} is not {}; {}", T::WHAT, suggestion(&given.to_string(), names()))),
        }
    }

    fn schema() -> schemars::Schema {
        let names: Vec<&str> = T::CHOICES.iter().map(|(name, _)| *name).collect();
        schemars::json_schema!({ "enum": names })
    }
}

impl Named for Signal {
    const WHAT: &'static str = "a signal";
    const CHOICES: &'static [(&'static str, Self)] = Signal::NAMES;
}

impl Named for BaseRtt {
    const WHAT: &'static str = "a way to find the base RTT";
    const CHOICES: &'static [(&'static str, Self)] = BaseRtt::NAMES;
}

impl Named for Rivals {
    const WHAT: &'static str = "a behaviour beside rivals";
    const CHOICES: &'static [(&'static str, Self)] = Rivals::NAMES;
}

impl Named for SlowStart {
    const WHAT: &'static str = "a slow start";
    const CHOICES: &'static [(&'static str, Self)] = SlowStart::NAMES;
}

impl Named for Avoidance {
    const WHAT: &'static str = "a congestion avoidance";
    const CHOICES: &'static [(&'static str, Self)] = Avoidance::NAMES;
}

impl Named for Cut {
    const WHAT: &'static str = "a cut";
    const CHOICES: &'static [(&'static str, Self)] = Cut::NAMES;
}

impl Named for Recovery {
    const WHAT: &'static str = "a fast recovery";
    const CHOICES: &'static [(&'static str, Self)] = Recovery::NAMES;
}

impl Named for Handshake {
    const WHAT: &'static str = "a handshake";
    const CHOICES: &'static [(&'static str, Self)] = &[("none", Handshake::None), ("full", Handshake::Full)];
}

impl Named for EcnField {
    const WHAT: &'static str = "an ECN field";
    const CHOICES: &'static [(&'static str, Self)] =
        &[("not-ect", EcnField::NotEct), ("ect0", EcnField::Ect0), ("ect1", EcnField::Ect1), ("ce", EcnField::Ce)];
}

impl Named for EcnVersion {
    const WHAT: &'static str = "a version of ECN";
    const CHOICES: &'static [(&'static str, Self)] =
        &[("none", EcnVersion::None), ("classic", EcnVersion::Classic), ("accurate", EcnVersion::Accurate)];
}

impl Named for Transport {
    const WHAT: &'static str = "a transport";
    const CHOICES: &'static [(&'static str, Self)] = &[("tcp", Transport::Tcp), ("quic", Transport::Quic)];
}

impl Named for HostKind {
    const WHAT: &'static str = "a kind of host";
    const CHOICES: &'static [(&'static str, Self)] = &[("bsd", HostKind::Bsd), ("linux", HostKind::Linux)];
}

/// The models of losses other than a plain probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LossModel {
    GilbertElliott,
}

impl Named for LossModel {
    const WHAT: &'static str = "a loss model";
    const CHOICES: &'static [(&'static str, Self)] = &[("gilbert-elliott", LossModel::GilbertElliott)];
}

/// The models of extra delays other than the uniform distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JitterModel {
    Wifi,
}

impl Named for JitterModel {
    const WHAT: &'static str = "a model of jitter";
    const CHOICES: &'static [(&'static str, Self)] = &[("wifi", JitterModel::Wifi)];
}

/// The shapes of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Dumbbell,
    ParkingLot,
    Graph,
}

impl Named for Kind {
    const WHAT: &'static str = "a kind of topology";
    const CHOICES: &'static [(&'static str, Self)] =
        &[("dumbbell", Kind::Dumbbell), ("parking-lot", Kind::ParkingLot), ("graph", Kind::Graph)];
}
