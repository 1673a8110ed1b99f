//! Captures: tshark reads them, and their checksums are calculated by hand.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Once;

use vegas_core::units::Time;
use vegas_results::{WriteOptions, addresses, sender_port, write_folder};
use vegas_sim::WireSize;
use vegas_sim::outcome::{CapturePoint, CapturedPacket, CapturedStamps, DatagramHead, Frame, Outcome};

use crate::sample::{self, ack, data};

/// The packets of a connection: a handshake; three segments, the second of which is lost; duplicate acknowledgements
/// with SACK blocks; a fast retransmission; and, 400 ms after the last of three more segments, a timeout's
/// retransmission.
fn story() -> Vec<CapturedPacket> {
    let syn = CapturedPacket { payload: 0, wire: WireSize::new(40), syn: true, ..data(0, 0) };
    let syn_ack = CapturedPacket { syn: true, ..ack(20, 0, &[]) };
    let handshake_ack = CapturedPacket { payload: 0, wire: WireSize::new(40), ..data(20, 0) };
    vec![
        syn,
        syn_ack,
        handshake_ack,
        data(21, 0),
        data(22, 960),
        data(23, 1_920),
        data(24, 2_880),
        data(25, 3_840),
        ack(41, 960, &[]),
        ack(43, 960, &[(1_920, 2_880)]),
        ack(44, 960, &[(1_920, 3_840)]),
        ack(45, 960, &[(3_840, 4_800), (1_920, 3_840), (5_760, 6_720)]),
        data(46, 960),
        ack(66, 4_800, &[]),
        data(67, 4_800),
        data(467, 4_800),
        ack(487, 5_760, &[]),
    ]
}

pub(crate) fn write_capture(dir: &Path, capture: Vec<CapturedPacket>) {
    let outcome = Outcome { capture, ..sample::outcome() };
    let options = WriteOptions { csv: false, pcapng: true };
    write_folder(dir, &sample::scenario(), &outcome, 0.5, options).unwrap();
}

static SAID: Once = Once::new();

#[expect(clippy::explicit_write, reason = "the test harness swallows what passing tests print with eprintln")]
fn say_skipped() {
    let line = "SKIPPED: tshark is not installed (Debian: tshark), so captures are not tested with it";
    writeln!(std::io::stderr(), "{line}").unwrap();
}

fn tshark(file: &Path, filter: &str, fields: &[&str]) -> Option<Vec<String>> {
    tshark_with(&[], file, filter, fields)
}

/// Returns tshark's output with these options for each packet that passes `filter`: the fields, separated by
/// semicolons. Outside CI it returns `None`, and prints a line, if tshark is missing.
pub(crate) fn tshark_with(options: &[&str], file: &Path, filter: &str, fields: &[&str]) -> Option<Vec<String>> {
    let mut command = Command::new("tshark");
    command.args(options).arg("-r").arg(file).args(["-Y", filter, "-T", "fields", "-E", "separator=;"]);
    command.args(["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]);
    for field in fields {
        command.args(["-e", field]);
    }
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "tshark: {}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
        }
        Err(error) if std::env::var_os("CI").is_some_and(|value| value == "true") => {
            panic!("tshark cannot be run ({error}); install it (Debian: tshark), captures are untested without it")
        }
        Err(_) => {
            SAID.call_once(say_skipped);
            None
        }
    }
}

#[test]
fn tshark_reads_numbers_flags_and_times() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, story());
    let fields =
        ["frame.time_relative", "ip.src", "ip.dst", "tcp.seq", "tcp.ack", "tcp.len", "frame.len", "tcp.flags.syn"];
    let Some(lines) = tshark(&dir.join("capture.pcapng"), "tcp", &fields) else { return };
    let beginning = [
        "0.000000000;10.0.0.1;10.1.0.2;0;0;0;48;1", // 8 bytes of options: segment size and window scale
        "0.020000000;10.1.0.2;10.0.0.1;0;1;0;48;1",
        "0.020000000;10.0.0.1;10.1.0.2;1;1;0;40;0",
        "0.021000000;10.0.0.1;10.1.0.2;1;1;960;1000;0",
        "0.022000000;10.0.0.1;10.1.0.2;961;1;960;1000;0",
    ];
    assert_eq!(lines.len(), story().len());
    assert_eq!(lines[..5], beginning);
    assert_eq!(lines[8], "0.041000000;10.1.0.2;10.0.0.1;1;961;0;40;0");
}

#[test]
fn tshark_finds_the_retransmissions_and_no_others() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, story());
    let file = dir.join("capture.pcapng");
    let Some(lines) = tshark(&file, "tcp.analysis.retransmission", &["frame.time_relative", "tcp.seq"]) else { return };
    assert_eq!(lines, ["0.046000000;961", "0.467000000;4801"]);
    let fast = tshark(&file, "tcp.analysis.fast_retransmission", &["tcp.seq"]).unwrap();
    assert_eq!(fast, ["961"]);
    let duplicates = tshark(&file, "tcp.analysis.duplicate_ack", &["tcp.ack"]).unwrap();
    assert_eq!(duplicates, ["961"; 3]);
}

