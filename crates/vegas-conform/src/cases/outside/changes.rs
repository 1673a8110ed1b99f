//! Changing and unusual paths, judged from outside: by delivered and lost packets and by packets in flight.

use vegas_core::units::{Span, Time};

use super::super::aggregation::{BURSTS, bursty, sub_packet_network};
use super::super::changes::{faster_networks, policed};
use super::super::look::{check, needs_packets};
use super::super::probe_up::bulk_until;
use super::super::startup::rate_phase;
use super::startup::{Growth, growth};
use super::{View, at, calm, earlier, seconds};
use crate::case::{Judged, Miss, Stage};
use crate::grid::{Point, rate};
use crate::network::Network;

pub(in crate::cases) fn aggregation_startup(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 16.0, "bursts of several acknowledgements, four in a round trip,")?;
    let view = View::of(stage, &Network { duration: point.rounds(120), ..bursty(stage) })?;
    let Growth { full_at, .. } = growth(&view)?;
    let late = || format!("full at {}", seconds(full_at));
    check(full_at <= at(point.rounds(20)), late, "0.95 of the path's rate within twenty round trips")?;
    let windows = view.between(Time::ZERO, full_at + point.rounds(12)).iter().map(|moment| moment.window);
    let window = windows.fold(0.0, f64::max);
    let seen = || format!("a window of {window:.0} at most, the product {:.0}", view.holds);
    check(window > 2.0 * view.holds, seen, "a window above twice the product")?;
    // slow start may double beyond the path and its queue; more than that means that an estimate takes a burst for the path's
    // rate
    check(window <= 10.0 * view.holds, seen, "a window of ten products at most: rates capped by what was sent")?;
    Ok(format!("from outside: full at {}, {}", seconds(full_at), seen()))
}

pub(in crate::cases) fn aggregation_cruise(stage: &mut Stage<'_>) -> Judged {
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
    Ok(format!("from outside: {}", seen()))
}

pub(in crate::cases) fn sub_packet(stage: &mut Stage<'_>) -> Judged {
    let network = sub_packet_network(stage);
    let rtt = network.point.rtt;
    let view = View::of(stage, &network)?;
    let settled = at(Span::from_secs(2) + rtt.times(60));
    let least = view.between(settled, view.end()).iter().map(|moment| moment.window).fold(f64::INFINITY, f64::min);
    check(least >= 3.99, || format!("a window of {least:.2}"), "four packets at least (BBR.MinPipeCwnd)")?;
    let part = view.part(settled, view.end());
    check(part >= 0.95, || format!("{part:.3} of the path's rate delivered"), "0.95 at least: no standstill")?;
    Ok(format!("from outside: {part:.3} of the path's rate, window {least:.1} at least"))
}

pub(in crate::cases) fn faster(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let (slow, queue) = faster_networks(stage)?;
    let (per_second, wait) = (point.rate_bps as f64 / 8.0 / slow.packet_bytes as f64, slow.point.wait());
    let change = slow.point.rounds(60) + wait;
    let bound = 3 * (per_second * point.rtt.as_nanos() as f64 / 1e9).log2().ceil() as u64 + 10;
    // PROBE_RTT may come in between
    let latest = change + wait.times(2) + slow.point.rounds(bound);
    let changes = vec![(change, format!("rate = {:?}\nqueue = \"{queue}p\"", rate(point.rate_bps)))];
    let mut view = View::of(stage, &Network { changes, duration: latest + wait, ..slow.clone() })?;
    (view.per_second, view.point) = (per_second, point);
    let expected = format!("0.95 of the new rate before {}", seconds(at(latest)));
    let most = view.part(earlier(view.end(), point.rounds(4)), view.end());
    let seen = || format!("{most:.3} of the new rate at the end");
    let found = view.full_at(at(change)).ok_or_else(|| Miss::failed(seen(), &expected))?;
    check(found <= at(latest), || format!("found at {}", seconds(found)), &expected)?;
    Ok(format!("from outside: the new rate of {} found at {}", seconds(at(change)), seconds(found)))
}

pub(in crate::cases) fn slower(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 60.0, "a tenth of it with six packets")?;
    let change = point.rounds(50);
    let slow = Point { rate_bps: point.rate_bps / 10, ..point };
    let network = Network { queue_packets: (point.holds_packets() / 4.0).ceil() as u64 + 4, ..stage.network() };
    let per_second = point.packets_per_second() / 10.0;
    let waiting = Span::from_nanos((network.queue_packets as f64 / per_second * 1e9) as u64);
    let duration = change + Span::from_secs(12) + (slow.rounds(1) + waiting).times(30);
    let changes = vec![(change, format!("rate = {:?}", rate(slow.rate_bps)))];
    let mut view = View::of(stage, &Network { changes, duration, ..network })?;
    (view.per_second, view.holds) = (per_second, point.holds_packets() / 10.0);
    let middle = at(change + Span::from_nanos(duration.less(change).as_nanos() / 2));
    let part = view.part(middle, view.end());
    check(part >= 0.9, || format!("{part:.3} of the new rate delivered"), "0.9 at least")?;
    let (usual, most) = (view.median(middle, view.end()), 2.0 * view.holds + 4.0);
    let seen = || format!("{usual:.0} packets in flight mostly, the product {:.0}", view.holds);
    check(usual <= most, seen, &format!("{most:.0} at most"))?;
    let lost = view.lost(middle, view.end()) as f64 / view.counts(view.end()).0.max(1) as f64;
    check(lost <= 0.05, || format!("{:.1} % lost", 100.0 * lost), "5 % at most")?;
    Ok(format!("from outside: {part:.3} of the new rate, {}", seen()))
}

pub(in crate::cases) fn policer(stage: &mut Stage<'_>) -> Judged {
    let network = policed(stage)?;
    let mut view = View::of(stage, &network)?;
    view.per_second /= 2.0;
    let middle = at(Span::from_nanos(network.duration.as_nanos() / 2));
    let part = view.part(middle, view.end());
    let (delivered, lost) = (view.counts(view.end()).0 - view.counts(middle).0, view.lost(middle, view.end()));
    let lost = lost as f64 / (delivered + lost).max(1) as f64;
    let seen = || format!("{part:.3} of the tokens' rate, {:.1} % lost in the second half", 100.0 * lost);
    check(part >= 0.8, seen, "0.8 of the tokens' rate at least")?;
    check(lost <= 0.05, seen, "5 % lost at most")?;
    Ok(format!("from outside: {}", seen()))
}

/// The application gives an eighth of the rate for a round trip and a half: samples of that time must not lower an estimate.
pub(in crate::cases) fn refill(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "an application that keeps an eighth of it in flight")?;
    let from = calm(point)?;
    let to = from + point.rounds(10);
    let little = rate_phase(&stage.network(), 8, Some(Span::from_nanos(point.rounds(3).as_nanos() / 2)));
    let application = bulk_until(from, &[little, "{ kind = \"bulk\" }".into()]);
    let view = View::of(stage, &Network { duration: to + point.rounds(6), application, ..stage.network() })?;
    let resumed = at(from + point.rounds(4));
    let part = view.part(resumed, at(to));
    let seen = || format!("{part:.3} of the path's rate from {}", seconds(resumed));
    check(part >= FULL_AGAIN, seen, "0.93 at least: the estimate is as before")?;
    Ok(format!("from outside: {}", seen()))
}

/// The control runs at PROBE_DOWN's pace of 0.9 for a part of the time.
const FULL_AGAIN: f64 = 0.93;
