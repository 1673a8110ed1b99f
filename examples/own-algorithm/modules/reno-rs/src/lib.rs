//! Reno (RFC 5681) as the preset has it: windows in units of 2^-28 segment.
//!
//!     RUSTFLAGS="-C link-arg=-zstack-size=4096" cargo build --release --target wasm32-unknown-unknown
#![no_std]

const ONE: i64 = 1 << 28;

/// What the host reads after each event comes first.
#[repr(C)]
struct Reno {
    window: i64,
    pace_ns: i64,
    ssthresh: i64,
    base_rtt_ns: i64,
    diff: i64,
    max_window: i64,
    restart_window: i64,
}

// one instance of the module serves one connection
static mut RENO: Reno =
    Reno { window: 0, pace_ns: 0, ssthresh: -1, base_rtt_ns: -1, diff: i64::MIN, max_window: 0, restart_window: 0 };

fn reno() -> &'static mut Reno {
    unsafe { &mut *&raw mut RENO }
}

#[unsafe(no_mangle)]
extern "C" fn start(initial: i32, restart: i32, max: i32, ssthresh: i32, _: i32, _: i32, _: i32, _: i64) -> *const Reno {
    let reno = reno();
    reno.window = i64::from(initial) * ONE;
    reno.restart_window = i64::from(restart) * ONE;
    reno.max_window = i64::from(max) * ONE;
    reno.ssthresh = ssthresh.into();
    reno
}

#[unsafe(no_mangle)]
extern "C" fn on_ack(_now: i64, rtt_ns: i64, _acked: i32, _flying: i32, _newest: i64, _next: i64, marks: i32, _: i32) {
    let reno = reno();
    if rtt_ns >= 0 {
        reno.base_rtt_ns = if reno.base_rtt_ns < 0 { rtt_ns } else { rtt_ns.min(reno.base_rtt_ns) };
    }
    if marks > 0 {
        return;
    }
    let opens = reno.ssthresh < 0 || reno.window < reno.ssthresh * ONE;
    // one segment for each acknowledgement, or one spread over the window, rounded up
    let more = if opens { ONE } else { (ONE * ONE + reno.window - 1) / reno.window };
    reno.window = (reno.window + more).min(reno.max_window);
}

#[unsafe(no_mangle)]
extern "C" fn on_loss(_now: i64, kind: i32, _sent: i64, _again: i32, _flying: i32, _next: i64, _lost: i32) {
    let reno = reno();
    let half = (reno.window / 2).max(2 * ONE);
    let is_timeout = kind == 1;
    reno.window = if is_timeout { reno.restart_window } else { half }.min(reno.window);
    reno.ssthresh = if is_timeout { half / ONE } else { (reno.window / ONE).max(2) };
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
