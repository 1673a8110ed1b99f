//! RoVegas's option in captures, as vegas-core and tshark parse it; tshark has the project's own dissector.

use std::fs;
use std::path::Path;

use vegas_core::aqt::{Aqt, Head, Stamps};
use vegas_sim::outcome::{CapturePoint, CapturedPacket, CapturedStamps};
use vegas_sim::scenario::Scenario;
use vegas_sim::{WireSize, run};

use crate::captures::{tshark_with, write_capture};
use crate::sample::{ack, data};

const DISSECTOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/wireshark/aqt.lua");
const FIELDS: [&str; 6] = ["aqt.kind", "aqt.length", "aqt.queued_us", "aqt.echo_us", "ip.len", "ip.checksum.status"];

fn stamps(aqt_us: u32, echo_us: u32) -> Option<Stamps> {
    Some(Stamps { aqt: Aqt::from_micros(aqt_us), echo: Aqt::from_micros(echo_us) })
}

fn captured_stamps(aqt_us: u32, echo_us: u32) -> CapturedStamps {
    CapturedStamps { aqt: stamps(aqt_us, echo_us), time: None }
}

fn story() -> Vec<CapturedPacket> {
    vec![
        CapturedPacket { stamps: captured_stamps(0, 0), wire: WireSize::new(1_008), ..data(0, 0) },
        CapturedPacket { stamps: captured_stamps(1_200, 25_000), wire: WireSize::new(48), ..ack(20, 960, &[]) },
        CapturedPacket {
            stamps: captured_stamps(u32::MAX, 7),
            wire: WireSize::new(76),
            ..ack(21, 960, &[(1_920, 2_880); 3])
        },
        ack(22, 960, &[]),
    ]
}

fn tshark(file: &Path, filter: &str, fields: &[&str]) -> Option<Vec<String>> {
    tshark_with(&["-X", &format!("lua_script:{DISSECTOR}")], file, filter, fields)
}

/// By hand: 20 + 8 + 20 bytes of headers, and 960 of payload or 28 of SACK blocks.
#[test]
fn tshark_reads_the_option() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, story());
    let file = dir.join("capture.pcapng");
    let Some(lines) = tshark(&file, "aqt", &FIELDS) else { return };
    assert_eq!(lines, ["0x9e;8;0;0;1008;1", "0x9e;8;1200;25000;48;1", "0x9e;8;16777215;7;76;1"]);
    assert_eq!(tshark(&file, "aqt.saturated", &["frame.number"]).unwrap(), ["3"]);
    assert_eq!(
        tshark(&file, "aqt.malformed || _ws.malformed || tcp.checksum.status == \"Bad\"", &["frame.number"]).unwrap(),
        [""; 0]
    );
}

/// The option has a length other than 8, within the header of the first packet.
#[test]
fn tshark_says_what_is_malformed() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, story());
    let file = dir.join("capture.pcapng");
    let mut bytes = fs::read(&file).unwrap();
    let option = Stamps::default().to_bytes();
    let at = bytes.windows(option.len()).position(|window| window == option).expect("the first packet's option");
    bytes[at + 1] = 4;
    fs::write(&file, bytes).unwrap();
    let Some(lines) = tshark(&file, "aqt.malformed", &["frame.number"]) else { return };
    assert_eq!(lines, ["1"]);
}

/// Acknowledgements echo the stamps with which data packets arrived, and are stamped themselves on the way back.
#[test]
fn a_run_captures_what_its_routers_stamped() {
    let capture = captured("rovegas", "1");
    let of = |packet: &CapturedPacket| packet.stamps.aqt.map(|stamps| (stamps.aqt.micros(), stamps.echo.micros()));
    let seen: Vec<_> = capture.iter().map(|packet| of(packet).expect("every packet of the flow")).collect();
    assert!(seen.iter().any(|(_, echo)| *echo > 1_000) && seen.iter().any(|(aqt, echo)| *aqt > 1_000 && *echo > 0));
    assert!(captured("vegas", "1").iter().all(|packet| packet.stamps.aqt.is_none()));
}

/// A host that puts the option on every third packet: it is in the first one, and then in each third that leaves, and
/// in as many acknowledgements as such packets have come; what has it is 8 bytes longer.
#[test]
fn a_run_captures_the_option_where_it_is() {
    let capture = captured("rovegas", "3");
    let at = |point| capture.iter().filter(move |packet| packet.point == point);
    for (place, packet) in at(CapturePoint::SenderOut).enumerate() {
        let option = if place % 3 == 0 { 8 } else { 0 };
        assert_eq!((packet.stamps.aqt.is_some(), packet.wire.get()), (option > 0, 1_000 + option), "packet {place}");
        assert_eq!(packet.payload, 960);
    }
    let probes = |point| at(point).filter(|packet| packet.stamps.aqt.is_some()).count();
    assert_eq!(probes(CapturePoint::ReceiverIn), probes(CapturePoint::ReceiverOut));
    let size = |packet: &CapturedPacket| if packet.stamps.aqt.is_some() { 48 } else { 40 };
    assert!(at(CapturePoint::ReceiverOut).all(|packet| packet.wire.get() == size(packet)));
}

fn captured(algorithm: &str, aqt_every: &str) -> Vec<CapturedPacket> {
    let sets = [("flow.0.algorithm".into(), algorithm.into()), ("flow.0.host.aqt_every".into(), aqt_every.into())];
    let scenario = Scenario::from_toml(NARROW_BACK, "narrow.toml", &sets).unwrap();
    let capture = run(&scenario).capture;
    assert!(capture.len() > 100);
    capture
}

const NARROW_BACK: &str = r#"
    name = "narrow"
    duration = "5s"
    capture = true
    sample = "off"
    topology.kind = "dumbbell"
    topology.access = { rate = "10mbit", delay = "1ms" }
    topology.bottleneck = { rate = "1.6mbit", delay = "20ms", queue = "10p", aqt = true, backward.rate = "32kbit" }
    flow = [{ algorithm = "rovegas" }]
"#;

/// vegas-core reads the option that was written.
#[test]
fn the_bytes_are_those_that_hosts_and_routers_read() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, vec![story()[1]]);
    let file = fs::read(dir.join("capture.pcapng")).unwrap();
    let packet = &file[file.len() - 4 - 48..file.len() - 4];
    assert_eq!(Head::of(packet).stamps(), Ok(stamps(1_200, 25_000)));
    let segment = Head::of(packet).segment().expect("an acknowledgement");
    assert_eq!((segment.ports[0], segment.acknowledgement, segment.payload), (5001, Some(961), 0));
}
