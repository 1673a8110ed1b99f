//! BBR version 3 as in its authors' code for Linux ([`super::bbr3`]).

use super::bbr3::{self, Bbr};
use crate::composition::Host;
use crate::standalone::Preset;

pub(crate) const PRESET: Preset = Preset {
    name: "bbr3-linux",
    summary: "BBR version 3 as its authors' code for Linux has it",
    source: "google/bbr, branch v3, net/ipv4/tcp_bbr.c",
    host: Host::Linux,
    ..bbr3::PRESET
};

/// The code's dialect.
pub(crate) type Bbr3Linux = Bbr<true>;
