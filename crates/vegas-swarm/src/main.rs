//! The program behind `vegaslab swarm`: it examines networks by number, and prints a line of JSON for each. It is built
//! with the profile `swarm`, which has overflow checks and assertions.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde_json::{Value, json};
use vegas_sim::scenario;
use vegas_swarm::document::to_toml;
use vegas_swarm::examine::Verdict;
use vegas_swarm::network::{Network, examine_file};
use vegas_swarm::relations::{self, Relation};
use vegas_swarm::traces;

#[derive(Parser)]
#[command(name = "vegaslab-swarm", version = vegas_sim::ENGINE_VERSION, about = "Random networks, each checked")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Makes and checks networks, and prints a line of JSON for each.
    Examine {
        /// The swarm's seed.
        #[arg(long)]
        seed: u64,
        /// The first network's number.
        #[arg(long)]
        first: u64,
        /// How many.
        #[arg(long)]
        count: u64,
        /// Compares by this relation alone, and that in every network.
        #[arg(long, value_parser = relation)]
        relation: Option<&'static Relation>,
    },
    /// Prints a network's scenario as TOML.
    Show {
        /// The swarm's seed.
        #[arg(long)]
        seed: u64,
        /// The network's number.
        #[arg(long)]
        network: u64,
    },
    /// Prints a network that the kernel carries too, and reads a line: `differs` if both worlds differ. Then it prints
    /// smaller ones, and asks again; the last line has the smallest that differs, as TOML.
    Judge {
        /// The swarm's seed.
        #[arg(long)]
        seed: u64,
        /// The network's number.
        #[arg(long)]
        network: u64,
    },
    /// Checks scenario files with every invariant and relation.
    Check {
        /// TOML files.
        files: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    match carry_out(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("vegaslab-swarm: {error}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(command: Command) -> io::Result<ExitCode> {
    match command {
        Command::Examine { seed, first, count, relation } => {
            let traces = traces::Folder::new()?;
            let source = traces.source();
            for number in first..first.saturating_add(count) {
                let network = Network { seed, number };
                // the number comes first, so that it is known if the program dies
                print(&json!({ "network": number }))?;
                let source = source.to_string_lossy();
                print(&line(match relation {
                    None => network.examine(&source),
                    Some(relation) => network.examine_by(&source, &[relation]),
                }))?;
            }
        }
        Command::Show { seed, network } => print!("{}", to_toml(&Network { seed, number: network }.document())),
        Command::Judge { seed, network } => return judge(Network { seed, number: network }),
        Command::Check { files } => return check(&files),
    }
    Ok(ExitCode::SUCCESS)
}

fn judge(network: Network) -> io::Result<ExitCode> {
    let mut answers = io::stdin().lines();
    let mut ask = |document: &Value| -> io::Result<bool> {
        print(&json!({ "document": document }))?;
        Ok(answers.next().transpose()?.is_some_and(|answer| answer == "differs"))
    };
    let mut failed = None;
    let smallest = network.judge(|document| ask(document).map_err(|error| failed = Some(error)).unwrap_or(false));
    print(&json!({ "toml": to_toml(&smallest) }))?;
    failed.map_or(Ok(ExitCode::SUCCESS), Err)
}

fn relation(name: &str) -> Result<&'static Relation, String> {
    let names = || relations::ALL.iter().map(|relation| relation.name).collect::<Vec<_>>().join(", ");
    relations::named(name).ok_or_else(|| format!("no relation; one of {}", names()))
}

fn check(files: &[PathBuf]) -> io::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let name = file.to_string_lossy();
        let text = std::fs::read_to_string(file).map_err(|error| io::Error::other(format!("{name}: {error}")))?;
        let document = match scenario::read_toml(&text, &name) {
            Ok((document, _)) => document,
            Err(error) => return Err(io::Error::other(error.to_string())),
        };
        let mut line = line(examine_file(&document, &name));
        line["file"] = json!(name);
        if line["verdict"] != "held" {
            code = ExitCode::FAILURE;
        }
        print(&line)?;
    }
    Ok(code)
}

fn line(verdict: Verdict) -> Value {
    match verdict {
        Verdict::Held { events, compared } => json!({ "verdict": "held", "events": events, "compared": compared }),
        Verdict::Refused(message) => json!({ "verdict": "refused", "message": message }),
        Verdict::TooLong => json!({ "verdict": "too-long" }),
        Verdict::Failed(document, failure) => {
            let toml = to_toml(&document);
            let traces: serde_json::Map<String, Value> =
                traces::named_in(&toml).map(|(name, text)| (name.to_owned(), json!(text))).collect();
            json!({
                "verdict": "failed",
                "check": failure.check,
                "place": failure.place,
                "message": failure.message,
                "toml": toml,
                "traces": traces,
            })
        }
    }
}

/// Prints a line and flushes it, so that the reader has it at once.
fn print(line: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush())
}
