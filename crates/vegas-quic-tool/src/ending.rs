//! An end in time: by a signal, and after the peers were told.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use quinn::{Endpoint, VarInt};

/// How long peers may take to hear that it is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// A signal that ends a program, by the status with which a program ends then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal(pub(crate) u8);

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ended by a signal")
    }
}

impl Error for Signal {}

/// The next SIGINT or SIGTERM.
#[cfg(unix)]
pub(crate) async fn signal() -> io::Result<Signal> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(tokio::select! {
        _ = interrupt.recv() => Signal(130),
        _ = terminate.recv() => Signal(143),
    })
}

/// The next Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn signal() -> io::Result<Signal> {
    tokio::signal::ctrl_c().await.map(|()| Signal(130))
}

/// Closes all connections. One to a peer that does not answer is not waited for (quinn keeps it for three probe timeouts,
/// which are as long as its round-trip times were).
pub(crate) async fn close(endpoint: &Endpoint, reason: &str) {
    endpoint.close(VarInt::from_u32(0), reason.as_bytes());
    // what was to be told has been told by then, or never will be
    let _ = tokio::time::timeout(FAREWELL, endpoint.wait_idle()).await;
}
