//! Checks scenarios, runs one at a time, and returns its rows during the run and its tables at the end.

use std::collections::BTreeMap;

use vegas_results::columns::TABLES;
use vegas_results::{Summary, Table};
use vegas_sim::outcome::Outcome;
use vegas_sim::scenario::{Folder, Language, NamedText, Own, Sampling, Scenario};
use vegas_sim::{Engine, Limits, Simulation, Watch};

use crate::describe::description;
use crate::failure::Failure;
use crate::own::Shelf;
use crate::rows;
use crate::steered::{Transports, Wheel, take_in_hand};

/// The name of the typed text in messages.
const SOURCE: &str = "scenario";
/// A page of 32 bits has 4 GiB; the tables and their files at a run's end need a multiple of the run's own memory.
const MEMORY_BYTES: u64 = 600 << 20;

/// The state of the module.
#[derive(Debug, Default)]
pub struct Laboratory {
    files: Files,
    run: Option<Run>,
    wheel: Wheel,
}

#[derive(Debug)]
struct Run {
    scenario: Scenario,
    state: State,
    /// The numbers of rows of flows and of links that were returned so far.
    taken: [usize; 2],
}

#[derive(Debug)]
enum State {
    Running(Box<Simulation>, f64),
    Finished(Box<Outcome>),
}

impl Laboratory {
    /// Keeps a trace that scenarios may name: its name, a zero byte, and its text, which is parsed when a scenario
    /// names it.
    pub fn keep_trace(&mut self, named: &str) -> Result<Vec<u8>, Failure> {
        let (name, text) = named.split_once('\0').ok_or_else(|| Failure::new("a trace without a name"))?;
        self.files.traces.insert(name.to_owned(), text.to_owned());
        Ok(Vec::new())
    }

    /// Keeps one of the reader's algorithms, which scenarios may name (`own.rs` describes the input).
    pub fn keep_algorithm(&mut self, given: &[u8]) -> Result<Vec<u8>, Failure> {
        self.files.algorithms.keep(given)
    }

    /// Forgets all kept algorithms.
    pub fn forget_algorithms(&mut self) {
        self.files.algorithms.forget();
    }

    /// Describes a scenario as JSON (`describe.rs` lists the fields).
    pub fn check(&self, text: &str) -> Result<Vec<u8>, Failure> {
        Ok(description(&self.read(text)?).to_string().into_bytes())
    }

    /// Begins a run, which replaces an earlier one, and describes its scenario. If there is a flow number `hand`,
    /// [`Laboratory::steer`] sets its window.
    pub fn begin(&mut self, text: &str, hand: Option<u32>) -> Result<Vec<u8>, Failure> {
        self.run = None;
        let mut scenario = self.read(text)?;
        if let Some(flow) = hand.and_then(|flow| scenario.flows.get_mut(flow as usize)) {
            self.wheel = Wheel::default();
            take_in_hand(flow);
        }
        let stack = Transports { wheel: self.wheel.clone(), hand };
        let simulation = within_limits(|watch| {
            Simulation::watched(Engine::Fast, &scenario, Some(&stack), watch)
                .map_err(|stopped| Failure::new(stopped.to_string()))
        })?;
        let description = description(&scenario).to_string().into_bytes();
        self.run = Some(Run { scenario, state: State::Running(Box::new(simulation), 0.0), taken: [0; 2] });
        Ok(description)
    }

    /// Sets the window of the flow that the reader steers, segments.
    pub fn steer(&self, segments: u32) {
        self.wheel.set(segments);
    }

    /// Handles at most this many events; returns whether the run has come to its end.
    pub fn advance(&mut self, events: u64) -> Result<bool, Failure> {
        let Some(Run { state: State::Running(simulation, now_s), .. }) = &mut self.run else {
            return Err(Failure::new("no run has begun"));
        };
        let reached = simulation.advance(events);
        *now_s = reached.now.as_nanos() as f64 / 1e9;
        if simulation.memory_bytes() > MEMORY_BYTES {
            self.run = None;
            let mebibytes = MEMORY_BYTES >> 20;
            return Err(Failure::new(format!(
                "the run needs more than {mebibytes} MiB; set sample to a longer step, or duration to less"
            )));
        }
        Ok(reached.finished)
    }

