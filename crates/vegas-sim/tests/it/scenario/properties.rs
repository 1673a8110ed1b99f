//! No input makes the parser panic, and every accepted scenario is consistent.

use proptest::prelude::*;
use proptest::sample::select;
use std::fs;
use std::path::Path;

use crate::parser;

/// Every scenario that is shipped.
fn shipped() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut scenarios: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenarios.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    scenarios.sort();
    // the parser gets texts, which have no folder
    let here = format!("trace = \"{}/", folder.display());
    scenarios.iter().map(|path| fs::read_to_string(path).unwrap().replace("trace = \"", &here)).collect()
}

/// The pieces that a mutation inserts: the vocabulary of the file, and values at its limits.
const PIECES: &[&str] = &[
    "0",
    "-1",
    "1",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "nan",
    "0.5",
    "\"0p\"",
    "\"1p\"",
    "\"1b\"",
    "\"50mbit\"",
    "\"99999999999tbit\"",
    "\"0.0000000000000000000001s\"",
    "\"1ns\"",
    "\"1h\"",
    "\"change\"",
    "\"é\"",
    "[",
    "]",
    "{",
    "}",
    "[[flow]]",
    "[flow]",
    "=",
    ".",
    "\"",
    "#",
    "\n",
    "null",
    "true",
    "\u{2028}",
    "hops = 1000",
    "kind = \"parking-lot\"",
    "kind = \"graph\"",
    "via = [\"west\"]",
    "enter = \"r2\"",
    "stop = \"1s\"",
    "drop = [1]",
    "algorithm = {}",
    "access = {}",
    "backward = {}",
    "loss = \"50%\"",
    "loss = { model = \"gilbert-elliott\", good_to_bad = 0.1, bad_to_good = 0.5 }",
    "jitter = \"3ms\"",
    "delay_schedule = { limit = \"2ms\", points = [[\"0s\", \"1ms\"]] }",
    "delay_schedule = { limit = \"2ms\", points = [[\"10ms\", \"2ms\"], [\"11ms\", \"0s\"]], every = \"2ms\" }",
    "host.delayed_ack = false",
];

const KEYS: &[&str] = &[
    "flow.0.algorithm",
    "flow.0.algorithm.cut",
    "flow.0.start",
    "flow.1.packet",
    "flow.0.host.rto_min",
    "flow.9",
    "seed",
    "topology.kind",
    "topology.hops",
    "topology.bottleneck.queue",
    "topology.bottleneck.backward.loss",
    "topology.link.0",
    "topology",
    "duration",
    "sample",
    "",
    ".",
    "flow",
    "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r",
];

/// Replaces `length` characters from `at` on by a piece.
fn spoil(text: &str, at: usize, length: usize, piece: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let from = at % (chars.len() + 1);
    let to = (from + length).min(chars.len());
    chars[..from].iter().copied().chain(piece.chars()).chain(chars[to..].iter().copied()).collect()
}

/// Replaces the value in one line by a piece, so that the rest stays valid.
fn replace_value(text: &str, line: usize, piece: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let at = line % lines.len();
    if let Some((key, _)) = lines[at].split_once('=') {
        lines[at] = format!("{key}= {piece}");
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        parser::check(&text, &[]);
    }

    #[test]
    fn any_value_is_answered(text in select(shipped()), line in 0usize..200, piece in "[ -~]{0,20}") {
        parser::check(&replace_value(&text, line, &piece), &[]);
        parser::check(&replace_value(&text, line, &format!("\"{piece}\"")), &[]);
    }

    #[test]
    fn a_spoilt_scenario_is_answered(
        text in select(shipped()),
        spoils in prop::collection::vec((any::<usize>(), 0usize..30, select(PIECES)), 1..4),
        values in prop::collection::vec((0usize..200, select(PIECES)), 0..3),
    ) {
        let text = values.iter().fold(text, |text, (line, piece)| replace_value(&text, *line, piece));
        parser::check(&text, &[]);
        parser::check(&spoils.iter().fold(text, |text, (at, length, piece)| spoil(&text, *at, *length, piece)), &[]);
    }

    #[test]
    fn any_override_is_answered(
        text in select(shipped()),
        overrides in prop::collection::vec((select(KEYS), prop_oneof![select(PIECES).prop_map(String::from), "\\PC{0,20}"]), 1..4),
    ) {
        let overrides: Vec<_> = overrides.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
        parser::check(&text, &overrides);
    }
}

/// The mutations above are useful only if the original scenarios are valid.
#[test]
fn the_shipped_scenarios_are_accepted() {
    let texts = shipped();
    assert!(texts.len() >= 11);
    assert!(texts.iter().all(|text| parser::check(text, &[])));
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!parser::check(&deep, &[]));
    assert!(!parser::check(&format!("name = {deep}"), &[]));
    let good = &shipped()[0];
    assert!(!parser::check(good, &[("flow".into(), deep.clone())]));
    assert!(!parser::check(good, &[(vec!["a"; 100_000].join("."), "1".into())]));
}
