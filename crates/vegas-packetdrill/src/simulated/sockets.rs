//! The sockets of a simulated host.

use super::settings::Settings;

/// The options of a socket that change what it does.
#[derive(Clone, Debug, Default)]
pub(super) struct SocketOptions {
    /// `TCP_MAXSEG`.
    pub(super) segment: Option<u64>,
    /// `SO_RCVBUF`, as the kernel counts it: twice what was asked for.
    pub(super) receive_buffer: Option<u64>,
    /// `SO_SNDBUF`, likewise.
    pub(super) send_buffer: Option<u64>,
    /// `TCP_CONGESTION`.
    pub(super) congestion_control: Option<String>,
    /// `TCP_NOTSENT_LOWAT`.
    pub(super) low_watermark: u64,
}

impl SocketOptions {
    /// Returns the host's settings with those of the socket.
    pub(super) fn settings(&self, settings: &Settings) -> Settings {
        let congestion_control = self.congestion_control.clone();
        let congestion_control = congestion_control.unwrap_or_else(|| settings.congestion_control.clone());
        Settings { congestion_control, ..settings.clone() }
    }
}

/// A socket.
#[derive(Clone, Debug, Default)]
pub(super) struct Socket {
    pub(super) options: SocketOptions,
    /// Whether calls return at once instead of waiting.
    pub(super) is_nonblocking: bool,
    pub(super) listens: bool,
    /// The connection, by its index.
    pub(super) connection: Option<usize>,
    /// Whether the application reads no more.
    pub(super) reads_no_more: bool,
}
