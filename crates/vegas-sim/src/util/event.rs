//! The next event, as one number: events happen in the order of their numbers.

use vegas_core::units::Time;

/// A component's place in the total order of simultaneous events; smaller ids go first.
pub(crate) type ComponentId = u32;

/// An event: its time in the upper half; below it the component and, if a delay line has it, the delay line. Events
/// happen in the order of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event(u128);

impl Event {
    /// The delay line of an event that no delay line has. At one time and component, events of delay lines go first.
    pub(crate) const OWN: u32 = u32::MAX;
    /// An event after all others, after 146 years. Its number is far enough below the greatest number for
    /// [`Event::earlier`].
    pub(crate) const NEVER: Event = Event(u128::MAX >> 2);
    /// The latest time of a delay line's event, just before [`Event::NEVER`].
    pub(crate) const LATEST: Time = Time::from_nanos((u64::MAX >> 2) - 1);
    /// An event before all others: those of delay lines and components have greater numbers.
    pub(crate) const FIRST: Event = Event(0);

    /// Returns a component's own event.
    #[inline]
    pub(crate) fn new(time: Time, component: ComponentId) -> Self {
        Event::with_delay_line(time, component, Event::OWN)
    }

    /// Returns an event at the time of this one, before all events of `component` and of those after it.
    #[inline]
    pub(crate) fn before(self, component: ComponentId) -> Self {
        Event::with_delay_line(self.time(), component, 0)
    }

    /// Returns an event of a delay line. An event after more than 146 years is put just before that time; no run lasts
    /// longer.
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

    /// Returns the delay line that the event belongs to, out of the component's event; [`Event::OWN`] if it is the
    /// component's own event.
    #[inline]
    pub(crate) fn delay_line(self) -> u32 {
        self.0 as u32
    }

    /// Returns the number by which events are ordered.
    #[inline]
    pub(crate) fn key(self) -> u128 {
        self.0
    }

    #[inline]
    pub(crate) fn is_before(self, other: Event) -> bool {
        self.0 < other.0
    }

    /// Returns the earlier one of both events. As processors cannot predict which it is, the code has no branch: the
    /// two upper bits of all numbers are 0, so that the two upper bits of a difference are alike, and show which number
    /// is less. A compiler makes a jump of a comparison.
    #[inline]
    pub(crate) fn earlier(self, other: Event) -> Event {
        let other_is = ((other.0.wrapping_sub(self.0) >> 64) as i64 >> 62) as u64;
        let pick = |one: u128, other: u128| u128::from(one as u64 ^ ((one as u64 ^ other as u64) & other_is));
        Event(pick(self.0 >> 64, other.0 >> 64) << 64 | pick(self.0, other.0))
    }
}
