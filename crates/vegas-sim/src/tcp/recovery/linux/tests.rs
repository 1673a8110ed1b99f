//! Tests of the Linux host's recovery, an acknowledgement at a time.

use vegas_core::Parameters;

use super::*;
use crate::scenario::HostKind;
use crate::tcp::host;
use crate::tcp::recovery::Threshold;

const RTT: Span = Span::from_millis(100);

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn clock() -> Clock {
    Clock::new(Parameters::DEBIANS_TICKS)
}

/// Ten segments were sent at 0 ms.
fn open() -> (LinuxRecovery<&'static str>, Scoreboard) {
    let (mut linux, mut board) = (LinuxRecovery::new(&host(HostKind::Linux), clock()), Scoreboard::new(3));
    for segment in 0..10 {
        board.on_first_transmission(ms(0));
        linux.on_send(segment, ms(0), false);
    }
    board.advance(10);
    (linux, board)
}

/// An acknowledgement of everything before `una` with one block, of which nothing is a duplicate.
fn acknowledge(
    linux: &mut LinuxRecovery<&'static str>,
    board: &mut Scoreboard,
    now: Time,
    una: u64,
    block: (u64, u64),
) -> (Consequences<&'static str>, bool) {
    let advanced = una > board.una();
    let blocks = (block.0 < block.1).then_some([block, (0, 0), (0, 0)]);
    let delivered = linux.deliver(board, now, una, blocks, |_, _| {});
    let ack = Acknowledgement { una, advanced, of_probe: false, has_new: true };
    let consequences = linux.on_ack(board, ack, &delivered);
    let found = linux.find_losses(board, now, Some(RTT), advanced);
    linux.reduce(board, delivered.count, advanced, found);
    (consequences, linux.begins(board, found))
}

fn begin(linux: &mut LinuxRecovery<&'static str>, board: &mut Scoreboard) {
    assert!(acknowledge(linux, board, ms(100), 0, (1, 4)).1);
    linux.begin(board, "before", Some(Cut { before: 10, after: 5 }));
}

/// The report of three segments begins recovery, which lasts until the ten segments sent before are acknowledged.
#[test]
fn recovery_lasts_a_window() {
    let (mut linux, mut board) = open();
    assert!(linux.is_open() && linux.cuts());
    begin(&mut linux, &mut board);
    assert!(linux.is_active());
    assert_eq!(linux.next_by_pipe(&mut board, Some(10)), Some(0));
    assert!(!acknowledge(&mut linux, &mut board, ms(200), 9, (0, 0)).0.recovered);
    let (over, begins) = acknowledge(&mut linux, &mut board, ms(201), 10, (0, 0));
    assert_eq!((over.recovered, begins, linux.is_open(), linux.window()), (true, false, true, None));
}

/// The option has the newest block first. Segments 4, 5 and 7 are missing, and no segment was late: in recovery they
/// are lost at once.
#[test]
fn blocks_with_the_newest_first_are_no_reordering() {
    let (mut linux, mut board) = open();
    begin(&mut linux, &mut board);
    linux.deliver(&mut board, ms(150), 0, Some([(8, 9), (6, 7), (1, 4)]), |_, _| {});
    linux.find_losses(&mut board, ms(150), Some(RTT), false);
    assert_eq!(board.lost_and_retransmitted(), (4, 0));
}

/// Segments 0 and 1 left at 0 ms and 2 at 15 ms. One acknowledgement, at 20 ms, is of 0 and reports 2: the round trip
/// is that of 0, 20 ms, and 1 may come until a quarter of the least one, 4 ms, has passed after that.
#[test]
fn the_round_trip_is_of_the_newest_in_order() {
    let (mut linux, mut board) = (LinuxRecovery::<()>::new(&host(HostKind::Linux), clock()), Scoreboard::new(3));
    linux.on_rtt(Span::from_millis(4));
    for (segment, at) in [(0, 0), (1, 0), (2, 15)] {
        board.on_first_transmission(ms(at));
        linux.on_send(segment, ms(at), false);
    }
    board.advance(3);
    linux.deliver(&mut board, ms(20), 1, Some([(2, 3), (0, 0), (0, 0)]), |_, _| {});
    let lost = [20, 21].map(|at| linux.find_losses(&mut board, ms(at), Some(RTT), true).any);
    assert_eq!(lost, [false, true]);
}

