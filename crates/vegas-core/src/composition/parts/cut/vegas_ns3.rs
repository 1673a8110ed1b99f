//! The cut of ns-3's Vegas (`TcpVegas::GetSsThresh`): to the threshold, or by one segment where that lowers the window
//! more; also after a timeout. Its congestion avoidance keeps the threshold near the window.

use super::CutPart;
use super::alpha::Alpha;
use crate::composition::parts::avoidance::Avoidance;
use crate::composition::parts::part::Share;
use crate::contract::Loss;
use crate::units::{Segments, Window};

pub(crate) struct VegasNs3;

impl CutPart for VegasNs3 {
    const PAGE: &'static str = "vegas-linux.md";
    const SHARE_AFTER_TIMEOUT: Share = Share::OneLessOrThreshold;
    const TO_THRESHOLD: bool = true;
    const GOES_WITH: Option<(Avoidance, &'static str)> =
        Some((Avoidance::VegasNs3, "to the threshold needs avoidance = \"vegas-ns3\", which keeps it near the window"));

    fn window_after(window: Window, ssthresh: Segments, _loss: &Loss, _alpha: &Alpha) -> Window {
        one_less(window, ssthresh)
    }

    fn ssthresh_after_timeout(window: Window, ssthresh: Segments) -> Window {
        one_less(window, ssthresh)
    }
}

fn one_less(window: Window, ssthresh: Segments) -> Window {
    window.minus(Window::ONE).min(Window::whole(ssthresh))
}