    /// The simulated time reached, s; 0 without a run.
    pub fn now_s(&self) -> f64 {
        match &self.run {
            Some(Run { state: State::Running(_, now_s), .. }) => *now_s,
            Some(Run { state: State::Finished(outcome), .. }) => outcome.end_s,
            None => 0.0,
        }
    }

    /// Appends the rows of the flows (`table` 0, [`crate::FLOW_COLUMNS`]) or links (1, [`crate::LINK_COLUMNS`]) that
    /// were not returned yet. If a run samples at every change, the links' rows are returned only when it is finished,
    /// because only then are they in order of time.
    pub fn take_rows(&mut self, table: u32, into: &mut Vec<f64>) {
        let Some(run) = &mut self.run else { return };
        let (flows, links) = match &run.state {
            State::Running(simulation, _) => simulation.series(),
            State::Finished(outcome) => (&outcome.flow_series, &outcome.link_series),
        };
        // with a sample at every change the rows are in order of time only at the end
        let links_wait = run.scenario.sampling == Sampling::EveryChange && matches!(run.state, State::Running(..));
        match table {
            0 => run.taken[0] = rows::of_flows(flows, run.taken[0], into),
            _ if !links_wait => run.taken[1] = rows::of_links(links, run.taken[1], into),
            _ => (),
        }
    }

    /// Finishes the run and returns its summary as JSON.
    pub fn finish(&mut self, wall_s: f64) -> Result<Vec<u8>, Failure> {
        let Some(mut run) = self.run.take() else { return Err(Failure::new("no run has begun")) };
        run.state = match run.state {
            State::Running(simulation, _) => State::Finished(Box::new(simulation.finish())),
            finished => finished,
        };
        let State::Finished(outcome) = &run.state else { unreachable!("it was just finished") };
        let summary = serde_json::to_vec(&Summary::new(&run.scenario, outcome, wall_s));
        let summary = summary.map_err(|error| Failure::new(error.to_string()))?;
        self.run = Some(run);
        Ok(summary)
    }

    /// A table of the finished run as a CSV file: `flow_series.csv` is byte for byte the file of this name in a results
    /// folder.
    pub fn table(&self, file_name: &str) -> Result<Vec<u8>, Failure> {
        let Some(Run { scenario, state: State::Finished(outcome), .. }) = &self.run else {
            return Err(Failure::new("no run is finished"));
        };
        let name = file_name.strip_suffix(".csv");
        let spec = TABLES.iter().find(|table| name == Some(table.name));
        let spec = spec.ok_or_else(|| Failure::new(format!("{file_name}: no run has such a table")))?;
        Table::new(spec, scenario, outcome).csv().map_err(|error| Failure::new(error.to_string()))
    }

    fn read(&self, text: &str) -> Result<Scenario, Failure> {
        let mut scenario = within_limits(|watch| Ok(Scenario::read_toml_in(&self.files, text, SOURCE, &[], watch)?))?;
        // the playground writes no capture file
        scenario.capture = false;
        Ok(scenario)
    }
}

fn within_limits<T>(work: impl FnOnce(&mut Watch<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
    let limits = Limits { memory_bytes: Some(MEMORY_BYTES), ..Limits::default() };
    let mut stop = |_| None;
    let mut watch = Watch::new(limits, &mut stop);
    work(&mut watch).map_err(|failure| match watch.stopped() {
        Some(stopped) => Failure::new(stopped.to_string()),
        None => failure,
    })
}

/// The files that scenarios may name; no others exist here.
#[derive(Debug, Default)]
struct Files {
    /// The texts of traces by name.
    traces: BTreeMap<String, String>,
    algorithms: Shelf,
}

impl Folder for Files {
    fn trace(&self, name: &str) -> Result<NamedText, String> {
        // by file name alone: a shipped scenario in a folder names a trace of the folder above
        let file = name.rsplit('/').next().unwrap_or(name);
        let known = || self.traces.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let text =
            self.traces.get(file).ok_or_else(|| format!("{name}: is no trace of this page; it has: {}", known()))?;
        Ok(NamedText { name: name.to_owned(), text: text.to_owned() })
    }

    fn own(&self, language: Language, name: &str) -> Result<Own, String> {
        self.algorithms.get(language, name)
    }
}
