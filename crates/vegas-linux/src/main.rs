//! `vegas-linux`, the program behind `vegaslab linux` that talks to the kernel.

mod command;
mod live;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
