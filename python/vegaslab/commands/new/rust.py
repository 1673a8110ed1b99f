"""The files that `vegaslab new` writes for Rust."""

FILE = "src/algorithm.rs"
ALGORITHM = '{ rust = "{{name}}" }'
COMMANDS = """\
    cargo run --release -- run scenario.toml -o results
    cargo run --release -- compare scenario.toml {{name}} vegas
    cargo run --release -- conform
    cargo test --release

The folder that `-o` names has the tables of `vegaslab run` as Parquet files.

Into this machine's kernel (Linux, as root; the page docs/own-algorithm.md of the checkout):

    make -C {{checkout}} linux OWN=$PWD/src/algorithm.rs
    make -C {{checkout}} test-own OWN=$PWD/src/algorithm.rs
    {{checkout}}/.venv/bin/vegaslab linux install {{name}}
"""

_MANIFEST = """\
[package]
name = "{{name}}"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
vegas-core = { path = "{{checkout}}/crates/vegas-core" }
vegas-own = { path = "{{checkout}}/crates/vegas-own" }

[workspace]
"""

_MAIN = """\
//! The command: `run`, `compare`, `conform`.

mod algorithm;

use std::process::ExitCode;

use vegas_own::rust::{Own, main as command, own};

const KNOWN: [Own; 1] = [own::<algorithm::{{type}}>()];

fn main() -> ExitCode {
    command(&KNOWN)
}

#[cfg(test)]
mod tests {
    use vegas_own::rust::{conforms, run};

    use super::*;

    #[test]
    fn it_keeps_the_rules() {
        conforms::<algorithm::{{type}}>();
    }

    #[test]
    fn it_uses_the_path() {
        let (_, outcome) = run(&KNOWN, "scenario.toml", &[]).expect("the scenario runs");
        assert!(outcome.flows[0].throughput_mbps > 8.0);
    }
}
"""

_ALGORITHM = """\
//! {{name}}: one segment more a round trip, half the window after a loss (Chiu and Jain 1989).

use vegas_core::units::{Segments, Time, Window};
use vegas_core::{Ack, CongestionControl, Loss, Needs, Output, OwnAlgorithm, Parameters, Phase, Status};

/// Has no slow start, and answers one loss a window.
#[derive(Clone, Debug, PartialEq)]
pub struct {{type}} {
    window: Window,
    max_window: Window,
    last_cut: Option<Time>,
}

impl OwnAlgorithm for {{type}} {
    const NAME: &'static str = "{{name}}";
    const NEEDS: Needs = Needs::NONE;

    fn start(parameters: &Parameters, _seed: u64) -> Self {
        let [window, max_window] = [parameters.initial_window, parameters.max_window].map(Window::whole);
        {{type}} { window, max_window, last_cut: None }
    }
}

impl CongestionControl for {{type}} {
    fn on_ack(&mut self, ack: &Ack) {
        // false in recovery, and with a mark
        if ack.may_grow() {
            self.window = self.window.plus(self.window.one_spread()).min(self.max_window);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        // segments sent before the newest cut are lost to the same congestion
        if self.last_cut.is_none_or(|cut| loss.sent > cut) {
            self.window = self.window.half().max(Window::ONE);
            self.last_cut = Some(loss.now);
        }
    }

    fn output(&self) -> Output {
        Output { window: self.window, pace: None, quantum: Segments(1) }
    }

    fn status(&self) -> Status {
        Status { window: self.window, ssthresh: None, base_rtt: None, diff: None, phase: Phase::Avoidance }
    }
}
"""

FILES = {
    "Cargo.toml": _MANIFEST,
    "src/algorithm.rs": _ALGORITHM,
    "src/main.rs": _MAIN,
    ".gitignore": "/target/\n/results/\n",
}
