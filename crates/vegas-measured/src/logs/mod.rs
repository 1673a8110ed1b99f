//! Logs of hosts and links: what a program noted about connections, sample by sample.

pub(crate) mod csv;
mod flows;
pub(crate) mod iperf3;
mod json;
pub(crate) mod link_log;
pub(crate) mod qlog;
pub(crate) mod ss;
pub(crate) mod tcp_probe;
mod time;

pub(crate) use flows::{LogFlows, Reading};
