//! CUBIC's congestion avoidance as Linux has it (`tcp_cubic.c`): that of RFC 9438, but a loss counts the whole segments
//! of the window, Reno's window gains alpha a round wherever it is, and while no loss tells what the path holds the
//! window grows by a segment for each 20 acknowledged at least (`bictcp_update`).

use super::AvoidancePart;
use super::cubic::Cubic;
use crate::composition::parts::signal::Round;
use crate::composition::parts::window::WindowControl;
use crate::contract::parameters::Parameters;
use crate::contract::{Ack, Needs, Restart};
use crate::units::{Segments, Window};

/// The curve, which knows whether a loss was answered since the connection's beginning, or since a timeout, which
/// forgets it (`bictcp_reset`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CubicLinux(Cubic);

/// Acknowledged segments for one more of the window, at most, before the first loss.
const MOST_PER_SEGMENT: u64 = 20;

impl AvoidancePart for CubicLinux {
    const PAGE: &'static str = "cubic.md";
    const NEEDS: Needs = Needs { window_limited: true, ..Needs::NONE };
    const COUNTS_SEGMENTS: bool = true;
    const SCALES: bool = false;
    const KERNELS_OWN: Option<&'static str> = Some("cubic");

    /// A window that does not limit the sender stays, while the time on the curve runs on (`cubictcp_cong_avoid`).
    #[inline(always)]
    fn on_ack(&mut self, control: &mut WindowControl, ack: &Ack, round: &Round, _parameters: &Parameters) {
        if !ack.window_limited {
            control.grow_by(Window::default());
            return;
        }
        let has_lost = self.0.has_lost();
        self.0.keep_share(has_lost);
        let growth = self.0.growth_for(control.window, ack.now, ack.acked, round.base_rtt().unwrap_or_default());
        control.grow_by(if has_lost { growth } else { growth.max(least_for(ack.acked)) });
    }

    fn on_cut(&mut self, _control: &mut WindowControl, before: Window) {
        self.0.cut(Window::whole(before.floor()));
        self.0.keep_share(true);
    }

    fn on_timeout(&mut self, control: &mut WindowControl, before: Window) {
        self.0.on_timeout(control, before);
        self.0.keep_share(false);
    }

    fn on_restart(&mut self, restart: &Restart) {
        self.0.on_restart(restart);
    }
}

fn least_for(acked: Segments) -> Window {
    Window::from_raw(Window::ONE.as_raw().saturating_mul(acked.as_u64()) / MOST_PER_SEGMENT).min(Window::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_acknowledged_segments_add_one() {
        let added = (0..20).map(|_| least_for(Segments(1)).as_raw()).sum::<u64>();
        assert!(Window::ONE.as_raw() - added < 20);
        assert_eq!((least_for(Segments(10)), least_for(Segments(40))), (Window::ONE.half(), Window::ONE));
    }
}