#[test]
fn tshark_sees_the_bits_of_ecn() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    let mut story = story();
    (story[0].flags.ece, story[0].flags.cwr, story[1].flags.ece) = (true, true, true);
    (story[3].codepoint, story[4].codepoint, story[4].flags.cwr) = (3, 2, true);
    story[8].flags.ece = true;
    write_capture(&dir, story);
    let fields = ["ip.dsfield.ecn", "tcp.flags.ece", "tcp.flags.cwr", "ip.checksum.status"];
    let Some(lines) = tshark(&dir.join("capture.pcapng"), "tcp", &fields) else { return };
    let truth = |lines: &[String]| lines.iter().map(|line| line.replace("True", "1").replace("False", "0")).collect();
    let seen: Vec<String> = truth(&lines);
    assert_eq!(seen[..5], ["0;1;1;1", "0;1;0;1", "0;0;0;1", "3;0;0;1", "2;0;1;1"]);
    assert_eq!(seen[8], "0;1;0;1");
}

/// The file holds the packets at the sender; those at the receiver are in the other file.
#[test]
fn packets_of_real_hosts_are_written_as_they_were() {
    let mut head = vec![0x45, 3, 3, 0xe8, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 81, 0, 1, 10, 82, 0, 1];
    head.extend([0x27, 0x10, 0x13, 0x89, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
    let frame = |time_ns, point| Frame::new(Time::from_nanos(time_ns), 0, point, WireSize::new(1000), &head);
    let frames = vec![
        frame(7_000_000, CapturePoint::SenderOut),
        frame(8_000_000, CapturePoint::ReceiverIn),
        frame(5_000_000, CapturePoint::SenderOut),
    ];
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    let outcome = Outcome { frames, ..sample::outcome() };
    write_folder(&dir, &sample::scenario(), &outcome, 0.5, WriteOptions { csv: false, pcapng: true }).unwrap();
    let fields = ["frame.time_epoch", "ip.src", "ip.dsfield.ecn", "tcp.dstport", "frame.len", "frame.cap_len"];
    let Some(lines) = tshark(&dir.join("capture.pcapng"), "tcp", &fields) else { return };
    let seen: Vec<Vec<&str>> = lines.iter().map(|line| line.split(';').skip(1).collect()).collect();
    assert_eq!(seen, [["10.81.0.1", "3", "5001", "1000", "40"]; 2]);
    assert!(lines[0].contains(".005") && lines[1].contains(".007"), "{lines:?}");
}

/// A long header of QUIC (RFC 9000, section 17.2): version 1, a destination's connection id of 8 bytes, no source's, no
/// token. Then a short header, of the other end. By the first one tshark takes both for QUIC.
#[test]
fn tshark_sees_datagrams_of_quic() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    let mut initial = vec![0xc0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x44, 0xa0, 0];
    initial.extend([0; 1_153]);
    let opening = CapturedPacket {
        wire: WireSize::new(1_200),
        codepoint: 2,
        datagram: Some(DatagramHead::of(&initial)),
        ..data(7, 0)
    };
    let short = CapturedPacket {
        wire: WireSize::new(53),
        datagram: Some(DatagramHead::of(&[0x40, 1, 2, 3, 4, 5, 6, 7, 8, 1])),
        ..ack(27, 0, &[])
    };
    write_capture(&dir, vec![opening, short]);
    let fields = ["frame.time_relative", "ip.src", "ip.dsfield.ecn", "udp.dstport", "udp.length", "frame.len"];
    let file = dir.join("capture.pcapng");
    let Some(lines) = tshark(&file, "udp", &fields) else { return };
    assert_eq!(lines, ["0.000000000;10.0.0.1;2;5001;1180;1200", "0.020000000;10.1.0.2;0;40000;33;53"]);
    let of_quic = tshark(&file, "quic", &["frame.cap_len", "ip.checksum.status"]).unwrap();
    assert_eq!(of_quic, ["60;1", "38;1"], "the short header belongs to the connection of the long one");
}

#[test]
fn tshark_needs_no_handshake_to_find_them() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, story().split_off(3));
    let file = dir.join("capture.pcapng");
    let Some(lines) = tshark(&file, "tcp.analysis.retransmission", &["frame.time_epoch", "tcp.seq"]) else { return };
    assert_eq!(lines, ["0.046000000;961", "0.467000000;4801"]);
}

#[test]
fn tshark_finds_sack_blocks_and_the_window() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, story());
    let file = dir.join("capture.pcapng");
    let fields = ["tcp.options.sack_le", "tcp.options.sack_re", "ip.len", "frame.len"];
    let Some(lines) = tshark(&file, "tcp.options.sack_le", &fields) else { return };
    assert_eq!(
        lines,
        ["1921;2881;52;52", "1921;3841;52;52", "3841,1921,5761;4801,3841,6721;68;68"],
        "an acknowledgement grows by its SACK option"
    );
    // 1000 segments of 960 bytes, in units of 16 bytes
    let windows = tshark(&file, "tcp.ack == 961", &["tcp.window_size"]).unwrap();
    assert_eq!(windows[0], "960000");
}

