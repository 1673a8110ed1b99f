//! The option (RFC 9768, section 3.2.3): counters of bytes of 24 bits in one of two orders, as many from the first on
//! as there is room and need for.

use super::{EcnField, OptionSeen, Room};

/// The option of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccurateOption {
    /// Whether ECT(1) comes first (kind 174, order 1); else ECT(0) does (kind 172, order 0).
    pub ect1_first: bool,
    /// The counters as they are in the header: at most three.
    pub counters: Vec<u32>,
}

const COUNTER_MASK: u32 = (1 << 24) - 1;
/// The option's bytes without counters, and those of a counter.
const BASE_BYTES: usize = 2;
const COUNTER_BYTES: usize = 3;
const COUNTERS_MAX: usize = 3;

impl AccurateOption {
    /// The option of an end that has received `bytes_of` each field, with its first `fields` counters. ECT(1) comes
    /// first, as on Linux.
    pub(super) fn of(bytes_of: impl Fn(EcnField) -> u32, fields: usize) -> Self {
        let in_header = |field| bytes_of(field).wrapping_add(first_value(field)) & COUNTER_MASK;
        AccurateOption {
            ect1_first: true,
            counters: order(true)[..fields].iter().map(|&field| in_header(field)).collect(),
        }
    }

    /// The number of counters up to that of a field, with ECT(1) first.
    pub(super) fn place(field: EcnField) -> usize {
        order(true).iter().position(|&other| other == field).map_or(0, |at| at + 1)
    }

    /// The counters with their fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = (EcnField, u32)> + '_ {
        order(self.ect1_first).into_iter().zip(self.counters.iter().copied())
    }

    /// By how much a counter is beyond what it was, or below.
    pub(super) fn growth(field: EcnField, value: u32, before: u32) -> i32 {
        const SIGN_BITS: u32 = 8;
        let more = value.wrapping_sub(first_value(field)).wrapping_sub(before) & COUNTER_MASK;
        (more << SIGN_BITS) as i32 >> SIGN_BITS
    }

    /// What the first option of a peer shows: counters of ECT never begin at 0, so a 0 was written on the way (section
    /// 3.2.3.2.4).
    pub(super) fn seen(&self) -> OptionSeen {
        match self.counters[..] {
            [] => OptionSeen::Empty,
            [0, ..] | [_, _, 0] => OptionSeen::Zeroed,
            _ => OptionSeen::Counters,
        }
    }
}

fn order(ect1_first: bool) -> [EcnField; COUNTERS_MAX] {
    match ect1_first {
        true => [EcnField::Ect1, EcnField::Ce, EcnField::Ect0],
        false => [EcnField::Ect0, EcnField::Ce, EcnField::Ect1],
    }
}

/// The value of a counter before the first byte (section 3.2.1).
fn first_value(field: EcnField) -> u32 {
    match field {
        EcnField::Ect0 | EcnField::Ect1 => 1,
        EcnField::NotEct | EcnField::Ce => 0,
    }
}

/// Returns how many counters fit beside the other options, and how many blocks of SACK then stay; `None` if less than
/// `least` counters fit. A third block gives way to counters that have changed; two always stay
/// (Linux: `tcp_options_fit_accecn`).
pub(super) fn fit(room: Room, least: usize) -> Option<(usize, usize)> {
    const BLOCKS_KEPT: usize = 2;
    let fewest = if least > 0 { room.blocks.min(BLOCKS_KEPT) } else { room.blocks };
    (fewest..=room.blocks).rev().find_map(|blocks| {
        let fields = (least..=COUNTERS_MAX).rev().find(|&fields| fits(Room { blocks, ..room }, fields))?;
        Some((fields, blocks))
    })
}

/// Returns whether an option of this number of counters fits. Options end at a multiple of four bytes; where there are
/// blocks, two of the option's bytes take the place of their padding.
fn fits(room: Room, fields: usize) -> bool {
    const SPACE: usize = 40;
    const STAMP_BYTES: usize = 12;
    const PADDING: usize = 2;
    const BLOCK_BYTES: usize = 8;
    let blocks = if room.blocks > 0 { 2 * PADDING + BLOCK_BYTES * room.blocks } else { 0 };
    let others = if room.time_stamps { STAMP_BYTES } else { 0 } + blocks;
    let bytes = BASE_BYTES + COUNTER_BYTES * fields;
    let saved = if room.blocks > 0 { PADDING } else { 0 };
    let aligned = if bytes % 4 > saved { bytes.next_multiple_of(4) } else { bytes / 4 * 4 };
    others + aligned <= SPACE
}
