//! The Vegas family in Linux's TCP.
//!
//! [`choice`] turns a preset and its numbers into the words that the kernel side takes, [`object`] loads the BPF object
//! that holds the core, [`installed`] registers it as a congestion control that outlives the command ([`own`]: one
//! that does not; [`outside`]: which algorithm from outside the build has), [`trace`] reads what it does, and [`watch`] follows live connections. [`run`] carries a scenario
//! out with real sockets: endpoints in namespaces of their own, and between them the simulator's own network in real
//! time ([`router`]); [`recording`] makes the simulator's tables of what the kernel reported. [`option`] carries the times
//! of RoVegas's routers, and [`attached`] keeps it at a machine's devices.
//!
//! The kernel side is in `kernel/`: C glue, and the core as LLVM IR (`build.rs`).

#[path = "../kernel/abi.rs"]
#[expect(missing_docs, reason = "vegas_abi.h names the same fields; the comments that are there say what is not plain")]
pub mod abi;
mod addresses;
pub mod attached;
mod capture;
pub mod choice;
mod completion;
#[path = "../kernel/departures.rs"]
#[cfg_attr(not(test), expect(dead_code, reason = "the kernel's copy runs it"))]
mod departures;
mod endpoints;
mod error;
pub mod host;
pub mod installed;
pub mod lateness;
mod namespace;
pub mod object;
pub mod option;
pub mod outside;
pub mod own;
mod packets;
mod plain;
pub mod processors;
mod quic;
pub mod reading;
pub mod recording;
pub mod router;
pub mod run;
mod shift;
mod sys;
pub mod trace;
pub mod watch;

pub use error::Error;
