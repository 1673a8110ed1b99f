//! Time stamps (RFC 7323), which count milliseconds as Linux's do (`tcp_time_stamp_ms`). They take no room of their own
//! in a packet of data: its value lies where an acknowledgement has the id of its SACK blocks, its echo above the
//! number. Acknowledgements keep theirs beside the blocks.

use vegas_core::units::{Span, Time};

use super::{Flags, Packet};

/// A reading of the clock, milliseconds from 1 on; 0 is none, as in a header (RFC 7323, section 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tick(u32);

impl Tick {
    pub(crate) const NONE: Tick = Tick(0);

    pub(crate) fn at(now: Time) -> Self {
        Tick((now.as_nanos() / 1_000_000) as u32 + 1)
    }

    pub(crate) fn of_header(value: u32) -> Self {
        Tick(value)
    }

    pub(crate) fn in_header(self) -> u32 {
        self.0
    }

    /// Returns whether this is a reading before the other one.
    pub(crate) fn is_before(self, other: Tick) -> bool {
        self != Tick::NONE && self < other
    }

    /// The time since this reading, by the clock: a millisecond at least, as Linux has it (`tcp_rtt_tsopt_us`); `None`
    /// if there is no reading.
    pub(crate) fn age(self, now: Time) -> Option<Span> {
        let now = Tick::at(now);
        (self != Tick::NONE).then(|| Span::from_millis(u64::from(now.0.saturating_sub(self.0).max(1))))
    }

    /// Returns the newest reading until `now` that has `lowest` in the bits of the mask; with none of them set there is
    /// no reading.
    fn of_lowest(lowest: u32, mask: u32, now: Time) -> Self {
        let now = Tick::at(now).0;
        if lowest == 0 { Tick::NONE } else { Tick(now.wrapping_sub(now.wrapping_sub(lowest) & mask)) }
    }
}

/// The time stamps of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeStamps {
    /// When it left its host (TSval).
    pub(crate) value: Tick,
    /// What its host echoes of the other's (TSecr).
    pub(crate) echo: Tick,
}

impl TimeStamps {
    pub(crate) const NONE: TimeStamps = TimeStamps { value: Tick::NONE, echo: Tick::NONE };
    /// The size of the option, with the two bytes that align it (RFC 7323, appendix A).
    pub(crate) const WIRE_BYTES: u64 = 12;
    /// A younger echo of a packet that is no acknowledgement is read rightly.
    pub(crate) const ECHO_AGE_LIMIT: Span = Span::from_millis(u16::MAX as u64);
}

impl Packet {
    /// Returns this packet, which is no acknowledgement, with these time stamps.
    #[inline]
    pub(crate) fn with_time_stamps(self, stamps: TimeStamps) -> Self {
        let flags = Flags(self.ecn().0 | stamps.value.0 & Flags::STAMP);
        let echo = u64::from(stamps.echo.0 as u16) << Self::NUMBER_BITS;
        Packet { sequence: self.number() | echo, flow_and_flags: self.flow_and_flags.with(flags), ..self }
    }

    /// Returns whether a packet has the same time stamps as another; neither is an acknowledgement.
    pub(crate) fn has_time_stamps_of(&self, other: &Packet) -> bool {
        let in_flags = |packet: &Packet| packet.flow_and_flags.flags().0 & Flags::STAMP;
        in_flags(self) == in_flags(other) && (self.sequence ^ other.sequence) >> Self::NUMBER_BITS == 0
    }

    /// Returns the time stamps of a packet that is no acknowledgement. An echo is read rightly for 65 s, a value for
    /// three days.
    pub(crate) fn time_stamps(&self, now: Time) -> TimeStamps {
        let value = self.flow_and_flags.flags().0 & Flags::STAMP;
        let echo = (self.sequence >> Self::NUMBER_BITS) as u32;
        TimeStamps {
            value: Tick::of_lowest(value, Flags::STAMP, now),
            echo: Tick::of_lowest(echo, u32::from(u16::MAX), now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, PacketKind, WireSize};

    fn ms(ms: u64) -> Time {
        Time::from_nanos(1_000_000 * ms)
    }

    #[test]
    fn stamps_stand_beside_number_and_marks() {
        let data = Packet::new(PacketKind::Data, 7, (1 << 48) - 1000, WireSize::new(1000)).with_ecn(Ecn::ECT0);
        for (left, heard) in [(0, 0), (70_000, 69_990), (u64::from(u16::MAX), 1)] {
            let stamps = TimeStamps { value: Tick::at(ms(left)), echo: Tick::at(ms(heard)) };
            let stamped = data.with_time_stamps(stamps);
            assert_eq!((stamped.time_stamps(ms(left + 300)).value, stamped.number()), (stamps.value, data.number()));
            assert_eq!((stamped.ecn(), stamped.flow()), (data.ecn(), 7));
            assert_eq!(stamped.time_stamps(ms(heard + 65_534)).echo, stamps.echo);
        }
        assert_eq!(data.time_stamps(ms(5)), TimeStamps::NONE);
    }

    #[test]
    fn ages_are_a_millisecond_at_least() {
        let tick = Tick::at(ms(10));
        assert_eq!([10, 12].map(|at| tick.age(ms(at))), [1, 2].map(|age| Some(Span::from_millis(age))));
        assert_eq!(Tick::NONE.age(ms(10)), None);
        assert!(tick.is_before(Tick::at(ms(11))) && !tick.is_before(tick) && !Tick::NONE.is_before(tick));
    }
}
