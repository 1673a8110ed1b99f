//! The root of the core as it goes into the BPF objects: the functions that the C glue calls.

#![no_std]

mod abi;

use abi::{Config, Decision, Event, Reading};
use vegas_core::State;
use vegas_core::aqt::{HEADER_WITH_OPTION_BYTES, Head};

/// Applies an event to a connection's state and says what the core then wants. Returns 0, or 1 for a configuration that
/// names no algorithm: the loader never lets one in.
///
/// # Safety
///
/// The pointers lead to values of their types, aligned for 8 bytes; the state is one that an `EVENT_START` has written,
/// or the event is such a one. The C glue gives parts of one socket's storage, under that socket's lock.
#[unsafe(no_mangle)]
unsafe extern "C" fn vegas_core_step(
    config: *const Config,
    state: *mut State,
    event: *const Event,
    decision: *mut Decision,
) -> u32 {
    let (config, event) = unsafe { (&*config, &*event) };
    let Some(algorithm) = config.algorithm() else { return 1 };
    let state = unsafe { &mut *state };
    event.apply(&algorithm, state);
    unsafe { decision.write(Decision::of(state)) };
    0
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

/// Writes the header as it leaves with the option. Returns 0, or 1 where it stays as it is.
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
