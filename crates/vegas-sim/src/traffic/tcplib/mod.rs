//! Conversations of tcplib (P. B. Danzig and S. Jamin, "tcplib: A Library of TCP/IP Traffic Characteristics", Technical
//! Report USC-CS-91-495, University of Southern California, 1991), from condensed tables of its measurements.

mod tables;

use vegas_core::units::{Bytes, Span, Time};

use super::Writes;
use crate::util::random::Stream;

/// A distribution by its quantiles: parts in a thousand, ascending from 0 to 1000, each with the value that these parts
/// do not exceed; linear in between.
type Quantiles = &'static [(u16, f64)];

/// The applications that tcplib distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Application {
    Smtp,
    Telnet,
    Ftp,
    Nntp,
}

/// The mean share of each application in the connections, in ten thousandths of all; tcplib has no tables for the
/// others.
const MIX: [(Application, u32); 4] =
    [(Application::Smtp, 3_798), (Application::Telnet, 612), (Application::Ftp, 216), (Application::Nntp, 56)];

impl Application {
    /// Draws an application from the mix.
    pub(super) fn draw(stream: &mut Stream) -> Self {
        let all: u32 = MIX.iter().map(|(_, share)| share).sum();
        let mut left = stream.unit() * f64::from(all);
        for (application, share) in MIX {
            left -= f64::from(share);
            if left <= 0.0 {
                return application;
            }
        }
        MIX[0].0
    }

    /// Draws the payload of a conversation that is sent as fast as TCP allows; `None` for one at a human's pace. FTP's
    /// and NNTP's have `items`, or a number of them from the tables.
    pub(super) fn size(self, items: Option<u32>, stream: &mut Stream) -> Option<Bytes> {
        let bytes = match self {
            Application::Telnet => return None,
            Application::Smtp => whole(tables::SMTP_ITEMSIZE, stream),
            Application::Nntp => sum(items, tables::NNTP_NITEMS, stream, |stream| whole(tables::NNTP_ITEMSIZE, stream)),
            Application::Ftp => sum(items, tables::FTP_NITEMS, stream, |stream| {
                whole(tables::FTP_CTLSIZE, stream) + whole(tables::FTP_ITEMSIZE, stream)
            }),
        };
        Some(Bytes::new(bytes.max(1)))
    }
}

/// Returns the bytes of all items. Their number, one at least, is drawn from the table if it is not given.
fn sum(given: Option<u32>, counts: Quantiles, stream: &mut Stream, mut item: impl FnMut(&mut Stream) -> u64) -> u64 {
    let count = given.map_or_else(|| whole(counts, stream).max(1), u64::from);
    (0..count).map(|_| item(stream)).sum()
}

/// Draws the writes of a user from `start` on, until the conversation or the run ends: one packet after each
/// interarrival time. A packet that does not fit a segment is split.
pub(super) fn telnet(start: Time, run_end: Time, payload_max: u64, stream: &mut Stream) -> Writes {
    let (mut times, mut ends) = (Vec::new(), Vec::new());
    let end = start + millis(tables::TELNET_DURATION, stream);
    let (mut time, mut byte) = (start, 0);
    loop {
        let mut left = whole(tables::TELNET_PKTSIZE, stream).max(1);
        while left > 0 {
            let segment = left.min(payload_max);
            left -= segment;
            byte += segment;
            times.push(time);
            ends.push(byte);
        }
        // one write after the run's end keeps open a conversation that the run cuts short
        if time > run_end {
            break;
        }
        time = time + millis(tables::TELNET_INTERARRIVAL, stream);
        if time >= end {
            break;
        }
    }
    Writes::Timed { times, ends }
}

fn whole(quantiles: Quantiles, stream: &mut Stream) -> u64 {
    (draw(quantiles, stream) + 0.5) as u64
}

fn millis(quantiles: Quantiles, stream: &mut Stream) -> Span {
    Span::from_nanos((draw(quantiles, stream) * 1e6 + 0.5) as u64)
}

/// Draws from a distribution by inversion.
fn draw(quantiles: Quantiles, stream: &mut Stream) -> f64 {
    let parts = stream.unit() * 1000.0;
    let after = quantiles.partition_point(|(upto, _)| f64::from(*upto) < parts);
    let ((low, from), (high, to)) = (quantiles[after - 1], quantiles[after]);
    from + (to - from) * (parts - f64::from(low)) / f64::from(high - low)
}

#[cfg(test)]
mod tests;
