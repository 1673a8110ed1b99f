//! `ss -ti` with a time before each sample: `while sleep 0.1; do date +%s.%N; ss -tin; done`.

use super::{LogFlows, Reading, time};
use crate::error::Read;
use crate::source::{Attend, Source};
use crate::tables::Recorder;

const HOW: &str = "write one before each sample, such as: while sleep 0.1; do date +%s.%N; ss -tin; done";

/// Whether a text looks like the output of `ss -ti`.
pub(crate) fn is_log(head: &str) -> bool {
    head.lines().any(|line| line.contains("cwnd:") && (line.contains("rtt:") || line.contains("rto:")))
}

/// Reads a log.
pub(crate) fn read(source: &Source, attend: Attend<'_>, recorder: &mut Recorder) -> Read<()> {
    let mut lines = source.lines(attend)?;
    let (mut now, mut socket): (Option<i64>, Option<String>) = (None, None);
    let (mut flows, mut back) = (LogFlows::default(), 0u64);
    while let Some((number, line)) = lines.next()? {
        let mut rest = line.as_str();
        if let Some((at, behind)) = time::leading(rest) {
            back += u64::from(now.is_some_and(|before| before > at));
            (now, rest) = (Some(at), behind);
        }
        if let Some((name, behind)) = socket_of(rest) {
            (socket, rest) = (Some(name), behind);
        }
        if !rest.contains("cwnd:") {
            continue;
        }
        let Some(name) = &socket else { return Err(lines.wrong(number, "a socket's numbers without its addresses")) };
        let Some(at) = now else { return Err(lines.wrong(number, format!("a sample without a time; {HOW}"))) };
        let (algorithm, reading) = reading(rest);
        flows.take(name, "tcp", at, reading, recorder)?;
        if let Some(algorithm) = algorithm {
            flows.algorithm(name, algorithm);
        }
    }
    if back > 0 {
        recorder.odd(format!("the log's times go back {back} times"));
    }
    flows.finish(recorder);
    Ok(())
}

/// Returns the name of the socket that a line begins with, and the rest: a state unless `ss` was asked for one, two
/// queues, two addresses.
fn socket_of(line: &str) -> Option<(String, &str)> {
    let mut rest = line.trim_start();
    let mut word = || {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = behind.trim_start();
        word
    };
    let mut first = word();
    if first.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        first = word();
    }
    let (second, local, peer) = (word(), word(), word());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_address =
        |text: &str| text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && !port.is_empty());
    let is_socket = is_number(first) && is_number(second) && is_address(local) && is_address(peer);
    is_socket.then(|| (format!("{local} -> {peer}"), rest))
}

/// Reads the numbers of a socket, and its congestion control, which is the first word that is no flag.
fn reading(text: &str) -> (Option<&str>, Reading) {
    const FLAGS: [&str; 9] = ["ts", "sack", "ecn", "ecnseen", "fastopen", "cubic-", "users:", "timer:", "skmem:"];
    let mut found = Reading::default();
    let mut algorithm = None;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "pacing_rate" => found.pacing_rate_mbps = words.next().and_then(mbps),
            "delivery_rate" => found.delivery_rate_mbps = words.next().and_then(mbps),
            "send" => drop(words.next()),
            _ => match word.split_once(':') {
                Some((key, value)) => set(&mut found, key, value),
                None => {
                    let is_name =
                        word.starts_with(|letter: char| letter.is_ascii_lowercase()) && !FLAGS.contains(&word);
                    let is_first = algorithm.is_none() && words.peek().is_some();
                    if is_name && is_first && found.cwnd_segments.is_none() {
                        algorithm = Some(word);
                    }
                }
            },
        }
    }
    (algorithm, found)
}

fn set(found: &mut Reading, key: &str, value: &str) {
    let count = || value.parse().ok();
    match key {
        "cwnd" => found.cwnd_segments = value.parse().ok(),
        "ssthresh" => found.ssthresh_segments = value.parse().ok(),
        // smoothed, and its variation behind the slash
        "rtt" => found.rtt_ms = value.split('/').next().and_then(|smoothed| smoothed.parse().ok()),
        "minrtt" => found.base_rtt_ms = value.parse().ok(),
        "mss" => found.mss_bytes = value.parse().ok(),
        "bytes_acked" => found.acked_bytes = count(),
        "data_segs_out" => found.segments_sent = count(),
        "unacked" => found.in_flight_segments = value.parse().ok(),
        // those that are under way, and all
        "retrans" => found.retransmits = value.split('/').nth(1).and_then(|all| all.parse().ok()),
        "snd_wnd" => found.window_bytes = count(),
        "delivered_ce" => found.marks = count(),
        _ => {}
    }
}

/// Reads a rate as `ss` prints it.
fn mbps(text: &str) -> Option<f64> {
    let number = text.strip_suffix("bps")?;
    let (number, scale) = match number.char_indices().last()? {
        (at, 'K') => (&number[..at], 1e-3),
        (at, 'M') => (&number[..at], 1.0),
        (at, 'G') => (&number[..at], 1e3),
        (at, 'T') => (&number[..at], 1e6),
        _ => (number, 1e-6),
    };
    number.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_socket() {
        let text = " ts sack bbr wscale:7,7 rto:204 rtt:0.5/0.25 mss:1448 cwnd:40 bytes_acked:9000 \
                    bbr:(bw:1.5Mbps,mrtt:0.3) send 5Mbps pacing_rate 1.25Gbps delivery_rate 800Kbps app_limited unacked:7 \
                    retrans:1/3 minrtt:0.3 snd_wnd:65536";
        let (algorithm, reading) = reading(text);
        assert_eq!(algorithm, Some("bbr"));
        assert_eq!((reading.cwnd_segments, reading.rtt_ms, reading.base_rtt_ms), (Some(40.0), Some(0.5), Some(0.3)));
        assert_eq!((reading.pacing_rate_mbps, reading.delivery_rate_mbps), (Some(1250.0), Some(0.8)));
        assert_eq!(
            (reading.retransmits, reading.in_flight_segments, reading.window_bytes),
            (Some(3), Some(7.0), Some(65536))
        );
    }

    #[test]
    fn lines_of_sockets() {
        let name = Some("10.0.0.1:4000 -> [fe80::1%eth0]:443".to_owned());
        for line in
            ["ESTAB 0 0 10.0.0.1:4000 [fe80::1%eth0]:443 cubic", "0      12  10.0.0.1:4000   [fe80::1%eth0]:443"]
        {
            assert_eq!(socket_of(line).map(|(name, _)| name), name, "{line}");
        }
        assert_eq!(socket_of("State Recv-Q Send-Q Local Address:Port Peer Address:Port"), None);
        assert_eq!(socket_of("\t cubic wscale:7,7 rto:204"), None);
    }
}
