//! The project's own scripts: each says of a simulated host what the host does today. Those of the folder `linux` hold
//! on a real Linux, too (docs/packetdrill.md).

use std::fs;
use std::path::{Path, PathBuf};

use vegas_packetdrill::simulated::{HostKind, SimulatedHost};
use vegas_packetdrill::{Script, Verdict, run};

/// Returns the scripts below a folder of `scripts`, in the order of their names.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(scripts(&path));
        } else if path.extension().is_some_and(|ending| ending == "pkt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn verdict(path: &Path, kind: HostKind) -> Verdict {
    let text = fs::read_to_string(path).expect("a script");
    let script = Script::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = path.parent().expect("a folder");
    let files = |name: &str| fs::read_to_string(folder.join(name)).ok();
    run(&script, &mut SimulatedHost::new(kind), &files).verdict
}

fn all_pass(folder: &str, kind: HostKind) {
    let scripts = scripts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(folder));
    assert!(!scripts.is_empty(), "no scripts in {folder}");
    let verdicts = scripts.iter().map(|path| (path, verdict(path, kind)));
    let others: Vec<String> = verdicts
        .filter(|(_, verdict)| *verdict != Verdict::Pass)
        .map(|(path, verdict)| format!("{}: {verdict}", path.display()))
        .collect();
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn a_linux_host_does_what_scripts_for_linux_say() {
    all_pass("linux", HostKind::Linux);
}

#[test]
fn a_bsd_host_does_what_scripts_for_bsd_say() {
    all_pass("bsd", HostKind::Bsd);
}
