//! The TCP Vegas family of congestion control for quinn: the algorithms of `vegas-core`, the
//! same that run in the simulator and in the Linux kernel, as controllers of a QUIC connection.
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
//! Of two directions each sender chooses for itself: the one that sends the bulk of the data needs it.
//!
//! # How quinn's events become the core's
//!
//! - **Rounds** end when a packet is acknowledged that was sent after the round began. quinn gives packet numbers of three
//!   spaces without saying which, and for an acknowledged packet its send time only; so packets are counted in the order
//!   of sending and found by their send times.
//! - **RTT samples** are of the newest packet that an acknowledgement covers, by its own send time; of one that was
//!   overtaken there is none. QUIC sends nothing twice under one number, so every sample is unambiguous.
//! - **Bursts.** A pacer lets several packets out together, quinn's ten. On a link that takes T for a packet the k-th of
//!   them waits (k - 1) T behind its own burst, on an empty path too, and gone it is before the next burst comes. The mean
//!   of it, times window / RTT, is (n - 1) / 2 segments of "backlog" at n packets a burst where the path is full, and half
//!   of that where the window is half of it: two segments at ten packets, when gamma is one. What stays in the queue is what
//!   the first packet of a burst meets. All left at one instant, so that what a later one waited for the burst is what its
//!   acknowledgement came later by; taken off its round-trip time, the first one's is left. So each packet of a burst is
//!   counted with the round-trip time of the first that was acknowledged. The mean of a round stays a mean over its packets
//!   and sees a queue that builds up within the round, which the round's least sample, the other way out, does not.
//! - **What is in flight** is all that was sent after the newest packet acknowledged before: what was lost since counts as
//!   much as it counts in the round, so that the backlog is never negative ("TCP Vegas Revisited", inequality 5).
//! - **Thinned acknowledgements.** A receiver may answer every second packet, or fewer. Such an acknowledgement is one event, as
//!   TCP's delayed one is: one sample, and one measurement of window and segments sent where it ends a round, as the papers
//!   have them. Windows grow by what it covers (RFC 9002, appendix B.5), and not by acknowledgements as in the papers.
//! - **Recovery.** What was sent before the newest cut does not let the window grow (RFC 9002, section 7.3.2), and is told only to
//!   algorithms that ask for every acknowledgement. The first packet acknowledged that left after the cut ends it.
//! - **Losses one by one.** quinn tells how many packets were lost and when the newest left. Whatever left before it is acknowledged or
//!   lost, so the newest that were neither are meant.
//! - **Rates** are from a snapshot of each packet that leaves (`vegas_core::rate`), for algorithms that ask.
//! - **ACK delay.** quinn does not tell a controller how long the peer held an acknowledgement back. It holds back none that
//!   the newest packet triggers, so samples are right but for the packet that waits for a second one in vain: at 25 ms
//!   (RFC 9000, section 18.2) and a round of n samples the mean RTT is 25/n ms too long. The base RTT, a minimum, is not
//!   touched. [`VegasQuic::install`] has the peer answer each packet at once, and then there is nothing to wait for.
//! - **Clocks that were looked at earlier.** quinn looks at the clock, reads all that is there, and gives it that one time of
//!   arrival. A host that is stopped in between reads what came during the stop, too, as if it had come before it: a
//!   round-trip time that the path does not have, and a base RTT that stays. So acknowledgements of one look have the
//!   round-trip time of the first of them, and lower the least only when the look is over, by no more than is certain: what
//!   came during a stop was sent over a span as long, which is added to the first one's time (a span within the noise of
//!   hosts is not). A path that became shorter is so found one look later.
//! - **What hosts add** to a round-trip time, by batches and wake-ups, is no queue: 200 us of what is above the least are
//!   left out, [`VegasQuic::host_noise`] sets another span. At 20 Mb/s that is a third of a packet; where a packet takes
//!   less, as on loopback, Vegas would else hold a few packets and no host would work in batches. Packets that leave within
//!   that span of each other are one burst.
//! - **Losses.** One per recovery period (RFC 9002, section 7.3.2); persistent congestion (section 7.6) is what a timeout is
//!   to TCP; an increase of the peer's ECN-CE count is a mark.
//! - **Application-limited** periods do not grow the window (section 7.8). This takes the place of mechanism I, which
//!   compares the window with what is in flight: a paced sender is always a few packets short.
//! - **Windows** are in segments, at least two; a segment is the path's current MTU, so a change of the MTU changes the bytes
//!   and not the segments.
//! - **Another path.** A new address begins with a new controller. Where only the peer's port has changed, quinn keeps the
//!   window; the base RTT is then measured anew.
//!
//! # What quinn cannot carry
//!
//! Mechanisms C and D of Vegas (the retransmission path is QUIC's own), H (a burst limit: quinn's pacer lets ten packets
//! out together), packets at a rate of the algorithm's own (quinn's pacer makes its own from window and RTT), one-way delays, and what
//! routers stamp. Such a rate is carried by s2n-quic: with the Cargo feature `s2n` the module `s2n` has controllers for it. An algorithm
//! that asks no more than that its pace is kept to from round trip to round trip (BBR) has it by the window: the less of its own
//! and what leaves at the pace in a smoothed round trip.

#![forbid(unsafe_code)]

mod builder;
mod controller;
mod detail;
mod observer;
mod path;
#[cfg(feature = "s2n")]
pub mod s2n;
mod sends;

pub use builder::{UnknownPreset, VegasQuic};
pub use controller::{VegasController, VegasFactory};
pub use observer::{Event, Observer};
pub use vegas_core;
