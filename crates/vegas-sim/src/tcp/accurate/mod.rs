//! Accurate ECN (RFC 9768) at one end of a connection: what the ends agree on, the counts that each end reports, and
//! what an end no longer trusts where the path or the peer mangles them. Where the RFC leaves a choice, it is that of
//! Linux (`include/net/tcp_ecn.h`, `tcp_input.c`, `tcp_output.c` of 6.19 and later).
//!
//! [`handshake`] has the codes of SYN, SYN/ACK and the last acknowledgement, [`counters`] the counts, [`option`] the
//! option's form and room. The owner brings segments, and sends with the flags and the option that [`EcnEnd`] gives.

pub(super) mod counters;
mod handshake;
mod option;

use vegas_core::units::{Span, Time};

pub use counters::Delivery;
use counters::{Delivered, Received};
pub use handshake::{EcnMode, EcnRules, EcnVersion, OptionUse};
use handshake::{is_valid_change, reflected, reflection};
pub use option::AccurateOption;
use option::fit;

pub use crate::packet::EcnField;

/// The three flags AE, CWR and ECE of a TCP header as one number, AE the highest bit (the ACE field).
pub type Ace = u8;

/// A segment that arrives, as far as Accurate ECN sees it.
#[derive(Clone, Copy, Debug)]
pub struct EcnSegment<'a> {
    /// The ECN field of its IP header.
    pub field: EcnField,
    /// Its flags.
    pub ace: Ace,
    /// Its payload, bytes.
    pub payload: u32,
    /// Its option.
    pub option: Option<&'a AccurateOption>,
}

/// What is found broken, after which it is no longer used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnFailures {
    /// The peer does not see this end's flags as they were sent.
    pub ace_sent: bool,
    /// The peer's flags, or the IP field that they report, are not those that were sent.
    pub ace_received: bool,
    /// Segments with this end's option do not arrive.
    pub option_sent: bool,
    /// The peer's option arrives with zeroes.
    pub option_received: bool,
}

/// Which options the peer has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionSeen {
    /// None.
    None,
    /// One without counters.
    Empty,
    /// One with counters.
    Counters,
    /// One with counters that were zeroed on the way.
    Zeroed,
}

/// One end's ECN state.
#[derive(Clone, Debug)]
pub struct EcnEnd {
    rules: EcnRules,
    mode: EcnMode,
    failures: EcnFailures,
    /// The IP field of the peer's newest SYN or SYN/ACK, which the next acknowledgement without data may reflect.
    opening: EcnField,
    reflects: bool,
    /// Whether the next segment is the first one after the peer's SYN/ACK.
    awaits_first: bool,
    /// The SYN/ACKs that were sent.
    answers: u32,
    seen: OptionSeen,
    received: Received,
    delivered: Delivered,
    /// When the newest option left.
    option_sent_at: Time,
    /// The first byte of the repeated data that the newest acknowledgement reports, if it has the option, too.
    repeated_with_option: Option<u64>,
}

/// The IP field of SYN and SYN/ACK: they are not ECN-capable (RFC 3168, section 6.1.1).
const OPENING_SENT: EcnField = EcnField::NotEct;
/// The codes of flags in a handshake that ask for a version.
const ASKS_ACCURATE: Ace = 0b111;
const ASKS_CLASSIC: Ace = 0b011;
const TAKES_CLASSIC: Ace = 0b001;
/// How often SYN and SYN/ACK are repeated with the flags.
pub(super) const REPEATS_WITH_FLAGS: u32 = 1;

/// The handshake.
impl EcnEnd {
    fn new(rules: EcnRules, mode: EcnMode) -> Self {
        EcnEnd {
            rules,
            mode,
            failures: EcnFailures::default(),
            opening: EcnField::NotEct,
            reflects: false,
            awaits_first: false,
            answers: 0,
            seen: OptionSeen::None,
            received: Received::default(),
            delivered: Delivered::default(),
            option_sent_at: Time::ZERO,
            repeated_with_option: None,
        }
    }

    /// The end that begins a connection.
    pub fn connect(rules: EcnRules) -> Self {
        let mode = match rules.connects {
            EcnVersion::None => EcnMode::Off,
            EcnVersion::Classic => EcnMode::Classic,
            EcnVersion::Accurate => EcnMode::Pending,
        };
        EcnEnd::new(rules, mode)
    }

    /// The end that a SYN with these flags and this IP field asks for a connection. All codes that no older version
    /// has ask for Accurate ECN (section 3.1.2).
    pub fn accept(rules: EcnRules, ace: Ace, field: EcnField) -> Self {
        let has_classic = ace & ASKS_CLASSIC == ASKS_CLASSIC;
        let mode = match (rules.accepts, ace) {
            (EcnVersion::None, _) | (_, 0) => EcnMode::Off,
            (EcnVersion::Accurate, ace) if ace != ASKS_CLASSIC => EcnMode::Accurate,
            _ if has_classic => EcnMode::Classic,
            _ => EcnMode::Off,
        };
        EcnEnd { opening: field, ..EcnEnd::new(rules, mode) }
    }

