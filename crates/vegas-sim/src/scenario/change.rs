//! The changes during a run: of a link's values, or of a flow's route.

use std::collections::BTreeMap;

use vegas_core::units::{Bytes, Span, Time};

use super::document::{self, Numbered};
use super::model::{Change, FlowSpec, LinkChange, LinkId, Load, QueueLimit, RouteChange, ScheduledChange, TrafficSpec};
use super::network::{Network, Paths};
use crate::scenario::document::scalar::Kind;
use crate::scenario::read::error::{Checked, Problem, child, suggestion};
use crate::scenario::read::field::{Field, Table};
use crate::util::watch::Watch;

/// The most links of a route: a packet counts the links that it has passed in 16 bits, over all routes of its flow.
const ROUTE_LINKS_MAX: usize = 60_000;

/// The data against which changes are checked.
pub(super) struct Context<'a> {
    pub(super) kind: Kind,
    pub(super) duration: Span,
    pub(super) network: &'a Network,
    pub(super) documents: &'a [Numbered<'a>],
    pub(super) flows: &'a [FlowSpec],
    pub(super) traffic: &'a [TrafficSpec],
}

/// Checks the changes of a file and sorts them by their times; changes at one time stay in the order of the file.
pub(super) fn resolve(
    changes: &[Table<document::Change>],
    context: &Context<'_>,
    watch: &mut Watch<'_>,
) -> Checked<Vec<ScheduledChange>> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let mut known = Known::new(context);
    let mut resolved = Vec::with_capacity(changes.len());
    for (id, change) in changes.iter().enumerate() {
        watch.step()?;
        resolved.push(resolve_one(&format!("change.{id}"), change, context, &mut known)?);
    }
    resolved.sort_by_key(|change| change.at);
    check_routes(&resolved, context)?;
    Ok(resolved)
}

/// Data derived once for the checks of all changes.
struct Known<'a> {
    names: Vec<String>,
    /// The links by name.
    links: BTreeMap<String, LinkId>,
    paths: Paths<'a>,
    /// The largest packet that may cross each link.
    largest: Vec<Option<Bytes>>,
}

impl<'a> Known<'a> {
    fn new(context: &Context<'a>) -> Self {
        let names: Vec<String> = (0..context.network.links.len()).map(|link| context.network.link_name(link)).collect();
        let links = names.iter().cloned().zip(0..).collect();
        Known { names, links, paths: Paths::of(context.network), largest: largest_packets(context) }
    }
}

fn resolve_one(
    key: &str,
    change: &document::Change,
    context: &Context<'_>,
    known: &mut Known<'_>,
) -> Checked<ScheduledChange> {
    if change.at.0 >= context.duration {
        let message = "the run is over by then; write a time before duration";
        return Err(Problem::new(child(key, "at"), message));
    }
    let at = Time::ZERO + change.at.0;
    let change = match (&change.link, change.flow) {
        (Some(_), Some(_)) => {
            return Err(Problem::new(child(key, "flow"), "stands beside link; write a change for each"));
        }
        (Some(link), None) => Change::Link(link_change(key, link, change, context.network, known)?),
        (None, Some(Field(flow))) => {
            Change::Route(route_change(key, flow.0 as usize, change, context, &mut known.paths)?)
        }
        (None, None) => return Err(Problem::missing(child(key, "link"))),
    };
    Ok(ScheduledChange { at, change })
}

