//! The TCP Vegas family of congestion control, written once for every host: simulator, kernel, QUIC.
//!
//! The crate is sans-IO. A host feeds [`Ack`] and [`Loss`] events to a [`CongestionControl`] and reads window and
//! pacing rate from it. Time is an argument, there is no clock, no allocation and no floating point.
//!
//! Most algorithms are a [`Composition`] of parts: a signal, a slow start, a congestion avoidance, a response to loss
//! and limits. Names like `vegas` are only presets, listed in [`registry`]. An [`Algorithm`] is a composition with its
//! numbers, and [`Composed`] runs it on a connection.
//!
//! ```
//! use vegas_core::units::{Segments, SendIndex, Span, Time};
//! use vegas_core::{Ack, Algorithm, Composed, CongestionControl, registry};
//!
//! let vegas = registry::preset("vegas").unwrap();
//! let algorithm = Algorithm::new(vegas.composition, vegas.parameters).unwrap();
//! let mut control = Composed::new(algorithm);
//! control.on_ack(&Ack {
//!     now: Time::from_nanos(100_000_000),
//!     rtt: Some(Span::from_millis(100)),
//!     acked: Segments(1),
//!     in_flight: Segments(2),
//!     newest: SendIndex(0),
//!     next: SendIndex(2),
//!     window_limited: true,
//!     ..Ack::default()
//! });
//! assert_eq!(control.output().window.floor(), Segments(2)); // the first round never grows
//! ```

#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic, clippy::float_cmp)]

#[cfg(feature = "alloc")]
extern crate alloc;

// the tests' support names the crate as tests outside of it do
#[cfg(test)]
extern crate self as vegas_core;
#[cfg(test)]
extern crate std;

mod composition;
mod contract;
#[cfg(feature = "alloc")]
mod held;
mod hosts;
pub mod registry;
mod standalone;
pub mod units;

pub use composition::algorithm::Algorithm;
pub use composition::composed::{Composed, State};
pub use composition::mechanisms::{MechanismError, Mechanisms};
pub use composition::parts::avoidance::Avoidance;
pub use composition::parts::beside::{BaseRtt, Rivals};
pub use composition::parts::cut::Cut;
pub use composition::parts::limits::Limits;
pub use composition::parts::loss_response::{LossResponse, SlowStartEnds};
pub use composition::parts::part::{AvoidancePromise, Leap, Share, SlowStartPromise};
pub use composition::parts::signal::{Dialect, Signal};
pub use composition::parts::slow_start::SlowStart;
pub use composition::{Composition, Detection, Host, HostCapabilities, Recovery, Refusal};
pub use contract::parameters::{Parameters, Thresholds};
pub use contract::rate::RateEstimator;
pub use contract::{
    Ack, CongestionControl, Loss, LossKind, LostSegment, Needs, Output, OwnAlgorithm, Phase, RateSample, Restart,
    RouterFeedback, STATE_BYTES_MAX, Sent, Status,
};
pub use contract::{aqt, rate, ticks};
#[cfg(feature = "alloc")]
pub use held::controller::{Boxed, Controller};
pub use standalone::{BaseRttHeld, Follow, Standalone, WithChosen};
