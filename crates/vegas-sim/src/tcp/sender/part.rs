//! Acknowledgements of a part of a segment, and of what was not sent, which only a receiver that breaks the rules sends
//! (S. Savage et al., "TCP Congestion Control with a Misbehaving Receiver", 1999).

use vegas_core::units::{Segments, Time};

use super::Sender;
use crate::packet::{Packet, SackBlocks};
use crate::tcp::Outbox;
use crate::tcp::recovery::Recovery;

impl Sender {
    /// Handles an acknowledgement that is not one of full segments that were sent. It may end with the short segment of
    /// a transfer or a write, or within a segment; or it acknowledges what was not sent, and is ignored (RFC 9293,
    /// section 3.10.7.4).
    #[cold]
    #[inline(never)]
    pub(super) fn on_odd_ack(&mut self, now: Time, ack: Packet, sack: &SackBlocks, out: &mut Outbox) {
        let layout = &self.rules.layout;
        if ack.sequence > layout.first_byte(self.board.max()) {
            return;
        }
        let una = layout.segments_until(ack.sequence);
        if una == self.board.una() && ack.sequence > self.acked_bytes() {
            self.on_partly_acked(now, ack.sequence, out);
        } else {
            self.on_whole_ack(now, una, ack, sack, out);
        }
    }

    /// Handles an acknowledgement of a part of the oldest segment, up to `byte`. A sender that counts bytes adds up the
    /// parts, and its window grows when the whole segment is acknowledged (RFC 5681, section 3.1; RFC 3465); a sender
    /// that counts acknowledgements takes each of them for a segment. In recovery the window does not grow. Linux
    /// counts whole segments, and restarts its timer with these.
    fn on_partly_acked(&mut self, now: Time, byte: u64, out: &mut Outbox) {
        if byte <= self.acked_part || matches!(self.recovery, Recovery::Linux(_)) {
            return;
        }
        self.acked_part = byte;
        self.restart_timer(now);
        // an event names the newest segment acknowledged: there has to be one
        if self.rules.host.byte_counting || self.in_recovery() || self.board.una() == 0 {
            return;
        }
        let before = self.before_ack::<false>();
        self.report_ack::<false>(now, Segments(1), None, (before, false), out);
        let burst = self.burst();
        self.send(now, burst, out);
    }
}
