//! The memory that a scenario takes.

use serde_json::Value;

use crate::scenario::model::{FlowSpec, LinkSpec, Scenario};

/// The memory of a node's name, bytes: the text, and the reference to it.
const NODE_BYTES: usize = 56;

impl Scenario {
    /// Returns about how much memory the scenario takes, bytes.
    pub fn memory_bytes(&self) -> u64 {
        let paths: usize = self.flows.iter().map(|flow| flow.path.len() + flow.reverse_path.len()).sum();
        let own = self.flows.len() * size_of::<FlowSpec>()
            + self.links.len() * size_of::<LinkSpec>()
            + self.nodes.len() * NODE_BYTES
            + paths * size_of::<usize>();
        value_bytes(&self.document) + own as u64
    }
}

/// Returns the least memory of flows with separate hosts, bytes, before any of it is allocated.
pub(in crate::scenario) fn flows_bytes(flows: usize) -> u64 {
    let links = 4 * size_of::<LinkSpec>() + 2 * NODE_BYTES;
    let path = 2 * 3 * size_of::<usize>();
    (flows * (size_of::<FlowSpec>() + links + path)) as u64
}

/// Returns about how much memory a tree of values takes, bytes.
fn value_bytes(value: &Value) -> u64 {
    /// The memory of a key's hash, its entry, its text, and the reference to its value, bytes.
    const ENTRY_BYTES: u64 = 120;
    let held = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.capacity() as u64,
        Value::Array(values) => values.iter().map(value_bytes).sum(),
        Value::Object(map) => map.values().map(|value| ENTRY_BYTES + value_bytes(value)).sum(),
    };
    size_of::<Value>() as u64 + held
}
