//! The Vegas family in Linux's TCP.
//!
//! [`choice`] turns a preset and its numbers into the words that the kernel side takes ([`choice::outside`]: which
//! algorithm from outside the build has). [`kernel`] loads the BPF object that holds the core, and reads what it
//! reports. [`machine`] registers it as a congestion control that outlives the command, carries RoVegas's option at
//! devices, and follows live connections. [`run`] carries a scenario out with real sockets: endpoints in namespaces of
//! their own, and between them the simulator's own network in real time ([`network`]), with the simulator's tables as
//! the result.
//! [`guest`] is this program as the first process of a virtual machine, in which such a run takes virtual time.
//!
//! The kernel side is in `kernel/`: C glue, and the core as LLVM IR (`build.rs`).

#[path = "../kernel/abi.rs"]
#[expect(missing_docs, reason = "vegas_abi.h names the same fields; the comments that are there say what is not plain")]
pub mod abi;
pub mod choice;
pub mod clock;
#[path = "../kernel/departures.rs"]
#[cfg_attr(not(test), expect(dead_code, reason = "the kernel's copy runs it"))]
mod departures;
mod error;
pub mod guest;
pub mod kernel;
pub mod machine;
pub mod network;
pub mod run;
mod sys;

pub use error::Error;
