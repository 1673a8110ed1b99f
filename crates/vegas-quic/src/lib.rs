//! The TCP Vegas family of congestion control for quinn. The algorithms of `vegas-core`, which also run in the
//! simulator and in the Linux kernel, become controllers of a QUIC connection.
//!
//! ```
//! use std::sync::Arc;
//! use quinn_proto::TransportConfig; // quinn exports it as quinn::TransportConfig
//! use vegas_quic::VegasQuic;
//!
//! let mut transport = TransportConfig::default();
//! VegasQuic::gallop().gamma(3).install(&mut transport)?;
//! let transport = Arc::new(transport); // for a client's or a server's configuration
//!
//! // the factory alone, and what quinn cannot carry is refused by name
//! let factory = VegasQuic::vegas().alpha(2).beta(4).initial_window(10).build()?;
//! let refusal = VegasQuic::preset("rovegas")?.build().unwrap_err();
//! assert_eq!(
//!     refusal.to_string(),
//!     "signal: needs a host that carries the queueing times of routers (host: quic)"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each endpoint chooses the congestion control for what it sends: the endpoint that sends most of the data needs this
//! one.
//!
//! # How quinn's events become the core's
//!
//! - **Rounds** end when a packet that was sent after the round began is acknowledged. quinn reports packet numbers of
//!   three spaces without naming the space, and reports only the send time of an acknowledged packet. So the controller
//!   counts packets in the order of sending and finds them by their send times.
//! - **RTT samples** come from the newest packet that an acknowledgement covers, by its own send time; an overtaken
//!   packet gives none. QUIC sends no packet number twice, so every sample is unambiguous.
//! - **Bursts.** A pacer sends several packets together; quinn's sends ten. On a link that needs the time T for a
//!   packet, the k-th packet waits (k - 1) T behind its own burst, even on an empty path, and this queue is gone before
//!   the next burst arrives. Averaged and multiplied by window / RTT, it looks like (n - 1) / 2 segments of backlog
//!   with bursts of n packets on a full path, and half of that with half the window: two segments with ten packets,
//!   where gamma is one. The standing queue is what the first packet of a burst meets. All packets of a burst leave at
//!   one instant, so the acknowledgement of a later one is later by its wait behind the burst. The controller therefore
//!   counts each packet of a burst with the round-trip time of the first acknowledged one. The mean of a round remains
//!   a mean over its packets and shows a queue that builds up within the round; the round's least sample would not.
//! - **Packets in flight** are all packets sent after the newest one acknowledged before. Packets lost since then count
//!   here as they count in the round, so that the backlog is never negative ("TCP Vegas Revisited", inequality 5).
//! - **Thinned acknowledgements.** A receiver may acknowledge every second packet, or fewer. Such an acknowledgement is
//!   one event, as a delayed one of TCP: one sample, and one measurement of window and segments sent if it ends a
//!   round, as in the papers. The window grows by the packets that it covers (RFC 9002, appendix B.5), not by one for
//!   each acknowledgement as in the papers.
//! - **Recovery.** Acknowledgements of packets sent before the newest cut do not let the window grow (RFC 9002, section
//!   7.3.2); only algorithms that ask for every acknowledgement receive them. Recovery ends when a packet sent after
//!   the cut is acknowledged.
//! - **Losses one by one.** quinn tells how many packets were lost and when the newest left. Whatever left before it is
//!   acknowledged or lost, so the newest that were neither are meant.
//! - **Rate samples** need a snapshot for each packet that leaves (`vegas_core::rate`); algorithms that ask receive
//!   them.
//! - **ACK delay.** quinn does not report how long the peer delayed an acknowledgement. A peer delays none that the
//!   newest packet triggers, so samples are right except for a packet that waits for a second one in vain: with 25 ms
//!   (RFC 9000, section 18.2) and n samples in the round, the mean RTT is 25/n ms too long. The base RTT, a minimum,
//!   does not change. [`VegasQuic::install`] asks the peer to acknowledge each packet at once, which removes the delay.
//! - **Clock readings.** quinn reads the clock, then reads all packets that have arrived, and gives them that one time
//!   of arrival. If the host is stopped in between, packets that arrived during the stop seem to have arrived before
//!   it: their round-trip times are shorter than the path's, and would leave a base RTT that is too low. So all
//!   acknowledgements of one clock reading get the round-trip time of the first. They lower the least round-trip time
//!   only after the next reading, and only as far as is certain: packets that arrived during a stop were sent over an
//!   equally long span, and this span is added to the first one's time (unless it is within the noise of hosts). So a
//!   path that became shorter is noticed one reading later.
//! - **Host noise.** The delay that hosts add by batches and wake-ups is no queueing delay: the controller ignores 200
//!   us of the excess over the least round-trip time; [`VegasQuic::host_noise`] sets another span. At 20 Mb/s this is a
//!   third of a packet's transmission time. Where a packet takes less, as on loopback, Vegas would otherwise keep a
//!   window of a few packets, with which no host can work in batches. Packets that leave within that span of each other
//!   are one burst.
//! - **Losses** count once per recovery period (RFC 9002, section 7.3.2). Persistent congestion (section 7.6) becomes
//!   the core's timeout, and an increase of the peer's ECN-CE count becomes a mark.
//! - **Application-limited** periods do not grow the window (section 7.8). This takes the place of mechanism I, which
//!   compares the window with what is in flight: a paced sender is always a few packets short.
//! - **Windows** are in segments, at least two; a segment is the path's current MTU, so a change of the MTU changes the
//!   bytes and not the segments.
//! - **Path changes.** A new address gets a new controller. If only the peer's port has changed, quinn keeps the
//!   window, and the controller measures the base RTT again.
//!
//! # What quinn cannot carry
//!
//! Mechanisms C and D of Vegas (the retransmission path is QUIC's own), H (a burst limit: quinn's pacer lets ten
//! packets out together), packets at a rate of the algorithm's own (quinn's pacer makes its own from window and RTT),
//! one-way delays, and what routers stamp. Such a rate is carried by s2n-quic: with the Cargo feature `s2n` the module
//! `s2n` has controllers for it. An algorithm that asks no more than that its pace is kept to from round trip to round
//! trip (BBR) has it by the window: the less of its own and what leaves at the pace in a smoothed round trip.

#![forbid(unsafe_code)]

mod builder;
mod controller;
mod detail;
mod event;
mod path;
#[cfg(feature = "s2n")]
pub mod s2n;
mod sends;

pub use builder::{UnknownPreset, VegasQuic};
pub use controller::{Observer, VegasController, VegasFactory};
pub use event::Event;
pub use vegas_core;
