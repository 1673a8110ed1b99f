//! What scripts set of a host: the kernel's controls that the simulated hosts have, those that change nothing for them,
//! and those that they lack.

use std::ops::RangeInclusive;

use vegas_sim::driven::{EcnRules, OptionUse};
use vegas_sim::scenario::HostKind;

use crate::shell::Setting;

/// The settings of a host.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) kind: HostKind,
    /// The congestion control, by the kernel's name.
    pub(super) congestion_control: String,
    pub(super) sack: bool,
    pub(super) time_stamps: bool,
    pub(super) window_scaling: bool,
    /// `tcp_ecn`, and what belongs to it.
    pub(super) ecn: EcnRules,
    /// The greatest receive buffer, bytes (the last of `tcp_rmem`).
    pub(super) receive_buffer_max: u64,
    /// The number of duplicates that show a loss.
    pub(super) reordering: u64,
    pub(super) initial_window: u64,
    pub(super) timeout_max_ms: u64,
    pub(super) slow_start_after_idle: bool,
    pub(super) opening: Opening,
    /// The largest packet, and the largest segment that the host announces, if it is less.
    pub(super) mtu: u64,
    pub(super) advertised_segment: Option<u64>,
}

/// The retransmissions that open a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// How often a SYN, and its answer, are retransmitted.
    pub(super) syn_retries: u64,
    pub(super) answer_retries: u64,
    /// How many of a SYN's retransmissions do not double the timeout.
    pub(super) linear_syns: u64,
}

/// The defaults of Linux.
impl Default for Settings {
    fn default() -> Self {
        Settings {
            kind: HostKind::Linux,
            congestion_control: "cubic".to_owned(),
            sack: true,
            time_stamps: true,
            window_scaling: true,
            ecn: EcnRules::of_linux(2).expect("a value of the kernel"),
            receive_buffer_max: 6 << 20,
            reordering: 3,
            initial_window: 10,
            timeout_max_ms: 120_000,
            slow_start_after_idle: true,
            opening: Opening { syn_retries: 6, answer_retries: 5, linear_syns: 4 },
            mtu: 1_500,
            advertised_segment: None,
        }
    }
}

/// Controls of the kernel that change nothing for a simulated host: it lacks what they control, or has one value of it.
const WITHOUT_EFFECT: [&str; 19] = [
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_dsack",
    "net.ipv4.tcp_fack",
    "net.ipv4.tcp_frto",
    "net.ipv4.tcp_early_retrans",
    "net.ipv4.tcp_recovery",
    "net.ipv4.tcp_tso_win_divisor",
    "net.ipv4.tcp_min_tso_segs",
    "net.ipv4.tcp_pacing_ss_ratio",
    "net.ipv4.tcp_pacing_ca_ratio",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_invalid_ratelimit",
    "net.ipv4.tcp_base_mss",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_reflect_tos",
    "net.ipv4.tcp_autocorking",
    "net.ipv4.tcp_limit_output_bytes",
    "/sys/module/tcp_cubic/parameters/hystart_detect",
];

/// The values of `tcp_ecn_option`.
const OPTION_USES: [OptionUse; 4] = [OptionUse::None, OptionUse::Changes, OptionUse::Always, OptionUse::Persistent];

/// The sizes of packets that a host takes: the least of IPv4, and the largest.
const MTUS: RangeInclusive<u64> = 68..=65_535;

impl Settings {
    /// Says why the host cannot take a setting.
    pub(super) fn lacks(&self, setting: &Setting) -> Option<String> {
        match setting {
            Setting::Unknown(command) => Some(format!("the command {command}")),
            Setting::Offload(..) => None,
            Setting::Mtu(bytes) => (!is_within(bytes, &MTUS)).then(|| format!("an MTU of {bytes}")),
            Setting::Queue(words) if words.iter().any(|word| word == "limit") => {
                Some("drops at the host's own interface".to_owned())
            }
            Setting::Queue(_) => None,
            Setting::Route(fields) => fields
                .iter()
                .find(|(name, value)| !takes_route(name, value))
                .map(|(name, value)| format!("a route with {name} {value}")),
            Setting::Sysctl(name, value) => self.lacks_sysctl(name, value),
        }
    }

