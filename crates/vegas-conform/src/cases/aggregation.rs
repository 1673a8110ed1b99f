//! Acknowledgements in bursts, and paths with a capacity below one packet.

use vegas_core::units::{Span, Time};

use super::look::{Look, Story, check, known, needs_packets, seconds};
use super::probe_up::until_probe_up;
use super::view::{Growth, View, at};
use crate::case::{Case, Judged, Miss, Stage};
use crate::grid::Point;
use crate::network::{Network, time};
use crate::observed::State;

pub(super) const STARTUP: Case = Case {
    name: "aggregation-startup",
    title: "Achieving Expected STARTUP Bandwidth on a Link With Aggregation",
    checks: "UpdateACKAggregation: extra_acked is seen, the window is above twice the BDP, and STARTUP finds the path's rate",
    judge: startup,
    outside: Some(startup_outside),
};

/// Bursts in a round trip.
pub(super) const BURSTS: u64 = 4;

/// The path delivers acknowledgements together, once every quarter of the round trip.
pub(super) fn bursty(stage: &Stage<'_>) -> Network {
    let every = Span::from_nanos(stage.point().rtt.as_nanos() / BURSTS);
    Network { backward: vec![format!("batch = {}", time(every))], ..stage.network() }
}

fn startup(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 16.0, "bursts of several acknowledgements, four in a round trip,")?;
    let story = Story::of(stage, &Network { duration: point.rounds(120), ..bursty(stage) })?;
    let next = story.startup_ends()?;
    let part = next.max_bw()? / point.packets_per_second();
    // a sample's round trip may contain a burst more than its share
    let most = 1.0 + 1.0 / BURSTS as f64;
    let seen = || format!("STARTUP ends at {part:.3} of the path's rate");
    check((0.95..=most).contains(&part), seen, "the path's rate, and a burst in a round trip more at most")?;
    let startup = story.startup()?;
    let extra = startup.looks.iter().filter_map(|look| look.inside.extra_acked).max().unwrap_or(0);
    known!(next, extra_acked)?;
    let burst = point.holds_packets() / BURSTS as f64;
    let seen = || format!("extra_acked is {extra} at most in STARTUP");
    check(extra as f64 >= 0.5 * burst, seen, &format!("half a burst of {burst:.0} at least"))?;
    let last = startup.last();
    let (window, product) = (last.outside.window, last.product()?);
    let text = || format!("a window of {window:.0}, the BDP {product:.0}");
    check(window > 2.0 * product, text, "a window above twice the BDP")?;
    Ok(format!(
        "STARTUP ends at {} with {part:.3} of the path's rate, extra_acked {extra}, window {window:.0}",
        seconds(next.at)
    ))
}

fn startup_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 16.0, "bursts of several acknowledgements, four in a round trip,")?;
    let view = View::of(stage, &Network { duration: point.rounds(120), ..bursty(stage) })?;
    let Growth { full_at, .. } = view.growth()?;
    let late = || format!("full at {}", seconds(full_at));
    check(full_at <= at(point.rounds(20)), late, "0.95 of the path's rate within twenty round trips")?;
    let windows = view.between(Time::ZERO, full_at + point.rounds(12)).iter().map(|moment| moment.window);
    let window = windows.fold(0.0, f64::max);
    let seen = || format!("a window of {window:.0} at most, the BDP {:.0}", view.holds);
    check(window > 2.0 * view.holds, seen, "a window above twice the BDP")?;
    // slow start may double beyond the path and its queue; more than that means that an estimate takes a burst for the
    // path's rate
    check(window <= 10.0 * view.holds, seen, "a window of ten BDP at most: rates capped by what was sent")?;
    Ok(format!("full at {}, {}", seconds(full_at), seen()))
}

pub(super) const CRUISE: Case = Case {
    name: "aggregation-cruise",
    title: "Achieving Expected Cruise Bandwidth on a Link With Aggregation",
    checks: "UpdateACKAggregation: in PROBE_CRUISE the window has extra_acked on top, remembered for BBR.ExtraAckedFilterLen round \
             trips, and the path stays full",
    judge: cruise,
    outside: Some(cruise_outside),
};

fn cruise(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 16.0, "bursts of several acknowledgements, four in a round trip,")?;
    let story = Story::of(stage, &Network { duration: until_probe_up(stage) + point.rounds(60), ..bursty(stage) })?;
    let startup = story.startup_ends()?;
    let stays = story.stays();
    let cruises = stays.iter().filter(|stay| stay.state == State::ProbeCruise && stay.first().at > startup.at);
    let Some(cruise) = cruises.max_by_key(|stay| stay.lasted()) else {
        story.stay(State::ProbeCruise, startup.at)?;
        return Err(Miss::failed("no PROBE_CRUISE", "PROBE_CRUISE"));
    };
    let settled: Vec<&Look> =
        cruise.looks.iter().filter(|look| look.at >= cruise.first().at + point.rounds(2)).collect();
    let Some(last) = settled.last() else {
        return Err(Miss::not_applicable("no PROBE_CRUISE lasts two round trips"));
    };
    let burst = point.holds_packets() / BURSTS as f64;
    for look in &settled {
        let extra = known!(look, extra_acked)? as f64;
        let seen = || format!("extra_acked is {extra} at {}", seconds(look.at));
        check(extra >= 0.4 * burst, seen, &format!("remembered, of bursts of {burst:.0}"))?;
        let (window, least) =
            (look.outside.window, 2.0 * look.product()? + 0.9 * extra.min(look.max_bw()? / 10.0) - 2.0);
        let text = || format!("a window of {window:.0} at {}", seconds(look.at));
        check(window >= least, text, &format!("{least:.0} at least: twice the BDP, and extra_acked {extra}"))?;
    }
    let part = story.delivery_rate(settled[0].at, last.at) / point.packets_per_second();
    check(part >= 0.93, || format!("{part:.3} of the path's rate delivered"), "0.93 at least in PROBE_CRUISE")?;
    Ok(format!("{part:.3} of the path's rate from {}, window {:.0}", seconds(settled[0].at), last.outside.window))
}