/// Segments 10 and 11 left at 100 ms and the retransmission of 0 at 101. Its acknowledgement, at 201, ends the
/// recovery. Segment 9 took 201 ms, so that 10 and 11 count as lost at 301, and a quarter of the least round trip and 2
/// ms later, in 127 ms or 32 ticks and one after tick 50. Where new data leave, there is the timer of a probe only: 202
/// ms, 51 ticks and one.
#[test]
fn new_data_take_the_timer_of_rack() {
    for (sends, due) in [(false, ms(332)), (true, ms(408))] {
        let (mut linux, mut board) = open();
        linux.on_rtt(RTT);
        begin(&mut linux, &mut board);
        let send = |linux: &mut LinuxRecovery<&'static str>, board: &mut Scoreboard, segment, at| {
            board.on_first_transmission(at);
            linux.on_send(segment, at, false);
            board.advance(segment + 1);
        };
        (10..12).for_each(|segment| send(&mut linux, &mut board, segment, ms(100)));
        retransmit(&mut linux, &mut board, 0, ms(101));
        assert!(acknowledge(&mut linux, &mut board, ms(201), 10, (0, 0)).0.recovered);
        if sends {
            send(&mut linux, &mut board, 12, ms(201));
        }
        linux.arm_probe(&board, ms(201), Some(RTT), ms(1_000));
        assert_eq!(linux.due(), Some(due), "{sends}");
    }
}

/// PAWS: of two acknowledgements with one stamp each is as new as the other, and one without a stamp is never older.
#[test]
fn an_older_time_stamp_has_been_overtaken() {
    let (mut linux, _) = open();
    let stamped = |value| TimeStamps { value, echo: Tick::NONE };
    linux.on_time_stamps(stamped(Tick::at(ms(10))));
    let stamps = [Tick::at(ms(9)), Tick::at(ms(10)), Tick::NONE].map(stamped);
    assert_eq!(stamps.map(|stamps| linux.has_heard_since(stamps)), [true, false, false]);
}

/// Segment 0 was retransmitted, and the receiver reports that it had arrived before: the recovery was needless.
#[test]
fn a_needless_recovery_gives_back_what_was_before() {
    let (mut linux, mut board) = open();
    begin(&mut linux, &mut board);
    board.on_retransmission(0, ms(100));
    linux.on_send(0, ms(100), true);
    assert_eq!(acknowledge(&mut linux, &mut board, ms(101), 4, (0, 0)).0.needless, None);
    assert_eq!(linux.on_blocks(&board, 4, Some([(0, 1), (0, 0), (0, 0)])), (false, 1), "no probe");
    assert_eq!(acknowledge(&mut linux, &mut board, ms(200), 4, (0, 0)).0.needless, Some("before"));
    assert!(linux.is_open());
}

/// The next acknowledgement echoes the time stamp of a segment that left at `at`.
fn echo(linux: &mut LinuxRecovery<&'static str>, at: Time) {
    linux.on_time_stamps(TimeStamps { value: Tick::NONE, echo: Tick::at(at) });
}

fn retransmit(linux: &mut LinuxRecovery<&'static str>, board: &mut Scoreboard, segment: u64, at: Time) {
    board.on_retransmission(segment, at);
    linux.on_send(segment, at, true);
}

/// Segment 0 is late: the acknowledgement of everything echoes a time stamp from before its retransmission. One of
/// the retransmission undoes nothing.
#[test]
fn a_late_original_undoes_a_recovery() {
    for (echoed, needless) in [(0, Some("before")), (100, None)] {
        let (mut linux, mut board) = open();
        begin(&mut linux, &mut board);
        retransmit(&mut linux, &mut board, 0, ms(100));
        echo(&mut linux, ms(echoed));
        assert_eq!(acknowledge(&mut linux, &mut board, ms(150), 10, (0, 0)).0.needless, needless);
        assert!(linux.is_open());
    }
}

/// Segments 0 and 5 are retransmitted, and the original of 0 arrives. Until that of 5 is here, too, nothing more is
/// retransmitted, and what is new leaves.
#[test]
fn a_late_original_within_a_recovery_holds_it_back() {
    let (mut linux, mut board) = open();
    begin(&mut linux, &mut board);
    retransmit(&mut linux, &mut board, 0, ms(100));
    board.mark_lost(5);
    retransmit(&mut linux, &mut board, 5, ms(101));
    board.mark_lost(6);
    echo(&mut linux, ms(0));
    assert_eq!(acknowledge(&mut linux, &mut board, ms(150), 5, (0, 0)).0.needless, None);
    assert!(linux.is_active());
    assert_eq!(linux.next_by_pipe(&mut board, Some(10)), Some(10));
    linux.on_answered();
    echo(&mut linux, ms(0));
    assert_eq!(acknowledge(&mut linux, &mut board, ms(151), 6, (0, 0)).0.needless, Some("before"));
    assert!(linux.is_open() && board.next_retransmission().is_none());
}