    fn lacks_sysctl(&self, name: &str, value: &str) -> Option<String> {
        let lacks = match (name, value) {
            ("net.ipv4.tcp_ecn", "3" | "4" | "5") if self.kind == HostKind::Bsd => {
                return Some("accurate ECN".to_owned());
            }
            ("net.ipv4.tcp_mtu_probing", "1" | "2") => return Some("probing for the MTU".to_owned()),
            ("net.ipv4.tcp_syncookies", "2") => return Some("SYN cookies".to_owned()),
            ("net.ipv4.tcp_mtu_probing", _) => value != "0",
            // what uses it is named itself
            _ if WITHOUT_EFFECT.contains(&name) || name.starts_with("net.ipv4.tcp_fastopen") => false,
            _ => self.clone().sysctl(name, value).is_none(),
        };
        lacks.then(|| format!("{name}={value}"))
    }

    /// Takes a setting that [`Settings::lacks`] lets through.
    pub(super) fn set(&mut self, setting: &Setting) {
        match setting {
            Setting::Sysctl(name, value) => {
                self.sysctl(name, value);
            }
            Setting::Mtu(bytes) => self.mtu = bytes.parse().unwrap_or(self.mtu),
            Setting::Route(fields) => fields.iter().for_each(|(name, value)| self.route(name, value)),
            Setting::Queue(_) | Setting::Offload(..) | Setting::Unknown(_) => {}
        }
    }

    fn route(&mut self, name: &str, value: &str) {
        let Ok(number) = value.parse() else { return };
        match name {
            "initcwnd" => self.initial_window = number,
            "mtu" => self.mtu = number,
            "advmss" => self.advertised_segment = Some(number),
            _ => {}
        }
    }

    /// Takes a control of the kernel; `None` if there is none of this name, or not with this value.
    fn sysctl(&mut self, name: &str, value: &str) -> Option<()> {
        let number = || value.parse::<u64>().ok();
        let switch = || number().map(|number| number != 0);
        match name.strip_prefix("net.ipv4.")? {
            "tcp_congestion_control" => value.clone_into(&mut self.congestion_control),
            "tcp_sack" => self.sack = switch()?,
            "tcp_slow_start_after_idle" => self.slow_start_after_idle = switch()?,
            "tcp_timestamps" => self.time_stamps = switch()?,
            "tcp_window_scaling" => self.window_scaling = switch()?,
            "tcp_ecn" => {
                let EcnRules { connects, accepts, .. } = EcnRules::of_linux(number()?)?;
                self.ecn = EcnRules { connects, accepts, ..self.ecn };
            }
            "tcp_ecn_option" => self.ecn.option = *OPTION_USES.get(number()? as usize)?,
            "tcp_ecn_option_beacon" => self.ecn.beacons = number().filter(|count| *count <= 3)? as u32,
            "tcp_ecn_fallback" => self.ecn.falls_back = switch()?,
            "tcp_rmem" => self.receive_buffer_max = value.split_whitespace().nth(2)?.parse().ok()?,
            "tcp_reordering" => self.reordering = number().filter(|count| (1..=300).contains(count))?,
            "tcp_rto_max_ms" => self.timeout_max_ms = number().filter(|ms| (1_000..=120_000).contains(ms))?,
            "tcp_syn_linear_timeouts" => self.opening.linear_syns = number().filter(|count| *count <= 127)?,
            "tcp_syn_retries" => self.opening.syn_retries = number()?,
            "tcp_synack_retries" => self.opening.answer_retries = number()?,
            _ => return None,
        }
        Some(())
    }

    /// The largest segment without options that an interface of this MTU carries.
    pub(super) fn segment_of_mtu(&self) -> u64 {
        const HEADERS: u64 = 40;
        self.mtu.saturating_sub(HEADERS).max(1)
    }

    /// The shift of the receive window's field for a buffer of this many bytes (`tcp_select_initial_window`).
    pub(super) fn window_shift(&self, buffer: Option<u64>) -> u8 {
        const SHIFT_MAX: u32 = 14;
        let space = buffer.unwrap_or(self.receive_buffer_max).max(1);
        space.ilog2().saturating_sub(15).min(SHIFT_MAX) as u8
    }
}

fn is_within(text: &str, range: &RangeInclusive<u64>) -> bool {
    text.parse().is_ok_and(|number| range.contains(&number))
}

/// Returns whether a host takes a field of a route.
fn takes_route(name: &str, value: &str) -> bool {
    match name {
        "initcwnd" => is_within(value, &(1..=65_535)),
        "mtu" | "advmss" => is_within(value, &MTUS),
        _ => false,
    }
}
