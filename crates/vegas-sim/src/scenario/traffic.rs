//! One source of traffic in the file, with its defaults filled in.

use std::sync::Arc;

use vegas_core::units::{Rate, Span};

use super::document::{Flow, SizeDistribution, Traffic, TrafficKind};
use super::model::{
    ConnectionTrace, ConversationSpec, DatagramSpec, Distribution, Folder, LinkId, Load, OnOff, ReplaySpec, Side,
    TrafficSpec, TransferSpec, Transport, trace,
};
use super::network::Network;
use super::{application, flow};
use crate::scenario::document::scalar::Named;
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::Field;

/// The greatest rate, that of links: a datagram must take at least a part of the simulator's nanosecond.
const RATE_MAX: Rate = Rate::from_bits_per_second(1_000_000_000_000);
const PERIOD_MAX: Span = Span::from_secs(3600);
/// The default shape, that of ns-2, in thousandths.
const SHAPE_MILLI: u32 = 1_500;

const DATAGRAMS: &[TrafficKind] = &[TrafficKind::Constant, TrafficKind::ExponentialOnOff, TrafficKind::ParetoOnOff];
const ON_OFF: &[TrafficKind] = &[TrafficKind::ExponentialOnOff, TrafficKind::ParetoOnOff];
const SHAPED: &[TrafficKind] = &[TrafficKind::ParetoOnOff, TrafficKind::PoissonTransfers];
const TRANSFERS: &[TrafficKind] = &[TrafficKind::PoissonTransfers];
const ARRIVALS: &[TrafficKind] = &[TrafficKind::PoissonTransfers, TrafficKind::Tcplib];
const CONVERSATIONS: &[TrafficKind] = &[TrafficKind::Tcplib];
const TRACED: &[TrafficKind] = &[TrafficKind::ConnectionTrace];
const CONNECTIONS: &[TrafficKind] = &[TrafficKind::PoissonTransfers, TrafficKind::Tcplib, TrafficKind::ConnectionTrace];

/// Checks the source at `key` and fills in its defaults; `network` has its path, `folder` the files that it names.
pub(super) fn resolve(
    key: &str,
    traffic: &Traffic,
    duration: Span,
    (network, path): (&Network, &[LinkId]),
    folder: &dyn Folder,
) -> Checked<TrafficSpec> {
    check_keys(key, traffic)?;
    let (start, stop) = flow::times(key, "the traffic", traffic.start, traffic.stop, duration)?;
    let load = match traffic.kind.0 {
        TrafficKind::Constant => Load::Datagrams(datagrams(key, traffic, None, network, path)?),
        TrafficKind::ExponentialOnOff => {
            Load::Datagrams(datagrams(key, traffic, Some(Distribution::Exponential), network, path)?)
        }
        TrafficKind::ParetoOnOff => Load::Datagrams(datagrams(key, traffic, Some(pareto(traffic)), network, path)?),
        TrafficKind::PoissonTransfers => Load::Transfers(transfers(key, traffic, duration, (network, path), folder)?),
        TrafficKind::Tcplib => Load::Conversations(ConversationSpec {
            interarrival: period(child(key, "interarrival"), traffic.interarrival)?,
            items: traffic.items.map(|items| items.0.0 as u32),
            connection: Box::new(connection(key, traffic, duration, (network, path), folder)?),
        }),
        TrafficKind::ConnectionTrace => Load::Replay(ReplaySpec {
            trace: connection_trace(key, traffic, folder)?,
            connection: Box::new(connection(key, traffic, duration, (network, path), folder)?),
        }),
    };
    let user = traffic.user.as_ref().map(|user| user.0.0.clone());
    Ok(TrafficSpec { start, stop, path: path.to_vec(), user, load })
}

