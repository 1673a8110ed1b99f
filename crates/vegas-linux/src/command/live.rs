//! The commands that run until they are stopped: `watch`, and `hold` for measurements.

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::{Map, Value, json};
use vegas_core::units::{Span, Time};
use vegas_linux::Error;
use vegas_linux::choice::Choice;
use vegas_linux::machine::installed::Installed;
use vegas_linux::machine::own::Own;
use vegas_linux::machine::watch::{self, Step};
use vegas_results::TableFormat;

#[derive(Args)]
pub(crate) struct Watch {
    /// Presets or kernel names; all, if none is given
    names: Vec<String>,
    /// Writes the rows of all steps when it ends: .parquet or .csv
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Seconds from step to step
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = seconds)]
    every: Span,
    /// Ends by itself after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Span>,
    /// A JSON object a step
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct Hold {
    /// What is installed is named, not registered again
    #[arg(required = true)]
    presets: Vec<String>,
}

/// Prints steps until `stop` is set, the reader of the output leaves, or the requested end.
pub(crate) fn watch(options: &Watch, stop: &AtomicBool) -> Result<(), Error> {
    let output = options.output.as_ref().map(|path| file(path)).transpose()?;
    let all = chosen(&options.names)?;
    if all.is_empty() {
        return Err(Error("nothing is installed; begin with: vegaslab linux install gallop".into()));
    }
    let mut watch = watch::Watch::begin(&all, output.is_some())?;
    let end = options.seconds.map(|span| Time::ZERO + span);
    let mut now = Time::ZERO;
    while !stop.load(Ordering::Relaxed) && end.is_none_or(|end| now < end) {
        now = now + options.every;
        let step = watch.until(now, || stop.load(Ordering::Relaxed))?;
        match say(&watch, &step, options.json) {
            // the reader has closed the output
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            said => said.map_err(|error| Error::new("standard output", error))?,
        }
    }
    output.map_or(Ok(()), |(path, format)| watch.write(path, format))
}

/// Registers the presets that are not installed, prints the names of all, and waits.
pub(crate) fn hold(options: &Hold) -> Result<(), Error> {
    let (mut names, mut missing, mut choices) = (Map::new(), Vec::new(), Vec::new());
    for preset in &options.presets {
        match Installed::find(preset) {
            Ok(installed) => drop(names.insert(preset.clone(), json!(installed.kernel_name))),
            Err(_) => {
                missing.push(preset.clone());
                choices.push(Choice::of_preset(preset, &[])?);
            }
        }
    }
    let own = Own::register(&choices, None)?;
    names.extend(missing.into_iter().zip(own.names.iter().map(|name| json!(name))));
    let failed = |error| Error::new("standard streams", error);
    writeln!(io::stdout(), "{}", Value::Object(names)).map_err(failed)?;
    io::copy(&mut io::stdin(), &mut io::sink()).map_err(failed)?;
    Ok(())
}

/// Returns the installations of these names; all, if there are none.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<Installed>, Error> {
    match names {
        [] => Installed::all(),
        _ => names.iter().map(|name| Installed::find(name)).collect(),
    }
}

fn file(path: &PathBuf) -> Result<(&PathBuf, TableFormat), Error> {
    let wrong = |why: &str| Error::new(format!("-o {}", path.display()), why);
    let format = TableFormat::of(path).ok_or_else(|| wrong("ends in neither .parquet nor .csv"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
        true => Err(wrong("is no file in a folder that is there")),
        false => Ok((path, format)),
    }
}

fn say(watch: &watch::Watch, step: &Step, as_json: bool) -> io::Result<()> {
    let rows = watch.rows(step);
    let mut out = io::stdout().lock();
    if as_json {
        let lost = step.records_lost;
        writeln!(out, "{}", json!({ "time_s": step.time_s, "records_lost": lost, "connections": rows }))?;
    } else {
        rows.iter().try_for_each(|row| writeln!(out, "{}", line(row)))?;
    }
    out.flush()
}

/// Formats a connection as one line.
fn line(row: &Value) -> String {
    let number = |key: &str, digits: usize| row[key].as_f64().map_or("-".into(), |value| format!("{value:.digits$}"));
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    format!(
        "{:>7} s  {} {} {} > {}  {}  cwnd {} ssthresh {} in flight {}  rtt {} ms base {} ms diff {}  {} Mb/s",
        number("time_s", 1),
        number("flow", 0),
        text("algorithm"),
        text("local"),
        text("remote"),
        text("phase"),
        number("cwnd_segments", 1),
        number("ssthresh_segments", 0),
        number("in_flight_segments", 0),
        number("rtt_ms", 3),
        number("base_rtt_ms", 3),
        number("diff_segments", 0),
        number("throughput_mbps", 2),
    )
}

fn seconds(text: &str) -> Result<Span, String> {
    const MOST: f64 = 1e6;
    let seconds = text.parse().ok().filter(|seconds| (0.01..=MOST).contains(seconds));
    let seconds: f64 = seconds.ok_or("write seconds, 0.01 or more")?;
    Ok(Span::from_nanos((seconds * 1e9) as u64))
}
