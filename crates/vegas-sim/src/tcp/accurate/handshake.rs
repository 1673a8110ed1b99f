//! What the ends offer each other, and the codes that tell how the handshake's IP fields arrived (RFC 9768, sections
//! 3.1.2, 3.2.2.1 and 3.2.2.3).

use super::{Ace, EcnField};
pub use crate::scenario::EcnVersion;

/// What the ends have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnMode {
    /// No ECN.
    Off,
    /// Echoes.
    Classic,
    /// Counts.
    Accurate,
    /// Accurate ECN is asked for; the answer is not there.
    Pending,
}

/// Which segments have the option, in ascending order (Linux's `tcp_ecn_option`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionUse {
    /// None.
    None,
    /// Those after a change, and a few in each round trip.
    Changes,
    /// All, as far as there is room.
    Always,
    /// All, even if segments with it seem to be dropped.
    Persistent,
}

/// What a host offers and takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcnRules {
    /// The version that it asks for.
    pub connects: EcnVersion,
    /// The newest version that it takes.
    pub accepts: EcnVersion,
    /// Which segments have the option.
    pub option: OptionUse,
    /// How many segments of a round trip have the option without a change (`tcp_ecn_option_beacon`).
    pub beacons: u32,
    /// Whether a path or a peer that mangles the handshake ends the use of marks (`tcp_ecn_fallback`).
    pub falls_back: bool,
}

impl EcnRules {
    /// The rules of a Linux host with `tcp_ecn` of this value, and the defaults of the other controls; `None` if there
    /// is no such value.
    pub fn of_linux(tcp_ecn: u64) -> Option<EcnRules> {
        use EcnVersion::{Accurate, Classic, None as Not};
        const BY_VALUE: [(EcnVersion, EcnVersion); 6] = [
            (Not, Not),
            (Classic, Classic),
            (Not, Classic),
            (Accurate, Accurate),
            (Classic, Accurate),
            (Not, Accurate),
        ];
        let (connects, accepts) = *BY_VALUE.get(usize::try_from(tcp_ecn).ok()?)?;
        Some(EcnRules { connects, accepts, option: OptionUse::Always, beacons: 3, falls_back: true })
    }
}

/// The code of a field in the SYN/ACK, and in the acknowledgement that ends the handshake.
pub(super) fn reflection(field: EcnField) -> Ace {
    match field {
        EcnField::NotEct => 0b010,
        EcnField::Ect1 => 0b011,
        EcnField::Ect0 => 0b100,
        EcnField::Ce => 0b110,
    }
}

/// The field of a code; `None` for codes of no field.
pub(super) fn reflected(ace: Ace) -> Option<EcnField> {
    [EcnField::NotEct, EcnField::Ect1, EcnField::Ect0, EcnField::Ce].into_iter().find(|field| reflection(*field) == ace)
}

/// Returns whether a sound path may change a field so (section 3.2.2.3): queues mark what is capable. Linux takes a
/// change between ECT(0) and ECT(1) for sound, too.
pub(super) fn is_valid_change(sent: EcnField, seen: EcnField) -> bool {
    sent == seen || sent != EcnField::NotEct && seen != EcnField::NotEct && sent != EcnField::Ce
}
