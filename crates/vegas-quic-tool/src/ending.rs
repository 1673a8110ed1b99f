//! An orderly end of the program: on a signal, after the peers were notified.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use quinn::{Endpoint, VarInt};

/// The time that peers have to hear of the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// A signal that ends a program; the value is the program's exit status after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal(pub(crate) u8);

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ended by a signal")
    }
}

impl Error for Signal {}

/// Waits for the next SIGINT or SIGTERM.
#[cfg(unix)]
pub(crate) async fn signal() -> io::Result<Signal> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(tokio::select! {
        _ = interrupt.recv() => Signal(130),
        _ = terminate.recv() => Signal(143),
    })
}

/// Waits for the next Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn signal() -> io::Result<Signal> {
    tokio::signal::ctrl_c().await.map(|()| Signal(130))
}

/// Closes all connections. It does not wait for a peer that does not answer (quinn keeps such a connection for three
/// probe timeouts, which are as long as its round-trip times were).
pub(crate) async fn close(endpoint: &Endpoint, reason: &str) {
    endpoint.close(VarInt::from_u32(0), reason.as_bytes());
    // by then the peers have the message, or never will
    let _ = tokio::time::timeout(FAREWELL, endpoint.wait_idle()).await;
}
