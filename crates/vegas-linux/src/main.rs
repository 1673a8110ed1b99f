//! `vegas-linux`, the program behind `vegaslab linux` that talks to the kernel.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    if vegas_linux::guest::is_here() {
        vegas_linux::guest::main();
    }
    command::main()
}
