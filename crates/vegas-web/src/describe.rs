//! The description of a scenario for the page, as JSON.

use serde_json::{Value, json};
use vegas_core::registry::PRESETS;
use vegas_results::run_id;
use vegas_sim::scenario::{FlowSpec, LinkId, QueueLimit, Sampling, Scenario};

/// A checked scenario:
///
/// - `name`, `description`, `duration_s`, `run_id`, `sample` (`"step"`, `"change"`, `"off"`),
/// - `warnings`: lines about what has no effect,
/// - `document`: the file's values, in which a form finds the keys that it can change,
/// - `flows`: `algorithm`, `start_s`, `path` (indices of links), `wire_bytes` (of a full packet),
/// - `links`: `id`, `rate_mbps`, `delay_ms`, `queue_packets` (null where the limit is none in packets),
/// - `watched`: the index of the link that the page shows, the slowest of the first flow's path.
pub(crate) fn description(scenario: &Scenario) -> Value {
    json!({
        "name": scenario.name,
        "description": scenario.description,
        "duration_s": scenario.duration.as_nanos() as f64 / 1e9,
        "run_id": run_id(scenario),
        "sample": match scenario.sampling {
            Sampling::Every(_) => "step",
            Sampling::EveryChange => "change",
            Sampling::Off => "off",
        },
        "warnings": scenario.warnings,
        "document": scenario.document,
        "flows": scenario.flows.iter().map(flow).collect::<Vec<_>>(),
        "links": (0..scenario.links.len()).map(|id| link(scenario, id)).collect::<Vec<_>>(),
        "watched": watched(scenario),
    })
}

fn flow(flow: &FlowSpec) -> Value {
    json!({
        "algorithm": flow.algorithm,
        "start_s": flow.start.as_nanos() as f64 / 1e9,
        "path": flow.path,
        "wire_bytes": flow.packet.get(),
    })
}

fn link(scenario: &Scenario, id: LinkId) -> Value {
    let link = &scenario.links[id];
    json!({
        "id": format!("{}->{}", scenario.nodes[link.from], scenario.nodes[link.to]),
        "rate_mbps": link.rate.as_bits_per_second() as f64 / 1e6,
        "delay_ms": link.delay.as_nanos() as f64 / 1e6,
        "queue_packets": match link.queue {
            QueueLimit::Packets(packets) => Some(packets),
            QueueLimit::Bytes(_) | QueueLimit::Unlimited => None,
        },
    })
}

fn watched(scenario: &Scenario) -> LinkId {
    let path = scenario.flows.first().map_or(&[][..], |flow| &flow.path);
    path.iter().copied().min_by_key(|&id| scenario.links[id].rate).unwrap_or(0)
}

/// The presets, a list of `name` and `summary`.
pub(crate) fn presets() -> Vec<u8> {
    let presets: Vec<Value> =
        PRESETS.iter().map(|preset| json!({ "name": preset.name, "summary": preset.summary })).collect();
    Value::from(presets).to_string().into_bytes()
}
