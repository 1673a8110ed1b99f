//! What a script needs, as far as the host and the language do not have it; found before the script begins.

use std::collections::BTreeSet;

use crate::host::Host;
use crate::python::Code;
use crate::script::{Action, Script};
use crate::shell::{Files, settings};
use crate::verdict::Need;

/// Options of scripts that change nothing here: addresses, ports, and how packetdrill carries a script out.
const IGNORED_OPTIONS: [&str; 14] = [
    "ip_version",
    "local_ip",
    "remote_ip",
    "gateway_ip",
    "netmask_ip",
    "bind_port",
    "connect_port",
    "speed",
    "mss",
    "mtu",
    "non_fatal",
    "send_omit_free",
    "code_command",
    "verbose",
];

/// Options that the walk heeds.
const OPTIONS: [&str; 4] = ["tolerance_usecs", "tolerance_percent", "tcp_ts_tick_usecs", "strict_segments"];

/// Returns what a script needs that the host or the language does not have, each thing once, in the script's order.
pub(super) fn unmet(script: &Script, host: &dyn Host, files: &Files<'_>) -> Vec<Need> {
    let is_known = |name: &str| IGNORED_OPTIONS.contains(&name) || OPTIONS.contains(&name);
    let options = script.options.iter().filter(|option| !is_known(&option.name));
    let mut needs: Vec<Need> =
        options.map(|option| Need { line: option.line, what: format!("the option --{}", option.name) }).collect();
    let mut assigned = BTreeSet::new();
    for event in &script.events {
        let whats = of_event(&event.action, host, files, &mut assigned);
        needs.extend(whats.into_iter().map(|what| Need { line: event.line, what }));
    }
    let mut seen = BTreeSet::new();
    needs.retain(|need| seen.insert(need.what.clone()));
    needs
}

/// Returns what one event needs; `assigned` are the variables of code up to it.
fn of_event(action: &Action, host: &dyn Host, files: &Files<'_>, assigned: &mut BTreeSet<String>) -> Vec<String> {
    let mut needs = match action {
        Action::OtherPacket(word) => vec![format!("packets with {word}")],
        Action::Shell(text) => settings(text, files).iter().filter_map(|setting| host.lacks_setting(setting)).collect(),
        Action::Code(text) => match Code::read(text) {
            Err(reason) => vec![of_code(&reason)],
            Ok(code) => {
                let is_unknown = |name: &&str| !assigned.contains(*name) && !host.knows(name);
                let unknown = code.names().into_iter().filter(is_unknown).map(str::to_owned).collect();
                assigned.extend(code.assigned().map(str::to_owned));
                unknown
            }
        },
        Action::Arrives(_) | Action::Sends(_) | Action::Calls(_) => Vec::new(),
    };
    needs.extend(host.lacks(action));
    needs
}

/// The name of code that the language does not have.
pub(super) fn of_code(reason: &str) -> String {
    format!("code: {reason}")
}
