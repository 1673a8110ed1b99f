//! STARTUP and its end.

use super::look::{Look, Story, check, known, needs_packets, seconds, since_start, within};
use super::view::{Growth, View, at};
use crate::case::{Case, Judged, Miss, Stage};
use crate::grid::rate;
use crate::network::{Network, time};
use crate::observed::State;
use vegas_core::units::{Span, Time};

pub(super) const PLATEAU: Case = Case {
    name: "startup-plateau",
    title: "Exiting STARTUP on Bandwidth Plateau",
    checks: "CheckFullBWReached, CheckStartupDone: BBR.max_bw within 2 % of the path's rate; full_bw_count 3, full_bw_now and \
             full_bw_reached set where STARTUP turns to DRAIN",
    judge: plateau,
    outside: Some(plateau_outside),
};

fn plateau(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let network = Network { duration: point.rounds(90), ..stage.network() };
    let story = Story::of(stage, &network)?;
    let next = story.startup_ends()?;
    let flat = |look: &Look| (look.inside.full_bw_count, look.inside.full_bw_now, look.inside.full_bw_reached);
    known!(next, full_bw_now)?;
    let seen = || format!("full_bw_count, _now and _reached are {:?} there", flat(&next));
    check(flat(&next) == (Some(3), Some(1), Some(1)), seen, "3, 1, 1 where STARTUP ends")?;
    let part = next.max_bw()? / point.packets_per_second();
    check(within(part, 0.02, 1.0), || format!("max_bw is {part:.3} of the path's rate"), "max_bw within 2 % of it")?;
    Ok(format!("DRAIN at {}, max_bw {part:.3} of the path's rate", seconds(next.at)))
}

/// The greatest window of STARTUP, in bandwidth-delay products: 2, or 2.89 in earlier versions, plus bursts.
const PRODUCTS: f64 = 3.2;

fn plateau_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "from outside: growth to be seen")?;
    let view = View::of(stage, &Network { duration: point.rounds(50), ..stage.network() })?;
    let Growth { full_at, peak_at, peak } = view.growth()?;
    let lost = view.lost(Time::ZERO, view.end());
    check(lost == 0, || format!("{lost} packets are lost"), "growth ends by the plateau, without losses")?;
    let most = PRODUCTS * view.one();
    check(peak <= most, || format!("{peak:.0} packets in flight"), &format!("{most:.0} at most"))?;
    let later = view.peak(full_at + point.rounds(14), view.end()).1;
    check(
        later <= 1.05 * peak,
        || format!("{later:.0} packets in flight later, {peak:.0} at first"),
        "no more growth",
    )?;
    let part = view.part(full_at, full_at + point.rounds(4));
    check((0.93..=1.02).contains(&part), || format!("{part:.3} of the path's rate"), "the path's rate")?;
    Ok(format!("full at {}, {peak:.0} packets in flight at most, at {}", seconds(full_at), seconds(peak_at)))
}

pub(super) const LOSS: Case = Case {
    name: "startup-loss",
    title: "Exiting STARTUP on Loss When Application-Limited",
    checks: "CheckStartupHighLoss: six losses and 2 % in a round trip end STARTUP though the application limits the rate",
    judge: loss,
    outside: Some(loss_outside),
};

/// The application gives half of the path's rate, and from a certain time on the path loses every fifth packet.
fn loss(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 60.0, "six losses in a round trip of half the rate, a tenth of it lost,")?;
    let (from, until) = (point.rounds(18), point.rounds(30));
    let network = Network {
        duration: until,
        application: vec![rate_phase(&stage.network(), 2, None)],
        changes: vec![(from, "loss = 0.2".into())],
        ..stage.network()
    };
    let story = Story::of(stage, &network)?;
    let next = story.startup_ends()?;
    check(since_start(next.at) >= from, || format!("DRAIN at {}", seconds(next.at)), "STARTUP until packets are lost")?;
    check(next.outside.app_limited, || "samples are not application-limited".into(), "application-limited samples")?;
    let set = (known!(next, full_bw_now)?, known!(next, full_bw_reached)?);
    check(
        set == (1, 1),
        || format!("full_bw_now and _reached are {set:?}"),
        "full_bw_now and full_bw_reached are set",
    )?;
    let count = known!(next, full_bw_count)?;
    check(count < 3, || format!("full_bw_count is {count}"), "the end by losses, not by a plateau")?;
    let lost = next.outside.lost;
    Ok(format!("DRAIN at {} after {lost} losses from {}", seconds(next.at), seconds(Time::ZERO + from)))
}

