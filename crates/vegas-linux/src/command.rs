//! The command line: `vegaslab linux ...` passes its arguments here unchanged.

mod live;

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clap::{Args, Parser, Subcommand};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use serde_json::{Map, Value};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use vegas_linux::Error;
use vegas_linux::choice::Choice;
use vegas_linux::choice::outside;
use vegas_linux::clock::Pace;
use vegas_linux::machine::attached::{self, Attached};
use vegas_linux::machine::host;
use vegas_linux::machine::installed::{self, Installed};
use vegas_linux::run::{Manner, Receivers, Run};
use vegas_results::WriteOptions;

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
    /// Lets a receiver echo what routers have stamped for RoVegas, until it is removed or the machine restarts
    Echo(Echo),
    /// Lists what is registered
    Status,
    /// Takes registered congestion controls away; connections keep theirs until they end
    Remove(Remove),
    /// Shows live connections that use what is installed: window, round trips, backlog, phase
    Watch(live::Watch),
    /// Registers presets under names of its own, says which, and keeps them until its input ends
    #[command(hide = true)]
    Hold(live::Hold),
    /// Carries a scenario out with real sockets over its network in real time
    Run(RunFile),
}

#[derive(Args)]
struct Install {
    /// A preset, as `vegaslab list algorithms` names it, or the algorithm of `make linux OWN=FILE`
    preset: String,
    /// Another number or part than the preset's, by its key in a scenario file: gamma=3
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    sets: Vec<(String, String)>,
    /// Of an algorithm that asks routers, as rovegas does: a device that its packets leave by
    #[arg(long = "device", value_name = "DEVICE")]
    devices: Vec<String>,
}

#[derive(Args)]
struct Echo {
    /// The devices that data comes in by
    #[arg(required = true)]
    devices: Vec<String>,
}

#[derive(Args)]
struct Remove {
    /// Presets, kernel names or devices; all, if none is given
    names: Vec<String>,
}

#[derive(Args)]
struct RunFile {
    /// A scenario file
    file: PathBuf,
    /// Another value than the file's: flow.0.algorithm=reno
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    sets: Vec<(String, String)>,
    /// The seed of what the links do at random
    #[arg(long)]
    seed: Option<u64>,
    /// The results folder; default: results/NAME-linux, or with --json none
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// With receivers that do not know RoVegas's option
    #[arg(long)]
    no_echo: bool,
    /// Every table as CSV too
    #[arg(long)]
    csv: bool,
    /// The packets too, for Wireshark
    #[arg(long)]
    pcapng: bool,
    /// The summary alone, on one line
    #[arg(long)]
    json: bool,
    /// Ends with the process that started it
    #[arg(long, hide = true)]
    with_parent: bool,
    /// Runs the kernel's own congestion controls where presets are copies of them
    #[arg(long, hide = true)]
    kernels_own: bool,
    /// In a guest with virtual time: its description for the summary and the manifest, as JSON
    #[arg(long, hide = true, value_name = "JSON", value_parser = table)]
    world: Option<Map<String, Value>>,
}

impl RunFile {
    fn manner(&self) -> Manner {
        Manner {
            receivers: if self.no_echo { Receivers::Ignore } else { Receivers::Echo },
            kernels_own: self.kernels_own,
            pace: if self.world.is_some() { Pace::Virtual } else { Pace::Real },
        }
    }

    /// Returns the summary's table about the machine, with its name.
    fn about(&self, run: &Run) -> (String, Value) {
        let mut about = run.to_json();
        let Some(world) = &self.world else { return ("linux".into(), about) };
        if let Value::Object(about) = &mut about {
            about.extend(world.clone());
        }
        ("world".into(), about)
    }
}

/// The exit code for bad input and for a machine that lacks something; one line says what is wrong.
const BAD_INPUT: u8 = 2;

