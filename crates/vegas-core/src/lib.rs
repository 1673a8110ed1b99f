//! The TCP Vegas family of congestion control, written once for every host: simulator, kernel, QUIC.
//!
//! The crate is sans-IO. A host feeds [`Ack`] and [`Loss`] events to a [`CongestionControl`] and reads window and pacing
//! rate from it. Time is an argument, there is no clock, no allocation and no floating point.
//!
//! Most algorithms are a [`Composition`] of parts: a signal, a slow start, a congestion avoidance, a response to loss
//! and limits. Names like `vegas` are only presets, listed in [`registry`]. An [`Algorithm`] is a composition with its
//! numbers, and [`Composed`] runs it; its [`State`] fits the kernel's private area of 104 bytes.
//!
//! ```
//! use vegas_core::units::{Segments, SendIndex, Span, Time};
//! use vegas_core::{Ack, Algorithm, Composed, CongestionControl, registry};
//!
//! let vegas = registry::preset("vegas").unwrap();
//! let algorithm = Algorithm::new(vegas.composition, vegas.parameters).unwrap();
//! let mut control = Composed::new(&algorithm);
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

mod algorithm;
pub mod aqt;
mod avoidance;
mod beside;
mod composed;
mod composition;
mod contract;
mod controller;
mod cut;
mod history;
mod hosts;
mod joined;
mod limits;
mod loss_response;
mod mechanisms;
mod part;
pub mod rate;
pub mod registry;
mod signal;
mod slow_start;
mod standalone;
pub mod units;
mod wide;

pub use algorithm::{Algorithm, STATE_BYTES_MAX, State};
pub use avoidance::Avoidance;
pub use beside::{BaseRtt, Rivals};
pub use composed::Composed;
pub use composition::{Composition, Detection, HostCapabilities, Marks, Parameters, Recovery, Refusal};
pub use contract::{
    Ack, CongestionControl, Loss, LossKind, LostSegment, Needs, Output, OwnAlgorithm, Phase, Restart, RouterFeedback,
    Sent, Status,
};
pub use controller::Controller;
pub use cut::Cut;
pub use hosts::Host;
pub use joined::Joined;
pub use limits::Limits;
pub use loss_response::{LossResponse, SlowStartEnds};
pub use mechanisms::{MechanismError, Mechanisms};
pub use part::{AvoidancePromise, Leap, Share, SlowStartPromise};
pub use rate::{RateEstimator, RateSample};
pub use signal::{Dialect, Signal};
pub use slow_start::SlowStart;
pub use standalone::{STANDALONE_BYTES_MAX, Standalone, StandaloneControl, WithChosen};
pub use wide::Wide;
