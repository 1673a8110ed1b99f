//! Networks of which one event sends very many segments: the program keeps within its memory.

use std::path::Path;
use std::process::Command;

/// The address space, KiB: far more than the 256 MB of a run.
const ADDRESSES_KIB: &str = "1500000";

#[test]
fn no_network_takes_the_memory_of_the_machine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bounded");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut checked = 0;
    for file in files {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "ulimit -v $0; exec \"$1\" check \"$2\"",
            ADDRESSES_KIB,
            env!("CARGO_BIN_EXE_vegaslab-swarm"),
        ]);
        let output = command.arg(&file).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        let holds = ["\"held\"", "\"too-long\""].iter().any(|verdict| told.contains(verdict));
        assert!(holds, "{}: {told}{}", file.display(), String::from_utf8_lossy(&output.stderr));
        checked += 1;
    }
    assert!(checked > 0, "no network was checked");
}