fn link_change(
    key: &str,
    name: &str,
    change: &document::Change,
    network: &Network,
    known: &Known<'_>,
) -> Checked<LinkChange> {
    if change.via.is_some() {
        return Err(Problem::new(child(key, "via"), "means nothing for a link; write flow instead of link"));
    }
    if !changes_a_link(change) {
        return Err(Problem::new(key, "changes nothing; write rate, delay, queue or loss"));
    }
    let link = known.links.get(name).copied().ok_or_else(|| {
        let right = suggestion(name, known.names.iter().map(String::as_str));
        Problem::new(child(key, "link"), format!("\"{name}\" is no link; {right}"))
    })?;
    if change.rate.is_some() && network.links[link].trace.is_some() {
        return Err(Problem::new(child(key, "rate"), "the link's rate follows a trace; leave it out"));
    }
    if change.delay.is_some() && network.links[link].impairments.delay_schedule.sha256().is_some() {
        return Err(Problem::new(child(key, "delay"), "the link's delay follows a trace; leave it out"));
    }
    let queue = change.queue.map(|queue| queue.0);
    if let (Some(QueueLimit::Bytes(limit)), Some(size)) = (queue, known.largest[link])
        && size > limit
    {
        let message = format!("packets of {}b do not fit; write {}b or more", size.get(), size.get());
        return Err(Problem::new(child(key, "queue"), message));
    }
    Ok(LinkChange {
        link,
        rate: change.rate.map(|rate| super::network::check_rate(key, rate.0)).transpose()?,
        delay: change.delay.map(|delay| super::network::check_delay(key, delay.0)).transpose()?,
        queue,
        loss_ppm: change.loss.map(|loss| loss.0.ppm),
    })
}

fn changes_a_link(change: &document::Change) -> bool {
    change.rate.is_some() || change.delay.is_some() || change.queue.is_some() || change.loss.is_some()
}

/// Returns the largest packet that may cross each link.
fn largest_packets(context: &Context<'_>) -> Vec<Option<Bytes>> {
    let connections = context.traffic.iter().filter_map(|source| source.connection());
    let flows = context.flows.iter().chain(connections);
    let segments =
        flows.flat_map(|flow| [(flow.largest_packet(), &flow.path), (flow.largest_ack(), &flow.reverse_path)]);
    let datagrams = context.traffic.iter().filter_map(|source| match &source.load {
        Load::Datagrams(datagrams) => Some((datagrams.packet, &source.path)),
        Load::Transfers(_) | Load::Conversations(_) | Load::Replay(_) => None,
    });
    let mut largest = vec![None; context.network.links.len()];
    for (size, path) in segments.chain(datagrams) {
        for link in path {
            largest[*link] = largest[*link].max(Some(size));
        }
    }
    largest
}

fn route_change(
    key: &str,
    flow: usize,
    change: &document::Change,
    context: &Context<'_>,
    paths: &mut Paths<'_>,
) -> Checked<RouteChange> {
    let Some(document) = context.documents.get(flow) else {
        let last = context.documents.len() - 1;
        return Err(Problem::new(child(key, "flow"), format!("{flow} is no flow; write a number from 0 to {last}")));
    };
    match context.kind {
        Kind::Graph => {}
        Kind::Dumbbell | Kind::ParkingLot => {
            let message = "has one route only here; leave it out, or set topology.kind to \"graph\"";
            return Err(Problem::new(child(key, "flow"), message));
        }
    }
    if changes_a_link(change) {
        return Err(Problem::new(key, "rate, delay, queue and loss are a link's; write link instead of flow"));
    }
    let via = change.via.as_deref().ok_or_else(|| Problem::missing(child(key, "via")))?;
    let mut path = paths.reroute(*document, child(key, "via"), via)?;
    let spec = &context.flows[flow];
    let mut reverse_path = Network::reversed(&path);
    for (size, path) in [(spec.largest_packet(), &path), (spec.largest_ack(), &reverse_path)] {
        if let Some((link, limit)) = context.network.too_short_for(size, path) {
            let message = format!("{}b do not fit the {}b of the queue of {link}", size.get(), limit.get());
            return Err(Problem::new(child(key, "via"), format!("{message}; name another way")));
        }
    }
    context.network.lead_through_hold(flow, &mut path, &mut reverse_path);
    Ok(RouteChange { flow, path, reverse_path })
}

fn check_routes(changes: &[ScheduledChange], context: &Context<'_>) -> Checked<()> {
    let mut links: Vec<usize> = context.flows.iter().map(|flow| flow.path.len() + 1).collect();
    for change in changes {
        if let Change::Route(route) = &change.change {
            links[route.flow] += route.path.len() + 1;
            if links[route.flow] > ROUTE_LINKS_MAX {
                let message = format!("flow {} has more routes than the simulator can count; write fewer", route.flow);
                return Err(Problem::new("change", message));
            }
        }
    }
    Ok(())
}
