//! Captures of the simulator, with known paths and totals: what is read out of them is what was simulated.

use std::fs;
use std::path::Path;

use vegas_measured::PathOf;
use vegas_results::{WriteOptions, write_folder};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::Scenario;

use crate::measure::{Measured, measured, of_file, refusal};

const PATH: &str = r#"
    name = "path"
    duration = "12s"
    capture = true
    [topology]
    kind = "dumbbell"
    access = { rate = "1gbit", delay = "1ms" }
    [topology.bottleneck]
    rate = "8mbit"
    delay = "20ms"
    queue = "60kb"
    [[flow]]
    algorithm = "cubic-linux"
    [flow.host]
    kind = "linux"
"#;

/// A run, and its captures at the senders and at the receivers.
struct Run {
    outcome: Outcome,
    at_sender: Vec<u8>,
    at_receiver: Vec<u8>,
}

fn run(overrides: &[(&str, &str)]) -> Run {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(PATH, "path.toml", &overrides).unwrap_or_else(|error| panic!("{error}"));
    let outcome = vegas_sim::run(&scenario);
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("run");
    let options = WriteOptions { csv: false, pcapng: true };
    write_folder(&folder, &scenario, &outcome, 0.0, options).unwrap_or_else(|error| panic!("{error}"));
    let capture = |name: &str| fs::read(folder.join(name)).expect(name);
    Run { at_sender: capture("capture.pcapng"), at_receiver: capture("capture-receiver.pcapng"), outcome }
}

/// The capture at the sender of such a run.
pub(crate) fn at_sender(overrides: &[(&str, &str)]) -> Vec<u8> {
    run(overrides).at_sender
}

/// A capture of some hundred packets.
pub(crate) fn small() -> Vec<u8> {
    run(&[("duration", "\"1s\""), ("topology.bottleneck.rate", "\"1mbit\""), ("topology.bottleneck.queue", "\"9kb\"")])
        .at_sender
}

fn of(content: &[u8]) -> Measured {
    measured("capture.pcapng", content).unwrap_or_else(|error| panic!("{error}"))
}

fn finding<'a>(found: &'a Measured, what: &str) -> &'a str {
    let path = found.report.path.as_ref().expect("a path");
    let finding = path.findings.iter().find(|finding| finding.what == what).unwrap_or_else(|| panic!("{what}"));
    &finding.value
}

/// The path, and the flow's totals, are those of the run.
#[test]
fn a_constant_rate_behind_a_queue_in_bytes() {
    let run = run(&[]);
    let found = of(&run.at_sender);
    assert_eq!(finding(&found, "base RTT"), "45.07 ms");
    assert_eq!(finding(&found, "rate"), "8.000 Mb/s, constant");
    assert_eq!(finding(&found, "queue limit"), "60000 bytes");
    assert_eq!(finding(&found, "losses with room in the queue"), "none");
    let check = found.report.path.as_ref().and_then(|path| path.check).expect("a check");
    assert!(check.p95_error_ms < 0.1 && check.lost_in_both > 0, "{check:?}");
    assert_eq!((check.lost_in_capture, check.lost_in_path, check.lost_elsewhere), (0, 0, 0), "{check:?}");
    let flow = &run.outcome.flows[0];
    assert_eq!(found.numbers("flows", "segments_sent"), [Some(flow.segments_sent as f64)]);
    assert_eq!(found.numbers("flows", "segments_retransmitted"), [Some(flow.segments_retransmitted as f64)]);
    assert_eq!(found.numbers("flows", "timeouts"), [Some(flow.timeouts as f64)]);
    assert_eq!(found.texts("flows", "capture_point"), [Some("sender".to_owned())]);
    assert!(found.report.odd.is_empty(), "{:?}", found.report.odd);
}

