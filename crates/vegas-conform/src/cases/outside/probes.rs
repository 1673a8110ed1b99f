//! DRAIN, PROBE_UP and PROBE_DOWN from outside: the packets in flight fall to the bandwidth-delay product, rise above it for
//! some round trips, and fall again.

use vegas_core::units::Time;

use super::super::look::{check, needs_packets};
use super::super::probe_up::until_probe_up_of;
use super::startup::growth;
use super::{View, at, between_probe_rtts, earlier, seconds};
use crate::case::{Judged, Miss, Stage};
use crate::network::Network;

pub(in crate::cases) fn drain(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "from outside: a queue to be seen")?;
    let view = View::of(stage, &Network { duration: point.rounds(60), ..stage.network() })?;
    let grown = growth(&view)?;
    let one = view.low();
    if grown.peak <= 1.2 * one {
        let why = format!(
            "from outside: {:.0} packets in flight at most, Inflight(1.0) is {one:.0}: nothing to drain",
            grown.peak
        );
        return Err(Miss::NotApplicable(why));
    }
    let end = grown.full_at + point.rounds(24);
    let lost = view.lost(Time::ZERO, end);
    check(lost == 0, || format!("{lost} packets are lost"), "DRAIN empties the queue, and losses do not")?;
    let drained = view.between(grown.peak_at, end).iter().find(|moment| f64::from(moment.in_flight) <= one);
    let least = view.dip(grown.peak_at, end).1;
    let seen = || format!("{:.0} packets in flight at most, {least:.0} at least until {}", grown.peak, seconds(end));
    let drained = drained.ok_or_else(|| Miss::failed(seen(), format!("Inflight(1.0), {one:.0}, after the growth")))?;
    Ok(format!(
        "from outside: {:.0} packets in flight at {}, {one:.0} at {}",
        grown.peak,
        seconds(grown.peak_at),
        seconds(drained.at)
    ))
}

/// The first probe after the start: the time of the most packets in flight, their number before the probe, and the greatest
/// number.
struct Probe {
    at: Time,
    cruise: f64,
    peak: f64,
    back: Option<(Time, f64)>,
}

/// The least factor by which a probe at 1.25 raises the packets in flight.
const RISE: f64 = 1.15;

/// Bulk data on a path without losses, for the duration of two probes.
fn first_probe(stage: &mut Stage<'_>) -> Result<(View, Probe), Miss> {
    let point = stage.point();
    needs_packets(point, 12.0, "from outside: a rise by a quarter to be seen")?;
    between_probe_rtts(point, 8)?;
    let view = View::of(stage, &Network { duration: until_probe_up_of(point), ..stage.network() })?;
    let settled = at(point.rounds(36));
    let cruise = view.median(settled, view.end());
    let (peak_at, peak) = view.peak(settled, earlier(view.end(), point.rounds(16)));
    let lost = view.lost(settled, view.end());
    check(lost == 0, || format!("{lost} packets are lost"), "probes end by a plateau, without losses")?;
    let seen = || format!("{peak:.0} packets in flight at most, mostly {cruise:.0}");
    check(peak >= RISE * cruise, seen, "PROBE_UP, with more by a quarter for a while")?;
    let low = view
        .between(peak_at, peak_at + point.rounds(16))
        .iter()
        .find(|moment| f64::from(moment.in_flight) <= 1.05 * cruise);
    let back = low.map(|moment| (moment.at, moment.in_flight.into()));
    Ok((view, Probe { at: peak_at, cruise, peak, back }))
}

pub(in crate::cases) fn up(stage: &mut Stage<'_>) -> Judged {
    let (view, probe) = first_probe(stage)?;
    let seen = || format!("{:.0} packets in flight at {}, mostly {:.0}", probe.peak, seconds(probe.at), probe.cruise);
    let expected = format!("{:.0} again within sixteen round trips", probe.cruise);
    let (back_at, _) = probe.back.ok_or_else(|| Miss::failed(seen(), expected))?;
    check(probe.peak <= 2.2 * view.one(), seen, "a probe that ends below twice the product")?;
    Ok(format!("from outside: {}, again at {}", seen(), seconds(back_at)))
}

pub(in crate::cases) fn down(stage: &mut Stage<'_>) -> Judged {
    let (view, probe) = first_probe(stage)?;
    let (one, end) = (view.low(), probe.at + view.point.rounds(16));
    let least = view.dip(probe.at, end).1;
    let seen = || format!("{:.0} packets in flight at {}, then {least:.0} at least", probe.peak, seconds(probe.at));
    check(least <= one, seen, &format!("Inflight(1.0), {one:.0}, within sixteen round trips"))?;
    Ok(format!("from outside: {}", seen()))
}
