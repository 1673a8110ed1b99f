//! What happens next, as one number: events are in the order of their numbers.

use vegas_core::units::Time;

/// A component's place in the total order of simultaneous events: smaller ids go first.
pub(crate) type ComponentId = u32;

/// Something that happens: its time in the upper half, below it the component, and the delay line if it is one's, so that
/// events are in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event(u128);

impl Event {
    /// The delay line of an event that is none's. Delay lines go first.
    pub(crate) const OWN: u32 = u32::MAX;
    /// After all events, and far enough below the greatest number for [`Event::earlier`]: after 146 years.
    pub(crate) const NEVER: Event = Event(u128::MAX >> 2);
    /// The latest time of a delay line's event, before that.
    pub(crate) const LATEST: Time = Time::from_nanos((u64::MAX >> 2) - 1);
    /// Before all events: those of delay lines and components have numbers above.
    pub(crate) const FIRST: Event = Event(0);

    /// A component's own event.
    #[inline]
    pub(crate) fn new(time: Time, component: ComponentId) -> Self {
        Event::with_delay_line(time, component, Event::OWN)
    }

    /// At the time of this one, before all that components from this one on do.
    #[inline]
    pub(crate) fn before(self, component: ComponentId) -> Self {
        Event::with_delay_line(self.time(), component, 0)
    }

    /// An event of a delay line. An event beyond 146 years is put just before that: no run lasts longer.
    #[inline]
    pub(crate) fn of_delay_line(time: Time, component: ComponentId, delay_line: u32) -> Self {
        Event::with_delay_line(time.min(Event::LATEST), component, delay_line)
    }

    #[inline]
    fn with_delay_line(time: Time, component: ComponentId, delay_line: u32) -> Self {
        let order = u64::from(component) << 32 | u64::from(delay_line);
        Event(u128::from(time.as_nanos()) << 64 | u128::from(order))
    }

    #[inline]
    pub(crate) fn time(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    #[inline]
    pub(crate) fn component(self) -> ComponentId {
        (self.0 as u64 >> 32) as u32
    }

    /// The delay line that the event belongs to, out of the component; [`Event::OWN`] of the component's own event.
    #[inline]
    pub(crate) fn delay_line(self) -> u32 {
        self.0 as u32
    }

    /// What events are in the order of.
    #[inline]
    pub(crate) fn key(self) -> u128 {
        self.0
    }

    #[inline]
    pub(crate) fn is_before(self, other: Event) -> bool {
        self.0 < other.0
    }

    /// The earlier one of both. Which it is cannot be foreseen, so no branch: the two upper bits of all numbers are 0, so
    /// that those of a difference are alike, and tell which is less. Written with a comparison, a compiler makes it a jump.
    #[inline]
    pub(crate) fn earlier(self, other: Event) -> Event {
        let other_is = ((other.0.wrapping_sub(self.0) >> 64) as i64 >> 62) as u64;
        let pick = |one: u128, other: u128| u128::from(one as u64 ^ ((one as u64 ^ other as u64) & other_is));
        Event(pick(self.0 >> 64, other.0 >> 64) << 64 | pick(self.0, other.0))
    }
}