    /// The flags of a SYN that was sent `repeats` times before. After the second one a path is taken for one that drops
    /// such SYNs (section 3.1.4.1).
    pub fn of_syn(&self, repeats: u32) -> Ace {
        let falls_back = self.rules.falls_back && repeats > REPEATS_WITH_FLAGS;
        match self.mode {
            EcnMode::Pending | EcnMode::Accurate if !falls_back => ASKS_ACCURATE,
            EcnMode::Classic if !falls_back => ASKS_CLASSIC,
            _ => 0,
        }
    }

    /// The flags of the next SYN/ACK, and its option. The second one has no option, later ones have no flags either
    /// (sections 3.2.3.2.2 and 3.1.4.2).
    pub fn of_syn_ack(&mut self) -> (Ace, Option<AccurateOption>) {
        let repeats = self.answers;
        self.answers += 1;
        match self.mode {
            EcnMode::Classic => (TAKES_CLASSIC, None),
            EcnMode::Accurate if repeats > REPEATS_WITH_FLAGS => (0, None),
            EcnMode::Accurate => {
                let has_option = repeats == 0 && self.rules.option != OptionUse::None;
                (reflection(self.opening), has_option.then(|| AccurateOption::of(|_| 0, 3)))
            }
            EcnMode::Off | EcnMode::Pending => (0, None),
        }
    }

    /// Takes in the peer's SYN/ACK.
    pub fn on_syn_ack(&mut self, segment: &EcnSegment<'_>) {
        self.mode = match (self.mode, segment.ace) {
            (EcnMode::Pending, 0b000 | 0b111) => EcnMode::Off,
            (EcnMode::Pending, TAKES_CLASSIC) => EcnMode::Classic,
            (EcnMode::Pending, _) => EcnMode::Accurate,
            (EcnMode::Classic, ace) if ace & ASKS_CLASSIC == TAKES_CLASSIC => EcnMode::Classic,
            _ => EcnMode::Off,
        };
        if self.mode != EcnMode::Accurate {
            return;
        }
        self.opening = segment.field;
        (self.reflects, self.awaits_first) = (true, true);
        self.note_option(segment.option, 2);
        self.check_reflection(segment.ace);
        if segment.field == EcnField::Ce {
            self.received.count_packet();
        }
    }

    /// Takes in a SYN that comes again, before the handshake is over or after. Without flags it is from a path that
    /// lost those with flags, or dropped the flags; this end then sends nothing ECN-capable (section 3.1.5).
    pub fn on_syn_again(&mut self, segment: &EcnSegment<'_>, is_open: bool) {
        if self.mode != EcnMode::Accurate {
            return;
        }
        self.opening = segment.field;
        if is_open {
            self.reflects = true;
            self.note_option(segment.option, 1);
        } else if segment.ace == 0 {
            self.failures.ace_sent = true;
        }
    }

    /// Takes in the segment that ends the handshake at the end that was asked (section 3.2.2.1, table 4). It is counted
    /// as any other.
    pub fn on_final_ack(&mut self, segment: &EcnSegment<'_>) {
        if self.mode != EcnMode::Accurate {
            return;
        }
        match segment.ace {
            0 => self.failures.ace_received = true,
            ace if segment.payload == 0 && reflected(ace).is_some() => {
                let is_sound = self.check_reflection(ace);
                if is_sound && reflected(ace) == Some(EcnField::Ce) {
                    self.delivered.ce = self.delivered.ce.max(1);
                }
            }
            _ => {}
        }
        self.received.begin(self.opening);
        self.note_option(segment.option, 1);
    }

    /// Checks that the IP field of this end's SYN or SYN/ACK came to the peer as it may have (section 3.2.2.3); returns
    /// whether it did.
    fn check_reflection(&mut self, ace: Ace) -> bool {
        let is_sound = reflected(ace).is_none_or(|seen| is_valid_change(OPENING_SENT, seen));
        let passes = is_sound || !self.rules.falls_back;
        self.failures.ace_received |= !passes;
        passes
    }

    /// Takes in whether a segment has the option; the next `demand` segments then have it, too.
    fn note_option(&mut self, option: Option<&AccurateOption>, demand: u8) {
        self.look_at(option);
        self.received.demand(demand);
    }

    /// Looks for zeroes in the peer's first option with counters.
    fn look_at(&mut self, option: Option<&AccurateOption>) {
        if let Some(option) = option.filter(|_| self.seen < OptionSeen::Counters) {
            self.seen = option.seen();
            self.failures.option_received |= self.seen == OptionSeen::Zeroed;
        }
    }
}

/// The open connection.
impl EcnEnd {
    /// What the ends have agreed on.
    pub fn mode(&self) -> EcnMode {
        self.mode
    }

    /// What is found broken.
    pub fn failures(&self) -> EcnFailures {
        self.failures
    }

    /// Which options the peer has sent.
    pub fn option_seen(&self) -> OptionSeen {
        self.seen
    }

    /// The packets with CE that have arrived.
    pub fn received_ce(&self) -> u32 {
        self.received.ce
    }

    /// The payload that has arrived with a field, bytes.
    pub fn received_bytes(&self, field: EcnField) -> u32 {
        self.received.bytes_of(field)
    }

