//! The cut of scalable congestion controls: after a mark by half of alpha, the averaged part of packets that were
//! marked (RFC 8257, section 3.3); to half after a loss. Its packets have ECT(1), for the short queue of L4S (RFC 9331,
//! section 4.1), so that their answer to marks must be this one (section 4.3).

use super::CutPart;
use super::alpha::Alpha;
use crate::contract::{Loss, LossKind, Needs};
use crate::units::{Segments, Window};

pub(crate) struct Scalable;

impl CutPart for Scalable {
    const PAGE: &'static str = "dctcp.md#a-part-of-others";
    const NEEDS: Needs = Needs { every_ack: true, accurate_ecn: true, ect1: true, ..Needs::NONE };

    fn window_after(window: Window, _ssthresh: Segments, loss: &Loss, alpha: &Alpha) -> Window {
        match loss.kind {
            LossKind::Ecn => alpha.reduce(window),
            LossKind::DuplicateAcks | LossKind::Timeout => window.half(),
        }
    }
}
