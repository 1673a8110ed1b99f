//! tokio for quinn, with exact timers where the system has them (Linux). tokio's own timers have a resolution of a
//! millisecond, and quinn's pacer forfeits credit when it wakes a quarter of an interval late: at 20 Mb/s the timer's
//! resolution would set the pace.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use quinn::{AsyncTimer, AsyncUdpSocket, Endpoint, EndpointConfig, Runtime, ServerConfig, TokioRuntime};

/// Makes an endpoint on `address`; with `server` it accepts connections. Must be called within tokio's runtime.
pub(crate) fn endpoint(address: SocketAddr, server: Option<ServerConfig>) -> io::Result<Endpoint> {
    let socket = UdpSocket::bind(address)?;
    Endpoint::new(EndpointConfig::default(), server, socket, Arc::new(OnTime))
}

#[derive(Debug)]
struct OnTime;

impl Runtime for OnTime {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        #[cfg(target_os = "linux")]
        if let Ok(alarm) = crate::alarm::Alarm::new(at) {
            return Box::pin(alarm);
        }
        // on other systems, or when no file can be opened, a timer that fires late serves
        TokioRuntime.new_timer(at)
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        TokioRuntime.spawn(future);
    }

    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        TokioRuntime.wrap_udp_socket(socket)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn waits(alarm: &mut Pin<Box<dyn AsyncTimer>>) {
        std::future::poll_fn(|context| alarm.as_mut().poll(context)).await;
    }

    #[tokio::test]
    async fn a_timer_is_never_early() {
        for millis in [0, 1, 3, 10] {
            let at = Instant::now() + Duration::from_millis(millis);
            waits(&mut OnTime.new_timer(at)).await;
            assert!(Instant::now() >= at, "{millis} ms");
        }
    }

    #[tokio::test]
    async fn a_timer_that_is_set_anew_waits_anew() {
        let start = Instant::now();
        let mut alarm = OnTime.new_timer(start);
        for at in [start, start + Duration::from_millis(5), start + Duration::from_millis(9)] {
            alarm.as_mut().reset(at);
            waits(&mut alarm).await;
            assert!(Instant::now() >= at);
        }
        // a later time replaces one that is near
        let later = Instant::now() + Duration::from_millis(20);
        alarm.as_mut().reset(start + Duration::from_millis(1));
        alarm.as_mut().reset(later);
        waits(&mut alarm).await;
        assert!(Instant::now() >= later);
    }
}