/// The application gives half of the rate, a fifth of the packets is lost for a while, and then the application gives
/// all data at once: a control that is still in STARTUP doubles the packets in flight.
fn loss_outside(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 60.0, "six losses in a round trip of half the rate, a tenth of it lost,")?;
    if point.rounds(12) > Span::from_secs(2) {
        return Err(Miss::not_applicable("from outside: PROBE_UP comes before growth shows on round trips this long"));
    }
    let (from, until) = (point.rounds(18), point.rounds(24));
    let little = rate_phase(&stage.network(), 2, Some(until));
    let network = Network {
        duration: until + point.rounds(14),
        application: vec![little, "{ kind = \"bulk\" }".into()],
        changes: vec![(from, "loss = 0.2".into()), (until.less(point.rounds(2)), "loss = 0".into())],
        ..stage.network()
    };
    let view = View::of(stage, &network)?;
    let lost = view.lost(at(from), at(until));
    check(lost >= 6, || format!("{lost} packets are found lost"), "six at least")?;
    let (most, bound) = (view.peak(at(until), at(until + point.rounds(7))).1, view.low());
    let seen = || format!("{most:.0} packets in flight at most in seven round trips after the losses");
    check(most <= bound, seen, &format!("{bound:.0}, and no growth to STARTUP's twice the BDP"))?;
    Ok(format!("{lost} lost, {}", seen()))
}

/// The application gives one part in `divisor` of the path's rate, for a time or to the end.
pub(super) fn rate_phase(network: &Network, divisor: u64, lasts: Option<Span>) -> String {
    let payload = network.packet_bytes - HEADER_BYTES;
    let bps = network.point.rate_bps * payload / network.packet_bytes / divisor;
    let lasts = lasts.map_or(String::new(), |span| format!(", duration = {}", time(span)));
    format!("{{ kind = \"rate\", rate = {:?}{lasts} }}", rate(bps))
}

/// The default header of scenario files.
const HEADER_BYTES: u64 = 40;

pub(super) const PROBE_RTT: Case = Case {
    name: "startup-probe-rtt",
    title: "Entering and Exiting PROBE_RTT During STARTUP",
    checks: "CheckProbeRTT, ExitProbeRTT: from STARTUP to PROBE_RTT and back, and then up to the path's rate",
    judge: probe_rtt,
    outside: None,
};

/// The application gives a third of the path's rate until PROBE_RTT is over, and then all data.
fn probe_rtt(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "an application that leaves a third of it in flight all the time")?;
    let slow = Span::from_secs(7) + point.rounds(4);
    let network = Network {
        duration: slow + point.rounds(90),
        application: vec![rate_phase(&stage.network(), 3, Some(slow)), "{ kind = \"bulk\" }".into()],
        ..stage.network()
    };
    let story = Story::of(stage, &network)?;
    story.stay(State::Startup, Time::ZERO)?.turns_to(&[State::ProbeRtt])?;
    let stay = story.stay(State::ProbeRtt, Time::ZERO)?;
    let back = stay.turns_to(&[State::Startup])?;
    let full = known!(back, full_bw_reached)?;
    check(full == 0, || "full_bw_reached is set".into(), "full_bw_reached is not set there")?;
    let part = story.startup_ends()?.max_bw()? / point.packets_per_second();
    check(
        within(part, 0.02, 1.0),
        || format!("STARTUP ends at {part:.3} of the path's rate"),
        "it finds the path's rate",
    )?;
    Ok(format!("PROBE_RTT at {}, STARTUP again at {}", seconds(stay.first().at), seconds(back.at)))
}
