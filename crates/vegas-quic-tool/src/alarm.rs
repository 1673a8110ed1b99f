//! Timers for quinn from the kernel (timerfd): their resolution is nanoseconds.

use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use quinn::AsyncTimer;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub(crate) struct Alarm {
    at: Instant,
    timer: AsyncFd<OwnedFd>,
}

impl Alarm {
    pub(crate) fn new(at: Instant) -> io::Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        set(&timer, at)?;
        #[expect(unsafe_code, reason = "an OwnedFd stays open, and the same file, for as long as it lives")]
        // SAFETY: as the reason says; the alarm owns it and hands it to no other code.
        let timer = unsafe { AsyncFd::register_with_interest(timer, Interest::READABLE) }?;
        Ok(Alarm { at, timer })
    }
}

impl AsyncTimer for Alarm {
    fn reset(mut self: Pin<&mut Self>, at: Instant) {
        self.at = at;
        set(self.timer.get_ref(), at).expect("a timer takes any time to come");
    }

    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<()> {
        while Instant::now() < self.at {
            // a timer that was set again may still be reported as ready for its earlier time; the read then finds
            // nothing
            let Ok(mut rung) = ready!(self.timer.poll_read_ready(context)) else { break };
            let _ = rung.try_io(|timer| Ok(rustix::io::read(timer, &mut [0; 8])?));
        }
        Poll::Ready(())
    }
}

/// The shortest time that a timer is set to: a timer set to zero would be off.
const SOONEST: Duration = Duration::from_nanos(1);

fn set(timer: &OwnedFd, at: Instant) -> io::Result<()> {
    let left = at.saturating_duration_since(Instant::now()).max(SOONEST);
    let it_value = Timespec::try_from(left).map_err(io::Error::other)?;
    let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value };
    timerfd_settime(timer, TimerfdTimerFlags::empty(), &once)?;
    Ok(())
}
