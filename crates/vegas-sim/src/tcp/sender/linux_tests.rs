//! A sender as on Linux, with a script of acknowledgements. The path takes 100 ms; segments have 960 bytes of payload.

use vegas_core::Phase;
use vegas_core::units::{Segments, Time};

use super::Sender;
use crate::packet::{Packet, PacketKind, SackBlocks, TimeStamps, WireSize};
use crate::scenario::Scenario;
use crate::tcp::Outbox;

struct Peer {
    sender: Sender,
    out: Outbox,
}

const PAYLOAD: u64 = 960;

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// Returns a sender of a flow with the keys `more`.
fn open(more: &str) -> Sender {
    let text = format!(
        "name = 'x'\nduration = '1s'\n[topology]\nkind = 'dumbbell'\naccess = {{ rate = '1gbit', delay = '1ms' }}\n\
         bottleneck = {{ rate = '1mbit', delay = '48ms', queue = '9p' }}\n\
         [[flow]]\nalgorithm = 'reno'\nhost = {{ kind = 'linux', receive_window = 1000, timestamps = false }}\n\
         initial_window = 10\n{more}\n"
    );
    let scenario = Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
    Sender::new(0, &scenario.flows[0], || scenario.seed)
}

/// Returns a sender of a flow with the keys `more` after a handshake from 0 to 100 ms, and the segments that it then
/// sends.
fn connect(more: &str) -> (Peer, Vec<u64>) {
    shake_hands(open(more))
}

fn shake_hands(sender: Sender) -> (Peer, Vec<u64>) {
    let mut peer = Peer { sender, out: Outbox::default() };
    peer.sender.start(Time::ZERO, &mut peer.out);
    assert_eq!(peer.out.packets.pop().map(|packet| packet.kind()), Some(PacketKind::Syn));
    peer.sender.on_syn_ack(ms(100), TimeStamps::NONE, &mut peer.out);
    let sent = peer.sent();
    (peer, sent)
}

impl Peer {
    /// Returns the segments sent since the last call.
    fn sent(&mut self) -> Vec<u64> {
        let data = self.out.packets.drain(..).filter(|packet| packet.kind() == PacketKind::Data);
        data.map(|packet| packet.sequence / PAYLOAD).collect()
    }

    /// Acknowledges everything before `una`, with one block `[from, to)` unless that is empty; returns the segments
    /// sent.
    fn ack(&mut self, at: u64, una: u64, (from, to): (u64, u64)) -> Vec<u64> {
        let mut sack = SackBlocks::default();
        if from < to {
            sack.blocks[0] = (from * PAYLOAD, to * PAYLOAD);
            sack.count = 1;
        }
        let ack = Packet::new(PacketKind::Ack, 0, una * PAYLOAD, WireSize::new(40));
        self.sender.on_ack(ms(at), ack, &sack, &mut self.out);
        self.sent()
    }

    fn timer(&mut self) -> Vec<u64> {
        let due = self.sender.timer();
        self.sender.on_timer(due, &mut self.out);
        self.sent()
    }

    fn due_ms(&self) -> Option<u64> {
        Some(self.sender.timer()).filter(|due| *due != Time::NEVER).map(|time| time.as_nanos() / 1_000_000)
    }

    fn window(&self) -> u32 {
        self.sender.status().window.floor().0
    }
}

const NONE: (u64, u64) = (0, 0);

/// Two reports open two places in the window. The third finds segment 0 lost (RFC 8985, section 6.2: the reordering
/// window closes at three), halves the window, and releases only the retransmission (RFC 6937).
#[test]
fn three_reports_begin_recovery() {
    let (mut peer, sent) = connect("");
    assert_eq!(sent, (0..10).collect::<Vec<_>>());
    assert_eq!(peer.ack(200, 0, (1, 2)), [10]);
    assert_eq!(peer.ack(201, 0, (1, 3)), [11]);
    assert_eq!(peer.ack(202, 0, (1, 4)), [0]);
    assert!(peer.sender.in_recovery());
    assert_eq!(peer.window(), 5);
}

/// After a single report segment 0 may arrive until its 100 ms and a quarter of that have passed, and the 2 ms of the
/// timer: 27 ms are seven ticks, and the timer that is set within tick 50 expires with tick 58.
#[test]
fn a_single_report_waits_for_reordering() {
    let (mut peer, _) = connect("");
    peer.ack(200, 0, (1, 2));
    assert_eq!(peer.due_ms(), Some(232));
    assert_eq!(peer.timer(), [0]);
    assert!(peer.sender.in_recovery());
}

