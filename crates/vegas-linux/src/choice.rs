//! The choice of the algorithm for the kernel: a preset with changes, or the algorithm of a scenario's flow.

pub(crate) mod kernels;
pub mod outside;

use serde_json::json;
use vegas_core::registry::{self, Preset};
use vegas_core::{Composition, HostCapabilities, Needs, Parameters, Standalone};
use vegas_sim::scenario::{FlowSpec, Scenario};

use crate::Error;
use crate::abi::{Config, KERNELS_OWN, NONE_U32, Numbers, OWN};
use outside::{KERNEL, OUTSIDE};

/// The signal needs routers' times, so the flow's packets carry the option.
pub(crate) const NEEDS_ROUTERS: u32 = 1;
/// The algorithm needs the acknowledgements in recovery, duplicate ones, and the end of recovery.
pub(crate) const NEEDS_EVERY_ACK: u32 = 2;
/// A pacing rate, rate samples or the window in recovery, which the kernel gives in `cong_control` only.
pub(crate) const NEEDS_CONTROL: u32 = 4;
/// Segments sent and segments lost, which the kernel's glue keeps accounts of (`kernel/departures.rs`).
pub(crate) const NEEDS_DEPARTURES: u32 = 8;

/// An algorithm that Linux can carry out.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The name for `TCP_CONGESTION`, at most 15 bytes.
    pub kernel_name: String,
    /// The name of the preset or of the table of parts.
    pub algorithm: String,
    /// The parts; loss detection and recovery are the kernel's own.
    pub composition: Composition,
    /// The standalone algorithm; `None` for a composition of parts.
    pub standalone: Option<Standalone>,
    /// What the algorithm needs, if it is the one from outside; then as with `standalone`.
    pub own: Option<Needs>,
    /// The numbers.
    pub parameters: Parameters,
    /// The letters of the preset's mechanisms ("TCP Vegas Revisited") that were left out, since Linux cannot carry them
    /// out.
    pub left_out: String,
}

/// The kernel's TCP_CA_NAME_MAX without the terminating zero, bytes.
const KERNEL_NAME_MAX: usize = 15;
/// Replaces the name of a table of parts in the kernel's name, since the table's name need not fit there.
const CUSTOM: &str = "custom";
/// The keys of an algorithm's table; all other keys are numbers of the flow.
const PARTS: [&str; 13] = [
    "signal",
    "base_rtt",
    "rivals",
    "slow_start",
    "avoidance",
    "cut",
    "once_per_window",
    "recovery",
    "fine_retransmit",
    "recheck_after_retransmit",
    "burst",
    "keep_up",
    "mechanisms",
];

impl Config {
    /// Returns the standalone algorithm; `None` for a composition of parts.
    pub fn standalone(&self) -> Option<Standalone> {
        Standalone::ALL.get((self.standalone as usize).wrapping_sub(1)).copied()
    }
}

/// Returns the needs as the bits that the glue reads.
fn needs_bits(needs: &Needs) -> u32 {
    let bit = |needed: bool, bit: u32| if needed { bit } else { 0 };
    bit(needs.routers, NEEDS_ROUTERS)
        | bit(needs.every_ack, NEEDS_EVERY_ACK)
        | bit(needs.pacing || needs.spread || needs.rate || needs.own_recovery, NEEDS_CONTROL)
        | bit(needs.sent || needs.each_loss, NEEDS_DEPARTURES)
}

impl Choice {
    /// A preset with changes as of `--set`: numbers and parts by their keys in a scenario file. C, D and H are left out
    /// of presets, and refused where they are asked for.
    ///
    /// The name of the algorithm from outside stands for that.
    pub fn of_preset(preset: &str, sets: &[(String, String)]) -> Result<Self, Error> {
        if OUTSIDE.is_some_and(|own| own.name == preset) {
            let flow = scenario(json!({ "rust": preset }), sets)?;
            return Choice { kernel_name: kernel_name(preset), ..Choice::of_parts_of(&flow) }.check();
        }
        let asked = scenario(json!({ "preset": preset }), &[])?;
        let letters = sets.iter().any(|(key, _)| key == "mechanisms");
        let table = match (letters, asked.standalone) {
            (true, _) => json!({}),
            (false, Some(_)) => json!({ "preset": preset }),
            (false, None) => {
                json!({ "preset": preset, "fine_retransmit": false, "recheck_after_retransmit": false, "burst": "none" })
            }
        };
        let flow = scenario(table, sets)?;
        let left_out = if letters { String::new() } else { hosts_mechanisms(&asked.composition) };
        let choice = Choice {
            kernel_name: kernel_name(preset),
            algorithm: preset.into(),
            left_out,
            ..Choice::of_parts_of(&flow)
        };
        choice.check()
    }

