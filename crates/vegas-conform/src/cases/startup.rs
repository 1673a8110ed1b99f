//! STARTUP and how it ends.

use super::look::{check, known, looks, seconds, stays};
use crate::case::{Case, Judged, Miss, Stage};
use crate::observed::State;

pub(super) const PLATEAU: Case = Case {
    name: "startup-plateau",
    title: "Exiting STARTUP on Bandwidth Plateau",
    checks: "BBRCheckFullBWReached, BBRCheckStartupDone: BBR.max_bw within 2 % of the path's rate, three round trips without a \
             quarter of growth, then DRAIN",
    judge: plateau,
};

fn plateau(stage: &mut Stage<'_>) -> Judged {
    let point = stage.point();
    let looks = looks(stage.run(&stage.network())?)?;
    let stays = stays(&looks);
    check(stays[0].state == State::Startup, || stays[0].state.name().into(), "the connection begins in STARTUP")?;
    let next = stays[0].next.ok_or_else(|| Miss::failed("STARTUP to the end", "STARTUP ends"))?;
    check(next.inside.state == State::Drain, || next.inside.state.name().into(), "DRAIN after STARTUP")?;
    let rounds = known(next.inside.full_bw_count, "full_bw_count")?;
    check(rounds == 3, || format!("full_bw_count is {rounds}"), "full_bw_count is 3 where STARTUP ends")?;
    let reached = known(next.inside.full_bw_reached, "full_bw_reached")?;
    check(reached == 1, || "full_bw_reached is false".into(), "full_bw_reached is set")?;
    let max_bw = known(next.inside.max_bw, "max_bw")? as f64;
    let part = max_bw / point.packets_per_second();
    check((0.98..=1.02).contains(&part), || format!("max_bw is {part:.3} of the path's rate"), "within 2 % of it")?;
    Ok(format!("DRAIN at {}, max_bw {part:.3} of the path's rate", seconds(next.moment.at)))
}
