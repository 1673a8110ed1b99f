//! The command of a program with algorithms of its own.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use vegas_results::{WriteOptions, write_folder};
use vegas_sim::outcome::{FlowOutcome, Outcome};
use vegas_sim::scenario::{OnDisk, Scenario};
use vegas_sim::{Engine, Limits, Watch, run_within};

use super::{Library, Own};

/// This crate reads no clock (`clippy.toml`); the user measures the wall time outside.
const WALL_S: f64 = 0.0;

/// Runs a scenario file in which flows may use these algorithms; each change is a dotted key and the text of its value.
/// The error is one line.
pub fn run(known: &[Own], file: &str, changes: &[(String, String)]) -> Result<(Scenario, Outcome), String> {
    let library = Arc::new(Library::of_program(known));
    ran(&library, file, changes).map_err(|Problem { line, .. }| line)
}

/// Does what the arguments request: `run`, `compare` or `conform`. The exit code is 2 for bad arguments and scenarios,
/// and 1 for a run that fails.
pub fn main(known: &[Own]) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let library = Arc::new(Library::of_program(known));
    let done = match texts.as_slice() {
        ["run", file, "-o", folder, changes @ ..] => run_and_print(&library, file, Some(Path::new(folder)), changes),
        ["run", file, changes @ ..] => run_and_print(&library, file, None, changes),
        ["compare", file, algorithms @ ..] if !algorithms.is_empty() => compare(&library, file, algorithms),
        ["conform"] => conform(known),
        _ => Err(usage(USAGE)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Problem { line, exit_code }) => {
            eprintln!("{line}");
            ExitCode::from(exit_code)
        }
    }
}

const USAGE: &str = "\
run SCENARIO.toml [-o FOLDER] [KEY=VALUE ...]     the first flow's algorithm is the scenario's
compare SCENARIO.toml ALGORITHM ...               the first flow with each: presets, algorithms of this program, *.wasm
conform                                           the rules that every congestion control keeps";

struct Problem {
    line: String,
    exit_code: u8,
}

fn usage(line: impl ToString) -> Problem {
    Problem { line: line.to_string(), exit_code: 2 }
}

fn failure(line: impl ToString) -> Problem {
    Problem { line: line.to_string(), exit_code: 1 }
}

type Done = Result<(), Problem>;

fn run_and_print(library: &Arc<Library>, file: &str, folder: Option<&Path>, changes: &[&str]) -> Done {
    let changes = changes.iter().map(|change| {
        let (key, value) = change.split_once('=').ok_or_else(|| format!("{change}: expected KEY=VALUE"))?;
        Ok((key.to_owned(), value.to_owned()))
    });
    let changes = changes.collect::<Result<Vec<_>, String>>().map_err(usage)?;
    let (scenario, outcome) = ran(library, file, &changes)?;
    if let Some(folder) = folder {
        write_folder(folder, &scenario, &outcome, WALL_S, WriteOptions { csv: false, pcapng: false })
            .map_err(failure)?;
    }
    let rows = scenario.flows.iter().zip(&outcome.flows).map(|(flow, outcome)| (flow.algorithm.as_str(), outcome));
    print(rows)
}

fn compare(library: &Arc<Library>, file: &str, algorithms: &[&str]) -> Done {
    let runs = algorithms.iter().map(|name| {
        let value = match library.known.iter().find(|own| own.name == *name) {
            Some(own) => format!("{{ rust = \"{}\" }}", own.name),
            None if name.ends_with(".wasm") => {
                let path = std::path::absolute(name).map_err(usage)?;
                format!("{{ wasm = {:?} }}", path.display().to_string())
            }
            None => (*name).to_owned(),
        };
        ran(library, file, &[("flow.0.algorithm".into(), value)])
    });
    let runs = runs.collect::<Result<Vec<_>, Problem>>()?;
    print(runs.iter().map(|(scenario, outcome)| (scenario.flows[0].algorithm.as_str(), &outcome.flows[0])))
}

fn conform(known: &[Own]) -> Done {
    for own in known {
        (own.conforms)();
        println!("{}: keeps the rules", own.name);
    }
    Ok(())
}

fn ran(library: &Arc<Library>, file: &str, changes: &[(String, String)]) -> Result<(Scenario, Outcome), Problem> {
    let text = fs::read_to_string(file).map_err(|error| usage(format!("{file}: {error}")))?;
    let folder = OnDisk::of(file).with_loader(Arc::<Library>::clone(library));
    let (limits, mut stop) = (Limits::default(), |_| None);
    let watch = &mut Watch::new(limits, &mut stop);
    let scenario = Scenario::read_toml_in(&folder, &text, file, changes, watch).map_err(usage)?;
    let outcome = run_within(Engine::Fast, &scenario, None, watch).map_err(failure)?;
    Ok((scenario, outcome))
}

fn print<'a>(rows: impl Iterator<Item = (&'a str, &'a FlowOutcome)>) -> Done {
    let mut out = io::stdout().lock();
    let mut line = |cells: [String; 5]| {
        let [algorithm, goodput, rtt, again, timeouts] = cells;
        writeln!(out, "{algorithm:<24}{goodput:>14}{rtt:>14}{again:>14}{timeouts:>10}").map_err(failure)
    };
    line(["algorithm", "goodput Mb/s", "mean RTT ms", "retransmitted", "timeouts"].map(str::to_owned))?;
    for (algorithm, flow) in rows {
        line([
            algorithm.to_owned(),
            format!("{:.3}", flow.goodput_mbps),
            flow.mean_rtt_ms.map_or("-".into(), |rtt| format!("{rtt:.1}")),
            flow.segments_retransmitted.to_string(),
            flow.timeouts.to_string(),
        ])?;
    }
    Ok(())
}
