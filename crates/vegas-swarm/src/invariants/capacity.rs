//! Invariants of goodput and of what links can carry.

use vegas_sim::scenario::{LinkId, RateTrace, Scenario};

use super::{changes_of, ensure, is_rerouted, link_name, nanos};
use crate::run::Case;

/// Checks that the bytes of the flows that crossed a link are at most what it could carry from the start of the first
/// flow on. This takes all changes of its rate into account, and adds a packet for each rate.
pub(super) fn goodput_within_capacity(case: &Case<'_>) -> Result<(), String> {
    let Case { scenario, outcome, .. } = case;
    let end_ns = nanos(outcome.end_s);
    for link in 0..scenario.links.len() {
        let crossing = |flow: &usize| scenario.flows[*flow].path.contains(&link) && !is_rerouted(scenario, *flow);
        let flows: Vec<usize> = (0..scenario.flows.len()).filter(crossing).collect();
        let Some(start_ns) = flows.iter().map(|flow| nanos(outcome.flows[*flow].start_s)).min() else { continue };
        let delivered: u64 = flows.iter().map(|flow| outcome.flows[*flow].delivered_bytes).sum();
        let largest = flows.iter().map(|flow| scenario.flows[*flow].largest_packet().get()).max().unwrap_or(0);
        let packets: u64 = flows.iter().map(|flow| outcome.flows[*flow].segments_sent).sum();
        let (carried, rates, rate_max) = carried(scenario, link, start_ns, end_ns);
        // a transmission is rounded to a nanosecond
        let rounding = packets as f64 * 0.5e-9 * rate_max / 8.0;
        let most = carried + rounding + (largest * rates) as f64;
        ensure(delivered as f64 <= most * (1.0 + 1e-9), || {
            let name = link_name(scenario, link);
            format!(
                "{delivered} bytes of flows over {name}, which could carry {most:.0} from {start_ns} to {end_ns} ns"
            )
        })?;
    }
    Ok(())
}

/// Checks that payload in order is at most the throughput.
pub(super) fn goodput_within_throughput(case: &Case<'_>) -> Result<(), String> {
    for (flow, total) in case.outcome.flows.iter().enumerate() {
        ensure(total.goodput_mbps <= total.throughput_mbps * (1.0 + 1e-9), || {
            format!("flow {flow}: goodput {}, throughput {}", total.goodput_mbps, total.throughput_mbps)
        })?;
    }
    Ok(())
}

/// Returns the bytes that a link can carry between two times, the number of rates that it has in the run, and the
/// greatest rate, bit/s.
fn carried(scenario: &Scenario, link: LinkId, from_ns: u64, to_ns: u64) -> (f64, u64, f64) {
    if let Some(trace) = &scenario.links[link].trace {
        let opportunities = opportunities_until(trace, to_ns) - opportunities_until(trace, from_ns);
        return (((opportunities + 1) * u64::from(RateTrace::OPPORTUNITY_BYTES)) as f64, 1, 0.0);
    }
    let (mut bits, mut rates, mut since, mut rate) = (0.0, 1, 0, bits(scenario, link));
    let mut rate_max = rate;
    let overlap = |since: u64, until: u64| until.min(to_ns).saturating_sub(since.max(from_ns)) as f64 / 1e9;
    for (at, change) in changes_of(scenario, link) {
        let Some(next) = change.rate else { continue };
        bits += rate * overlap(since, at);
        (since, rate) = (at, next.as_bits_per_second() as f64);
        rates += 1;
        rate_max = rate_max.max(rate);
    }
    bits += rate * overlap(since, to_ns);
    (bits / 8.0, rates, rate_max)
}

fn bits(scenario: &Scenario, link: LinkId) -> f64 {
    scenario.links[link].rate.as_bits_per_second() as f64
}

fn opportunities_until(trace: &RateTrace, time_ns: u64) -> u64 {
    let period_ns = trace.period().as_nanos();
    let rest_ms = (time_ns % period_ns) / 1_000_000;
    let within = trace.opportunities_ms().iter().filter(|&&at| u64::from(at) <= rest_ms).count() as u64;
    time_ns / period_ns * trace.opportunities_ms().len() as u64 + within
}
