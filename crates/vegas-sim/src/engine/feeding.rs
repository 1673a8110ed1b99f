//! Which links are fed ahead of time: all their packets come from one other link, so that what that one accepts can be
//! offered to them at once, in order, and no event is needed in between.

use crate::link::Link;
use crate::scenario::{Change, LinkId, Sampling, Scenario};

/// Who is before a link on the routes that use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nobody,
    Link(LinkId),
    /// A host, or several.
    Others,
}

/// The link that feeds each link, if one does. Where every change is recorded nothing is done ahead of time, as rows are
/// written in the order in which things happen.
pub(super) fn feeders(scenario: &Scenario, links: &[Link]) -> Vec<Option<LinkId>> {
    let feeder = |(id, before): (LinkId, Before)| match before {
        Before::Link(feeder) if links[feeder].may_be_fed() && links[id].may_be_fed() => Some(feeder),
        _ => None,
    };
    match scenario.sampling {
        Sampling::EveryChange => vec![None; links.len()],
        _ => before(scenario, links.len()).into_iter().enumerate().map(feeder).collect(),
    }
}

fn before(scenario: &Scenario, links: usize) -> Vec<Before> {
    let mut all = vec![Before::Nobody; links];
    for route in routes(scenario) {
        let mut before = Before::Others;
        for &link in route {
            all[link] = match all[link] {
                Before::Nobody => before,
                known if known == before => known,
                _ => Before::Others,
            };
            before = Before::Link(link);
        }
    }
    all
}

/// All routes that packets take at any time.
fn routes(scenario: &Scenario) -> impl Iterator<Item = &Vec<LinkId>> {
    let flows = scenario.flows.iter().flat_map(|flow| [&flow.path, &flow.reverse_path]);
    let datagrams = scenario.traffic.iter().map(|source| &source.path);
    let connections = scenario.traffic.iter().filter_map(|source| source.connection());
    let connections = connections.flat_map(|flow| [&flow.path, &flow.reverse_path]);
    let changes = scenario.changes.iter().filter_map(|change| match &change.change {
        Change::Route(change) => Some([&change.path, &change.reverse_path]),
        Change::Link(_) => None,
    });
    flows.chain(datagrams).chain(connections).chain(changes.flatten())
}