pub(crate) fn main() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        // help and version are errors to clap, too
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => return complain(error.to_string().lines().next().unwrap_or_default(), BAD_INPUT),
    };
    // libbpf's messages are for developers; its errors are returned as values
    libbpf_rs::set_print(None);
    let stop = match Stop::on_signals() {
        Ok(stop) => stop,
        Err(error) => return complain(error, BAD_INPUT),
    };
    match (check(&command.action).and_then(|()| run(&command.action, &stop.flag)), stop.code()) {
        (Ok(()), _) => ExitCode::SUCCESS,
        (Err(_), Some(code)) => complain("interrupted; nothing was written", code),
        (Err(error), None) => complain(error, BAD_INPUT),
    }
}

/// Checks that this machine has what an action needs. A run in a guest looks at its scenario first.
fn check(action: &Action) -> Result<(), Error> {
    if matches!(action, Action::Run(RunFile { world: Some(_), .. })) { Ok(()) } else { host::check() }
}

fn complain(what: impl Display, code: u8) -> ExitCode {
    eprintln!("{what}");
    ExitCode::from(code)
}

fn run(action: &Action, stop: &AtomicBool) -> Result<(), Error> {
    match action {
        Action::Install(install) => install_preset(install),
        Action::Echo(echo) => echo.devices.iter().try_for_each(|device| attach(device)),
        Action::Status => status(),
        Action::Remove(remove) => remove_named(&remove.names),
        Action::Watch(watch) => live::watch(watch, stop),
        Action::Hold(hold) => live::hold(hold),
        Action::Run(file) => run_file(file, stop),
    }
}

fn install_preset(install: &Install) -> Result<(), Error> {
    let choice = Choice::of_preset(&install.preset, &install.sets)?;
    attach_for(&choice, &install.devices)?;
    let installed = Installed::install(&choice)?;
    let without = match choice.left_out.as_str() {
        "" => String::new(),
        letters => format!(", without {letters}, which Linux's TCP does itself or cannot"),
    };
    println!("{}: {}{without}", installed.kernel_name, choice.algorithm);
    Ok(())
}

/// Attaches the option's programs to the devices, if the algorithm asks routers.
fn attach_for(choice: &Choice, devices: &[String]) -> Result<(), Error> {
    let asks_routers = choice.composition.signal.needs_routers();
    if !asks_routers && !devices.is_empty() {
        return Err(Error(format!("--device: {} asks no routers; leave it out", choice.algorithm)));
    }
    if asks_routers && devices.is_empty() && Attached::all()?.is_empty() {
        return Err(Error(format!(
            "{} asks routers: name the device that its packets leave by, --device eth0",
            choice.algorithm
        )));
    }
    let new = |device: &&String| !matches!(Attached::find(device), Ok(Some(_)));
    devices.iter().filter(new).try_for_each(|device| attach(device))
}

fn attach(device: &str) -> Result<(), Error> {
    Attached::attach(device)?;
    println!("{device}: packets carry RoVegas's option where their connection asks for it");
    Ok(())
}

fn status() -> Result<(), Error> {
    let all = Installed::all()?;
    let devices = Attached::all()?;
    if all.is_empty() && devices.is_empty() {
        println!("nothing is installed");
    }
    devices.iter().for_each(|attached| println!("{}", attached_line(attached).unwrap_or_else(|error| error.0)));
    all.iter().for_each(|installed| println!("{}", installed_line(installed).unwrap_or_else(|error| error.0)));
    Ok(())
}

fn attached_line(attached: &Attached) -> Result<String, Error> {
    let counts = attached.counts()?;
    Ok(format!(
        "{:15}  option: {} sent, {} heard, {} without room for it, {} malformed",
        attached.device, counts.inserted, counts.heard, counts.without_room, counts.malformed
    ))
}

fn installed_line(installed: &Installed) -> Result<String, Error> {
    let status = installed.status()?;
    let numbers = status.config.numbers;
    Ok(format!(
        "{:15}  alpha {} beta {} gamma {}  initial window {}  {} connections{}",
        installed.kernel_name,
        numbers.alpha,
        numbers.beta,
        numbers.gamma,
        numbers.initial_window,
        status.counts.flows_started,
        if status.watched { ", watched" } else { "" }
    ))
}

