//! The receive windows that a host gives.

use crate::capture::packet::Tcp;

/// The windows of a host.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Windows {
    /// Their shift; none while it is unknown.
    pub(crate) scale: Option<u8>,
    /// The first and the largest, bytes.
    pub(super) first: Option<u64>,
    pub(super) largest: Option<u64>,
    /// How often it was 0.
    pub(super) zeros: u64,
    is_zero: bool,
}

impl Windows {
    /// Takes the window of a segment of this host; returns it in bytes, or -1 while its scale is unknown.
    pub(crate) fn take(&mut self, tcp: &Tcp) -> i64 {
        let scale = if tcp.flags.syn { Some(0) } else { self.scale };
        let Some(scale) = scale else { return -1 };
        let window = u64::from(tcp.window) << scale;
        self.first.get_or_insert(window);
        self.largest = self.largest.max(Some(window));
        window as i64
    }

    /// Whether the window has just become 0.
    pub(crate) fn has_closed(&mut self, tcp: &Tcp) -> bool {
        let is_zero = tcp.window == 0 && !tcp.flags.rst && !tcp.flags.syn;
        self.zeros += u64::from(is_zero);
        is_zero && !std::mem::replace(&mut self.is_zero, is_zero)
    }
}
