//! Shrinking, by predicates with a known smallest document.

use serde_json::{Value, json};
use vegas_swarm::document::shrink::shrunk;

#[test]
fn what_does_not_matter_goes() {
    let document = json!({
        "name": "x",
        "duration": "73123ms",
        "flow": [{ "algorithm": "vegas" }, { "algorithm": "reno", "ecn": true, "initial_window": 700 }, { "algorithm": "sack" }],
        "topology": { "queue": { "kind": "codel", "limit": "100p" }, "nodes": ["a", "b", "c"] },
    });
    let fails = |document: &Value| {
        let flows = document["flow"].as_array();
        flows.is_some_and(|flows| {
            flows.iter().any(|flow| flow["algorithm"] == "reno" && flow["initial_window"].as_u64() > Some(5))
        }) && (document["topology"]["queue"].is_string() || document["topology"]["queue"]["limit"].is_string())
            && document["duration"].as_str().is_some_and(|text| text.ends_with("ms") && text != "0ms")
    };
    assert!(fails(&document));
    let small = shrunk(&document, 10_000, fails);
    let expected = json!({
        "duration": "1ms",
        "flow": [{ "algorithm": "reno", "initial_window": 10 }],
        "topology": { "queue": "0p" },
    });
    assert_eq!(small, expected);
}

#[test]
fn it_asks_as_often_as_it_may() {
    let mut asks = 0;
    let document = json!({ "a": [1, 2, 3, 4, 5, 6, 7, 8, 9], "b": "100ms" });
    let same = shrunk(&document, 4, |_| {
        asks += 1;
        false
    });
    assert_eq!((same, asks), (document, 4));
}
