//! One source of traffic of the file, with its defaults filled in.

use vegas_core::units::{Rate, Span};

use super::document::{Traffic, TrafficKind};
use super::error::{Checked, Problem, child};
use super::field::Field;
use super::flow;
use super::model::{DatagramSpec, Distribution, LinkId, Load, OnOff, TrafficSpec};
use super::network::Network;
use super::scalar::Named;

/// As for links: a datagram must take at least a part of the simulator's nanosecond.
const RATE_MAX: Rate = Rate::from_bits_per_second(1_000_000_000_000);
const PERIOD_MAX: Span = Span::from_secs(3600);
/// ns-2's default.
const SHAPE_MILLI: u32 = 1_500;

const DATAGRAMS: &[TrafficKind] = &[TrafficKind::Constant, TrafficKind::ExponentialOnOff, TrafficKind::ParetoOnOff];
const ON_OFF: &[TrafficKind] = &[TrafficKind::ExponentialOnOff, TrafficKind::ParetoOnOff];

/// Checks the source at `key` and fills in its defaults; `network` has its path.
pub(super) fn resolve(
    key: &str,
    traffic: &Traffic,
    duration: Span,
    network: &Network,
    path: &[LinkId],
) -> Checked<TrafficSpec> {
    check_keys(key, traffic)?;
    let (start, stop) = flow::times(key, "the traffic", traffic.start, traffic.stop, duration)?;
    let distribution = match traffic.kind.0 {
        TrafficKind::Constant => None,
        TrafficKind::ExponentialOnOff => Some(Distribution::Exponential),
        TrafficKind::ParetoOnOff => {
            let shape_milli = traffic.shape.map_or(SHAPE_MILLI, |shape| shape.0.milli);
            Some(Distribution::Pareto { shape_milli })
        }
    };
    let datagrams = datagrams(key, traffic, distribution)?;
    if let Some((link, limit)) = network.too_short_for(datagrams.packet, path) {
        let (size, limit) = (datagrams.packet.get(), limit.get());
        let message = format!("{size}b do not fit the queue of {link}; write {limit}b at most");
        return Err(Problem::new(child(key, "packet"), message));
    }
    Ok(TrafficSpec { start, stop, path: path.to_vec(), load: Load::Datagrams(datagrams) })
}

/// Refuses keys that mean nothing in this kind of traffic.
fn check_keys(key: &str, traffic: &Traffic) -> Checked<()> {
    let kind = traffic.kind.0;
    let keys: &[(&str, bool, &[TrafficKind])] = &[
        ("rate", traffic.rate.is_some(), DATAGRAMS),
        ("packet", traffic.packet.is_some(), DATAGRAMS),
        ("on", traffic.on.is_some(), ON_OFF),
        ("off", traffic.off.is_some(), ON_OFF),
        ("shape", traffic.shape.is_some(), &[TrafficKind::ParetoOnOff]),
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

fn datagrams(key: &str, traffic: &Traffic, distribution: Option<Distribution>) -> Checked<DatagramSpec> {
    let key_rate = child(key, "rate");
    let rate = traffic.rate.ok_or_else(|| Problem::missing(&key_rate))?.0;
    let packet = flow::packet(&child(key, "packet"), traffic.packet, 1000)?;
    if rate.as_bits_per_second() == 0 {
        return Err(Problem::new(key_rate, "a rate of 0 sends nothing; write 1bit or more"));
    }
    let interval = rate.time_for(packet);
    if rate > RATE_MAX || interval == Span::ZERO {
        let message = "packets would be less than a nanosecond apart; write a lower rate, 1tbit at most";
        return Err(Problem::new(key_rate, message));
    }
    let on_off = distribution.map(|distribution| on_off(key, traffic, distribution, interval)).transpose()?;
    Ok(DatagramSpec { rate, packet, on_off })
}

fn on_off(key: &str, traffic: &Traffic, distribution: Distribution, interval: Span) -> Checked<OnOff> {
    let on = period(child(key, "on"), traffic.on)?;
    let off = period(child(key, "off"), traffic.off)?;
    if on < interval {
        let message = format!("is shorter than one packet takes at this rate; write {}ns or more", interval.as_nanos());
        return Err(Problem::new(child(key, "on"), message));
    }
    Ok(OnOff { distribution, on, off })
}

fn period(key: String, given: Option<Field<Span>>) -> Checked<Span> {
    match given {
        None => Err(Problem::missing(key)),
        Some(Field(Span::ZERO)) => Err(Problem::new(key, "is 0; write a time above 0, such as \"500ms\"")),
        Some(Field(span)) if span > PERIOD_MAX => Err(Problem::new(key, "is longer than an hour; write 1h at most")),
        Some(Field(span)) => Ok(span),
    }
}
