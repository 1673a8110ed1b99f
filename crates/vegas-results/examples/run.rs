//! Runs a scenario file and writes its results folder: the simulator as a Rust library, without Python.
//!
//! `cargo run --release --package vegas-results --example run -- scenarios/gallop-50mbit.toml results/gallop`
//!
//! Keys to change follow, each as KEY=VALUE: `duration=10s flow.0.algorithm=reno`.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use vegas_results::{Summary, WriteOptions, write_folder};
use vegas_sim::scenario::Scenario;

/// No clock here (see `clippy.toml`): the wall time is measured outside.
const WALL_S: f64 = 0.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder, changes @ ..] = arguments.as_slice() else {
        eprintln!("usage: run SCENARIO.toml FOLDER [KEY=VALUE ...]");
        return ExitCode::from(2);
    };
    match run(file, Path::new(folder), changes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(file: &str, folder: &Path, changes: &[String]) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let changes = changes.iter().map(|change| {
        let (key, value) = change.split_once('=').ok_or_else(|| format!("{change}: expected KEY=VALUE"))?;
        Ok((key.to_string(), value.to_string()))
    });
    let changes = changes.collect::<Result<Vec<_>, String>>()?;
    let scenario = Scenario::from_toml(&text, file, &changes)?;
    let outcome = vegas_sim::run(&scenario);
    write_folder(folder, &scenario, &outcome, WALL_S, WriteOptions { csv: false, pcapng: false })?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, &Summary::new(&scenario, &outcome, WALL_S))?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}
