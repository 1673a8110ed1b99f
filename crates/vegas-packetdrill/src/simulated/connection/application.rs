//! What the application does with a connection.

use vegas_core::units::Time;

use super::{Connection, State};

impl Connection {
    /// Returns whether the handshake is over.
    pub(in crate::simulated) fn is_open(&self) -> bool {
        !matches!(self.state, State::SynSent | State::SynReceived)
    }

    /// Takes the error that the next call returns.
    pub(in crate::simulated) fn take_error(&mut self) -> Option<&'static str> {
        self.error.take()
    }

    /// Writes `bytes`; the next write begins a segment if this one `ends` a record.
    pub(in crate::simulated) fn write(&mut self, now: Time, bytes: u64, ends: bool) -> Result<u64, &'static str> {
        if let Some(error) = self.take_error() {
            return Err(error);
        }
        if self.own.fin.is_some() || self.state == State::Closed {
            return Err("EPIPE");
        }
        if self.own.written == 0 {
            self.end.set_payload(self.payload());
        }
        self.own.written += bytes;
        self.end.write(now, bytes, self.own.joins);
        self.own.joins = !ends;
        self.gather(now, false);
        Ok(bytes)
    }

    /// The bytes that have arrived in order and were not read.
    pub(in crate::simulated) fn readable(&self) -> u64 {
        self.received() - self.peer.read
    }

    /// Returns whether a read finds the end of the data.
    pub(in crate::simulated) fn is_at_end(&self) -> bool {
        let has_ended = self.peer.fin.is_some_and(|fin| self.peer.read >= fin);
        self.readable() == 0 && (has_ended || self.state == State::Closed)
    }

    /// Reads at most `bytes`.
    pub(in crate::simulated) fn read(&mut self, bytes: u64) -> u64 {
        let read = bytes.min(self.readable());
        self.peer.read += read;
        read
    }

    /// Ends the data of this end.
    pub(in crate::simulated) fn shut_down(&mut self, now: Time) {
        self.state = match self.state {
            State::Established | State::SynReceived => State::FinWait1,
            State::CloseWait => State::LastAck,
            _ => return,
        };
        self.own.fin = Some(self.own.written);
        self.end.write_end(now, self.own.joins);
        self.gather(now, false);
    }

    /// Closes the connection. Data that were not read are a reason for a reset (RFC 2525, section 2.17).
    pub(in crate::simulated) fn close(&mut self, now: Time) {
        self.is_closed = true;
        match self.state {
            State::Closed => {}
            State::SynSent => self.state = State::Closed,
            _ if self.readable() > 0 => self.reset(now),
            _ => self.shut_down(now),
        }
    }
}