/// Refuses keys that have no meaning in this kind of traffic.
fn check_keys(key: &str, traffic: &Traffic) -> Checked<()> {
    let kind = traffic.kind.0;
    let keys: &[(&str, bool, &[TrafficKind])] = &[
        ("rate", traffic.rate.is_some(), DATAGRAMS),
        ("packet", traffic.packet.is_some(), DATAGRAMS),
        ("on", traffic.on.is_some(), ON_OFF),
        ("off", traffic.off.is_some(), ON_OFF),
        ("whole_packets", traffic.whole_packets.is_some(), ON_OFF),
        ("shape", traffic.shape.is_some(), SHAPED),
        ("interarrival", traffic.interarrival.is_some(), ARRIVALS),
        ("items", traffic.items.is_some(), CONVERSATIONS),
        ("size", traffic.size.is_some(), TRANSFERS),
        ("size_distribution", traffic.size_distribution.is_some(), TRANSFERS),
        ("trace", traffic.trace.is_some(), TRACED),
        ("side", traffic.side.is_some(), TRACED),
        ("flow", traffic.flow.is_some(), CONNECTIONS),
    ];
    let Some((name, _, kinds)) = keys.iter().find(|(_, given, kinds)| *given && !kinds.contains(&kind)) else {
        return Ok(());
    };
    let right: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", name_of(*kind))).collect();
    let message = format!(
        "means nothing in {} traffic; leave it out, or set {key}.kind to {}",
        name_of(kind),
        right.join(" or ")
    );
    Err(Problem::new(child(key, name), message))
}

fn name_of(kind: TrafficKind) -> &'static str {
    TrafficKind::CHOICES.iter().find(|(_, choice)| *choice == kind).map_or("", |(name, _)| name)
}

fn pareto(traffic: &Traffic) -> Distribution {
    Distribution::Pareto { shape_milli: traffic.shape.map_or(SHAPE_MILLI, |shape| shape.0.milli) }
}

fn datagrams(
    key: &str,
    traffic: &Traffic,
    distribution: Option<Distribution>,
    network: &Network,
    path: &[LinkId],
) -> Checked<DatagramSpec> {
    let (key_rate, key_packet) = (child(key, "rate"), child(key, "packet"));
    let rate = traffic.rate.ok_or_else(|| Problem::missing(&key_rate))?.0;
    let packet = flow::packet(&key_packet, traffic.packet, 1000)?;
    if rate.as_bits_per_second() == 0 {
        return Err(Problem::new(key_rate, "a rate of 0 sends nothing; write 1bit or more"));
    }
    let interval = rate.time_for(packet);
    if rate > RATE_MAX || interval == Span::ZERO {
        let message = "packets would be less than a nanosecond apart; write a lower rate, 1tbit at most";
        return Err(Problem::new(key_rate, message));
    }
    if let Some((link, limit)) = network.too_short_for(packet, path) {
        let (size, limit) = (packet.get(), limit.get());
        let message = format!("{size}b do not fit the queue of {link}; write {limit}b at most");
        return Err(Problem::new(key_packet, message));
    }
    let on_off = distribution.map(|distribution| on_off(key, traffic, distribution, interval)).transpose()?;
    Ok(DatagramSpec { rate, packet, on_off })
}

fn on_off(key: &str, traffic: &Traffic, distribution: Distribution, interval: Span) -> Checked<OnOff> {
    let on = period(child(key, "on"), traffic.on)?;
    let off = period(child(key, "off"), traffic.off)?;
    let whole_packets = traffic.whole_packets.unwrap_or(false);
    if on < interval && !whole_packets {
        let message = format!(
            "is shorter than one packet takes at this rate; write {}ns or more, or set {key}.whole_packets to true",
            interval.as_nanos()
        );
        return Err(Problem::new(child(key, "on"), message));
    }
    Ok(OnOff { distribution, on, off, whole_packets })
}

fn period(key: String, given: Option<Field<Span>>) -> Checked<Span> {
    match given {
        None => Err(Problem::missing(key)),
        Some(Field(Span::ZERO)) => Err(Problem::new(key, "is 0; write a time above 0, such as \"500ms\"")),
        Some(Field(span)) if span > PERIOD_MAX => Err(Problem::new(key, "is longer than an hour; write 1h at most")),
        Some(Field(span)) => Ok(span),
    }
}

