//! packetdrill scripts on the simulated hosts.

use std::fs;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use vegas_packetdrill::simulated::{HostKind, SimulatedHost};
use vegas_packetdrill::{Outcome, Script, Verdict, run};

/// What a script says of a host: "pass", "fail" or "not applicable"; where it fails, line by line; what it needs, each
/// with the line that needs it; and how it went, line by line.
type Judged = (&'static str, Vec<String>, Vec<(u32, String)>, Vec<String>);

/// Runs the text of a packetdrill script on a simulated host, "linux" or "bsd". Files of commands that it names are
/// read from its folder.
#[pyfunction]
pub(crate) fn packetdrill(py: Python<'_>, text: &str, folder: PathBuf, host: &str) -> PyResult<Judged> {
    let kind = match host {
        "linux" => HostKind::Linux,
        "bsd" => HostKind::Bsd,
        _ => return Err(PyValueError::new_err(format!("{host:?} is no host; write \"linux\" or \"bsd\""))),
    };
    let script = Script::read(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let Outcome { verdict, walk } = py.detach(|| {
        let files = |name: &str| fs::read_to_string(folder.join(name)).ok();
        run(&script, &mut SimulatedHost::new(kind), &files)
    });
    Ok(match verdict {
        Verdict::Pass => ("pass", Vec::new(), Vec::new(), walk),
        Verdict::Fail(failure) => ("fail", failure.to_string().lines().map(str::to_owned).collect(), Vec::new(), walk),
        Verdict::NotApplicable(needs) => {
            ("not applicable", Vec::new(), needs.into_iter().map(|need| (need.line, need.what)).collect(), walk)
        }
    })
}
