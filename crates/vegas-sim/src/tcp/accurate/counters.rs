//! The counts: packets with CE and payload by field at the end that receives, and what the other end learns of them
//! (RFC 9768, sections 3.2.1 and 3.2.2.5, appendix A.2).

use super::{AccurateOption, Ace, EcnField};

/// The packets counted before the first one with CE (section 3.2.1).
pub(in crate::tcp) const FIRST_COUNT: u8 = 5;
/// The counts that three bits tell apart.
pub(in crate::tcp) const COUNTS: u32 = 8;
/// The fields that have a counter of bytes.
const FIELDS: usize = 3;

/// Returns the largest number of marked packets among `delivered`, where the count has grown by `more` modulo 8
/// (appendix A.2.1). At least `more` packets are delivered.
pub(in crate::tcp) fn most_marked(more: u32, delivered: u32) -> u32 {
    delivered - (delivered - more) % COUNTS
}

fn index(field: EcnField) -> Option<usize> {
    (field as usize).checked_sub(1)
}

/// What has arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    pub(super) ce: u32,
    /// The packets with CE that no segment has reported.
    unreported: u32,
    bytes: [u32; FIELDS],
    previous: EcnField,
    /// The counters that the next option has to have.
    least_fields: usize,
    /// The number of segments that are to have the option.
    demanded: u8,
    /// Whether the field has changed since the last segment was sent.
    changed: bool,
}

impl Received {
    /// The growth of a counter after which the option is sent: far below that at which its 24 bits would be ambiguous.
    const BYTES_BEFORE_OPTION: u32 = 1 << 22;
    /// The number of marks that wait for a report from which on the flags have no room for more.
    const UNREPORTED_MAX: u32 = 6;
    /// The greatest number that is kept of marks that were not reported.
    const UNREPORTED_KEPT: u32 = 15;

    /// Takes in that the peer's SYN came with this field.
    pub(super) fn begin(&mut self, opening: EcnField) {
        self.previous = opening;
    }

    pub(super) fn demand(&mut self, segments: u8) {
        self.demanded = self.demanded.max(segments);
    }

    pub(super) fn is_demanded(&self) -> bool {
        self.demanded > 0
    }

    pub(super) fn least_fields(&self) -> usize {
        self.least_fields
    }

    pub(super) fn bytes_of(&self, field: EcnField) -> u32 {
        index(field).map_or(0, |at| self.bytes[at])
    }

    /// Counts a packet with CE.
    pub(super) fn count_packet(&mut self) {
        self.ce = self.ce.wrapping_add(1);
        self.unreported = (self.unreported + 1).min(Self::UNREPORTED_KEPT);
    }

    /// Takes in a segment: all packets count, acknowledgements too; only payload counts as bytes.
    pub(super) fn on_segment(&mut self, field: EcnField, payload: u32, reports: bool) {
        let is_ce = field == EcnField::Ce;
        if is_ce {
            self.count_packet();
        }
        if let Some(at) = index(field).filter(|_| payload > 0) {
            let before = self.bytes[at];
            self.bytes[at] = before.wrapping_add(payload);
            self.least_fields = self.least_fields.max(AccurateOption::place(field));
            if before / Self::BYTES_BEFORE_OPTION != self.bytes[at] / Self::BYTES_BEFORE_OPTION {
                self.demand(1);
            }
        }
        let is_change = field != self.previous;
        self.previous = field;
        if reports && (is_change || is_ce) {
            self.changed |= is_change;
            self.demand(2);
        }
    }

    pub(super) fn wants_ack(&self) -> bool {
        self.changed || self.unreported >= Self::UNREPORTED_MAX
    }

    /// The flags of a segment that leaves, which report the count.
    pub(super) fn ace(&mut self) -> Ace {
        (self.unreported, self.changed) = (0, false);
        (self.ce.wrapping_add(FIRST_COUNT.into()) % COUNTS) as Ace
    }

    pub(super) fn note_option_sent(&mut self) {
        self.least_fields = 0;
        self.demanded = self.demanded.saturating_sub(1);
    }
}

/// What an acknowledgement delivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The segments that it acknowledges or reports as received for the first time.
    pub packets: u32,
    /// Their payload, bytes.
    pub bytes: u32,
    /// The payload of a full segment, bytes.
    pub payload: u32,
    /// Whether its time stamp is newer than all before.
    pub is_newer: bool,
    /// Whether `packets` and `bytes` are exact: with SACK, or while nothing is missing.
    pub is_exact: bool,
}