    /// Chooses a preset unchanged, even one that users may not install.
    pub fn of_parts(preset: &Preset) -> Self {
        Choice {
            kernel_name: kernel_name(preset.name),
            algorithm: preset.name.into(),
            composition: preset.composition,
            standalone: preset.standalone,
            own: None,
            parameters: preset.parameters,
            left_out: String::new(),
        }
    }

    /// Chooses the algorithm of a scenario's flow. Where the preset leaves a decision to the host, Linux makes its own;
    /// a mechanism of the host that the scenario names is refused.
    pub fn of_flow(flow: &FlowSpec) -> Result<Self, Error> {
        let mut choice = Choice::of_parts_of(flow);
        if let Some(preset) = registry::preset(&flow.algorithm) {
            choice.left_out = hosts_mechanisms(&preset.composition);
            choice.leave_to_the_host();
        }
        choice.check()
    }

    fn leave_to_the_host(&mut self) {
        self.composition.detection = KERNELS_OWN;
        self.composition.limits.burst = None;
    }

    fn of_parts_of(flow: &FlowSpec) -> Self {
        Choice {
            kernel_name: kernel_name(registry::preset(&flow.algorithm).map_or(CUSTOM, |preset| preset.name)),
            algorithm: flow.algorithm.clone(),
            composition: flow.composition,
            standalone: flow.standalone,
            own: flow.own.as_ref().map(|own| own.program().needs()),
            parameters: flow.parameters,
            left_out: String::new(),
        }
    }

    fn check(self) -> Result<Self, Error> {
        if let Some(reason) = self.standalone.and_then(Standalone::kept_from_kernel) {
            return Err(Error(format!("{} is not carried into the kernel: {reason}", self.algorithm)));
        }
        if let Some(Err(refusal)) = self.own.map(|needs| KERNEL.meets(&needs)) {
            return Err(Error(format!("{} is not carried into the kernel: {}", self.algorithm, refusal.reason)));
        }
        let Composition { slow_start, avoidance, loss, .. } = self.composition;
        if let Some(part) = self.composition.kept_from_kernel(self.standalone) {
            return Err(Error(format!("{}: {part} is not carried into the kernel", self.algorithm)));
        }
        if !slow_start.is_in_kernel() {
            return Err(Error(format!("{}: the slow start is not carried into the kernel", self.algorithm)));
        }
        if let Some(own) = avoidance.kernels_own().or(loss.cut.kernels_own()) {
            return Err(Error(format!("{own} is not carried into the kernel, which has its own: take the name {own}")));
        }
        self.composition.check_host(&HostCapabilities::LINUX).map_err(|refusal| Error(refusal.to_string()))?;
        Ok(self)
    }

    /// Whether it can be registered under its name.
    pub(crate) fn check_name(&self) -> Result<(), Error> {
        if self.kernel_name.len() <= KERNEL_NAME_MAX {
            return Ok(());
        }
        let message = format!("longer than the kernel's {KERNEL_NAME_MAX} bytes; give the algorithm a shorter NAME");
        Err(Error::new(&self.kernel_name, message))
    }

    /// What it needs of the kernel. A pace there is that of a slow start.
    pub(crate) fn needs(&self) -> Needs {
        match (self.standalone, self.own) {
            (Some(standalone), _) => standalone.needs(),
            (_, Some(needs)) => needs,
            _ => Needs {
                routers: self.composition.signal.needs_routers(),
                pacing: self.composition.slow_start.paces(),
                ..Needs::NONE
            },
        }
    }

