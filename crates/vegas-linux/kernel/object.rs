//! The root of the core in the BPF objects: the functions that the C glue calls.

#![no_std]

mod abi;
mod departures;

use abi::{Config, Decision, EVENT_START, EVENT_UNDO, Event, OWN, Reading, STATE_BYTES};
use departures::{Departure, Departures};
use vegas_core::aqt::{HEADER_WITH_OPTION_BYTES, Head};
#[cfg(vegas_own)]
use vegas_core::OwnAlgorithm;
use vegas_core::{Algorithm, Composed, CongestionControl, Follow, Parameters, Standalone, State, WithChosen};

// the algorithm from outside, as `Given`: build.rs
#[cfg(vegas_own)]
include!(concat!(env!("OUT_DIR"), "/own.rs"));

/// What is kept of a connection: its control, and the one from before the newest cut.
#[repr(C)]
struct Kept {
    state: [u64; STATE_BYTES / 8],
    before: [u64; STATE_BYTES / 8],
}

/// Exports a step function for the compositions of parts and one for each standalone algorithm, numbered as in
/// [`Config::standalone`]. They are separate functions so that each has BPF's 512 bytes of stack to itself. A step
/// applies an event to the storage of a connection, writes the core's decision, and returns 0; it returns 1 for a
/// configuration that names no algorithm, which the loader never lets in.
///
/// # Safety
///
/// The pointers lead to values of their types, aligned for 8 bytes. The storage was written by an `EVENT_START`, or the
/// event is one. The C glue passes parts of one socket's storage, under that socket's lock.
macro_rules! steps {
    ($($number:literal $name:ident,)+) => {
        $(#[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            config: *const Config,
            kept: *mut Kept,
            event: *const Event,
            decision: *mut Decision,
        ) -> u32 {
            let (config, event) = unsafe { (&*config, &*event) };
            let decided = unsafe { step::<$number>(config, kept, event) };
            let Some(decided) = decided else { return 1 };
            unsafe { decision.write(decided) };
            0
        })+
    };
}

// `steps!` with all numbers: build.rs
include!(concat!(env!("OUT_DIR"), "/steps.rs"));

/// # Safety
///
/// As above.
#[inline(always)]
unsafe fn step<const NUMBER: usize>(config: &Config, kept: *mut Kept, event: &Event) -> Option<Decision> {
    let step = Step { config, event, kept };
    if NUMBER == 0 {
        return Some(step.compose(&config.algorithm()?));
    }
    if NUMBER == OWN as usize {
        return own(step);
    }
    let which = *Standalone::ALL.get(NUMBER.wrapping_sub(1))?;
    if which.kept_from_kernel().is_some() {
        return None;
    }
    Some(which.chosen(step))
}

#[cfg(vegas_own)]
fn own(step: Step<'_>) -> Option<Decision> {
    Some(step.with(<Given as OwnAlgorithm>::start, None))
}

#[cfg(not(vegas_own))]
fn own(_: Step<'_>) -> Option<Decision> {
    None
}

struct Step<'a> {
    config: &'a Config,
    event: &'a Event,
    kept: *mut Kept,
}

impl Step<'_> {
    #[inline(always)]
    fn places<C>(&self) -> (*mut C, *mut C) {
        unsafe { (place(&raw mut (*self.kept).state), place(&raw mut (*self.kept).before)) }
    }

    #[inline(always)]
    fn begin<C>(&self, control: C) {
        let (state, before) = self.places::<C>();
        unsafe { state.write(control) };
        unsafe { before.copy_from_nonoverlapping(state, 1) };
    }

    /// The storage has the state of a composition and not its parts: those of the configuration are known to the
    /// verifier, which leaves all others out.
    #[inline(always)]
    fn compose(&self, algorithm: &Algorithm) -> Decision {
        if self.event.kind == EVENT_START {
            self.begin(State::new(algorithm));
        }
        let (state, before) = self.places::<State>();
        let (state, before) = unsafe { (&mut *state, &mut *before) };
        if self.event.is_congestion() {
            *before = *state;
        }
        if self.event.kind == EVENT_UNDO {
            *state = *before;
        }
        let mut control = Composed::of(algorithm, state);
        self.event.tell(&mut control);
        Decision::of(&control)
    }

    /// Tells the control that has begun of the event.
    #[inline(always)]
    fn decide<C: CongestionControl + Clone>(&self) -> Decision {
        let (state, before) = self.places::<C>();
        let (state, before) = unsafe { (&mut *state, &mut *before) };
        if self.event.is_congestion() {
            *before = state.clone();
        }
        if self.event.kind == EVENT_UNDO {
            state.on_spurious(before);
        }
        self.event.tell_segments(state);
        let state = core::hint::black_box(state);
        self.event.tell(state);
        Decision::of(state)
    }
}

impl WithChosen for Step<'_> {
    type Answer = Decision;

    #[inline(always)]
    fn with<C: CongestionControl + Clone>(
        self,
        start: impl Fn(&Parameters, u64) -> C,
        _: Option<Follow<C>>,
    ) -> Decision {
        if self.event.kind == EVENT_START {
            self.begin(start(&self.config.parameters(), self.event.seed.into()));
        }
        self.decide::<C>()
    }
}

/// Returns the storage as a pointer to a control of type `T`.
fn place<T>(words: *mut [u64; STATE_BYTES / 8]) -> *mut T {
    const { assert!(size_of::<T>() <= STATE_BYTES && align_of::<T>() <= 8, "a state has 320 bytes at most") };
    words.cast()
}

/// Notes what was delivered, lost and in flight.
///
/// # Safety
///
/// The pointers lead to values of their types, aligned for 4 bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn vegas_departures_note(departures: *mut Departures, now: *const Departure) {
    unsafe { (*departures).note(*now) };
}

/// Completes what there was when a segment left: the storage has what had been delivered, and where the segment ends.
///
/// # Safety
///
/// As above.
#[unsafe(no_mangle)]
unsafe extern "C" fn vegas_departures_of(departures: *const Departures, segment: *mut Departure, segment_bytes: u32) {
    let known = unsafe { *segment };
    unsafe { segment.write((*departures).of(known.delivered, known.next, segment_bytes)) };
}

/// Completes what there was when a segment left for the first time: the storage has where the segment begins.
///
/// # Safety
///
/// As above.
#[unsafe(no_mangle)]
unsafe extern "C" fn vegas_departures_of_first(
    departures: *const Departures,
    segment: *mut Departure,
    segment_bytes: u32,
) {
    let known = unsafe { *segment };
    unsafe { segment.write((*departures).of_first(known.next, segment_bytes)) };
}

/// Reads the beginning of a packet.
///
/// # Safety
///
/// The pointers lead to values of their types, aligned for 4 bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn vegas_option_read(head: *const Head, reading: *mut Reading) {
    unsafe { reading.write(Reading::of(&*head)) };
}

/// Writes the header of a sent packet with the option. Returns 0, or 1 if the packet is sent unchanged.
///
/// # Safety
///
/// The pointers lead to values of their types, the first one aligned for 4 bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn vegas_option_insert(
    head: *const Head,
    echo_us: u32,
    longer: *mut [u8; HEADER_WITH_OPTION_BYTES],
) -> u32 {
    let Some(header) = abi::with_echo(unsafe { &*head }, echo_us) else { return 1 };
    unsafe { longer.write(header) };
    0
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
