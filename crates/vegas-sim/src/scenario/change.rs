//! What changes during a run: a link's values, or a flow's route.

use vegas_core::units::{Bytes, Span, Time};

use super::document::{self, Numbered};
use super::error::{Checked, Problem, child, suggestion};
use super::field::{Field, Table};
use super::model::{Change, FlowSpec, LinkChange, LinkId, Load, QueueLimit, RouteChange, ScheduledChange, TrafficSpec};
use super::network::Network;
use super::scalar::Kind;

/// A packet counts the links that it has passed in 16 bits, over all the routes that its flow ever takes.
const ROUTE_LINKS_MAX: usize = 60_000;

/// Everything that the changes are checked against.
pub(super) struct Context<'a> {
    pub(super) kind: Kind,
    pub(super) duration: Span,
    pub(super) network: &'a Network,
    pub(super) documents: &'a [Numbered<'a>],
    pub(super) flows: &'a [FlowSpec],
    pub(super) traffic: &'a [TrafficSpec],
}

/// Checks the changes of a file and puts them in the order of their times; at one time, in that of the file.
pub(super) fn resolve(changes: &[Table<document::Change>], context: &Context<'_>) -> Checked<Vec<ScheduledChange>> {
    let mut resolved = Vec::with_capacity(changes.len());
    for (id, change) in changes.iter().enumerate() {
        resolved.push(resolve_one(&format!("change.{id}"), change, context)?);
    }
    resolved.sort_by_key(|change| change.at);
    check_routes(&resolved, context)?;
    Ok(resolved)
}

fn resolve_one(key: &str, change: &document::Change, context: &Context<'_>) -> Checked<ScheduledChange> {
    if change.at.0 >= context.duration {
        let message = "the run is over by then; write a time before duration";
        return Err(Problem::new(child(key, "at"), message));
    }
    let at = Time::ZERO + change.at.0;
    let change = match (&change.link, change.flow) {
        (Some(_), Some(_)) => {
            return Err(Problem::new(child(key, "flow"), "stands beside link; write a change for each"));
        }
        (Some(link), None) => Change::Link(link_change(key, link, change, context)?),
        (None, Some(Field(flow))) => Change::Route(route_change(key, flow.0 as usize, change, context)?),
        (None, None) => return Err(Problem::missing(child(key, "link"))),
    };
    Ok(ScheduledChange { at, change })
}

fn link_change(key: &str, name: &str, change: &document::Change, context: &Context<'_>) -> Checked<LinkChange> {
    if change.via.is_some() {
        return Err(Problem::new(child(key, "via"), "means nothing for a link; write flow instead of link"));
    }
    if change.rate.is_none() && change.delay.is_none() && change.queue.is_none() {
        return Err(Problem::new(key, "changes nothing; write rate, delay or queue"));
    }
    let network = context.network;
    let names: Vec<String> = (0..network.links.len()).map(|link| network.link_name(link)).collect();
    let link = names.iter().position(|known| known == name).ok_or_else(|| {
        let right = suggestion(name, names.iter().map(String::as_str));
        Problem::new(child(key, "link"), format!("\"{name}\" is no link; {right}"))
    })?;
    if change.rate.is_some() && network.links[link].trace.is_some() {
        return Err(Problem::new(child(key, "rate"), "the link's rate follows a trace; leave it out"));
    }
    let queue = change.queue.map(|queue| queue.0);
    if let Some(QueueLimit::Bytes(limit)) = queue {
        check_limit(&child(key, "queue"), link, limit, context)?;
    }
    Ok(LinkChange {
        link,
        rate: change.rate.map(|rate| super::network::check_rate(key, rate.0)).transpose()?,
        delay: change.delay.map(|delay| super::network::check_delay(key, delay.0)).transpose()?,
        queue,
    })
}

/// Every packet that may cross the link has to fit its queue.
fn check_limit(key: &str, link: LinkId, limit: Bytes, context: &Context<'_>) -> Checked<()> {
    let connections = context.traffic.iter().filter_map(|source| match &source.load {
        Load::Datagrams(_) => None,
        Load::Transfers(transfers) => Some(&*transfers.connection),
        Load::Conversations(conversations) => Some(&*conversations.connection),
    });
    let flows = context.flows.iter().chain(connections);
    let segments =
        flows.flat_map(|flow| [(flow.largest_packet(), &flow.path), (flow.largest_ack(), &flow.reverse_path)]);
    let datagrams = context.traffic.iter().filter_map(|source| match &source.load {
        Load::Datagrams(datagrams) => Some((datagrams.packet, &source.path)),
        Load::Transfers(_) | Load::Conversations(_) => None,
    });
    let largest = segments.chain(datagrams).filter(|(_, path)| path.contains(&link)).map(|(size, _)| size).max();
    match largest {
        Some(size) if size > limit => {
            let message = format!("packets of {}b do not fit; write {}b or more", size.get(), size.get());
            Err(Problem::new(key, message))
        }
        _ => Ok(()),
    }
}

fn route_change(key: &str, flow: usize, change: &document::Change, context: &Context<'_>) -> Checked<RouteChange> {
    let Some(document) = context.documents.get(flow) else {
        let last = context.documents.len() - 1;
        return Err(Problem::new(child(key, "flow"), format!("{flow} is no flow; write a number from 0 to {last}")));
    };
    if context.kind != Kind::Graph {
        let message = "has one route only here; leave it out, or set topology.kind to \"graph\"";
        return Err(Problem::new(child(key, "flow"), message));
    }
    if change.rate.is_some() || change.delay.is_some() || change.queue.is_some() {
        return Err(Problem::new(key, "rate, delay and queue are a link's; write link instead of flow"));
    }
    let via = change.via.as_deref().ok_or_else(|| Problem::missing(child(key, "via")))?;
    let path = super::network::reroute(context.network, *document, child(key, "via"), via)?;
    let spec = &context.flows[flow];
    let reverse_path = Network::reversed(&path);
    for (size, path) in [(spec.largest_packet(), &path), (spec.largest_ack(), &reverse_path)] {
        if let Some((link, limit)) = context.network.too_short_for(size, path) {
            let message = format!("{}b do not fit the {}b of the queue of {link}", size.get(), limit.get());
            return Err(Problem::new(child(key, "via"), format!("{message}; name another way")));
        }
    }
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
