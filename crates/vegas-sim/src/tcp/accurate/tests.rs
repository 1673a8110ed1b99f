//! By hand, from RFC 9768.

use vegas_core::units::{Span, Time};

use super::*;

fn linux(tcp_ecn: u64) -> EcnRules {
    EcnRules::of_linux(tcp_ecn).expect("a value of tcp_ecn")
}

fn segment(field: EcnField, ace: Ace, payload: u32) -> EcnSegment<'static> {
    EcnSegment { field, ace, payload, option: None }
}

fn open_server() -> EcnEnd {
    let mut end = EcnEnd::accept(linux(3), 0b111, EcnField::NotEct);
    end.of_syn_ack();
    let last = segment(EcnField::Ect0, 0b010, 0);
    end.on_final_ack(&last);
    end.on_segment(&last);
    end
}

/// Table 2: SYN/ACKs by the SYN's field, and the client's mode by the SYN/ACK.
#[test]
fn the_handshake_agrees_on_the_newest_common_version() {
    use EcnField::{Ce, Ect0, Ect1, NotEct};
    for (field, ace) in [(NotEct, 0b010), (Ect1, 0b011), (Ect0, 0b100), (Ce, 0b110)] {
        let mut end = EcnEnd::accept(linux(3), 0b111, field);
        assert_eq!((end.mode(), end.of_syn_ack().0), (EcnMode::Accurate, ace));
    }
    // a code that no older version has asks for Accurate ECN; a host of RFC 3168 takes CWR and ECE
    let takes = |tcp_ecn, ace| EcnEnd::accept(linux(tcp_ecn), ace, NotEct).mode();
    assert_eq!((takes(3, 0b101), takes(3, 0b011), takes(3, 0)), (EcnMode::Accurate, EcnMode::Classic, EcnMode::Off));
    assert_eq!(
        (takes(1, 0b111), takes(0, 0b111), takes(5, 0b111)),
        (EcnMode::Classic, EcnMode::Off, EcnMode::Accurate)
    );
    for (ace, mode) in [(0, EcnMode::Off), (7, EcnMode::Off), (1, EcnMode::Classic), (2, EcnMode::Accurate)] {
        let mut end = EcnEnd::connect(linux(3));
        end.on_syn_ack(&segment(NotEct, ace, 0));
        assert_eq!(end.mode(), mode, "{ace}");
    }
}

/// Section 3.1.4: the second SYN still asks, the third does not; the second SYN/ACK has no option, the third no flags.
#[test]
fn segments_that_are_lost_lose_flags_and_option() {
    let client = EcnEnd::connect(linux(3));
    assert_eq!([0, 1, 2].map(|repeats| client.of_syn(repeats)), [0b111, 0b111, 0]);
    let mut server = EcnEnd::accept(linux(3), 0b111, EcnField::NotEct);
    let answers = [(); 3].map(|()| server.of_syn_ack());
    assert_eq!(answers.clone().map(|(ace, _)| ace), [0b010, 0b010, 0]);
    assert_eq!(answers.map(|(_, option)| option.is_some()), [true, false, false]);
}

/// Section 3.2.2.3: a SYN that left without ECT and is reported with it was mangled; a last acknowledgement with 0 was
/// bleached. Neither end then sends anything ECN-capable, but both go on to report.
#[test]
fn a_mangled_or_bleached_handshake_ends_capability() {
    let mut client = EcnEnd::connect(linux(3));
    client.on_syn_ack(&segment(EcnField::NotEct, 0b100, 0));
    assert!(!client.is_capable() && client.failures().ace_received);
    let mut server = EcnEnd::accept(linux(3), 0b111, EcnField::NotEct);
    server.on_final_ack(&segment(EcnField::Ect0, 0, 0));
    assert!(!server.is_capable());
    assert_eq!(server.of_segment(true), 5);
    let trusting = EcnRules { falls_back: false, ..linux(3) };
    let mut client = EcnEnd::connect(trusting);
    client.on_syn_ack(&segment(EcnField::NotEct, 0b100, 0));
    assert!(client.is_capable());
}

/// Counts begin at 5 and wrap after 7; acknowledgements count as packets, but not as bytes.
#[test]
fn packets_and_bytes_are_counted() {
    let mut end = open_server();
    for expected in [6, 7, 0, 1] {
        end.on_segment(&segment(EcnField::Ce, 5, 1000));
        assert_eq!(end.of_segment(false), expected);
    }
    end.on_segment(&segment(EcnField::Ce, 5, 0));
    end.on_segment(&segment(EcnField::Ect0, 5, 10));
    assert_eq!(
        (end.received_ce(), end.received_bytes(EcnField::Ce), end.received_bytes(EcnField::Ect0)),
        (5, 4000, 10)
    );
}