    /// Returns the configuration for the BPF object.
    pub fn config(&self) -> Config {
        let Composition { signal, slow_start, avoidance, loss, limits, .. } = self.composition;
        // what counts ticks is the kernel's own
        let Parameters {
            alpha,
            beta,
            gamma,
            initial_window,
            restart_window,
            ssthresh,
            max_window,
            ticks_per_second: _,
        } = self.parameters;
        let standalone = Standalone::ALL.iter().position(|one| Some(*one) == self.standalone);
        let without = if self.own.is_some() { OWN } else { 0 };
        Config {
            standalone: standalone.map_or(without, |position| position as u32 + 1),
            signal: position(vegas_core::Signal::NAMES, signal),
            slow_start: position(vegas_core::SlowStart::NAMES, slow_start),
            avoidance: position(vegas_core::Avoidance::NAMES, avoidance),
            cut: position(vegas_core::Cut::NAMES, loss.cut),
            once_per_window: loss.once_per_window.into(),
            ends_at_next_ack: (loss.slow_start_ends == vegas_core::SlowStartEnds::AtNextAck).into(),
            keep_up: limits.keep_up.into(),
            numbers: Numbers {
                alpha: alpha.0,
                beta: beta.0,
                gamma: gamma.0,
                initial_window: initial_window.0,
                restart_window: restart_window.0,
                ssthresh: ssthresh.map_or(NONE_U32, |segments| segments.0),
                max_window: max_window.0,
            },
            needs: needs_bits(&self.needs()),
        }
    }
}

/// Returns the kernel's name of a preset, which has one `vegas` in front: `vegas_gallop`, `vegas_linux`. The kernel
/// takes letters, digits and underscores. A long name that does not fit loses its underscores: `vegas_copamvfst`.
pub(crate) fn kernel_name(preset: &str) -> String {
    let words = preset.strip_prefix("vegas-").unwrap_or(preset).replace('+', "p");
    let fits = "vegas_".len() + words.len() <= KERNEL_NAME_MAX;
    format!("vegas_{}", words.replace('-', if fits { "_" } else { "" }))
}

/// Returns the letters of the mechanisms that need more of the host than a window.
fn hosts_mechanisms(composition: &Composition) -> String {
    let mechanisms = [
        ('C', composition.detection.fine_retransmit),
        ('D', composition.detection.recheck_after_retransmit),
        ('H', composition.limits.burst.is_some()),
    ];
    mechanisms.into_iter().filter_map(|(letter, on)| on.then_some(letter)).collect()
}

pub(crate) fn position<T: PartialEq>(names: &[(&str, T)], part: T) -> u32 {
    // each part has a name: a scenario could not have named it otherwise
    names.iter().position(|(_, named)| *named == part).map_or(NONE_U32, |position| position as u32)
}

/// Reads the flow in the smallest scenario, because the scenario's reader checks all keys and their ranges.
fn scenario(algorithm: serde_json::Value, sets: &[(String, String)]) -> Result<FlowSpec, Error> {
    let full_key = |key: &str| match PARTS.contains(&key) {
        true => format!("flow.0.algorithm.{key}"),
        false => format!("flow.0.{key}"),
    };
    let overrides: Vec<_> = sets.iter().map(|(key, text)| (full_key(key), text.clone())).collect();
    Ok(smallest(algorithm, &overrides)?.flows.remove(0))
}

