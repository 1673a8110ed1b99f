//! What the types of the file cannot say: values in range, and values that go together.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use vegas_core::units::Span;

use super::document::{File, numbered};
use super::error::{Checked, Problem};
use super::model::{FlowSpec, Sampling, Scenario, Transport};
use super::{change, flow, network, traffic};

const DURATION_MAX: Span = Span::from_secs(100 * 24 * 3600);
const STEP_DEFAULT: Span = Span::from_millis(100);
/// Some gigabytes of flows and links.
const FLOWS_MAX: usize = 1_000_000;
/// A few gigabytes of series.
const ROWS_MAX: u64 = 50_000_000;

/// Resolves a file into a scenario; `tree` is the same file as given, `folder` the one it lies in.
pub(super) fn scenario(file: &File, tree: &Value, folder: &Path) -> Checked<Scenario> {
    let duration = duration(file.duration.0)?;
    if file.flow.is_empty() {
        return Err(Problem::new("flow", "there are no flows; give at least one [[flow]] table"));
    }
    let sources = file.traffic.as_deref().unwrap_or_default();
    let documents = numbered(&file.flow);
    check_flows(documents.len())?;
    let network = network::build(&file.topology, &documents, sources, folder)?;
    let mut flows: Vec<FlowSpec> = Vec::with_capacity(documents.len());
    for (document, path) in documents.iter().zip(&network.paths) {
        let key = format!("flow.{}", document.table);
        let mut flow = flow::resolve(&key, document.flow, duration, &network, path)?;
        // those of one table are alike
        if let Some(before) = flows.last().filter(|before| before.kind == flow.kind) {
            flow.kind = Arc::clone(&before.kind);
        }
        flows.push(flow);
    }
    let mut traffic = Vec::with_capacity(sources.len());
    for (id, (source, path)) in sources.iter().zip(&network.paths[flows.len()..]).enumerate() {
        traffic.push(traffic::resolve(&format!("traffic.{id}"), source, duration, &network, path)?);
    }
    let changes = {
        let (kind, documents) = (file.topology.kind.0, documents.as_slice());
        let context =
            change::Context { kind, duration, network: &network, documents, flows: &flows, traffic: &traffic };
        change::resolve(file.change.as_deref().unwrap_or_default(), &context)?
    };
    if file.capture == Some(true) && flows.iter().any(|flow| flow.transport == Transport::Quic) {
        return Err(Problem::new("capture", "holds packets of TCP only; leave it out beside a QUIC flow"));
    }
    let until_complete = file.until_complete.unwrap_or(false);
    if until_complete && let Some(endless) = flows.iter().position(|flow| flow.size.is_none()) {
        let message = format!("flow.{endless} has no size and never completes; give each flow a size, or leave it out");
        return Err(Problem::new("until_complete", message));
    }
    let sampling = file.sample.map_or(Sampling::Every(STEP_DEFAULT), |sample| sample.0);
    check_rows(sampling, duration, flows.len() + network.links.len())?;
    Ok(Scenario {
        name: file.name.0.0.clone(),
        description: file.description.clone(),
        duration,
        until_complete,
        seed: file.seed.map_or(1, |seed| seed.0.0),
        sampling,
        nodes: network.nodes,
        links: network.links,
        flows,
        changes,
        traffic,
        capture: file.capture.unwrap_or(false),
        document: tree.clone(),
    })
}

fn duration(duration: Span) -> Checked<Span> {
    match duration {
        Span::ZERO => {
            Err(Problem::new("duration", "a run of 0 s shows nothing; write a time above 0, such as \"60s\""))
        }
        duration if duration > DURATION_MAX => {
            Err(Problem::new("duration", "is longer than 100 days; write 2400h at most"))
        }
        duration => Ok(duration),
    }
}

fn check_flows(flows: usize) -> Checked<()> {
    match flows > FLOWS_MAX {
        true => Err(Problem::new("flow", format!("there are {flows} flows; write {FLOWS_MAX} at most"))),
        false => Ok(()),
    }
}

/// Refuses series that would not fit into memory.
fn check_rows(sampling: Sampling, duration: Span, series: usize) -> Checked<()> {
    let Sampling::Every(step) = sampling else { return Ok(()) };
    if step == Span::ZERO {
        return Err(Problem::new("sample", "a step of 0 has no end; write a time above 0, such as \"100ms\""));
    }
    let rows = (duration.as_nanos() / step.as_nanos()).saturating_mul(series as u64);
    if rows > ROWS_MAX {
        let message = format!("would give {rows} rows; write a longer step: {ROWS_MAX} rows at most");
        return Err(Problem::new("sample", message));
    }
    Ok(())
}