#[test]
fn tshark_finds_time_stamps_beside_blocks() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    let stamped = |packet: CapturedPacket, wire, time_stamps| CapturedPacket {
        wire: WireSize::new(wire),
        stamps: CapturedStamps { time: Some(time_stamps), ..packet.stamps },
        ..packet
    };
    let blocks = [(3_840, 4_800), (1_920, 2_880), (5_760, 6_720)];
    write_capture(&dir, vec![stamped(data(21, 0), 1_012, (22, 11)), stamped(ack(45, 960, &blocks), 80, (35, 22))]);
    let fields = ["tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr", "tcp.options.sack.count", "ip.len"];
    let Some(lines) = tshark(&dir.join("capture.pcapng"), "tcp", &fields) else { return };
    assert_eq!(lines, ["22;11;;1012", "35;22;3;80"]);
}

#[test]
fn tshark_finds_nothing_wrong() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, story());
    let wrong = "_ws.malformed || ip.checksum.status == \"Bad\" || tcp.checksum.status == \"Bad\" || \
                 _ws.expert.severity == \"Error\"";
    let Some(lines) = tshark(&dir.join("capture.pcapng"), wrong, &["frame.number", "_ws.expert.message"]) else {
        return;
    };
    assert_eq!(lines, [""; 0]);
    let good = tshark(&dir.join("capture.pcapng"), "ip.checksum.status == \"Good\"", &["frame.number"]).unwrap();
    assert_eq!(good.len(), story().len());
    let good = tshark(&dir.join("capture.pcapng"), "tcp.checksum.status == \"Good\"", &["frame.number"]).unwrap();
    assert_eq!(good.len(), story().iter().filter(|packet| packet.payload == 0).count(), "those captured whole");
}

#[test]
fn sender_and_receiver_have_files_of_their_own() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    let arrival = CapturedPacket { point: CapturePoint::ReceiverIn, ..data(11, 0) };
    let reply = CapturedPacket { point: CapturePoint::ReceiverOut, ..ack(11, 960, &[]) };
    write_capture(&dir, vec![data(1, 0), arrival, reply, ack(21, 960, &[])]);
    let fields = ["frame.time_epoch", "frame.interface_name", "tcp.seq", "tcp.ack"];
    let Some(sender) = tshark(&dir.join("capture.pcapng"), "tcp", &fields) else { return };
    assert_eq!(sender, ["0.001000000;client;1;1", "0.021000000;client;1;961"]);
    let receiver = tshark(&dir.join("capture-receiver.pcapng"), "tcp", &fields).unwrap();
    assert_eq!(receiver, ["0.011000000;server;1;1", "0.011000000;server;1;961"]);
}

#[test]
fn sequence_numbers_wrap_and_times_pass_32_bits() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    let far = (1 << 32) + 960 * 1_000;
    let seconds = 100_000;
    write_capture(&dir, vec![CapturedPacket { flow: 1, ..data(seconds * 1_000, far) }]);
    let fields = ["frame.time_epoch", "ip.src", "tcp.srcport", "tcp.dstport", "tcp.seq_raw"];
    let Some(lines) = tshark(&dir.join("capture.pcapng"), "tcp", &fields) else { return };
    assert_eq!(lines, ["100000.000000000;10.0.1.1;40001;5001;960001"]);
}

#[test]
fn every_flow_has_a_connection_of_its_own() {
    assert_eq!(addresses(300), ([10, 2, 44, 1], [10, 3, 44, 2]));
    assert_eq!((sender_port(0), sender_port(25_535), sender_port(25_536)), (40_000, 65_535, 40_000));
    let connections: BTreeSet<_> = (0..200_000).map(|flow| (addresses(flow), sender_port(flow))).collect();
    assert_eq!(connections.len(), 200_000);
}

/// RFC 1071: the one's complement sum of 16-bit words.
fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0)));
    (words.sum::<u64>() % 0xffff) as u16
}

/// A capture has data packets without their payload, so tshark cannot check their checksums; but zeros add nothing to a
/// sum.
#[test]
fn checksums_of_data_packets_cover_the_zeros() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("run");
    write_capture(&dir, vec![data(0, 12_345)]);
    let file = fs::read(dir.join("capture.pcapng")).unwrap();
    let headers = &file[file.len() - 4 - 40..file.len() - 4];
    let (ip, tcp) = headers.split_at(20);
    assert_eq!(ip[0], 0x45);
    assert_eq!(ones_complement_sum(ip), 0, "0xffff, which is 0 modulo 0xffff");
    let tcp_bytes: u16 = 20 + 960;
    let pseudo_header = [&ip[12..20], &[0, 6], &tcp_bytes.to_be_bytes()].concat();
    assert_eq!(ones_complement_sum(&[&pseudo_header[..], tcp].concat()), 0);
}
