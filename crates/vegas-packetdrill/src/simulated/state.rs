//! The values of a connection's state by the names of Linux's `struct tcp_info`, and the constants beside them.

use vegas_core::units::{Span, Time};
use vegas_sim::driven::{EcnFailures, EcnField, RecoveryState, SenderState};

use super::connection::Connection;

/// The threshold before the first one (`TCP_INFINITE_SSTHRESH`).
const NO_THRESHOLD: i64 = 0x7fff_ffff;

/// Constants that assertions name.
const CONSTANTS: [(&str, i64); 22] = [
    ("TCP_ESTABLISHED", 1),
    ("TCP_SYN_SENT", 2),
    ("TCP_SYN_RECV", 3),
    ("TCP_FIN_WAIT1", 4),
    ("TCP_FIN_WAIT2", 5),
    ("TCP_TIME_WAIT", 6),
    ("TCP_CLOSE", 7),
    ("TCP_CLOSE_WAIT", 8),
    ("TCP_LAST_ACK", 9),
    ("TCP_LISTEN", 10),
    ("TCP_CLOSING", 11),
    ("TCP_CA_Open", 0),
    ("TCP_CA_Disorder", 1),
    ("TCP_CA_CWR", 2),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
    ("TCPI_OPT_TIMESTAMPS", 1),
    ("TCPI_OPT_SACK", 2),
    ("TCPI_OPT_WSCALE", 4),
    ("TCPI_OPT_ECN", 8),
    ("TCPI_OPT_ECN_SEEN", 16),
    ("TCPI_OPT_SYN_DATA", 32),
];

/// Reads one value of a connection.
type Read = fn(&Connection, &SenderState, Time) -> i64;

const VALUES: [(&str, Read); 34] = [
    ("tcpi_state", |connection, _, _| connection.state() as i64),
    ("tcpi_ca_state", |_, sender, _| recovery(sender.recovery)),
    ("tcpi_options", |connection, _, _| connection.option_bits()),
    ("tcpi_snd_wscale", |connection, _, _| i64::from(connection.peer_shift())),
    ("tcpi_snd_cwnd", |_, sender, _| sender.window as i64),
    ("tcpi_snd_ssthresh", |_, sender, _| sender.ssthresh.map_or(NO_THRESHOLD, |segments| segments.as_i64())),
    ("tcpi_unacked", |_, sender, _| sender.unacknowledged as i64),
    ("tcpi_sacked", |_, sender, _| sender.sacked as i64),
    ("tcpi_lost", |_, sender, _| sender.lost as i64),
    ("tcpi_retrans", |_, sender, _| sender.retransmitted as i64),
    ("tcpi_reordering", |_, sender, _| sender.reordering as i64),
    ("tcpi_total_retrans", |connection, sender, _| sender.retransmitted_in_all as i64 + connection.openings_repeated()),
    ("tcpi_total_rto", |_, sender, _| sender.timeouts as i64),
    ("tcpi_rtt", |_, sender, _| micros(sender.smoothed_rtt.unwrap_or_default())),
    ("tcpi_min_rtt", |_, sender, _| sender.least_rtt.map_or(-1, micros)),
    ("tcpi_rto", |_, sender, _| micros(sender.timeout)),
    ("tcpi_busy_time", |connection, _, now| micros(connection.busy(now).0)),
    ("tcpi_rwnd_limited", |connection, _, now| micros(connection.busy(now).1)),
    // a simulated host takes all that is written
    ("tcpi_sndbuf_limited", |_, _, _| 0),
    ("tcpi_snd_mss", |connection, _, _| connection.payload() as i64),
    ("tcpi_advmss", |connection, _, _| connection.advertised_segment() as i64),
    ("tcpi_bytes_received", |connection, _, _| connection.received() as i64),
    ("tcpi_delivered_ce", |connection, _, _| connection.ecn().delivered_ce().into()),
    ("tcpi_delivered_ce_bytes", |connection, _, _| connection.ecn().delivered_bytes(EcnField::Ce).into()),
    ("tcpi_delivered_e0_bytes", |connection, _, _| connection.ecn().delivered_bytes(EcnField::Ect0).into()),
    ("tcpi_delivered_e1_bytes", |connection, _, _| connection.ecn().delivered_bytes(EcnField::Ect1).into()),
    ("tcpi_received_ce", |connection, _, _| connection.ecn().received_ce().into()),
    ("tcpi_received_ce_bytes", |connection, _, _| connection.ecn().received_bytes(EcnField::Ce).into()),
    ("tcpi_received_e0_bytes", |connection, _, _| connection.ecn().received_bytes(EcnField::Ect0).into()),
    ("tcpi_received_e1_bytes", |connection, _, _| connection.ecn().received_bytes(EcnField::Ect1).into()),
    ("tcpi_ecn_mode", |connection, _, _| connection.ecn().mode() as i64),
    ("tcpi_accecn_opt_seen", |connection, _, _| connection.ecn().option_seen() as i64),
    ("tcpi_accecn_fail_mode", |connection, _, _| fail_bits(connection.ecn().failures())),
    ("tcpi_last_data_recv", |connection, _, now| micros(now.since(connection.arrived().unwrap_or_default())) / 1_000),
];

/// Returns whether a value or a constant has this name.
pub(super) fn knows(name: &str) -> bool {
    VALUES.iter().any(|(known, _)| *known == name) || CONSTANTS.iter().any(|(known, _)| *known == name)
}

/// Returns the value of a connection, or the constant, that has this name.
pub(super) fn value(connection: Option<&Connection>, now: Time, name: &str) -> Option<i64> {
    if let Some((_, constant)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
        return Some(*constant);
    }
    let (_, read) = VALUES.iter().find(|(known, _)| *known == name)?;
    connection.map(|connection| read(connection, &connection.sender(), now))
}

fn micros(span: Span) -> i64 {
    (span.as_nanos() / 1_000) as i64
}

/// The bits of what is found broken in Accurate ECN (`TCP_ACCECN_ACE_FAIL_SEND` and so on).
fn fail_bits(failures: EcnFailures) -> i64 {
    let bits = [failures.ace_sent, failures.ace_received, failures.option_sent, failures.option_received];
    bits.into_iter().enumerate().map(|(at, is_set)| i64::from(is_set) << at).sum()
}

fn recovery(state: RecoveryState) -> i64 {
    match state {
        RecoveryState::Open => 0,
        RecoveryState::Disorder => 1,
        RecoveryState::Reduced => 2,
        RecoveryState::Recovery => 3,
        RecoveryState::Loss => 4,
    }
}