fn remove_named(names: &[String]) -> Result<(), Error> {
    let mut devices = if names.is_empty() { Attached::all()? } else { Vec::new() };
    let mut others = Vec::new();
    for name in names {
        match Attached::find(name)? {
            Some(attached) => devices.push(attached),
            None => others.push(name.clone()),
        }
    }
    // no names mean all algorithms; names of devices alone mean no algorithm
    let chosen = if names.is_empty() || !others.is_empty() { live::chosen(&others)? } else { Vec::new() };
    for attached in devices {
        attached.remove()?;
        println!("{} is without the option", attached.device);
    }
    chosen.iter().try_for_each(|installed| {
        installed.remove()?;
        println!("{} is removed", installed.kernel_name);
        Ok(())
    })?;
    installed::clear()?;
    attached::clear()
}

fn run_file(file: &RunFile, stop: &AtomicBool) -> Result<(), Error> {
    if file.with_parent {
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| Error::new("prctl", error))?;
    }
    let name = file.file.display().to_string();
    let text = fs::read_to_string(&file.file).map_err(|error| Error::new(&name, error))?;
    let mut sets = file.sets.clone();
    sets.extend(file.seed.map(|seed| ("seed".into(), seed.to_string())));
    sets.extend(file.pcapng.then(|| ("capture".into(), "true".into())));
    let is_json = file.file.extension().is_some_and(|extension| extension == "json");
    let scenario = outside::read(&text, &name, is_json, &sets)?;
    let default = || Path::new("results").join(format!("{}-linux", scenario.name));
    let folder = file.output.clone().or_else(|| (!file.json).then(default));
    if let Some(folder) = &folder {
        vegas_results::check_folder(folder).map_err(|error| Error(error.to_string()))?;
    }
    let run = vegas_linux::run::run_in(&scenario, file.manner(), stop)?;
    let (key, about) = file.about(&run);
    let wall_s = run.outcome.end_s;
    if let Some(folder) = &folder {
        let options = WriteOptions { csv: file.csv, pcapng: file.pcapng };
        let about = Map::from_iter([(key.clone(), about.clone())]);
        vegas_results::write_folder_about(folder, &scenario, &run.outcome, wall_s, options, &about)
            .map_err(|error| Error(error.to_string()))?;
    }
    let mut summary = vegas_results::summary(&scenario, &run.outcome, wall_s);
    summary[key] = about;
    let said = match (file.json, folder) {
        (false, Some(folder)) => writeln!(io::stdout(), "{summary:#}\nresults: {}", folder.display()),
        _ => writeln!(io::stdout(), "{summary}"),
    };
    said.map_err(|error| Error::new("standard output", error))
}

/// The signals that end a command early.
struct Stop {
    flag: Arc<AtomicBool>,
    /// The number of the newest signal received.
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// Installs the handlers. Ctrl-C and SIGTERM stop a run; a second one, or kill -9, leaves nothing behind either.
    fn on_signals() -> Result<Self, Error> {
        let stop = Stop { flag: Arc::default(), signal: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            let (flag, newest) = (Arc::clone(&stop.flag), Arc::clone(&stop.signal));
            flag::register_conditional_shutdown(signal, signalled(signal as usize).into(), Arc::clone(&flag))
                .and_then(|_| flag::register_usize(signal, newest, signal as usize))
                .and_then(|_| flag::register(signal, flag))
                .map_err(|error| Error::new("a signal handler", error))?;
        }
        Ok(stop)
    }

    /// Returns the exit code if a signal stopped the command.
    fn code(&self) -> Option<u8> {
        self.flag.load(Ordering::Relaxed).then(|| signalled(self.signal.load(Ordering::Relaxed)))
    }
}

/// Returns the exit code that shells give a command ended by a signal: 130 after Ctrl-C, 143 after SIGTERM.
fn signalled(signal: usize) -> u8 {
    const SIGNALLED: u8 = 128;
    SIGNALLED + signal as u8
}

fn table(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.into(), value.into()))
}