/// Segment 0 was only overtaken. From then on three reports are no proof of a loss.
#[test]
fn a_path_that_reorders_is_remembered() {
    let (mut peer, _) = connect("");
    peer.ack(200, 0, (1, 2));
    peer.ack(201, 2, NONE);
    assert!(!peer.sender.in_recovery());
    for last in 4..8 {
        peer.ack(202, 2, (3, last));
    }
    assert!(!peer.sender.in_recovery());
    peer.timer();
    assert!(peer.sender.in_recovery());
}

/// The retransmission of segment 0 is lost too. Segments sent after it reveal that (RFC 8985, section 3.2), not the
/// timer.
#[test]
fn a_lost_retransmission_is_sent_again() {
    let (mut peer, _) = connect("");
    assert_eq!(peer.ack(200, 0, (1, 4)), [0, 10]);
    peer.ack(210, 0, (1, 10));
    assert_eq!(peer.ack(310, 0, (1, 11)).first(), Some(&0));
    assert_eq!(peer.sender.stats.timeouts, 0);
}

/// The last of five segments is lost. It is retransmitted two RTTs and 2 ms after the last acknowledgement, or two RTTs
/// and 200 ms where one segment is outstanding, as its acknowledgement may be delayed (RFC 8985, section 7.2), but not
/// later than the retransmission timeout, 300 ms. In ticks of 4 ms: 202 ms are 51, and the timer that is set with tick
/// 50 expires with tick 102; 300 ms are 75, of which the slots are of 8 ticks, and it expires with tick 128.
#[test]
fn a_lost_tail_is_probed_for() {
    let (mut peer, sent) = connect("size = '4800b'");
    assert_eq!(sent.len(), 5);
    assert!(peer.ack(200, 3, NONE).is_empty());
    assert_eq!(peer.due_ms(), Some(408));
    assert!(peer.ack(201, 4, NONE).is_empty());
    assert_eq!(peer.due_ms(), Some(512));
    assert_eq!(peer.timer(), [4]);
    peer.ack(601, 5, NONE);
    assert_eq!((peer.sender.stats.timeouts, peer.sender.stats.completed()), (0, Some(ms(601))));
}

/// Segment 0 was only overtaken: it arrives after all, and the receiver reports the retransmission as a duplicate (RFC
/// 2883). So the window returns to its earlier size, and recovery ends.
#[test]
fn a_needless_recovery_is_undone() {
    let (mut peer, _) = connect("");
    peer.ack(200, 0, (1, 2));
    peer.ack(201, 0, (1, 3));
    assert_eq!(peer.ack(202, 0, (1, 4)), [0]);
    peer.ack(203, 4, NONE);
    assert_eq!((peer.sender.in_recovery(), peer.window()), (true, 5));
    peer.ack(302, 4, (0, 1));
    assert_eq!((peer.sender.in_recovery(), peer.window()), (false, 10));
    assert_eq!(peer.sender.status().ssthresh, None);
}

/// Two segments were retransmitted. A report of one is not enough; the report of the other comes after the recovery.
#[test]
fn a_recovery_is_undone_by_reports_of_all_it_sent_again() {
    let (mut peer, _) = connect("");
    peer.ack(200, 0, (2, 3));
    peer.ack(201, 0, (2, 4));
    assert_eq!(peer.ack(202, 0, (2, 5)), [0]);
    assert_eq!(peer.ack(203, 0, (2, 10)).first(), Some(&1));
    peer.ack(302, 12, NONE);
    peer.ack(303, 12, (1, 2));
    assert_eq!((peer.sender.in_recovery(), peer.window()), (false, 5));
    peer.ack(304, 12, (0, 1));
    assert_eq!((peer.sender.in_recovery(), peer.window()), (false, 10));
}

/// A late report does not take back the window's growth since.
#[test]
fn a_window_that_has_grown_is_not_lowered_by_the_undo() {
    let (mut peer, _) = connect("");
    peer.ack(200, 0, (1, 2));
    peer.ack(201, 0, (1, 3));
    assert_eq!(peer.ack(202, 0, (1, 4)), [0]);
    let mut una = 12;
    for round in 0..80 {
        peer.ack(303 + round, una, NONE);
        una += peer.sender.board.unacknowledged().as_u64().min(5);
    }
    let window = peer.window();
    assert!(window > 10, "{window}");
    peer.ack(400, una, (0, 1));
    assert_eq!(peer.window(), window);
}