/// The scenario file that is written can be run, and has the path's values.
#[test]
fn the_scenario_file_is_one() {
    let scenario = of(&run(&[]).at_sender).scenario();
    let parsed = Scenario::from_toml(&scenario, "path.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    assert_eq!(parsed.links.len(), 6, "{scenario}");
    for line in ["rate = \"8000000bit\"", "queue = \"60000b\"", "algorithm = \"cubic-linux\""] {
        assert!(scenario.contains(line), "{line}:\n{scenario}");
    }
}

/// The size in a SYN does not count time stamps (RFC 6691): a full segment is one with them and without, and the path
/// has what the capture has.
#[test]
fn segments_with_time_stamps_and_without() {
    for (stamps, header) in [("true", "52b"), ("false", "40b")] {
        let run = run(&[("flow.0.host.timestamps", stamps)]);
        let found = of(&run.at_sender);
        assert_eq!(found.numbers("flows", "segments_sent"), [Some(run.outcome.flows[0].segments_sent as f64)]);
        let scenario = found.scenario();
        for line in [format!("\ntimestamps = {stamps}\n"), format!("\nheader = \"{header}\"\n")] {
            assert!(scenario.contains(&line), "{line}:\n{scenario}");
        }
    }
}

#[test]
fn losses_that_are_no_overflow() {
    let found = of(&run(&[("topology.bottleneck.loss", "0.01"), ("duration", "\"30s\"")]).at_sender);
    let percent: f64 = finding(&found, "losses with room in the queue").trim_end_matches(" %").parse().expect("a part");
    assert!((0.5..1.5).contains(&percent), "{percent} %");
}

#[test]
fn a_delay_that_changes() {
    let schedule = "{ limit = \"30ms\", points = [[\"0s\", \"0s\"], [\"10s\", \"15ms\"]] }";
    let changed = [
        ("topology.bottleneck.delay_schedule", schedule),
        ("topology.bottleneck.queue", "\"9kb\""),
        ("duration", "\"25s\""),
    ];
    let found = of(&run(&changed).at_sender);
    let changes = finding(&found, "base RTT changes");
    assert!(changes.contains("from 10."), "{changes}");
}

/// At the receiver nothing tells round-trip times, unless the hosts have time stamps: a line says so.
#[test]
fn the_receivers_side() {
    let found = of(&run(&[("flow.0.host.timestamps", "false")]).at_receiver);
    assert_eq!(found.texts("flows", "capture_point"), [Some("receiver".to_owned())]);
    assert!(found.report.path.is_none());
    let odd = "flow 0: its path cannot be worked out, as it has fewer than 20 round-trip samples";
    assert_eq!(found.report.odd, [odd]);
}

/// A capture that was cut off in the middle of a record has all before it, and a line that says so.
#[test]
fn a_capture_that_was_cut() {
    let whole = small();
    let found = of(&whole[..whole.len() / 2]);
    assert_eq!(found.report.odd.len(), 1, "{:?}", found.report.odd);
    assert!(found.report.odd[0].starts_with("the file ends inside a record, at byte "), "{:?}", found.report.odd);
}

/// Where a file goes on with something else than a record, a line names the byte: it is no capture that was cut.
#[test]
fn a_capture_that_is_damaged_names_the_byte() {
    let pcapng = small();
    // a pcap file in the order of bytes of a big-endian host, with one packet
    let pcap: Vec<u8> = [0xa1b2_c3d4, 0x0002_0004, 0, 0, 262_144, 101, 1, 0, 20, 20]
        .into_iter()
        .flat_map(u32::to_be_bytes)
        .chain([0; 20])
        .collect();
    for (name, whole, what) in [
        ("c.pcap", &pcap, "a packet of 2021161080 bytes, where 262144 are the most"),
        ("c.pcapng", &pcapng, "a block of the unknown type 0x78787878"),
    ] {
        let (length, garbage) = (whole.len(), [b'x'; 100]);
        let said = refusal(name, &[whole, &garbage[..]].concat());
        let remedy = format!("(head -c {length} has what is before)");
        assert_eq!(said, format!("{name}: byte {length}: {what}; the file is damaged here {remedy}"));
    }
    let said = refusal("c.pcap", &[pcap.as_slice(), &[0; 64]].concat());
    assert!(said.starts_with(&format!("c.pcap: byte {}: a packet of 0 bytes; ", pcap.len())), "{said}");
    // the beginning of one more packet
    for kept in [4, 15, 30] {
        let found = measured("c.pcap", &[pcap.as_slice(), &pcap[24..24 + kept]].concat());
        let odd = found.unwrap_or_else(|error| panic!("{error}")).report.odd;
        let cut = format!("the file ends inside a record, at byte {}: the capture was cut", pcap.len());
        assert!(odd.contains(&cut), "{kept}: {odd:?}");
    }
}

/// Of a capture with several flows the path of any may be asked for; that of none is an error.
#[test]
fn the_flow_that_is_asked_for() {
    let parent = tempfile::tempdir().expect("a folder");
    let file = parent.path().join("two.pcapng");
    fs::write(&file, run(&[("flow.0.count", "2"), ("duration", "\"4s\"")]).at_sender).expect("the file is written");
    let flow_of = |path| of_file(Path::new(&file), path).map(|found| found.report.path.map(|path| path.flow));
    assert_eq!(flow_of(PathOf::Flow(1)), Ok(Some(1)));
    assert_eq!(flow_of(PathOf::Nothing), Ok(None));
    let unknown = flow_of(PathOf::Flow(7)).expect_err("no such flow").to_string();
    assert!(unknown.ends_with("two.pcapng: has no flow 7 of TCP; its flows are in flows.parquet"), "{unknown}");
}