/// What the peer has reported.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivered {
    pub(super) ce: u32,
    bytes: [u32; FIELDS],
    /// The field with which packets arrive, as far as the newest option tells: the only one that has grown.
    estimate: Option<EcnField>,
    /// The mean number of segments that an acknowledgement delivers, in 64ths; 0 before the first.
    mean_packets: u32,
}

impl Delivered {
    /// The mean takes in a 64th of each acknowledgement's number.
    const MEAN: u32 = 64;
    /// An acknowledgement of more segments than the flags can count is nothing special where the mean is above this:
    /// acknowledgements are thinned out, so that it is no sign of lost ones.
    const THINNED: u32 = 4 * Self::MEAN;

    pub(super) fn bytes_of(&self, field: EcnField) -> u32 {
        index(field).map_or(0, |at| self.bytes[at])
    }

    /// Takes in an acknowledgement; returns the number of packets that it reports as marked. Without an option, its
    /// bytes count as the field of the newest one, if it `estimates`.
    pub(super) fn on_ack(
        &mut self,
        ace: Ace,
        delivery: &Delivery,
        option: Option<&AccurateOption>,
        estimates: bool,
    ) -> u32 {
        let before = self.bytes_of(EcnField::Ce);
        let is_told = match option {
            Some(option) => self.on_option(option),
            None => self.estimate_bytes(delivery.bytes, estimates),
        };
        let ce_bytes = is_told.then(|| self.bytes_of(EcnField::Ce).wrapping_sub(before));
        self.note_packets(delivery.packets);
        let count = u32::from(ace).wrapping_sub(FIRST_COUNT.into());
        let more = count.wrapping_sub(self.ce) % COUNTS;
        let marked = match delivery.packets < COUNTS {
            true => more,
            false => self.of_many(more, delivery, ce_bytes),
        };
        self.ce = self.ce.wrapping_add(marked);
        marked
    }

    fn note_packets(&mut self, packets: u32) {
        let now = packets * Self::MEAN;
        self.mean_packets = match (packets, self.mean_packets) {
            (0, mean) => mean,
            (_, 0) => now,
            (_, mean) => ((mean * (Self::MEAN - 1) + now) / Self::MEAN).min(0xffff),
        };
    }

    /// Returns the number of marked packets among more than the flags can count: the least or the greatest number that
    /// they allow, whichever agrees with the bytes (appendix A.2.2), and the greatest where nothing tells.
    fn of_many(&self, more: u32, delivery: &Delivery, ce_bytes: Option<u32>) -> u32 {
        let most = most_marked(more, delivery.packets);
        let Some(ce_bytes) = ce_bytes else {
            return if self.mean_packets > Self::THINNED { more } else { most };
        };
        if ce_bytes == 0 {
            return more;
        }
        if delivery.packets >= 2 * COUNTS && delivery.is_exact {
            if delivery.bytes <= ce_bytes {
                return most;
            }
            let share = u64::from(ce_bytes) * u64::from(delivery.packets);
            let about = share.div_ceil(u64::from(delivery.bytes)) as u32;
            return most.min(more + about / COUNTS * COUNTS);
        }
        if ce_bytes > more * delivery.payload {
            return most;
        }
        if ce_bytes < most * delivery.payload / 2 { more } else { most }
    }

    /// Takes in the counters of an option; returns whether they agree with what was expected of them.
    fn on_option(&mut self, option: &AccurateOption) -> bool {
        let expected = self.estimate;
        let (mut agrees, mut is_ambiguous, mut first) = (expected.is_some(), false, None);
        for (field, value) in option.fields() {
            let Some(at) = index(field) else { continue };
            let more = AccurateOption::growth(field, value, self.bytes[at]);
            self.bytes[at] = self.bytes[at].wrapping_add_signed(more);
            if more < 0 {
                (agrees, is_ambiguous) = (false, true);
            }
            if more != 0 && expected != Some(field) {
                if first.is_some() {
                    (agrees, is_ambiguous) = (false, true);
                }
                first = first.or(Some(field));
            }
        }
        self.estimate = if is_ambiguous { None } else { first.or(expected) };
        agrees
    }

    fn estimate_bytes(&mut self, bytes: u32, estimates: bool) -> bool {
        let at = self.estimate.filter(|_| estimates).and_then(index);
        if let Some(at) = at {
            self.bytes[at] = self.bytes[at].wrapping_add(bytes);
        }
        at.is_some()
    }
}
