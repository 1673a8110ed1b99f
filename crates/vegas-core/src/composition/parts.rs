//! The parts of a composition, and what they share.

pub(crate) mod avoidance;
pub(crate) mod beside;
pub(crate) mod cut;
pub(crate) mod history;
pub(crate) mod limits;
pub(crate) mod loss_response;
pub(crate) mod micros;
pub(crate) mod part;
pub(crate) mod signal;
pub(crate) mod slow_start;
pub(crate) mod window;