/// Returns the smallest scenario that has a flow.
pub(crate) fn smallest(algorithm: serde_json::Value, overrides: &[(String, String)]) -> Result<Scenario, Error> {
    let file = json!({
        "name": "kernel",
        "duration": "1s",
        "topology": {
            "kind": "dumbbell",
            "access": { "rate": "1gbit", "delay": "1ms" },
            "bottleneck": { "rate": "1gbit", "delay": "1ms", "queue": "100p" },
        },
        "flow": [{ "algorithm": algorithm }],
    });
    outside::read(&file.to_string(), "vegaslab linux", true, overrides)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names have at most fifteen bytes, of letters, digits and underscores, and no two presets share one.
    #[test]
    fn every_standalone_algorithm_of_the_kernel_has_a_name_that_it_takes() {
        let names: Vec<_> = registry::PRESETS.iter().map(|preset| kernel_name(preset.name)).collect();
        let is_carried =
            |preset: &Preset| preset.standalone.is_some_and(|standalone| standalone.kept_from_kernel().is_none());
        for (preset, name) in registry::PRESETS.iter().zip(&names).filter(|(preset, _)| is_carried(preset)) {
            let is_known = name.len() <= KERNEL_NAME_MAX && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            assert!(is_known, "{}: {name}", preset.name);
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
        }
        let refused = |preset| Choice::of_preset(preset, &[]).err().map(|error| error.to_string());
        assert_eq!(refused("copa-mvfst"), None);
        for (preset, lacking) in [("ledbat", "one-way"), ("dctcp", "Accurate ECN"), ("prague", "Accurate ECN")] {
            let reason = refused(preset).expect("the kernel lacks what it needs");
            let is_named = reason.starts_with(&format!("{preset} is not carried into the kernel: "));
            assert!(is_named && reason.contains(lacking), "{reason}");
        }
    }

    /// `vegaslab list algorithms --hosts` says of the kernel what it takes.
    #[test]
    fn the_table_of_hosts_says_what_the_kernel_takes() {
        for preset in registry::PRESETS {
            let taken = Choice::of_preset(preset.name, &[]).map(|choice| choice.kernel_name);
            let said = vegas_core::Host::Kernel.carries(preset);
            assert_eq!(taken.is_ok(), said.is_ok(), "{}: {taken:?} {said:?}", preset.name);
        }
    }

    /// Of drains, rivals and the backlog by the rate the kernel's copy has the preset `vegas-next` alone. It gets no
    /// count of marks.
    #[test]
    fn parts_that_the_copy_has_not_are_refused_by_name() {
        let refusal = |preset: &str, part: &str, choice: &str| {
            let sets = [(part.to_owned(), choice.to_owned())];
            Choice::of_preset(preset, &sets).err().map(|error| error.to_string())
        };
        let not_carried = |part: &str| Some(format!("{part} is not carried into the kernel"));
        assert_eq!(refusal("vegas", "base_rtt", "drains"), not_carried("vegas: base_rtt"));
        assert_eq!(refusal("vegas", "avoidance", "by-rate"), not_carried("vegas: avoidance"));
        assert_eq!(refusal("vegas-next", "rivals", "ignore"), not_carried("vegas-next: rivals"));
        assert_eq!(refusal("vegas", "cut", "scalable"), not_carried("vegas: cut"));
        assert_eq!(refusal("vegas-next", "avoidance", "by-rate"), None);
    }

    /// The kernel's glue paces and asks routers, and tells of no segment sent.
    #[test]
    fn an_algorithm_from_outside_gets_what_it_needs_or_is_refused() {
        let carried = |needs: Needs| {
            let flow = scenario(json!("reno"), &[]).unwrap();
            Choice { own: Some(needs), algorithm: "mine".into(), ..Choice::of_parts_of(&flow) }.check()
        };
        for needs in [Needs { sent: true, ..Needs::NONE }, Needs { one_way_delay: true, ..Needs::NONE }] {
            let refusal = carried(needs).expect_err("it is not reported").to_string();
            assert!(refusal.starts_with("mine is not carried into the kernel: needs a host that "), "{refusal}");
        }
        let asked = |needs| carried(needs).expect("the kernel meets it").config().needs;
        assert_eq!(asked(Needs::NONE), 0);
        assert_eq!(asked(Needs { spread: true, every_ack: true, ..Needs::NONE }), NEEDS_CONTROL | NEEDS_EVERY_ACK);
        assert_eq!(asked(Needs { routers: true, own_recovery: true, ..Needs::NONE }), NEEDS_ROUTERS | NEEDS_CONTROL);
    }

    /// The kernel takes a pace in `cong_control` only.
    #[test]
    fn what_asks_for_spread_departures_gets_a_pace() {
        for preset in ["copa", "copa-mvfst"] {
            let needs = Choice::of_preset(preset, &[]).expect("a preset").config().needs;
            assert_ne!(needs & NEEDS_CONTROL, 0, "{preset}");
        }
    }

    /// The kernel's names are short: however long that of a table of parts is, it does not go there.
    #[test]
    fn a_table_of_parts_keeps_a_short_name_in_the_kernel() {
        let table = json!({ "preset": "vegas", "slow_start": "gallop", "fine_retransmit": false,
            "recheck_after_retransmit": false, "burst": "none", "name": "a-name-of-more-than-fifteen-bytes" });
        let choice = Choice::of_flow(&scenario(table, &[]).unwrap()).unwrap();
        assert_eq!(choice.kernel_name, "vegas_custom");
        assert_eq!(choice.algorithm, "a-name-of-more-than-fifteen-bytes");
        let preset = Choice::of_flow(&scenario(json!("gallop"), &[]).unwrap()).unwrap();
        assert_eq!((preset.kernel_name.as_str(), preset.left_out.as_str()), ("vegas_gallop", "CDH"));
    }
}
