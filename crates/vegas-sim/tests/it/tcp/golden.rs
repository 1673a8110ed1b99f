//! The golden traces of the TCP endpoints: a reviewer's results by hand from the RFCs, compared with the packets that
//! the simulator's sender sends and receives. `tests/golden/README.md` describes the format; no code here writes a
//! trace.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use vegas_sim::outcome::{CapturePoint, CapturedPacket};
use vegas_sim::scenario::{FlowSpec, Scenario};

/// The line between the scenario and the packets.
const RULE: &str = "---";

#[test]
fn every_trace_is_as_worked_out_by_hand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    assert!(!paths.is_empty());
    let failures: Vec<String> = paths.iter().filter_map(|path| failure_of(path)).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Returns the first line of a trace that differs from the simulator.
fn failure_of(path: &Path) -> Option<String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap();
    let (scenario, _) = text.split_once(RULE).unwrap_or_else(|| panic!("{name}: no line {RULE}"));
    let seen = packets_of(&scenario_of(scenario, &name));
    let expected = expected_of(&text);
    assert!(!expected.is_empty(), "{name}: no packets");
    let first =
        (0..expected.len().max(seen.len())).find(|&row| expected.get(row).map(|row| &row.1) != seen.get(row))?;
    let wanted = expected.get(first).map_or("nothing more", |row| &row.1);
    let line = expected.get(first).or(expected.last()).map_or(0, |row| row.0);
    let got = seen.get(first).map_or("nothing more", String::as_str);
    let next = seen.get(first + 1..).unwrap_or_default().iter().take(9);
    let next: String = next.map(|packet| format!("\n    {packet}")).collect();
    Some(format!("{name}:{line}: expected `{wanted}`, but there was `{got}`{next}"))
}

fn scenario_of(text: &str, name: &str) -> Scenario {
    let mut scenario = Scenario::from_toml(text, name, &[]).unwrap_or_else(|error| panic!("{error}"));
    scenario.capture = true;
    scenario
}

/// Returns the packets of a trace, each with its line in the file; words are separated by single blanks.
fn expected_of(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let packets = lines.skip_while(|(_, line)| line.trim() != RULE).skip(1);
    let packets = packets.map(|(number, line)| (number, line.split('#').next().unwrap_or_default()));
    let packets = packets.map(|(number, line)| (number, line.split_whitespace().collect::<Vec<_>>().join(" ")));
    packets.filter(|(_, line)| !line.is_empty()).collect()
}

/// Returns the packets that leave and reach the senders, in the words of a trace.
fn packets_of(scenario: &Scenario) -> Vec<String> {
    let outcome = vegas_sim::run(scenario);
    let mut sent = BTreeSet::new();
    let mut packets = Vec::new();
    for packet in &outcome.capture {
        let flow = &scenario.flows[packet.flow as usize];
        let what = match packet.point {
            CapturePoint::SenderOut if packet.syn => "> syn".into(),
            CapturePoint::SenderOut if packet.payload == 0 => "> ack".into(),
            CapturePoint::SenderOut => {
                let again = if sent.insert((packet.flow, packet.sequence)) { "" } else { " again" };
                data(packet, flow) + again + &ecn_of_data(packet, flow)
            }
            CapturePoint::SenderIn if packet.syn => "< syn".into(),
            CapturePoint::SenderIn => acknowledgement(packet, flow) + if packet.flags.ece { " ece" } else { "" },
            CapturePoint::ReceiverIn | CapturePoint::ReceiverOut => continue,
        };
        let flow = if scenario.flows.len() > 1 { format!(" flow {}", packet.flow) } else { String::new() };
        packets.push(format!("{}{flow} {what}", milliseconds(packet.at.as_nanos())));
    }
    packets
}

fn data(packet: &CapturedPacket, flow: &FlowSpec) -> String {
    let payload = flow.packet.get() - flow.header.get();
    assert_eq!(u64::from(packet.wire), u64::from(packet.payload) + flow.header.get(), "wire is payload and header");
    let short =
        if u64::from(packet.payload) == payload { String::new() } else { format!(" payload {}", packet.payload) };
    format!("> seq {}{short}", whole_segments(packet.sequence, flow))
}

fn ecn_of_data(packet: &CapturedPacket, flow: &FlowSpec) -> String {
    let plain = if flow.ecn && packet.codepoint == 0 { " not-ect" } else { "" };
    format!("{plain}{}", if packet.flags.cwr { " cwr" } else { "" })
}

fn acknowledgement(packet: &CapturedPacket, flow: &FlowSpec) -> String {
    let mut words = format!("< ack {}", segments_to(packet.acknowledgement, flow));
    for (index, (from, to)) in packet.sack[..usize::from(packet.sack_blocks)].iter().enumerate() {
        let (first, last) = (whole_segments(*from, flow), segments_to(*to, flow) - 1);
        words += if index == 0 { " sack" } else { "" };
        words += &if first == last { format!(" {first}") } else { format!(" {first}-{last}") };
    }
    words
}

/// Returns the number of segments before a byte that begins one.
fn whole_segments(byte: u64, flow: &FlowSpec) -> u64 {
    let payload = flow.packet.get() - flow.header.get();
    assert_eq!(byte % payload, 0, "byte {byte} begins no segment");
    byte / payload
}

/// Returns the number of segments before a byte that ends one: the last segment of a transfer may be short.
fn segments_to(byte: u64, flow: &FlowSpec) -> u64 {
    match flow.size {
        Some(size) if size.get() == byte => byte.div_ceil(flow.packet.get() - flow.header.get()),
        _ => whole_segments(byte, flow),
    }
}

/// Converts nanoseconds to exact milliseconds, without trailing zeros.
fn milliseconds(nanos: u64) -> String {
    let text = format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The parser of traces follows the README.
#[test]
fn the_format_is_read_as_described() {
    let text = "name = \"x\"\n---\n# a comment\n0     > seq 3   again # why\n\n 12.5  < ack 1 sack  5-7 3\n";
    let lines = [(4, "0 > seq 3 again".to_owned()), (6, "12.5 < ack 1 sack 5-7 3".to_owned())];
    assert_eq!(expected_of(text), lines);
    assert_eq!(milliseconds(12_500_000), "12.5");
    assert_eq!(milliseconds(100_000_000), "100");
    assert_eq!(milliseconds(109_040_001), "109.040001");
}
