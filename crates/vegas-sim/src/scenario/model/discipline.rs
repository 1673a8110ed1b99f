//! The disciplines of queues: of each the name in scenario files, its numbers, and the keys that give them. The rules
//! are in [`crate::network::queue`], a file each.

use vegas_core::units::Span;

use crate::scenario::read::error::{Checked, Problem, child};

/// Lists the disciplines: each with its numbers, if it has any, and its name in scenario files.
macro_rules! disciplines {
    ($($(#[$about:meta])* $variant:ident $(($numbers:ident))?: $name:literal,)+) => {
        /// The management of a queue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Discipline {
            $($(#[$about])* $variant $(($numbers))?,)+
        }

        impl Discipline {
            /// All of them with their names in scenario files, in the order in which they are listed.
            pub const KINDS: &'static [(&'static str, DisciplineKind)] = &[$((
                $name,
                DisciplineKind { name: $name, read: |_keys| Ok(Discipline::$variant $(($numbers::read(_keys)?))?) },
            ),)+];
        }
    };
}

disciplines! {
    /// No management: a packet that does not fit is dropped.
    DropTail: "drop-tail",
    /// Random early detection, gentle (Floyd and Jacobson 1993, Floyd 2000).
    Red(RedSpec): "red",
    /// CoDel (RFC 8289).
    CoDel(CoDelSpec): "codel",
    /// PIE (RFC 8033).
    Pie(PieSpec): "pie",
    /// FQ-CoDel (RFC 8290).
    FqCoDel(FqCoDelSpec): "fq-codel",
    /// A threshold in packets, from which packets are marked (M. Alizadeh et al., "Data Center TCP (DCTCP)", 2010).
    Step(StepSpec): "step",
    /// DualPI2 (RFC 9332).
    DualPi2(DualPi2Spec): "dualpi2",
}

impl Discipline {
    /// Returns what the discipline tells apart by a hash of packets' identities; `None` if all packets are alike to it.
    pub fn isolation(&self) -> Option<Isolation> {
        match self {
            Discipline::FqCoDel(spec) => Some(spec.isolation),
            _ => None,
        }
    }
}

/// Parameters of RED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedSpec {
    /// The average queue from which packets are dropped.
    pub min_packets: u32,
    /// The average queue at which `max_probability_ppm` is reached; above `min_packets`.
    pub max_packets: u32,
    /// The probability at `max_packets`, in millionths.
    pub max_probability_ppm: u32,
    /// The weight of one packet in the average, in millionths.
    pub weight_ppm: u32,
    /// Whether ECN-capable packets are marked instead of dropped, up to `max_packets`.
    pub ecn: bool,
}

impl RedSpec {
    fn read(keys: &mut Keys<'_>) -> Checked<Self> {
        let ecn = keys.ecn();
        let min_packets = keys.count("min", 5);
        let max_packets = keys.count("max", 3 * min_packets);
        if max_packets <= min_packets {
            let least = min_packets + 1;
            return Err(keys.problem("max", format!("is not above min, {min_packets}; write {least} or more")));
        }
        let max_probability_ppm = keys.chance_ppm("max_probability", 100_000);
        let weight_ppm = keys.chance_ppm("weight", 2_000);
        if weight_ppm == 0 {
            return Err(keys.problem("weight", "0 never averages; write a weight above 0, such as 0.002"));
        }
        Ok(RedSpec { min_packets, max_packets, max_probability_ppm, weight_ppm, ecn })
    }
}

/// Parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelSpec {
    /// The waiting time that the discipline aims at.
    pub target: Span,
    /// The time for which packets must wait longer than `target` before the first drop.
    pub interval: Span,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// The waiting time above which each ECN-capable packet is marked; [`Span::MAX`] is none.
    pub ce_threshold: Span,
}

impl CoDelSpec {
    fn read(keys: &mut Keys<'_>) -> Checked<Self> {
        Ok(CoDelSpec {
            ecn: keys.ecn(),
            target: keys.time_ms("target", 5)?,
            interval: keys.time_ms("interval", 100)?,
            ce_threshold: keys.time("ce_threshold")?.unwrap_or(Span::MAX),
        })
    }
}

/// Parameters of PIE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieSpec {
    /// The waiting time that the discipline aims at.
    pub target: Span,
    /// The time between two updates of the probability.
    pub update: Span,
    /// The length of a burst that passes without drops.
    pub max_burst: Span,
    /// Whether ECN-capable packets are marked instead of dropped, up to a probability of 10 %.
    pub ecn: bool,
}

impl PieSpec {
    fn read(keys: &mut Keys<'_>) -> Checked<Self> {
        Ok(PieSpec {
            ecn: keys.ecn(),
            target: keys.time_ms("target", 15)?,
            update: keys.time_ms("update", 15)?,
            max_burst: keys.time_ms("max_burst", 150)?,
        })
    }
}

