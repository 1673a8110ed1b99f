//! A TCP segment as scripts write it. Sequence numbers are relative to the initial ones, which are 0.

use std::fmt;

use vegas_sim::driven::{AccurateOption, Ace, EcnField};

/// A segment that a script injects, or one that it expects or a host sends. In an expected segment `None` is not
/// compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The flags of the header.
    pub flags: Flags,
    /// The ECN field of the IP header.
    pub ecn: Option<Codepoint>,
    /// The sequence number of the first byte.
    pub sequence: u32,
    /// The number of payload bytes.
    pub length: u32,
    /// The acknowledgement number; 0 without the flag.
    pub ack: u32,
    /// The window field, not scaled.
    pub window: Option<u16>,
    /// The urgent pointer; 0 without the flag.
    pub urgent: u16,
    /// The options in their order, padding included.
    pub options: Option<Vec<TcpOption>>,
}

/// The flags of a segment, by the letter that scripts have for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// The letters, in the order in which they are printed.
    const LETTERS: [(char, Flags); 9] = [
        ('F', Flags::FIN),
        ('S', Flags::SYN),
        ('R', Flags::RST),
        ('P', Flags::PSH),
        ('U', Flags::URG),
        ('E', Flags::ECE),
        ('W', Flags::CWR),
        ('A', Flags::AE),
        ('.', Flags::ACK),
    ];
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// The sender has no more data.
    pub const FIN: Flags = Flags(1);
    /// The first segment of a connection.
    pub const SYN: Flags = Flags(1 << 1);
    /// The connection is reset.
    pub const RST: Flags = Flags(1 << 2);
    /// The data end a write.
    pub const PSH: Flags = Flags(1 << 3);
    /// The acknowledgement number is valid.
    pub const ACK: Flags = Flags(1 << 4);
    /// The urgent pointer is valid.
    pub const URG: Flags = Flags(1 << 5);
    /// ECN echo (RFC 3168).
    pub const ECE: Flags = Flags(1 << 6);
    /// The window is reduced (RFC 3168).
    pub const CWR: Flags = Flags(1 << 7);
    /// Accurate ECN (RFC 9768).
    pub const AE: Flags = Flags(1 << 8);

    /// Returns whether all of these flags are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Returns these flags and the others.
    pub fn and(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }

    /// Returns these flags without the others.
    pub fn without(self, others: Flags) -> Flags {
        Flags(self.0 & !others.0)
    }

    /// Returns these flags if `set`, else none.
    pub fn when(self, set: bool) -> Flags {
        if set { self } else { Flags::NONE }
    }

    /// The flags of Accurate ECN by the number that they form: AE, CWR and ECE.
    const OF_ACE: [(Ace, Flags); 3] = [(0b100, Flags::AE), (0b010, Flags::CWR), (0b001, Flags::ECE)];

    /// Returns the flags that form this number.
    pub fn of_ace(ace: Ace) -> Flags {
        Flags::OF_ACE.into_iter().fold(Flags::NONE, |flags, (bit, flag)| flags.and(flag.when(ace & bit != 0)))
    }

    /// Returns the number that the flags AE, CWR and ECE form.
    pub fn ace(self) -> Ace {
        Flags::OF_ACE.into_iter().filter(|(_, flag)| self.has(*flag)).map(|(bit, _)| bit).sum()
    }

    /// Returns the flag of a letter.
    pub fn of_letter(letter: char) -> Option<Flags> {
        Flags::LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, flag)| *flag)
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Flags::NONE {
            return out.write_str("-");
        }
        Flags::LETTERS.iter().filter(|(_, flag)| self.has(*flag)).try_for_each(|(letter, _)| write!(out, "{letter}"))
    }
}

/// The ECN field of an IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codepoint {
    /// Not ECN-capable.
    NotEct,
    /// ECT(0).
    Ect0,
    /// ECT(1).
    Ect1,
    /// Congestion was experienced.
    Ce,
    /// ECT(0) or ECT(1); only in expected segments.
    AnyEct,
}

