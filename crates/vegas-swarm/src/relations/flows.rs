//! An additional flow that sends nothing within the run, and flows in another order.

use serde_json::{Value, json};
use vegas_core::Standalone;
use vegas_core::units::{Span, Time};
use vegas_sim::outcome::{Incident, LinkOutcome, Outcome};
use vegas_sim::scenario::{Change, Scenario, Transport};

use super::{Compared, against, differs};
use crate::run::Case;

/// Checks that a flow that starts a nanosecond before the end, on links of its own, changes no results of the others.
pub(super) fn idle_flow(case: &Case<'_>) -> Result<Compared, String> {
    if case.scenario.until_complete {
        return Ok(Compared::No); // the idle flow would have to complete
    }
    let duration_ns = case.scenario.duration.as_nanos();
    let link = json!({ "rate": "1mbit", "delay": "1s", "queue": "unlimited" });
    let mut flow = json!({ "algorithm": "reno", "start": format!("{}ns", duration_ns - 1) });
    let mut document = case.document.clone();
    match document["topology"]["kind"].as_str() {
        Some("graph") => {
            let topology = &mut document["topology"];
            push(&mut topology["nodes"], json!("idle-from"));
            push(&mut topology["nodes"], json!("idle-to"));
            let mut between = link;
            between["between"] = json!(["idle-from", "idle-to"]);
            push(&mut topology["link"], between);
            flow["from"] = json!("idle-from");
            flow["to"] = json!("idle-to");
        }
        _ => flow["access"] = link,
    }
    // the idle flow's packet still fits the bottleneck's queue
    flow["packet"] = json!("100b");
    push(&mut document["flow"], flow);
    let other = Scenario::from_json(&document.to_string(), case.source, &[]).map_err(|error| error.to_string())?;
    let idle = other.flows.len() - 1;
    against(case, &other, |outcome| same_but_for(idle, case, &other, outcome))
}

fn push(list: &mut Value, item: Value) {
    list.as_array_mut().expect("a list, as validation has found").push(item);
}

fn same_but_for(idle: usize, case: &Case<'_>, scenario: &Scenario, outcome: &Outcome) -> Result<(), String> {
    let (mut ours, theirs) = (outcome.clone(), &case.outcome);
    ours.flows.truncate(idle);
    differs::rows("flow", &theirs.flows, &ours.flows)?;
    differs::rows("traffic", &theirs.traffic, &ours.traffic)?;
    differs::rows("link", &links(&case.scenario, theirs), &of_these(&case.scenario, links(scenario, &ours)))?;
    ours.incidents.retain(|incident| incident.flow as usize != idle);
    ours.capture.retain(|packet| packet.flow as usize != idle);
    differs::rows("incident", &incidents(&case.scenario, theirs), &incidents(scenario, &ours))?;
    differs::rows("packet", &theirs.capture, &ours.capture)
}

/// Returns the totals of links, with their names.
fn links(scenario: &Scenario, outcome: &Outcome) -> Vec<(String, LinkOutcome)> {
    outcome.links.iter().enumerate().map(|(id, total)| (name(scenario, id), total.clone())).collect()
}

/// Returns those of the links that the scenario has, too.
fn of_these(scenario: &Scenario, links: Vec<(String, LinkOutcome)>) -> Vec<(String, LinkOutcome)> {
    let names: Vec<String> = (0..scenario.links.len()).map(|id| name(scenario, id)).collect();
    links.into_iter().filter(|(link, _)| names.contains(link)).collect()
}

fn incidents(scenario: &Scenario, outcome: &Outcome) -> Vec<(Option<String>, Incident)> {
    let of = |incident: &Incident| {
        (incident.link.map(|link| name(scenario, link as usize)), Incident { link: None, ..*incident })
    };
    outcome.incidents.iter().map(of).collect()
}

fn name(scenario: &Scenario, link: usize) -> String {
    let spec = &scenario.links[link];
    format!("{}->{}", scenario.nodes[spec.from], scenario.nodes[spec.to])
}

/// Checks that flows in the reverse order keep their results. This holds where no two flows send or receive at one
/// instant, as the order of events of one instant is that of the flows' numbers; so the flows start a few nanoseconds
/// apart. The topology is a graph, in which hosts are nodes, so that links keep their places.
pub(super) fn flows_permuted(case: &Case<'_>) -> Result<Compared, String> {
    let scenario = &case.scenario;
    let count = scenario.flows.len();
    // random numbers come from a stream that the flow's number names
    let draws_by_number = |standalone: Option<Standalone>| standalone.is_some_and(Standalone::draws);
    let uses_numbers = scenario.links.iter().any(|link| link.discipline.isolation().is_some())
        || scenario.flows.iter().any(|flow| flow.transport == Transport::Quic || draws_by_number(flow.standalone));
    let is_graph = case.document["topology"]["kind"] == "graph";
    if count < 2 || uses_numbers || !is_graph {
        return Ok(Compared::No);
    }
    let mut seen = scenario.clone();
    seen.capture = true;
    for (flow, apart) in seen.flows.iter_mut().zip((0..).step_by(13)) {
        flow.start = flow.start + Span::from_nanos(apart);
        flow.stop = flow.stop.map(|stop| stop + Span::from_nanos(apart));
    }
    let mut reversed = seen.clone();
    reversed.flows.reverse();
    for scheduled in &mut reversed.changes {
        if let Change::Route(route) = &mut scheduled.change {
            route.flow = count - 1 - route.flow;
        }
    }
    let mut compared = Compared::No;
    against(case, &seen, |one| {
        if has_ties(&seen, one) {
            return Ok(());
        }
        compared = against(case, &reversed, |other| {
            let mut other = other.clone();
            other.flows.reverse();
            let renumbered = |flow: u32| (count - 1) as u32 - flow;
            other.incidents.iter_mut().for_each(|incident| incident.flow = renumbered(incident.flow));
            other.capture.iter_mut().for_each(|packet| packet.flow = renumbered(packet.flow));
            differs::rows("flow", &one.flows, &other.flows)?;
            differs::rows("link", &one.links, &other.links)?;
            differs::rows("traffic", &one.traffic, &other.traffic)?;
            differs::rows("packet", &one.capture, &other.capture)
        })?;
        Ok(())
    })?;
    Ok(compared)
}

/// Returns whether something happens to two flows at one instant.
fn has_ties(scenario: &Scenario, outcome: &Outcome) -> bool {
    let mut starts: Vec<u64> = scenario.flows.iter().map(|flow| flow.start.since(Time::ZERO).as_nanos()).collect();
    starts.sort_unstable();
    let two_start = starts.windows(2).any(|pair| pair[0] == pair[1]);
    two_start || outcome.capture.windows(2).any(|pair| pair[0].at == pair[1].at && pair[0].flow != pair[1].flow)
}