fn cruise_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 16.0, "bursts of several acknowledgements, four in a round trip,")?;
    // bursts make the start longer
    let (from, to) = (point.rounds(30), point.rounds(40));
    if to > Span::from_secs(5) {
        return Err(Miss::not_applicable(
            "from outside: PROBE_RTT comes before PROBE_CRUISE shows on round trips this long",
        ));
    }
    let view = View::of(stage, &Network { duration: to + point.rounds(4), ..bursty(stage) })?;
    let part = view.part(at(from), at(to));
    let seen = || {
        format!("{part:.3} of the path's rate from {}, bursts of {:.0}", seconds(at(from)), view.holds / BURSTS as f64)
    };
    check(part >= 0.93, seen, "0.93 at least")?;
    Ok(seen())
}

pub(super) const SUB_PACKET: Case = Case {
    name: "sub-packet",
    title: "Correctly Managing Sub-Packet BDPs",
    checks: "BBR.MinPipeCwnd: a window of four packets at least, the path's rate, and no standstill with delayed acknowledgements",
    judge: sub_packet,
    outside: Some(sub_packet_outside),
};

/// The round trip of the grid, at a rate at which a packet takes two round trips to send: the grid's rate does not
/// matter.
pub(super) fn sub_packet_network(stage: &Stage<'_>) -> Network {
    let rtt = stage.point().rtt;
    let packet_bytes = stage.least_packet_bytes().max(1_000);
    let point = Point { rate_bps: packet_bytes * 8 * 1_000_000_000 / (2 * rtt.as_nanos()), rtt };
    let mut network = stage.network();
    network.host.push("delayed_ack = \"40ms\"".into());
    Network { point, packet_bytes, queue_packets: 30, duration: Span::from_secs(8) + rtt.times(800), ..network }
}

fn sub_packet(stage: &mut Stage<'_>) -> Judged {
    let network = sub_packet_network(stage);
    let (point, packet_bytes) = (network.point, network.packet_bytes);
    let per_second = point.rate_bps as f64 / 8.0 / packet_bytes as f64;
    let story = Story::of(stage, &network)?;
    let startup = story.startup_ends()?;
    let looks = story.from(startup.at);
    let least = looks.iter().map(|look| look.outside.window).fold(f64::INFINITY, f64::min);
    check(least >= 4.0, || format!("a window of {least}"), "four packets at least (BBR.MinPipeCwnd)")?;
    let cruise =
        looks.iter().rfind(|look| look.inside.state == State::ProbeCruise || look.inside.state == State::ProbeBw);
    let cruise = cruise.ok_or_else(|| Miss::failed("no PROBE_CRUISE", "PROBE_CRUISE"))?;
    let gain = known!(cruise, pacing_gain)? as f64 / 256.0;
    let pace = cruise.outside.pace.ok_or(Miss::Untold("it does not tell its pace"))? / gain / per_second;
    let seen = || format!("a pace of {pace:.3} of the path's rate at {}", seconds(cruise.at));
    check((0.9..=1.1).contains(&pace), seen, "within a tenth of it")?;
    let part = story.delivery_rate(startup.at, Time::ZERO + network.duration) / per_second;
    check(part >= 0.95, || format!("{part:.3} of the path's rate delivered"), "0.95 at least: no standstill")?;
    Ok(format!("{part:.3} of the path's rate, window {least} at least, pace {pace:.3} of the rate"))
}

fn sub_packet_outside(stage: &mut Stage<'_>) -> Judged {
    let network = sub_packet_network(stage);
    let rtt = network.point.rtt;
    let view = View::of(stage, &network)?;
    let settled = at(Span::from_secs(2) + rtt.times(60));
    let least = view.between(settled, view.end()).iter().map(|moment| moment.window).fold(f64::INFINITY, f64::min);
    check(least >= 3.99, || format!("a window of {least:.2}"), "four packets at least (BBR.MinPipeCwnd)")?;
    let part = view.part(settled, view.end());
    check(part >= 0.95, || format!("{part:.3} of the path's rate delivered"), "0.95 at least: no standstill")?;
    Ok(format!("{part:.3} of the path's rate, window {least:.1} at least"))
}
