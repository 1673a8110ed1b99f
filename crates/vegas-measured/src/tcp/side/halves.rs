//! Where between the hosts a capture was made: the part of the RTT on the data sender's side of it.

use crate::tcp::handshake::Handshake;

/// The newest time stamps of the data's receiver, with when each was first seen.
const STAMPS: usize = 32;

/// The upstream half of the RTT: from an acknowledgement, over the data's sender, to the data that it made leave.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    stamps: [(u32, i64); STAMPS],
    next: usize,
    newest_echo: Option<u32>,
    /// The least sample, ns.
    least: Option<i64>,
}

impl Default for Upstream {
    fn default() -> Self {
        Upstream { stamps: [(0, i64::MIN); STAMPS], next: 0, newest_echo: None, least: None }
    }
}

impl Upstream {
    /// Takes the time stamp of a segment of the data's receiver.
    pub(crate) fn on_stamp(&mut self, at: i64, stamp: u32) {
        let newest = self.stamps[(self.next + STAMPS - 1) % STAMPS];
        let is_newer = newest.1 == i64::MIN || (stamp.wrapping_sub(newest.0) as i32) > 0;
        if is_newer {
            self.stamps[self.next] = (stamp, at);
            self.next = (self.next + 1) % STAMPS;
        }
    }

    /// Takes the echo in a segment with new data; returns a sample, if it is the first with this echo.
    pub(crate) fn on_echo(&mut self, at: i64, echo: u32) -> Option<i64> {
        if self.newest_echo.replace(echo) == Some(echo) {
            return None;
        }
        let (_, seen) = self.stamps.iter().find(|(stamp, seen)| *stamp == echo && *seen != i64::MIN)?;
        let sample = at - seen;
        self.least = Some(self.least.map_or(sample, |least| least.min(sample)));
        Some(sample)
    }

    /// The least upstream half, ns: by time stamps, or by the handshake.
    pub(crate) fn least(&self, handshake: &Handshake, data_from_client: bool) -> Option<i64> {
        let shaken = if data_from_client { handshake.client_half() } else { handshake.server_half() };
        match (self.least, shaken) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
}
