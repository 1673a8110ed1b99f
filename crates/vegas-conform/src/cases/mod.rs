//! Cases of the BBR draft: draft-ietf-ccwg-bbr, appendix "BBR Example Test Cases", in its order.
//!
//! A judge looks at what a control shows; what it shows inside is optional ([`crate::Inside`]), and a case that needs more
//! than it shows is not applicable.

mod look;
mod startup;

use crate::case::Case;

/// All of the appendix.
pub fn bbr() -> &'static [Case] {
    &BBR
}

static BBR: [Case; 1] = [startup::PLATEAU];
