//! The kernel's `tcp_probe`: lines of the trace point (`trace-cmd`, `/sys/kernel/tracing/trace`, `perf script`), and of
//! the module before Linux 4.16 (`/proc/net/tcpprobe`).

use super::{LogFlows, Reading, time};
use crate::error::Read;
use crate::source::{Attend, Source};
use crate::tables::Recorder;

const EVENT: &str = "tcp_probe:";
/// Linux's value of a threshold that is not set, `TCP_INFINITE_SSTHRESH`.
const UNBOUNDED: u64 = 0x7fff_ffff;

/// Whether a text looks like either kind of lines.
pub(crate) fn is_log(head: &str) -> bool {
    head.lines().any(|line| line.contains(EVENT) || of_module(line).is_some())
}

/// Reads a log.
pub(crate) fn read(source: &Source, attend: Attend<'_>, recorder: &mut Recorder) -> Read<()> {
    let mut lines = source.lines(attend)?;
    let mut flows = LogFlows::default();
    while let Some((number, line)) = lines.next()? {
        let Some((at, name, reading)) = of_event(&line).or_else(|| of_module(&line)) else {
            if line.contains(EVENT) {
                return Err(lines.wrong(number, "is no whole line of tcp_probe"));
            }
            continue;
        };
        flows.take(&name, "tcp", at, reading, recorder)?;
    }
    flows.finish(recorder);
    Ok(())
}

/// Reads a line of the trace point: `iperf3-77 [001] ..s. 12.345678: tcp_probe: family=AF_INET src=... dest=...
/// snd_cwnd=10 ...`.
fn of_event(line: &str) -> Option<(i64, String, Reading)> {
    let (before, fields) = line.split_once(EVENT)?;
    let before = before.trim_end().trim_end_matches("tcp:").trim_end();
    let at = time::seconds(before.rsplit(char::is_whitespace).next()?.trim_end_matches(':'))?;
    let field = |key: &str| fields.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let count = |key: &str| field(key).and_then(number);
    let name = format!("{} -> {}", field("src")?, field("dest")?);
    let in_flight = count("snd_nxt").zip(count("snd_una")).map(|(next, acked)| distance(acked, next));
    Some((at, name, reading(count("snd_cwnd")?, count("ssthresh")?, count("snd_wnd"), count("srtt")?, in_flight)))
}

/// Reads a line of the module: time, source, destination, length, next, unacknowledged, window, threshold, receiver's
/// window, smoothed RTT.
fn of_module(line: &str) -> Option<(i64, String, Reading)> {
    let words: Vec<&str> = line.split_whitespace().take(16).collect();
    let [at, source, target, _, next, acked, cwnd, ssthresh, window, srtt, ..] = words.as_slice() else { return None };
    let is_address = |text: &str| text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if !is_address(source) || !is_address(target) || !next.starts_with("0x") {
        return None;
    }
    let in_flight = distance(number(acked)?, number(next)?);
    let reading = reading(number(cwnd)?, number(ssthresh)?, number(window), number(srtt)?, Some(in_flight));
    Some((time::seconds(at)?, format!("{source} -> {target}"), reading))
}

fn reading(cwnd: u64, ssthresh: u64, window: Option<u64>, srtt_us: u64, in_flight_bytes: Option<u64>) -> Reading {
    Reading {
        cwnd_segments: Some(cwnd as f64),
        ssthresh_segments: (ssthresh < UNBOUNDED).then_some(ssthresh as f64),
        window_bytes: window,
        rtt_ms: (srtt_us > 0).then_some(srtt_us as f64 / 1e3),
        in_flight_bytes,
        ..Reading::default()
    }
}

/// The bytes from one sequence number of 32 bits to another.
fn distance(from: u64, to: u64) -> u64 {
    u64::from((to as u32).wrapping_sub(from as u32))
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_lines() {
        let event = "  iperf3-1234  [001] b.s3.  5321.000125: tcp_probe: family=AF_INET src=10.0.0.1:5001 \
                     dest=10.0.0.2:4000 mark=0x0 data_len=32 snd_nxt=0x00000010 snd_una=0xfffffff0 snd_cwnd=10 \
                     ssthresh=2147483647 snd_wnd=65536 srtt=20125 rcv_wnd=64256";
        let perf = "swapper 0 [000] 5321.000125: tcp:tcp_probe: src=10.0.0.1:5001 dest=10.0.0.2:4000 snd_nxt=0x10 \
                    snd_una=0xfffffff0 snd_cwnd=10 ssthresh=2147483647 snd_wnd=65536 srtt=20125";
        let module = "5321.000125 10.0.0.1:5001 10.0.0.2:4000 32 0x10 0xfffffff0 10 2147483647 65536 20125 64256";
        for line in [event, perf, module] {
            assert!(is_log(line));
            let (at, name, reading) = of_event(line).or_else(|| of_module(line)).expect(line);
            assert_eq!((at, name.as_str()), (5_321_000_125_000, "10.0.0.1:5001 -> 10.0.0.2:4000"), "{line}");
            assert_eq!((reading.cwnd_segments, reading.ssthresh_segments), (Some(10.0), None), "{line}");
            assert_eq!((reading.in_flight_bytes, reading.rtt_ms), (Some(32), Some(20.125)), "{line}");
        }
    }
}
