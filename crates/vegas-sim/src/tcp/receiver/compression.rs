//! When a receiver on Linux reports data beyond a hole: at once up to the third duplicate acknowledgement, so that the
//! sender repairs soon, and then several segments at a time (`tcp_input.c`: `__tcp_ack_snd_check`).

use vegas_core::units::{Span, Time};

/// The handshake's round trip, and the duplicates since the newest segment in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Compression {
    /// When the newest SYN was answered.
    answered: Option<Time>,
    /// The round trip of the handshake, the only one that a receiver times as a sender does (`srtt_us`).
    handshake: Option<Span>,
    /// The byte expected when duplicates were counted (`compressed_ack_rcv_nxt`).
    next: u64,
    /// The duplicates that were sent at once since (`dup_ack_counter`).
    at_once: u32,
    /// The duplicates that wait for one acknowledgement (`compressed_ack`).
    held: u32,
}

/// `TCP_FASTRETRANS_THRESH`.
const AT_ONCE_MOST: u32 = 3;
/// `net.ipv4.tcp_comp_sack_nr`.
const HELD_MOST: u32 = 44;
/// Of more ranges each acknowledgement reports some only, so that none waits for another (`TCP_SACK_BLOCKS_EXPECTED`).
const RANGES_MOST: usize = 2;
/// The most for which a duplicate waits, beside this part of a round trip (`net.ipv4.tcp_comp_sack_delay_ns`).
const DELAY_MOST: Span = Span::from_millis(1);
const PART_OF_ROUND_TRIP: u64 = 20;
/// By this the timer may come later, to come with another (`net.ipv4.tcp_comp_sack_slack_ns`); where none is due it
/// does.
const SLACK: Span = Span::from_micros(100);

impl Compression {
    /// Takes in that a SYN was answered.
    pub(super) fn on_syn(&mut self, now: Time) {
        self.answered = Some(now);
    }

    /// Takes in the end of the handshake.
    pub(super) fn on_established(&mut self, now: Time) {
        self.handshake = self.answered.map(|answered| now.since(answered));
    }

    /// The round trip of the handshake, if there was one.
    pub(super) fn handshake(&self) -> Option<Span> {
        self.handshake
    }

    /// Takes in a segment that leaves byte `next` expected and `ranges` beyond holes, while an acknowledgement is `due`
    /// and data take `round_trip` as far as the window's timing knows. Returns when the acknowledgement is due then;
    /// `None` for at once.
    pub(super) fn on_duplicate(
        &mut self,
        now: Time,
        (next, ranges): (u64, usize),
        round_trip: Option<Span>,
        due: Option<Time>,
    ) -> Option<Time> {
        if self.held >= HELD_MOST || self.held > 0 && ranges > RANGES_MOST {
            return None;
        }
        if self.next != next {
            (self.next, self.at_once) = (next, 0);
        }
        if self.at_once < AT_ONCE_MOST {
            self.at_once += 1;
            return None;
        }
        self.held += 1;
        if let (true, Some(due)) = (self.held > 1, due) {
            return Some(due);
        }
        let round_trip = [round_trip, self.handshake].into_iter().flatten().min().unwrap_or_default();
        let delay = Span::from_nanos(round_trip.as_nanos() / PART_OF_ROUND_TRIP).min(DELAY_MOST) + SLACK;
        Some(due.map_or(now + delay, |due| due.min(now + delay)))
    }

    /// Returns whether duplicates wait.
    pub(super) fn is_holding(&self) -> bool {
        self.held > 0
    }

    /// Records that an acknowledgement is being sent.
    pub(super) fn acknowledged(&mut self) {
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds in segments beyond a hole 0.6 ms apart on a path of 20 Mb/s; returns when each acknowledgement leaves, us.
    fn acknowledged_at(compression: &mut Compression, segments: u64) -> Vec<u64> {
        let mut due: Option<Time> = None;
        let mut sent = Vec::new();
        let micros = |at: Time| at.as_nanos() / 1_000;
        for segment in 0..segments {
            let now = Time::ZERO + Span::from_micros(600 * segment);
            if let Some(at) = due.take_if(|at| *at <= now) {
                compression.acknowledged();
                sent.push(micros(at));
            }
            due = compression.on_duplicate(now, (1_448, 1), Some(Span::from_millis(20)), due);
            if due.is_none() {
                compression.acknowledged();
                sent.push(micros(now));
            }
        }
        sent
    }

    /// Linux 6.12 in the second world: three duplicates at once, the next 1.7 ms after the third, and then one each 1.2
    /// ms, for two segments.
    #[test]
    fn from_the_fourth_duplicate_on_one_reports_two_segments() {
        assert_eq!(acknowledged_at(&mut Compression::default(), 8), [0, 600, 1_200, 2_900, 4_100]);
    }

    /// A round trip of 4 ms, by the handshake, lets duplicates wait for 0.2 ms and the slack, less than the next takes.
    #[test]
    fn short_paths_have_short_delays() {
        let mut compression = Compression::default();
        compression.on_syn(Time::ZERO);
        compression.on_established(Time::ZERO + Span::from_millis(4));
        assert_eq!(acknowledged_at(&mut compression, 6), [0, 600, 1_200, 2_100, 2_700]);
    }
}
