//! The checks that the types of the file cannot make: values in range, and values that go together.

use std::sync::Arc;

use serde_json::Value;
use vegas_core::units::Span;

use super::document::{FLOWS_MAX, File, Numbered, numbered};
use super::model::memory;
use super::model::{FlowSpec, Sampling, Scenario};
use super::{change, flow, network, traffic};
use crate::scenario::model::trace::Folder;
use crate::scenario::read::error::{Checked, Problem};
use crate::util::watch::Watch;

const DURATION_MAX: Span = Span::from_secs(100 * 24 * 3600);
const STEP_DEFAULT: Span = Span::from_millis(100);
/// The most rows of the series: they take a few gigabytes.
const ROWS_MAX: u64 = 50_000_000;

/// Resolves a file into a scenario, with a problem for each value that has no effect. `tree` holds the values of the
/// file as given, `folder` the files that it names.
pub(super) fn scenario(
    file: &File,
    tree: &Value,
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Checked<(Scenario, Vec<Problem>)> {
    let duration = duration(file.duration.0)?;
    if file.flow.is_empty() {
        return Err(Problem::new("flow", "there are no flows; give at least one [[flow]] table"));
    }
    let sources = file.traffic.as_deref().unwrap_or_default();
    let documents = numbered(&file.flow);
    check_flows(documents.len())?;
    watch.check_memory(memory::flows_bytes(documents.len()))?;
    let network = network::build(&file.topology, &documents, sources, folder, watch)?;
    let (flows, unused) = flows(&documents, duration, &network, folder, watch)?;
    let mut traffic = Vec::with_capacity(sources.len());
    for (id, (source, path)) in sources.iter().zip(&network.paths[flows.len()..]).enumerate() {
        traffic.push(traffic::resolve(&format!("traffic.{id}"), source, duration, (&network, path), folder)?);
    }
    let changes = {
        let (kind, documents) = (file.topology.kind.0, documents.as_slice());
        let context =
            change::Context { kind, duration, network: &network, documents, flows: &flows, traffic: &traffic };
        change::resolve(file.change.as_deref().unwrap_or_default(), &context, watch)?
    };
    check_together(file, &flows)?;
    let sampling = file.sample.map_or(Sampling::Every(STEP_DEFAULT), |sample| sample.0);
    check_rows(sampling, duration, flows.len() + network.links.len())?;
    let scenario = Scenario {
        name: file.name.0.0.clone(),
        description: file.description.clone(),
        duration,
        until_complete: file.until_complete.unwrap_or(false),
        seed: file.seed.map_or(1, |seed| seed.0.0),
        sampling,
        nodes: network.nodes,
        links: network.links,
        flows,
        changes,
        traffic,
        capture: file.capture.unwrap_or(false),
        document: tree.clone(),
        warnings: Vec::new(),
    };
    Ok((scenario, unused))
}

/// Resolves the flows of all tables, with a problem for each parameter that its flow does not use.
fn flows(
    documents: &[Numbered<'_>],
    duration: Span,
    network: &network::Network,
    folder: &dyn Folder,
    watch: &mut Watch<'_>,
) -> Checked<(Vec<FlowSpec>, Vec<Problem>)> {
    let mut flows: Vec<FlowSpec> = Vec::with_capacity(documents.len());
    let mut unused = Vec::new();
    for (document, path) in documents.iter().zip(&network.paths) {
        watch.step()?;
        let key = format!("flow.{}", document.table);
        let mut flow = flow::resolve(&key, document.flow, duration, (network, path), folder)?;
        network.lead_through_hold(flows.len(), &mut flow.path, &mut flow.reverse_path);
        // flows of one table are alike
        if let Some(before) = flows.last().filter(|before| before.kind == flow.kind) {
            flow.kind = Arc::clone(&before.kind);
        }
        if flows.is_empty() || documents[flows.len() - 1].table != document.table {
            unused.extend(flow::unused(&key, document.flow, &flow));
        }
        flows.push(flow);
    }
    Ok((flows, unused))
}

/// Refuses values that do not go together with the flows.
fn check_together(file: &File, flows: &[FlowSpec]) -> Checked<()> {
    if file.until_complete == Some(true)
        && let Some(endless) = flows.iter().position(|flow| flow.size.is_none())
    {
        let message = format!("flow.{endless} has no size and never completes; give each flow a size, or leave it out");
        return Err(Problem::new("until_complete", message));
    }
    Ok(())
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
    match flows as u64 > FLOWS_MAX {
        true => Err(Problem::new("flow", format!("there are {flows} flows; write {FLOWS_MAX} at most"))),
        false => Ok(()),
    }
}

/// Refuses series that do not fit into memory.
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