/// On a path that reorders, the duplicate of a retransmission widens the reordering window from a quarter of the least
/// RTT, 25 ms, to two quarters, once per round (RFC 8985, section 6.2, step 4): a segment sent at 100 ms, with an RTT
/// of 134, is lost at 284 instead of at 259. The timer waits 2 ms more, and for a tick of 4 ms after that.
#[test]
fn a_duplicate_widens_the_window_for_reordering() {
    for (duplicates, due) in [(0, 264), (1, 288), (2, 288)] {
        let (mut peer, _) = connect("");
        peer.ack(200, 0, (1, 2));
        peer.ack(201, 2, NONE);
        peer.ack(202, 2, (3, 4));
        assert_eq!(peer.due_ms(), Some(232));
        assert_eq!(peer.timer(), [2]);
        peer.ack(233, 4, NONE);
        for _ in 0..duplicates {
            peer.ack(233, 4, (2, 3));
        }
        peer.ack(234, 4, (5, 6));
        assert_eq!(peer.due_ms(), Some(due), "{duplicates} duplicates");
    }
}

/// Nothing was retransmitted: a duplicate is the network's, and does not widen the window for reordering.
#[test]
fn a_duplicate_of_the_network_widens_nothing() {
    let (mut peer, _) = connect("");
    peer.ack(200, 0, (1, 2));
    peer.ack(201, 2, NONE);
    peer.ack(202, 2, (0, 1));
    peer.ack(202, 2, (3, 4));
    assert_eq!(peer.due_ms(), Some(232));
}

/// A probe repeats segment 1, which was only late; the receiver reports the duplicate when nothing is outstanding. So
/// the acknowledgement of the next data reveals no loss (RFC 8985, section 7.4.2).
#[test]
fn a_needless_probe_cuts_nothing() {
    let mut sender = open("");
    sender.set_writes(vec![ms(0), ms(0), ms(700)], vec![PAYLOAD, 2 * PAYLOAD, 3 * PAYLOAD]);
    sender.write(ms(0), &mut Outbox::default());
    let (mut peer, sent) = shake_hands(sender);
    assert_eq!(sent, [0, 1]);
    assert_eq!(peer.timer(), [1], "the probe");
    peer.ack(350, 2, NONE);
    let window = peer.window();
    peer.ack(400, 2, (1, 2));
    peer.sender.write(ms(700), &mut peer.out);
    assert_eq!(peer.sent(), [2]);
    peer.ack(800, 3, NONE);
    assert!(peer.window() >= window, "{} below {window}", peer.window());
}

/// The timer runs out, then the late acknowledgements arrive. The sender answers the first with new data, the second
/// proves that nothing was lost, and the window returns to its earlier size (RFC 5682, section 3).
#[test]
fn a_spurious_timeout_is_undone() {
    let (mut peer, _) = connect("");
    assert_eq!(peer.timer(), [10], "the probe");
    assert_eq!(peer.timer(), [0]);
    assert_eq!((peer.sender.stats.timeouts, peer.window()), (1, 1));
    assert_eq!(peer.ack(700, 1, NONE), [11, 12], "new data");
    peer.ack(710, 2, NONE);
    assert!(peer.window() >= 10, "{}", peer.window());
    assert_eq!(peer.sender.status().ssthresh, None);
    assert_eq!(peer.sender.status().phase, Phase::SlowStart);
}

/// After a real timeout the first duplicate ends F-RTO's test, and the sender retransmits the rest. A second timeout
/// without progress does not halve the threshold again (RFC 5681, section 3.1).
#[test]
fn a_real_timeout_repairs_in_slow_start() {
    let (mut peer, _) = connect("size = '9600b'");
    assert_eq!(peer.timer(), [9], "the probe");
    assert_eq!(peer.timer(), [0]);
    assert_eq!(peer.timer(), [0]);
    assert_eq!((peer.sender.stats.timeouts, peer.sender.status().ssthresh), (2, Some(Segments(5))));
    assert_eq!(peer.ack(2000, 1, NONE), [1, 2]);
    assert_eq!(peer.ack(2100, 3, NONE), [3, 4, 5]);
}
