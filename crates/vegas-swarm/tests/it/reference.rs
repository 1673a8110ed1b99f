//! The fast engine agrees with the reference engine on random networks over every feature.

use vegas_swarm::network::Network;
use vegas_swarm::relations::named;
use vegas_swarm::{Verdict, document, traces};

/// `vegaslab-swarm examine --relation reference` compares more networks.
#[test]
fn two_thousand_networks_agree() {
    let traces = traces::Folder::new().expect("a folder");
    let (source, relation) = (traces.source(), named("reference").expect("the relation"));
    let source = source.to_string_lossy();
    let mut compared = 0;
    for number in 0..2_000 {
        match (Network { seed: 19, number }).examine_by(&source, &[relation]) {
            Verdict::Failed(document, failure) => {
                panic!("network {number}: {failure:?}\n{}", document::to_toml(&document))
            }
            Verdict::Held { compared: relations, .. } => compared += relations.len(),
            Verdict::Refused(_) | Verdict::TooLong => {}
        }
    }
    assert!(compared > 1_700, "only {compared} networks were compared");
}
