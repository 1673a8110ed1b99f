//! The hosts that carry a congestion control.

/// A host that tells a congestion control what happens, and sends what it lets out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// The simulator's TCP.
    Bsd,
    /// The simulator's TCP, as Linux has it.
    Linux,
    /// QUIC by quinn, simulated and over real paths.
    Quinn,
    /// QUIC by s2n-quic.
    S2n,
    /// Linux's own TCP, by BPF.
    Kernel,
}

impl Host {
    /// Every host, in the order in which they are listed.
    pub const ALL: [Host; 5] = [Host::Bsd, Host::Linux, Host::Quinn, Host::S2n, Host::Kernel];

    /// What lists call it.
    pub const fn name(self) -> &'static str {
        match self {
            Host::Bsd => "bsd",
            Host::Linux => "linux",
            Host::Quinn => "quinn",
            Host::S2n => "s2n-quic",
            Host::Kernel => "kernel",
        }
    }
}
