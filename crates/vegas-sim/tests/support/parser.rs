//! The properties of any text that is given as a scenario file, for the property test and for the fuzz target.

use vegas_sim::scenario::{LinkId, LinkSpec, NodeId, Scenario, ScenarioError};

/// Reads `text` as TOML and as JSON, with overrides. Returns whether one of them was a scenario.
///
/// Panics if an error takes more than one line or does not name the file, or if a scenario contradicts itself or
/// its own document.
pub(crate) fn check(text: &str, overrides: &[(String, String)]) -> bool {
    let toml = check_result(Scenario::from_toml(text, "x.file", overrides));
    let json = check_result(Scenario::from_json(text, "x.file", overrides));
    toml || json
}

fn check_result(result: Result<Scenario, ScenarioError>) -> bool {
    match &result {
        Ok(scenario) => check_scenario(scenario),
        Err(error) => check_error(&error.to_string()),
    }
    result.is_ok()
}

fn check_error(message: &str) {
    assert!(message.starts_with("x.file:"), "names no file: {message}");
    assert!(!message.contains(char::is_control), "more than one line: {message}");
    assert!(message.len() < 3000, "too long: {message}");
}

fn check_scenario(scenario: &Scenario) {
    assert!(!scenario.flows.is_empty());
    for flow in &scenario.flows {
        let ends = check_path(scenario, &flow.path);
        assert_eq!(check_path(scenario, &flow.reverse_path), (ends.1, ends.0), "the way back is another");
        assert!(flow.start.as_nanos() < scenario.duration.as_nanos());
        assert!(flow.header < flow.packet);
        assert!(flow.composition.check(&flow.parameters).is_ok());
    }
    for traffic in &scenario.traffic {
        check_path(scenario, &traffic.path);
        assert!(traffic.start.as_nanos() < scenario.duration.as_nanos());
    }
    let document = serde_json::to_string(&scenario.document).expect("a tree of values is JSON");
    let again = Scenario::from_json(&document, "document", &[]).expect("the document is the scenario's");
    assert_eq!(&again, scenario);
}

/// Returns the ends of a path, and checks that its links follow one another.
fn check_path(scenario: &Scenario, path: &[LinkId]) -> (NodeId, NodeId) {
    let links: Vec<_> = path.iter().map(|id| &scenario.links[*id]).collect();
    // the link that holds a flow's packets is beside their host
    let holds = |link: &LinkSpec| scenario.nodes[link.from].starts_with("hold:");
    let follows = |pair: &[&LinkSpec]| pair[1].from == pair[0].to || holds(pair[1]) && pair[1].to == pair[0].to;
    assert!(links.windows(2).all(follows), "the path has a gap");
    assert!(links.iter().all(|link| link.from < scenario.nodes.len() && link.to < scenario.nodes.len()));
    (links[0].from, links[links.len() - 1].to)
}
