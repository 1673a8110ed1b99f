//! The simulator's end of a connection, by the keys of scenario files.

use vegas_core::registry;
use vegas_sim::driven::DrivenEnd;
use vegas_sim::scenario::{HostKind, Scenario, ScenarioError};

use super::settings::Settings;

/// The bytes of the headers of IP and TCP.
const HEADERS: u64 = 40;

/// Creates an end with `payload` bytes in a full segment.
pub(super) fn new(settings: &Settings, payload: u64, sack: bool, ecn: bool) -> DrivenEnd {
    let scenario = scenario(settings, payload, sack, ecn).expect("settings were checked");
    DrivenEnd::new(&scenario.flows[0], scenario.seed)
}

/// Says why the host does not have a congestion control; `None` if it does.
pub(super) fn refusal(settings: &Settings, name: &str) -> Option<String> {
    const PAYLOAD: u64 = 1_000;
    let refusal = || Some(format!("the congestion control {name}"));
    if preset(settings.kind, name).is_none() {
        return refusal();
    }
    let settings = Settings { congestion_control: name.to_owned(), ..settings.clone() };
    let runs = |(sack, ecn)| scenario(&settings, PAYLOAD, sack, ecn).is_ok();
    if [(true, true), (true, false), (false, true), (false, false)].into_iter().all(runs) { None } else { refusal() }
}

/// Returns a scenario with the flow of a connection; its network carries nothing.
fn scenario(settings: &Settings, payload: u64, sack: bool, ecn: bool) -> Result<Scenario, ScenarioError> {
    let Settings {
        kind, congestion_control, initial_window, reordering, timeout_max_ms, slow_start_after_idle, ..
    } = settings;
    let algorithm = preset(*kind, congestion_control).unwrap_or_default();
    let packet = payload + HEADERS;
    let host = match kind {
        // the kernel's selftests are for one with CONFIG_HZ_1000 (tools/testing/selftests/net/packetdrill/config)
        HostKind::Linux => {
            format!("[flow.host]\nkind = 'linux'\nsack = {sack}\ndelayed_ack = 'linux'\nticks_per_second = 1000\n")
        }
        HostKind::Bsd => {
            let recovery = if sack { "sack" } else { "newreno" };
            format!("recovery = '{recovery}'\n[flow.host]\nkind = 'bsd'\nhandshake = 'full'\ndelayed_ack = '100ms'\n")
        }
    };
    let text = format!(
        "name = 'packetdrill'\nduration = '1s'\n\
         [topology]\nkind = 'dumbbell'\naccess = {{ rate = '1gbit', delay = '1ms' }}\n\
         bottleneck = {{ rate = '1gbit', delay = '1ms', queue = '100p' }}\n\
         [[flow]]\nalgorithm = '{algorithm}'\npacket = '{packet}b'\nheader = '{HEADERS}b'\ninitial_window = {initial_window}\necn = {ecn}\n\
         {host}dupack_threshold = {reordering}\nrto_max = '{timeout_max_ms}ms'\n\
         slow_start_after_idle = {slow_start_after_idle}\n"
    );
    Scenario::from_toml(&text, "packetdrill", &[])
}

/// The preset of a congestion control that the kernel has by this name: on a Linux host the one as in Linux, if there
/// are several.
fn preset(kind: HostKind, name: &str) -> Option<&'static str> {
    let names = match kind {
        HostKind::Linux => [format!("{name}-linux"), name.to_owned(), format!("{name}1")],
        HostKind::Bsd => [name.to_owned(), format!("{name}1"), format!("{name}-linux")],
    };
    names.iter().find_map(|name| registry::preset(name)).map(|preset| preset.name)
}