    /// The packets that the peer has reported as arrived with CE.
    pub fn delivered_ce(&self) -> u32 {
        self.delivered.ce
    }

    /// Counts packets that a classic echo reports.
    pub fn count_echoed(&mut self, packets: u32) {
        self.delivered.ce += packets;
    }

    /// The payload that the peer has reported as arrived with a field, bytes.
    pub fn delivered_bytes(&self, field: EcnField) -> u32 {
        self.delivered.bytes_of(field)
    }

    /// Sets which segments have the option.
    pub fn set_option_use(&mut self, option: OptionUse) {
        self.rules.option = option;
    }

    /// Returns whether all segments have the option, and so less room for data.
    pub fn takes_room(&self) -> bool {
        self.mode == EcnMode::Accurate && self.rules.option >= OptionUse::Always && self.seen != OptionSeen::None
    }

    /// Returns whether segments leave ECN-capable with Accurate ECN: all, acknowledgements and retransmissions too
    /// (section 3.2.2.5.2 and Linux's `tcp_ecn_send`), unless something of the flags is broken.
    pub fn is_capable(&self) -> bool {
        let EcnFailures { ace_sent, ace_received, .. } = self.failures;
        self.mode == EcnMode::Accurate && !ace_sent && !ace_received
    }

    /// Takes in a segment of the open connection. If the first one has no flag it was bleached, as counts begin at 5
    /// (section 3.2.2.4).
    pub fn on_segment(&mut self, segment: &EcnSegment<'_>) {
        let is_first = std::mem::take(&mut self.awaits_first) && self.mode == EcnMode::Accurate;
        self.failures.ace_received |= is_first && segment.ace == 0;
        self.received.on_segment(segment.field, segment.payload, self.mode == EcnMode::Accurate);
    }

    /// Returns whether the next data are acknowledged at once: their IP field has changed, so that two acknowledgements
    /// tell which one had which (section 3.2.2.5.1), or nearly as many marks wait as the flags can tell.
    pub fn wants_ack(&self) -> bool {
        self.mode == EcnMode::Accurate && self.received.wants_ack()
    }

    /// Takes in data from byte `from` on that have come before. Where the acknowledgement that reported them had the
    /// option and they still come again, the path drops such segments (section 3.2.3.2.2).
    pub fn on_repeated(&mut self, from: u64) {
        self.failures.option_sent |= self.repeated_with_option == Some(from);
    }

    /// Takes in the acknowledgement that a segment has; returns the number of packets that it reports as marked.
    pub fn on_ack(&mut self, segment: &EcnSegment<'_>, delivery: &Delivery) -> u32 {
        let can_tell = delivery.packets > 0 || delivery.is_newer;
        if self.mode != EcnMode::Accurate || !can_tell {
            return 0;
        }
        self.look_at(segment.option);
        let option = segment.option.filter(|_| !self.failures.option_received);
        let estimates = self.seen != OptionSeen::None && !self.failures.option_received;
        self.delivered.on_ack(segment.ace, delivery, option, estimates)
    }

    /// The flags of a segment that leaves; the first one without data after the peer's SYN or SYN/ACK reflects its IP
    /// field.
    pub fn of_segment(&mut self, has_data: bool) -> Ace {
        let reflects = std::mem::take(&mut self.reflects) && !has_data;
        match (self.mode, reflects) {
            (EcnMode::Accurate, true) => reflection(self.opening),
            (EcnMode::Accurate, false) => self.received.ace(),
            _ => 0,
        }
    }

    /// The option of a segment that leaves now, and how many blocks of SACK stay beside it. `repeated` is the first
    /// byte of the repeated data that the segment reports, if it does.
    pub fn option(
        &mut self,
        now: Time,
        rtt: Span,
        room: Room,
        repeated: Option<u64>,
    ) -> (Option<AccurateOption>, usize) {
        self.repeated_with_option = None;
        let fitting = self.sends_option(now, rtt).then(|| fit(room, self.received.least_fields())).flatten();
        let Some((fields, blocks)) = fitting else { return (None, room.blocks) };
        self.option_sent_at = now;
        self.repeated_with_option = repeated;
        let option = AccurateOption::of(|field| self.received.bytes_of(field), fields);
        self.received.note_option_sent();
        (Some(option), blocks)
    }

    fn sends_option(&self, now: Time, rtt: Span) -> bool {
        let since = now.since(self.option_sent_at).as_nanos();
        let is_beacon = || self.rules.beacons > 0 && since.saturating_mul(self.rules.beacons.into()) >= rtt.as_nanos();
        self.mode == EcnMode::Accurate
            && self.seen != OptionSeen::None
            && (!self.failures.option_sent || self.rules.option == OptionUse::Persistent)
            && match self.rules.option {
                OptionUse::None => false,
                OptionUse::Changes => self.received.is_demanded() || is_beacon(),
                OptionUse::Always | OptionUse::Persistent => true,
            }
    }
}

/// What else is in a header's options.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Whether there are time stamps.
    pub time_stamps: bool,
    /// The blocks of SACK.
    pub blocks: usize,
}

#[cfg(test)]
mod tests;