/// Without SACK three duplicates begin a recovery. What its undo leaves goes on until more than everything sent
/// before it is acknowledged, so that duplicates of the retransmission begin no other.
#[test]
fn without_sack_an_undone_recovery_begins_no_other() {
    let (_, mut board) = open();
    let mut host = host(HostKind::Linux);
    host.options.sack = false;
    let mut linux = LinuxRecovery::new(&host, clock());
    for _ in 0..3 {
        acknowledge(&mut linux, &mut board, ms(100), 0, (0, 0));
    }
    linux.begin(&board, "before", Some(Cut { before: 10, after: 5 }));
    retransmit(&mut linux, &mut board, 0, ms(100));
    echo(&mut linux, ms(0));
    assert_eq!(acknowledge(&mut linux, &mut board, ms(150), 10, (0, 0)).0.needless, Some("before"));
    assert_eq!((linux.is_active(), linux.window()), (true, None));
}

/// The acknowledgement after a timeout echoes an original: the timeout was spurious, whatever F-RTO would say.
#[test]
fn a_late_original_undoes_a_timeout() {
    let (mut linux, mut board) = open();
    assert_eq!(linux.on_timeout(&board, "before"), Some(Threshold::Falls));
    board.on_timeout();
    retransmit(&mut linux, &mut board, 0, ms(300));
    echo(&mut linux, ms(0));
    assert_eq!(acknowledge(&mut linux, &mut board, ms(301), 1, (0, 0)).0.needless, Some("before"));
    assert_eq!((linux.is_open(), board.next_retransmission()), (true, None));
}

/// After a timeout the first acknowledgement makes the sender send new data only, and the second one, of a segment
/// that was sent once, shows that the timeout was spurious.
#[test]
fn a_spurious_timeout_gives_back_what_was_before() {
    let (mut linux, mut board) = open();
    assert_eq!(linux.on_timeout(&board, "before"), Some(Threshold::Falls));
    board.on_timeout();
    assert!(linux.is_recovering());
    board.on_retransmission(0, ms(300));
    linux.on_send(0, ms(300), true);
    assert_eq!(acknowledge(&mut linux, &mut board, ms(301), 1, (0, 0)).0.spurious, None);
    assert_eq!(linux.next_by_pipe(&mut board, Some(10)), Some(10));
    linux.on_answered();
    assert_eq!(acknowledge(&mut linux, &mut board, ms(302), 2, (0, 0)).0.spurious, Some("before"));
    assert_eq!((linux.is_open(), board.next_retransmission()), (true, None));
}

/// Without progress since, a second timeout is not reported, and its answer takes the place of the first one's.
#[test]
fn a_timeout_is_reported_once_without_progress() {
    let (mut linux, board) = open();
    assert_eq!(linux.on_timeout(&board, "before"), Some(Threshold::Falls));
    assert_eq!(linux.on_timeout(&board, "between"), None);
}

/// A timeout in a recovery, of which the end is not acknowledged, leaves the threshold and what an undo gives back as
/// the loss made them; one that ends it at its end does not (`tcp_enter_loss`).
#[test]
fn a_timeout_in_a_recovery_holds_the_threshold() {
    for (acknowledged, threshold) in [(9, Threshold::Holds), (10, Threshold::Falls)] {
        let (mut linux, mut board) = open();
        linux.begin(&board, "before", Some(Cut { before: 10, after: 5 }));
        board.on_ack(acknowledged, |_, _| {});
        assert_eq!(linux.on_timeout(&board, "between"), Some(threshold), "{acknowledged}");
        let saved = linux.undo.take().expect("an undo").into_saved();
        assert_eq!(saved == "before", threshold == Threshold::Holds);
    }
}

/// Segment 0 arrives after segments 1 to 7: it is late by seven more, and what is reported lets the window grow then.
/// A timeout after three reports forgets it.
#[test]
fn late_segments_let_the_window_grow_by_reports() {
    let (mut linux, mut board) = open();
    acknowledge(&mut linux, &mut board, ms(100), 0, (1, 2));
    assert!(!linux.grows_by_reports());
    acknowledge(&mut linux, &mut board, ms(100), 0, (1, 8));
    acknowledge(&mut linux, &mut board, ms(101), 8, (0, 0));
    assert!(linux.grows_by_reports());
    for segment in 10..15 {
        board.on_first_transmission(ms(101));
        linux.on_send(segment, ms(101), false);
    }
    acknowledge(&mut linux, &mut board, ms(201), 8, (9, 12));
    linux.on_timeout(&board, "before");
    assert!(!linux.grows_by_reports());
}
