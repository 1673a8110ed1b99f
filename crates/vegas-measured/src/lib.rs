//! Measurements of real hosts, read into the tables of a run: captures, and the logs of `ss`, iperf3, QUIC's qlog,
//! `tcp_probe` and Mahimahi.
//!
//! A file of any size is read as a stream, in bounded memory; the caller learns how far it is, and may stop it.
//! Whatever the file holds, the result is tables, or an error of one line that names the place.
#![forbid(unsafe_code)]

mod capture;
mod datagrams;
mod error;
mod identify;
mod kind;
mod logs;
mod path;
mod reading;
mod source;
pub mod tables;
mod tcp;

pub use error::{MeasuredError, Read};
pub use identify::{Candidate, Identified};
pub use path::{Check, Finding, Path};
pub use reading::{Options, PathOf, Report, identify, read};
pub use source::Attend;
