//! One line says what the machine lacks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::{folder, stderr};
use crate::support;

/// A user without any rights, `nobody` on Debian.
const NOBODY: u32 = 65_534;

#[test]
fn without_root_every_command_says_so_in_a_line() {
    if !support::kernel_is_ready() {
        return;
    }
    let folder = folder("nobody");
    let program = folder.join("vegas-linux");
    fs::copy(env!("CARGO_BIN_EXE_vegas-linux"), &program).expect("a copy that any user may run");
    for path in [&folder, &program] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("the test's own files");
    }
    let cases = [
        &["install", "gallop"][..],
        &["status"],
        &["remove"],
        &["watch"],
        &["hold", "gallop"],
        &["run", "short.toml"],
        &["run", "short.toml", "--json"],
    ];
    for arguments in cases {
        let run = Command::new(&program).args(arguments).uid(NOBODY).gid(NOBODY).current_dir(&folder).output();
        let ended = run.expect("the program runs");
        assert_eq!(stderr(&ended), "vegaslab linux needs root: run it with sudo", "{arguments:?}");
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
    fs::remove_dir_all(&folder).expect("the test's own folder");
}
