//! The command line: `vegaslab linux ...` hands its arguments here as they are.

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use vegas_linux::choice::Choice;
use vegas_linux::installed::Installed;
use vegas_linux::{Error, host};

/// Congestion controls of the Vegas family in this machine's TCP.
#[derive(Parser)]
#[command(name = "vegaslab linux", bin_name = "vegaslab linux")]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Registers a preset as a congestion control, vegas_gallop say, until it is removed or the machine restarts
    Install(Install),
    /// Lists what is registered
    Status,
    /// Takes registered congestion controls away; connections keep theirs until they end
    Remove(Remove),
}

#[derive(Args)]
struct Install {
    /// A preset, as `vegaslab list algorithms` names it
    preset: String,
    /// Another number or part than the preset's, by its key in a scenario file: gamma=3
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    sets: Vec<(String, String)>,
}

#[derive(Args)]
struct Remove {
    /// Presets or kernel names; all, if none is given
    names: Vec<String>,
}

/// Bad input, and a machine that lacks something, end with this code and one line.
const BAD_INPUT: u8 = 2;

pub(crate) fn main() -> ExitCode {
    let command = Command::parse();
    // libbpf's own messages are for developers; its errors come back as values
    libbpf_rs::set_print(None);
    match host::check().and_then(|()| run(&command.action)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn run(action: &Action) -> Result<(), Error> {
    match action {
        Action::Install(install) => install_preset(install),
        Action::Status => status(),
        Action::Remove(remove) => remove_named(&remove.names),
    }
}

fn install_preset(install: &Install) -> Result<(), Error> {
    let choice = Choice::of_preset(&install.preset, &install.sets)?;
    let installed = Installed::install(&choice)?;
    let without = match choice.left_out.as_str() {
        "" => String::new(),
        letters => format!(", without {letters}, which Linux's TCP does itself or cannot"),
    };
    println!("{}: {}{without}", installed.kernel_name, choice.algorithm);
    Ok(())
}

fn status() -> Result<(), Error> {
    let all = Installed::all()?;
    if all.is_empty() {
        println!("nothing is installed");
    }
    for installed in all {
        let status = installed.status()?;
        let config = status.config;
        println!(
            "{:15}  alpha {} beta {} gamma {}  initial window {}  {} connections, {} records lost",
            installed.kernel_name,
            config.alpha,
            config.beta,
            config.gamma,
            config.initial_window,
            status.flows_started,
            status.records_lost
        );
    }
    Ok(())
}

fn remove_named(names: &[String]) -> Result<(), Error> {
    let chosen = match names {
        [] => Installed::all()?,
        _ => names.iter().map(|name| Installed::find(name)).collect::<Result<_, _>>()?,
    };
    chosen.iter().try_for_each(|installed| {
        installed.remove()?;
        println!("{} is removed", installed.kernel_name);
        Ok(())
    })
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.into(), value.into()))
}