fn transfers(
    key: &str,
    traffic: &Traffic,
    duration: Span,
    network: (&Network, &[LinkId]),
    folder: &dyn Folder,
) -> Checked<TransferSpec> {
    let key_size = child(key, "size");
    let size = application::size(key_size.clone(), traffic.size)?.ok_or_else(|| Problem::missing(key_size))?;
    let distribution = match traffic.size_distribution.map(|distribution| distribution.0) {
        None | Some(SizeDistribution::Fixed) => None,
        Some(SizeDistribution::Exponential) => Some(Distribution::Exponential),
        Some(SizeDistribution::Pareto) => Some(pareto(traffic)),
    };
    let has_shape = match distribution {
        None | Some(Distribution::Exponential) => false,
        Some(Distribution::Pareto { .. }) => true,
    };
    if traffic.shape.is_some() && !has_shape {
        let message = format!("means nothing here; leave it out, or set {key}.size_distribution to \"pareto\"");
        return Err(Problem::new(child(key, "shape"), message));
    }
    let interarrival = period(child(key, "interarrival"), traffic.interarrival)?;
    let connection = Box::new(connection(key, traffic, duration, network, folder)?);
    Ok(TransferSpec { interarrival, size, distribution, connection })
}

fn connection_trace(key: &str, traffic: &Traffic, folder: &dyn Folder) -> Checked<Arc<ConnectionTrace>> {
    let key_trace = child(key, "trace");
    let file = traffic.trace.as_ref().ok_or_else(|| Problem::missing(&key_trace))?;
    let side = traffic.side.map_or(Side::Responses, |side| side.0);
    trace::load(&key_trace, file, folder, |text| ConnectionTrace::parse(text, side)).map(Arc::new)
}

/// Resolves the description of every transfer's connection; times, size and path are the source's.
fn connection(
    key: &str,
    traffic: &Traffic,
    duration: Span,
    network: (&Network, &[LinkId]),
    folder: &dyn Folder,
) -> Checked<super::FlowSpec> {
    let key_flow = child(key, "flow");
    let flow: &Flow = traffic.flow.as_ref().ok_or_else(|| Problem::missing(&key_flow))?;
    if flow.count.is_some() {
        let which = if traffic.trace.is_some() { "trace" } else { "interarrival" };
        let message = format!("the source opens as many as {key}.{which} says; leave it out");
        return Err(Problem::new(child(&key_flow, "count"), message));
    }
    if flow.delay_schedule.is_some() {
        let message = "is for [[flow]]; leave it out, or write it in a link of the source's path";
        return Err(Problem::new(child(&key_flow, "delay_schedule"), message));
    }
    let given = [
        ("start", flow.start.is_some()),
        ("stop", flow.stop.is_some()),
        ("size", flow.size.is_some()),
        ("application", !flow.application.is_empty()),
        ("access", flow.access.is_some()),
        ("from", flow.from.is_some()),
        ("to", flow.to.is_some()),
        ("via", flow.via.is_some()),
        ("enter", flow.enter.is_some()),
        ("leave", flow.leave.is_some()),
        ("user", flow.user.is_some()),
        ("group", flow.group.is_some()),
    ];
    if let Some((name, _)) = given.iter().find(|(_, given)| *given) {
        let message = format!("is the source's and not one connection's; write it as {key}.{name}");
        return Err(Problem::new(child(&key_flow, name), message));
    }
    let spec = flow::resolve(&key_flow, flow, duration, network, folder)?;
    if spec.transport == Transport::Quic && traffic.kind.0 != TrafficKind::PoissonTransfers {
        let message = format!(
            "connections of {} are TCP's; leave it out, or set {key}.kind to \"poisson-transfers\"",
            name_of(traffic.kind.0)
        );
        return Err(Problem::new(child(&key_flow, "transport"), message));
    }
    Ok(spec)
}
