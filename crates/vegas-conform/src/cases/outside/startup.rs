//! STARTUP from outside: the packets in flight grow until the path is full, and no further.

use vegas_core::units::{Span, Time};

use super::super::look::{check, needs_packets};
use super::super::probe_up::until_probe_up_of;
use super::super::startup::rate_phase;
use super::{View, at, between_probe_rtts, seconds};
use crate::case::{Judged, Miss, Stage};
use crate::network::Network;

/// The greatest window of STARTUP, in bandwidth-delay products: 2, or 2.89 in earlier versions, plus bursts.
const PRODUCTS: f64 = 3.2;

/// The growth at the start.
pub(super) struct Growth {
    pub(super) full_at: Time,
    pub(super) peak_at: Time,
    pub(super) peak: f64,
}

/// The growth at the start ends within six round trips of a full path (three of a plateau, and the queue makes them longer).
pub(super) fn growth(view: &View) -> Result<Growth, Miss> {
    let expected = "0.95 of the path's rate in a round trip";
    let full_at = view.full_at(Time::ZERO).ok_or_else(|| Miss::failed("the path is never full", expected))?;
    let (peak_at, peak) = view.peak(Time::ZERO, full_at + view.point.rounds(12));
    Ok(Growth { full_at, peak_at, peak })
}

pub(in crate::cases) fn plateau(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "from outside: growth to be seen")?;
    let view = View::of(stage, &Network { duration: point.rounds(50), ..stage.network() })?;
    let Growth { full_at, peak_at, peak } = growth(&view)?;
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
    Ok(format!(
        "from outside: full at {}, {peak:.0} packets in flight at most, at {}",
        seconds(full_at),
        seconds(peak_at)
    ))
}

/// The application gives half of the rate, a fifth of the packets is lost for a while, and then the application gives all data
/// at once: a control that is still in STARTUP doubles the packets in flight.
pub(in crate::cases) fn loss(stage: &mut Stage<'_>) -> Judged {
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
    check(most <= bound, seen, &format!("{bound:.0}, and no growth to STARTUP's twice the product"))?;
    Ok(format!("from outside: {lost} lost, {}", seen()))
}

/// Growth waits while the application gives half of the rate, and continues as soon as it gives all.
pub(in crate::cases) fn stays(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 6.0, "an application that keeps a part of it in flight")?;
    between_probe_rtts(point, 8)?;
    let slow = until_probe_up_of(point);
    let application = vec![rate_phase(&stage.network(), 2, Some(slow)), "{ kind = \"bulk\" }".into()];
    let view = View::of(stage, &Network { duration: slow + point.rounds(30), application, ..stage.network() })?;
    let expected = "STARTUP fills the path within eight round trips of the application's end of limiting it";
    let full_at = view.full_at(at(slow)).ok_or_else(|| Miss::failed("the path is not full after thirty", expected))?;
    let late = || format!("limited until {}, the path full at {}", seconds(at(slow)), seconds(full_at));
    check(full_at <= at(slow + point.rounds(8)), late, expected)?;
    Ok(format!("from outside: {}", late()))
}