/// Parameters of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelSpec {
    /// The parameters of CoDel in each queue.
    pub codel: CoDelSpec,
    /// The number of queues.
    pub queues: u32,
    /// The bytes that a queue sends in a turn.
    pub quantum_bytes: u32,
    /// The packets that share a queue.
    pub isolation: Isolation,
}

impl FqCoDelSpec {
    fn read(keys: &mut Keys<'_>) -> Checked<Self> {
        Ok(FqCoDelSpec {
            codel: CoDelSpec::read(keys)?,
            queues: keys.count("queues", 1024),
            quantum_bytes: keys.count("quantum", 1514),
            isolation: keys.isolation("isolate"),
        })
    }
}

/// Parameters of step marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSpec {
    /// The waiting packets above which a packet that arrives is marked.
    pub threshold_packets: u32,
}

impl StepSpec {
    fn read(keys: &mut Keys<'_>) -> Checked<Self> {
        Ok(StepSpec { threshold_packets: keys.count("min", 65) })
    }
}

/// Parameters of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DualPi2Spec {
    /// The waiting time that the controller aims at.
    pub target: Span,
    /// The waiting time above which the L queue marks each packet.
    pub step: Span,
    /// The classic queue's part of the link while both queues have packets, in millionths.
    pub classic_weight_ppm: u32,
}

impl DualPi2Spec {
    fn read(keys: &mut Keys<'_>) -> Checked<Self> {
        Ok(DualPi2Spec {
            target: keys.time_ms("target", 15)?,
            step: keys.time_ms("ce_threshold", 1)?,
            classic_weight_ppm: keys.chance_ppm("weight", 100_000),
        })
    }
}

/// What a fair queue tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Each direction of a connection (RFC 8290).
    Flows,
    /// Users, as a cellular base station does: all packets from and to one user share a queue.
    Users,
}

/// A discipline by its name, without numbers.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineKind {
    pub(crate) name: &'static str,
    pub(crate) read: fn(&mut Keys<'_>) -> Checked<Discipline>,
}

impl DisciplineKind {
    /// Returns its keys, beside `kind` and `limit`.
    pub fn keys(&self) -> Vec<&'static str> {
        let mut keys = Keys::new("", &[]);
        (self.read)(&mut keys).expect("defaults are in range");
        keys.asked_for
    }

    /// Returns the discipline with the defaults of its numbers.
    pub fn with_defaults(&self) -> Discipline {
        (self.read)(&mut Keys::new("", &[])).expect("defaults are in range")
    }
}

/// A value that a file gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Switch(bool),
    Time(Span),
    Count(u32),
    ChancePpm(u32),
    Isolation(Isolation),
}

/// The keys of a queue's table, as disciplines ask for them.
pub(crate) struct Keys<'a> {
    /// The key of the queue.
    place: &'a str,
    given: &'a [(&'static str, Option<Value>)],
    asked_for: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    pub(crate) fn new(place: &'a str, given: &'a [(&'static str, Option<Value>)]) -> Self {
        Keys { place, given, asked_for: Vec::new() }
    }

    fn ask(&mut self, key: &'static str) -> Option<Value> {
        self.asked_for.push(key);
        self.given.iter().find(|(name, _)| *name == key).and_then(|(_, value)| *value)
    }

    fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        Problem::new(child(self.place, key), message)
    }

    fn ecn(&mut self) -> bool {
        match self.ask("ecn") {
            Some(Value::Switch(ecn)) => ecn,
            _ => false,
        }
    }

    /// A time above 0, and below any waiting time that a queue should not have.
    fn time_ms(&mut self, key: &'static str, default_ms: u64) -> Checked<Span> {
        Ok(self.time(key)?.unwrap_or(Span::from_millis(default_ms)))
    }

    fn time(&mut self, key: &'static str) -> Checked<Option<Span>> {
        const MAX: Span = Span::from_secs(60);
        match self.ask(key) {
            Some(Value::Time(Span::ZERO)) => Err(self.problem(key, "is 0; write a time above 0, such as \"15ms\"")),
            Some(Value::Time(span)) if span > MAX => {
                Err(self.problem(key, "is longer than a minute; write 1min at most"))
            }
            Some(Value::Time(span)) => Ok(Some(span)),
            _ => Ok(None),
        }
    }

    fn count(&mut self, key: &'static str, default: u32) -> u32 {
        match self.ask(key) {
            Some(Value::Count(count)) => count,
            _ => default,
        }
    }

    fn chance_ppm(&mut self, key: &'static str, default_ppm: u32) -> u32 {
        match self.ask(key) {
            Some(Value::ChancePpm(ppm)) => ppm,
            _ => default_ppm,
        }
    }

    fn isolation(&mut self, key: &'static str) -> Isolation {
        match self.ask(key) {
            Some(Value::Isolation(isolation)) => isolation,
            _ => Isolation::Flows,
        }
    }
}
