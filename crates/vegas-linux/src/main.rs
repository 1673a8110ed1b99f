//! `vegas-linux`, the program behind `vegaslab linux` that talks to the kernel.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
