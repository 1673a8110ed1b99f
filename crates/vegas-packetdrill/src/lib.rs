//! Runs packetdrill scripts in virtual time: segments go in and come out at their times, the application calls the
//! host, and assertions look at the connection's state.
//!
//! [`Script`] is the language, [`Host`] what a script needs of a host under test, [`run`] walks through the script, and
//! [`simulated`] has the simulator's host.

mod host;
mod python;
pub mod script;
pub mod segment;
pub mod shell;
pub mod simulated;
mod verdict;
mod walk;

pub use host::{Host, Reply};
pub use script::{Script, ScriptError};
pub use verdict::{Failure, Need, Outcome, Verdict};
pub use walk::run;
