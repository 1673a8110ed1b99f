//! The TCP Vegas family of congestion control, written once for every host: simulator, kernel, QUIC.
//!
//! The crate is sans-IO. A host feeds [`Ack`] and [`Loss`] events to an [`Algorithm`], which changes a [`State`];
//! the host then reads the window, the slow-start threshold and, for paced algorithms, a rate from it. Time is an
//! argument, there is no clock, no allocation and no floating point, and the state fits the kernel's private area
//! of 104 bytes.
//!
//! An algorithm is a [`Composition`] of parts: a signal, a slow start, a congestion avoidance, a response to loss
//! and limits. Names like `vegas` are only presets, listed in [`registry`].
//!
//! ```
//! use vegas_core::units::{Segments, SendIndex, Span, Time};
//! use vegas_core::{Ack, Algorithm, registry};
//!
//! let vegas = registry::preset("vegas").unwrap();
//! let algorithm = Algorithm::new(vegas.composition, vegas.parameters).unwrap();
//! let mut state = algorithm.start();
//! algorithm.on_ack(&mut state, &Ack {
//!     now: Time::from_nanos(100_000_000),
//!     rtt: Some(Span::from_millis(100)),
//!     acked: Segments(1),
//!     in_flight: Segments(2),
//!     newest: SendIndex(0),
//!     next: SendIndex(2),
//!     window_limited: true,
//!     ce_marked: 0,
//!     feedback: None,
//! });
//! assert_eq!(state.window().floor(), Segments(2)); // the first round never grows
//! ```

#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic, clippy::float_cmp)]

mod algorithm;
pub mod aqt;
mod avoidance;
mod composition;
mod contract;
mod loss_response;
mod mechanisms;
pub mod registry;
mod signal;
mod slow_start;
pub mod units;

pub use algorithm::{Algorithm, Phase, STATE_BYTES_MAX, State};
pub use avoidance::Avoidance;
pub use composition::{Composition, Detection, HostCapabilities, Limits, Parameters, Recovery, Refusal};
pub use contract::{Ack, Loss, LossKind, RouterFeedback};
pub use loss_response::{Cut, LossResponse, SlowStartEnds};
pub use mechanisms::{MechanismError, Mechanisms};
pub use signal::{Dialect, Signal};
pub use slow_start::SlowStart;