/// A change of the field is acknowledged at once, and so is the seventh mark that waits.
#[test]
fn changes_are_acknowledged_at_once() {
    let mut end = open_server();
    end.of_segment(false);
    end.of_segment(false);
    end.on_segment(&segment(EcnField::Ect0, 5, 1000));
    assert!(!end.wants_ack());
    end.on_segment(&segment(EcnField::Ce, 5, 1000));
    assert!(end.wants_ack());
    end.of_segment(false);
    for count in 1..=6 {
        end.on_segment(&segment(EcnField::Ce, 5, 1000));
        assert_eq!(end.wants_ack(), count == 6, "{count}");
    }
}

fn delivery(packets: u32) -> Delivery {
    Delivery { packets, bytes: 1000 * packets, payload: 1000, is_newer: false, is_exact: true }
}

/// Appendix A.2: nine packets with a count that has not grown may be eight marks, unless counters of bytes, or
/// acknowledgements that are usually so few, say that there are none.
#[test]
fn wraps_are_told_by_bytes() {
    let mut end = open_server();
    assert_eq!(end.on_ack(&segment(EcnField::Ect0, 6, 0), &delivery(1)), 1);
    assert_eq!(end.on_ack(&segment(EcnField::Ect0, 6, 0), &delivery(9)), 8);
    let told = |counters: [[u32; 3]; 2], ace| {
        let mut end = open_server();
        let option = |counters: [u32; 3]| AccurateOption { ect1_first: false, counters: counters.into() };
        let [first, second] = counters.map(option);
        end.on_ack(&EcnSegment { option: Some(&first), ..segment(EcnField::Ect0, 5, 0) }, &delivery(1));
        end.on_ack(&EcnSegment { option: Some(&second), ..segment(EcnField::Ect0, ace, 0) }, &delivery(9))
    };
    // 1000 bytes of ECT(0), then 9000; ECT(0) again, then 8000 bytes with CE, which is a new field and tells nothing
    assert_eq!(told([[1001, 0, 1], [10_001, 0, 1]], 5), 0);
    assert_eq!(told([[1001, 0, 1], [2001, 8000, 1]], 5), 8);
    // no progress tells nothing
    assert_eq!(open_server().on_ack(&segment(EcnField::Ect0, 6, 0), &delivery(0)), 0);
}

/// 40 bytes: three counters and three blocks; beside time stamps and three blocks none, but two of them give way to one
/// block where a counter has changed.
#[test]
fn the_option_takes_the_room_of_a_block() {
    let room = |time_stamps, blocks| Room { time_stamps, blocks };
    assert_eq!(option::fit(room(false, 3), 1), Some((3, 3)));
    assert_eq!(option::fit(room(true, 1), 1), Some((3, 1)));
    assert_eq!(option::fit(room(true, 2), 2), Some((2, 2)));
    assert_eq!(option::fit(room(true, 3), 2), Some((2, 2)));
    assert_eq!(option::fit(room(true, 3), 3), None);
}

/// Section 3.2.3.2.2: data that come again after an acknowledgement that had both their report and the option show that
/// such acknowledgements do not arrive.
#[test]
fn an_option_that_is_dropped_is_left_out() {
    let first = AccurateOption { ect1_first: true, counters: vec![1, 0, 1] };
    let mut end = EcnEnd::accept(linux(3), 0b111, EcnField::NotEct);
    end.on_final_ack(&EcnSegment { option: Some(&first), ..segment(EcnField::Ect0, 0b010, 0) });
    let room = Room { time_stamps: false, blocks: 1 };
    let sends = |end: &mut EcnEnd| end.option(Time::ZERO, Span::ZERO, room, Some(0)).0.is_some();
    end.on_repeated(0);
    assert!(sends(&mut end));
    end.on_repeated(0);
    assert!(!sends(&mut end) && end.failures().option_sent);
    // a counter that begins at 0 was zeroed
    let zeroed = AccurateOption { ect1_first: true, counters: vec![0, 0, 0] };
    let mut end = EcnEnd::accept(linux(3), 0b111, EcnField::NotEct);
    end.on_final_ack(&EcnSegment { option: Some(&zeroed), ..segment(EcnField::Ect0, 0b010, 0) });
    assert!(end.failures().option_received);
}
