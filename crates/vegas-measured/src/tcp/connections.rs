//! The connections of a capture, as many at once as memory allows.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use super::connection::Connection;
use crate::capture::packet::{Packet, Tcp};
use crate::error::Read;
use crate::tables::Recorder;

/// The most connections that are followed at once; the ones that are silent longest end first.
const LIVE_MAX: usize = 1 << 15;
/// The most segments that all connections remember together.
const REMEMBERED_MAX: usize = 1 << 22;

type Ends = (SocketAddr, SocketAddr);

/// Follows every connection, and hands each to `ended` when it is over.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    places: BTreeMap<Ends, usize>,
    live: Vec<Option<Connection>>,
    free: Vec<usize>,
    /// The connection of the newest packet.
    newest: Option<(Ends, usize)>,
    remembered: usize,
    pub(crate) totals: Totals,
}

/// What the connections showed together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) connections: u64,
    pub(crate) cut_options: u64,
    pub(crate) clock_steps: Vec<(i64, i64)>,
    /// Connections that were ended early, for want of memory.
    pub(crate) given_up: u64,
    /// Segments that were forgotten, for want of memory.
    pub(crate) forgotten: u64,
}

impl Connections {
    /// Takes the next packet of a connection.
    pub(crate) fn take(&mut self, packet: &Packet<'_>, tcp: &Tcp, recorder: &mut Recorder) -> Read<()> {
        let ends = (packet.from.min(packet.to), packet.from.max(packet.to));
        let mut place = self.place(ends, packet, recorder)?;
        if self.live[place].as_ref().is_some_and(|connection| connection.is_over_by(tcp)) {
            self.end(ends, place, recorder)?;
            place = self.place(ends, packet, recorder)?;
        }
        let Some(connection) = &mut self.live[place] else { return Ok(()) };
        let before = connection.remembered();
        let taken = connection.take(packet, tcp, recorder);
        self.remembered = self.remembered + connection.remembered() - before;
        if self.remembered > REMEMBERED_MAX {
            let sender = &mut connection.sides[connection.side_of(packet)].sender;
            let before = sender.remembered();
            sender.forget_one();
            self.totals.forgotten += 1;
            self.remembered -= before - sender.remembered();
        }
        taken
    }

    /// Returns the place of the connection between these ends, which is begun if there is none.
    fn place(&mut self, ends: Ends, packet: &Packet<'_>, recorder: &mut Recorder) -> Read<usize> {
        if let Some((_, place)) = self.newest.filter(|(newest, _)| *newest == ends) {
            return Ok(place);
        }
        let place = match self.places.get(&ends) {
            Some(place) => *place,
            None => {
                if self.places.len() >= LIVE_MAX {
                    self.end_silent_ones(recorder)?;
                }
                let place = self.free.pop().unwrap_or(self.live.len());
                if place == self.live.len() {
                    self.live.push(None);
                }
                self.live[place] = Some(Connection::new(packet));
                self.places.insert(ends, place);
                self.totals.connections += 1;
                place
            }
        };
        self.newest = Some((ends, place));
        Ok(place)
    }

    fn end(&mut self, ends: Ends, place: usize, recorder: &mut Recorder) -> Read<()> {
        self.places.remove(&ends);
        self.free.push(place);
        self.newest = None;
        let Some(connection) = self.live[place].take() else { return Ok(()) };
        self.remembered -= connection.remembered();
        let connection = connection.end(recorder)?;
        self.totals.cut_options += connection.cut_options;
        self.totals.clock_steps.extend(&connection.clock_steps);
        Ok(())
    }

    /// Ends a quarter of the connections: those that are over, then those that are silent longest.
    fn end_silent_ones(&mut self, recorder: &mut Recorder) -> Read<()> {
        let order = |place: &usize| self.live[*place].as_ref().map(|live| (!live.is_closed(), live.last_at()));
        let mut all: Vec<(Ends, usize)> = self.places.iter().map(|(ends, place)| (*ends, *place)).collect();
        all.sort_by_key(|(_, place)| order(place));
        for (ends, place) in all.into_iter().take(LIVE_MAX / 4) {
            let is_closed = self.live[place].as_ref().is_some_and(Connection::is_closed);
            self.totals.given_up += u64::from(!is_closed);
            self.end(ends, place, recorder)?;
        }
        Ok(())
    }

    /// Ends all connections.
    pub(crate) fn finish(mut self, recorder: &mut Recorder) -> Read<Totals> {
        for (ends, place) in std::mem::take(&mut self.places) {
            self.end(ends, place, recorder)?;
        }
        Ok(self.totals)
    }
}
