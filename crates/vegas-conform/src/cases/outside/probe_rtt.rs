//! PROBE_RTT from outside: the packets in flight fall to half of the bandwidth-delay product every five seconds, but not after
//! silence.

use vegas_core::units::{Span, Time};

use super::super::look::{PROBE_RTT_INTERVAL, check, millis, needs_packets};
use super::super::probe_rtt::DURATION;
use super::super::probe_up::bulk_until;
use super::{View, at, seconds};
use crate::case::{Judged, Miss, Stage};
use crate::network::{Network, time};

/// A period with few packets in flight.
struct Dip {
    begins: Time,
    ends: Time,
}

impl View {
    /// Finds the first fall after which the packets in flight stay at or below half of the product for the duration of
    /// PROBE_RTT. A moment with more in flight ends the period.
    fn first_dip(&self, from: Time) -> Option<Dip> {
        let half = self.half();
        let later = self.between(from, self.end());
        let runs =
            later.chunk_by(|one, next| (f64::from(one.in_flight) <= half) == (f64::from(next.in_flight) <= half));
        let mut place = 0;
        for run in runs {
            let is_fall = place > 0 && f64::from(run[0].in_flight) <= half;
            place += run.len();
            let ends = later.get(place).map_or(self.end(), |moment| moment.at);
            if is_fall && ends.since(run[0].at) >= DURATION {
                return Some(Dip { begins: run[0].at, ends });
            }
        }
        None
    }
}

/// The round trips of the start; the first PROBE_RTT is due at five seconds.
const SETTLED_ROUNDS: u64 = 36;

pub(in crate::cases) fn enter(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "from outside: a half that is above four packets")?;
    let network = Network { duration: Span::from_secs(12) + point.rounds(90), ..stage.network() };
    let view = View::of(stage, &network)?;
    let from = at(point.rounds(SETTLED_ROUNDS).min(Span::from_secs(4)));
    let expected = format!("{:.0} at most for 200 ms, after five seconds", view.half());
    let least = view.dip(from, view.end()).1;
    let seen = || format!("{least:.0} packets in flight at least until {}", seconds(view.end()));
    let dip = view.first_dip(from).ok_or_else(|| Miss::failed(seen(), &expected))?;
    let (begins, held) = (dip.begins, dip.ends.since(dip.begins));
    let seen = || format!("{:.0} packets in flight or less at {} for {}", view.half(), seconds(begins), millis(held));
    check(begins >= at(PROBE_RTT_INTERVAL), seen, "five seconds before the first")?;
    let latest = at(Span::from_secs(8).max(PROBE_RTT_INTERVAL + point.rounds(12)));
    check(begins <= latest, seen, &format!("the first before {}", seconds(latest)))?;
    let longest = DURATION.max(point.rounds(1)) + point.rounds(5);
    check(held <= longest, seen, &format!("{} at most", millis(longest)))?;
    let again = view.peak(dip.ends, dip.ends + point.rounds(8)).1;
    check(again >= 0.8 * view.holds, || format!("{again:.0} packets in flight afterwards"), "the path full again")?;
    Ok(format!("from outside: {}", seen()))
}

/// Runs bulk data. A control that shows no PROBE_RTT then is not judged by its absence.
fn has_dip(stage: &mut Stage<'_>) -> Result<(), Miss> {
    let settled = stage.point().rounds(SETTLED_ROUNDS);
    let network = Network { duration: Span::from_secs(14) + settled, ..stage.network() };
    let view = View::of(stage, &network)?;
    let dip = view.first_dip(at(settled.min(Span::from_secs(4))));
    dip.map(drop).ok_or_else(|| Miss::not_applicable("from outside: bulk data show no PROBE_RTT"))
}

/// The application is silent for six seconds in the middle of a run that otherwise has PROBE_RTT.
pub(in crate::cases) fn idle(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    needs_packets(point, 12.0, "from outside: a half that is above four packets")?;
    has_dip(stage)?;
    let silent = Span::from_secs(2) + point.rounds(SETTLED_ROUNDS);
    let back = silent + Span::from_secs(6) + point.rounds(2);
    let silence = format!("{{ kind = \"idle\", duration = {} }}", time(back.less(silent)));
    let application = bulk_until(silent, &[silence, "{ kind = \"bulk\" }".into()]);
    let duration = back + Span::from_secs(4) + point.rounds(4);
    let view = View::of(stage, &Network { duration, application, ..stage.network() })?;
    let again = at(back + point.rounds(6));
    if again >= at(back + Span::from_millis(3_900)) {
        return Err(Miss::not_applicable("from outside: PROBE_RTT is due before the path is full again"));
    }
    let dip = view.first_dip(again).filter(|dip| dip.begins < at(back) + Span::from_millis(3_900));
    let seen = || dip.as_ref().map(|dip| format!("PROBE_RTT at {}", seconds(dip.begins))).unwrap_or_default();
    check(dip.is_none(), seen, "none after silence")?;
    let part = view.part(again, view.end());
    check(part >= 0.8, || format!("{part:.2} of the path's rate afterwards"), "0.8 at least")?;
    Ok(format!("from outside: sends again at {}, {part:.2} of the path's rate, no PROBE_RTT", seconds(at(back))))
}