impl Codepoint {
    const WORDS: [(&'static str, Codepoint); 5] = [
        ("noecn", Codepoint::NotEct),
        ("ect0", Codepoint::Ect0),
        ("ect1", Codepoint::Ect1),
        ("ce", Codepoint::Ce),
        ("ect01", Codepoint::AnyEct),
    ];

    /// Returns the codepoint of a word.
    pub fn of_word(word: &str) -> Option<Codepoint> {
        Codepoint::WORDS.iter().find(|(known, _)| *known == word).map(|(_, codepoint)| *codepoint)
    }

    /// Returns the field of a segment that arrives; one that is not given is not ECN-capable.
    pub fn field(given: Option<Codepoint>) -> EcnField {
        match given {
            Some(Codepoint::Ce) => EcnField::Ce,
            Some(Codepoint::Ect0) => EcnField::Ect0,
            Some(Codepoint::Ect1) => EcnField::Ect1,
            Some(Codepoint::NotEct | Codepoint::AnyEct) | None => EcnField::NotEct,
        }
    }

    /// Returns whether a segment with the field `actual` is what this field expects.
    pub fn admits(self, actual: Codepoint) -> bool {
        self == actual || self == Codepoint::AnyEct && matches!(actual, Codepoint::Ect0 | Codepoint::Ect1)
    }
}

impl fmt::Display for Codepoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Codepoint::WORDS.iter().find(|(_, codepoint)| codepoint == self).map_or("", |(word, _)| *word);
        out.write_str(word)
    }
}

/// An option of the TCP header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    /// Padding.
    Nop,
    /// The end of the options.
    End,
    /// The maximum segment size.
    Mss(u16),
    /// The shift of the window field.
    WindowScale(u8),
    /// Selective acknowledgements are permitted.
    SackPermitted,
    /// Selective acknowledgements: the blocks `[from, to)`.
    Sack(Vec<(u32, u32)>),
    /// Time stamps (RFC 7323).
    TimeStamps {
        /// The sender's clock.
        value: u32,
        /// The newest time stamp that the sender has received.
        echo: u32,
    },
    /// Accurate ECN (RFC 9768).
    Accurate(AccurateOption),
    /// An option that is only named: its name and its text.
    Other(&'static str, String),
}

/// The names of the counters of Accurate ECN's option, in either of its orders.
pub(crate) fn counter_names(ect1_first: bool) -> [&'static str; 3] {
    if ect1_first { ["e1b", "ceb", "e0b"] } else { ["e0b", "ceb", "e1b"] }
}

impl TcpOption {
    /// Returns whether the option only fills the header.
    pub fn is_padding(&self) -> bool {
        matches!(self, TcpOption::Nop | TcpOption::End)
    }
}

impl fmt::Display for TcpOption {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TcpOption::Nop => out.write_str("nop"),
            TcpOption::End => out.write_str("eol"),
            TcpOption::Mss(bytes) => write!(out, "mss {bytes}"),
            TcpOption::WindowScale(shift) => write!(out, "wscale {shift}"),
            TcpOption::SackPermitted => out.write_str("sackOK"),
            TcpOption::Sack(blocks) => {
                out.write_str("sack")?;
                blocks.iter().try_for_each(|(from, to)| write!(out, " {from}:{to}"))
            }
            TcpOption::TimeStamps { value, echo } => write!(out, "TS val {value} ecr {echo}"),
            TcpOption::Accurate(option) => {
                out.write_str("ECN")?;
                let names = counter_names(option.ect1_first);
                names.iter().zip(&option.counters).try_for_each(|(name, value)| write!(out, " {name} {value}"))
            }
            TcpOption::Other(name, text) if text.is_empty() => out.write_str(name),
            TcpOption::Other(name, text) => write!(out, "{name} {text}"),
        }
    }
}

impl Segment {
    /// Returns a segment without data, options and flags.
    pub fn empty() -> Segment {
        Segment {
            flags: Flags::NONE,
            ecn: None,
            sequence: 0,
            length: 0,
            ack: 0,
            window: None,
            urgent: 0,
            options: Some(Vec::new()),
        }
    }

    /// One past the newest payload byte.
    pub fn end(&self) -> u32 {
        self.sequence.wrapping_add(self.length)
    }

    /// The options that are no padding.
    pub fn meaningful_options(&self) -> impl Iterator<Item = &TcpOption> {
        self.options.iter().flatten().filter(|option| !option.is_padding())
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ecn) = self.ecn {
            write!(out, "[{ecn}] ")?;
        }
        write!(out, "{} {}:{}({})", self.flags, self.sequence, self.end(), self.length)?;
        if self.flags.has(Flags::ACK) {
            write!(out, " ack {}", self.ack)?;
        }
        if let Some(window) = self.window {
            write!(out, " win {window}")?;
        }
        if self.flags.has(Flags::URG) {
            write!(out, " urg {}", self.urgent)?;
        }
        match &self.options {
            None => out.write_str(" <...>"),
            Some(options) if options.is_empty() => Ok(()),
            Some(options) => {
                let options: Vec<String> = options.iter().map(TcpOption::to_string).collect();
                write!(out, " <{}>", options.join(","))
            }
        }
    }
}
