//! The algorithm of a flow, which is a preset or a table of parts, and its name in results.

use vegas_core::registry::{self, Preset};
use vegas_core::{
    Avoidance, BaseRtt, Composition, Cut, Detection, Host, Limits, LossResponse, Parameters, Recovery, Rivals, Signal,
    SlowStart, Standalone,
};

use super::document::scalar::CompositionName;
use super::document::{Algorithm, Flow, Parts};
use super::model::{Folder, HostKind, Language, Own, Transport};
use crate::scenario::read::error::{Checked, Problem, child};
use crate::scenario::read::field::{Field, FromGiven, Given};

/// The preset that supplies the parts that a table of parts leaves out.
const DEFAULT_PRESET: &str = "reno";
/// An algorithm of one's own that names no preset has the host of this one: SACK, as real hosts have.
const OWN_PRESET: &str = "sack";

/// The algorithm of a flow.
pub(super) struct FlowAlgorithm {
    /// Its name in results.
    pub(super) name: String,
    /// Its parts.
    pub(super) composition: Composition,
    /// The algorithm, if it is standalone.
    pub(super) standalone: Option<Standalone>,
    /// The algorithm, if it is the user's own.
    pub(super) own: Option<Own>,
    /// Its thresholds and window bounds.
    pub(super) parameters: Parameters,
    /// The host of a flow that names none: that of its preset.
    pub(super) host: HostKind,
}

/// Resolves the flow's algorithm: a preset, a table of parts, or the user's own, which `folder` loads.
pub(super) fn resolve(key: &str, flow: &Flow, transport: Transport, folder: &dyn Folder) -> Checked<FlowAlgorithm> {
    let (mut name, mut composition, parameters) = match &flow.algorithm.0 {
        Algorithm::Preset(preset) => {
            let (composition, parameters) = of_transport(preset, transport);
            (preset.name.into(), composition, parameters)
        }
        Algorithm::Parts(parts) => {
            check(&child(key, "algorithm"), parts)?;
            compose(parts, transport)
        }
    };
    if let Some(Field(recovery)) = flow.recovery {
        composition.detection.recovery = recovery;
    }
    let (preset, own) = match &flow.algorithm.0 {
        Algorithm::Preset(preset) => (Some(*preset), None),
        Algorithm::Parts(parts) => {
            (parts.preset.map(|preset| preset.0.0), own(&child(key, "algorithm"), parts, transport, folder)?)
        }
    };
    let host = preset.filter(|_| transport == Transport::Tcp).map_or(HostKind::Bsd, host_of);
    if let Some(own) = own {
        if let Algorithm::Parts(parts) = &flow.algorithm.0
            && parts.name.is_none()
        {
            name.clone_from(&own.name);
        }
        let composition = around_own(&composition, &own);
        return Ok(FlowAlgorithm { name, composition, standalone: None, own: Some(own), parameters, host });
    }
    let standalone = preset.and_then(|preset| preset.standalone);
    if let (Some(preset), Some(_), Algorithm::Parts(parts)) = (preset, standalone, &flow.algorithm.0) {
        check_parts_beside(&child(key, "algorithm"), parts, preset)?;
        if let Some(Field(slow_start)) = parts.slow_start {
            check_slow_start(&child(key, "algorithm"), preset, slow_start)?;
            composition = composition.opening_by(slow_start);
        }
    }
    Ok(FlowAlgorithm { name, composition, standalone, own: None, parameters, host })
}

fn host_of(preset: &Preset) -> HostKind {
    if preset.host == Host::Linux { HostKind::Linux } else { HostKind::Bsd }
}

/// Resolves the user's own algorithm that a table names. The table may give the host's parts beside it: recovery,
/// mechanisms C, D and H.
fn own(key: &str, parts: &Parts, transport: Transport, folder: &dyn Folder) -> Checked<Option<Own>> {
    let named = [
        (Language::Python, &parts.python),
        (Language::Wasm, &parts.wasm),
        (Language::Rust, &parts.rust),
        (Language::JavaScript, &parts.javascript),
    ];
    let mut named = named.into_iter().filter_map(|(language, name)| Some((language, name.as_ref()?)));
    let Some((language, name)) = named.next() else { return Ok(None) };
    let key_own = child(key, language.key());
    if let Some((other, _)) = named.next() {
        return Err(Problem::new(
            child(key, other.key()),
            format!("stands beside {}; give one of the two", language.key()),
        ));
    }
    let rules = windows_parts(parts).into_iter().chain([("mechanisms", parts.mechanisms.is_some())]);
    if let Some((part, _)) = rules.into_iter().find(|(_, given)| *given) {
        let message = format!("is decided by {}; leave it out", language.key());
        return Err(Problem::new(child(key, part), message));
    }
    if transport == Transport::Quic {
        let message = "algorithms from outside go with TCP; leave out transport = \"quic\"";
        return Err(Problem::new(key_own, message));
    }
    let own = folder.own(language, name).map_err(|problem| Problem::new(key_own.clone(), problem))?;
    if parts.name.is_none() && registry::preset(&own.name).is_some() {
        let message = format!("\"{}\" is the name of a preset; give the algorithm a name beside it", own.name);
        return Err(Problem::new(key_own, message));
    }
    if parts.name.is_none()
        && let Err(problem) = CompositionName::from_given(Given::Text(&own.name))
    {
        return Err(Problem::new(key_own, format!("{problem}; or give the algorithm a name beside it")));
    }
    Ok(Some(own))
}

/// Returns the host's parts around a user's own algorithm; the other parts have no effect.
fn around_own(composition: &Composition, own: &Own) -> Composition {
    let default = registry::preset(DEFAULT_PRESET).expect("the registry has the default preset").composition;
    let signal = match own.program().needs().routers {
        true => Signal::RouterAssisted { keeps_least_base: false },
        false => default.signal,
    };
    let limits = Limits { burst: composition.limits.burst, ..default.limits };
    Composition { signal, detection: composition.detection, limits, ..default }
}

/// Returns the parts that decide a window, and whether the table gives them.
fn windows_parts(parts: &Parts) -> [(&'static str, bool); 9] {
    [
        ("signal", parts.signal.is_some()),
        ("base_rtt", parts.base_rtt.is_some()),
        ("rivals", parts.rivals.is_some()),
        ("slow_start", parts.slow_start.is_some()),
        ("avoidance", parts.avoidance.is_some()),
        ("cut", parts.cut.is_some()),
        ("once_per_window", parts.once_per_window.is_some()),
        ("keep_up", parts.keep_up.is_some()),
        ("suppress_spikes", parts.suppress_spikes.is_some()),
    ]
}

/// Refuses parts beside a standalone algorithm, which has only a slow start, or a few parts more. The host's recovery
/// may be chosen.
fn check_parts_beside(key: &str, parts: &Parts, preset: &Preset) -> Checked<()> {
    let hosts_parts = [
        ("fine_retransmit", parts.fine_retransmit.is_some()),
        ("recheck_after_retransmit", parts.recheck_after_retransmit.is_some()),
        ("burst", parts.burst.is_some()),
    ];
    let mut given = windows_parts(parts).into_iter().chain(hosts_parts).filter(|(_, given)| *given);
    let parts_of_its_own = preset.standalone.map_or(&[] as &[_], |standalone| standalone.parts());
    match given.find(|(part, _)| !parts_of_its_own.contains(part)) {
        None => Ok(()),
        Some((part, _)) => {
            let message = match parts_of_its_own {
                ["slow_start"] => {
                    format!("\"{}\" is an algorithm of its own, not one of parts; leave it out", preset.name)
                }
                parts => format!("\"{}\" has only these parts: {}; leave it out", preset.name, parts.join(", ")),
            };
            Err(Problem::new(child(key, part), message))
        }
    }
}

fn check_slow_start(key: &str, preset: &Preset, slow_start: SlowStart) -> Checked<()> {
    let name = word(SlowStart::NAMES, slow_start);
    if slow_start == preset.composition.slow_start {
        let message =
            format!("\"{name}\" is no part that \"{}\" takes: it keeps its own slow start; leave it out", preset.name);
        return Err(Problem::new(child(key, "slow_start"), message));
    }
    let taken = preset.standalone.map_or(Ok(()), |which| which.takes(slow_start));
    taken.map_err(|reason| {
        let message = format!("\"{name}\" cannot take the place of the slow start of \"{}\": {reason}", preset.name);
        Problem::new(child(key, "slow_start"), message)
    })
}

fn check(key: &str, parts: &Parts) -> Checked<()> {
    if parts.preset.is_some() && parts.mechanisms.is_some() {
        return Err(Problem::new(child(key, "mechanisms"), "stands beside preset; give one of the two"));
    }
    match &parts.name {
        Some(Field(CompositionName(name))) if registry::preset(name).is_some() => {
            let message = format!("\"{name}\" is the name of a preset; choose another");
            Err(Problem::new(child(key, "name"), message))
        }
        _ => Ok(()),
    }
}

/// Returns a preset's parts and numbers, without those that QUIC replaces.
fn of_transport(preset: &Preset, transport: Transport) -> (Composition, Parameters) {
    match transport {
        Transport::Tcp => (preset.composition, preset.parameters),
        Transport::Quic => (preset.composition.left_to_quic(), preset.parameters.left_to_quic()),
    }
}

fn compose(parts: &Parts, transport: Transport) -> (String, Composition, Parameters) {
    let (from, parameters) = base(parts, transport);
    let composition = Composition {
        signal: parts.signal.map_or(from.signal, |signal| signal.0),
        base_rtt: parts.base_rtt.map_or(from.base_rtt, |base_rtt| base_rtt.0),
        rivals: parts.rivals.map_or(from.rivals, |rivals| rivals.0),
        slow_start: parts.slow_start.map_or(from.slow_start, |slow_start| slow_start.0),
        avoidance: parts.avoidance.map_or(from.avoidance, |avoidance| avoidance.0),
        loss: LossResponse {
            cut: parts.cut.map_or(from.loss.cut, |cut| cut.0),
            once_per_window: parts.once_per_window.unwrap_or(from.loss.once_per_window),
            slow_start_ends: from.loss.slow_start_ends,
        },
        detection: Detection {
            recovery: parts.recovery.map_or(from.detection.recovery, |recovery| recovery.0),
            fine_retransmit: parts.fine_retransmit.unwrap_or(from.detection.fine_retransmit),
            recheck_after_retransmit: parts.recheck_after_retransmit.unwrap_or(from.detection.recheck_after_retransmit),
            retransmit_backs_off: from.detection.retransmit_backs_off,
            samples_waiting: from.detection.samples_waiting,
        },
        limits: Limits {
            burst: parts.burst.map_or(from.limits.burst, |burst| burst.0.0),
            keep_up: parts.keep_up.unwrap_or(from.limits.keep_up),
            suppress_spikes: parts.suppress_spikes.unwrap_or(from.limits.suppress_spikes),
        },
    };
    let name = match &parts.name {
        Some(Field(CompositionName(name))) => name.clone(),
        None => name_of(parts, &from, &composition, &parameters),
    };
    (name, composition, parameters)
}

/// Returns the parts and numbers that apply where the table leaves them out.
fn base(parts: &Parts, transport: Transport) -> (Composition, Parameters) {
    if let Some(Field(mechanisms)) = parts.mechanisms {
        return (mechanisms.composition(), mechanisms.parameters());
    }
    of_transport(preset_of(parts), transport)
}

fn preset_of(parts: &Parts) -> &'static Preset {
    let outside = [&parts.python, &parts.wasm, &parts.rust, &parts.javascript];
    let name = if outside.into_iter().any(Option::is_some) { OWN_PRESET } else { DEFAULT_PRESET };
    let default = || registry::preset(name).expect("the registry has the default presets");
    parts.preset.map_or_else(default, |preset| preset.0.0)
}

/// Returns a name of the base of the parts and of the differences from it, such as `vegas+gallop`. Mechanisms that
/// together equal a preset have the preset's name.
fn name_of(parts: &Parts, from: &Composition, composition: &Composition, parameters: &Parameters) -> String {
    let mut words = match parts.mechanisms {
        None => vec![preset_of(parts).name.to_owned()],
        Some(Field(mechanisms)) => {
            let is_it = |preset: &&Preset| {
                let is_parts = preset.standalone.is_none();
                is_parts && preset.composition == *composition && preset.parameters == *parameters
            };
            if let Some(preset) = registry::PRESETS.iter().find(is_it) {
                return preset.name.into();
            }
            let letters = mechanisms.to_string();
            [DEFAULT_PRESET.to_owned(), letters].into_iter().filter(|word| !word.is_empty()).collect()
        }
    };
    words.extend(differences(from, composition));
    words.join("+")
}

/// Returns a word for each part that differs; the word includes the part if the value alone is ambiguous.
fn differences(from: &Composition, to: &Composition) -> Vec<String> {
    let named = |word: &str, part: &str| match parts_of(word) {
        1 => word.to_owned(),
        _ => format!("{word}-{part}"),
    };
    let switch = |was: bool, is: bool, word: &str| {
        let text = if is { word.to_owned() } else { format!("no-{word}") };
        (was != is).then_some(text)
    };
    let (loss, detection, limits) = (&from.loss, &from.detection, &from.limits);
    let burst = to.limits.burst.map_or("none".into(), |segments| segments.0.to_string());
    let signal = format!("{}-signal", word(Signal::NAMES, to.signal));
    [
        (from.signal != to.signal).then_some(signal),
        (from.base_rtt != to.base_rtt).then(|| format!("{}-base-rtt", word(BaseRtt::NAMES, to.base_rtt))),
        (from.rivals != to.rivals).then(|| format!("{}-rivals", word(Rivals::NAMES, to.rivals))),
        (from.slow_start != to.slow_start).then(|| named(word(SlowStart::NAMES, to.slow_start), "slow-start")),
        (from.avoidance != to.avoidance).then(|| named(word(Avoidance::NAMES, to.avoidance), "avoidance")),
        (loss.cut != to.loss.cut).then(|| format!("{}-cut", word(Cut::NAMES, to.loss.cut))),
        switch(loss.once_per_window, to.loss.once_per_window, "once-per-window"),
        (detection.recovery != to.detection.recovery)
            .then(|| named(word(Recovery::NAMES, to.detection.recovery), "recovery")),
        switch(detection.fine_retransmit, to.detection.fine_retransmit, "fine-retransmit"),
        switch(detection.recheck_after_retransmit, to.detection.recheck_after_retransmit, "recheck-after-retransmit"),
        (limits.burst != to.limits.burst).then(|| format!("burst-{burst}")),
        switch(limits.keep_up, to.limits.keep_up, "keep-up"),
        switch(limits.suppress_spikes, to.limits.suppress_spikes, "suppress-spikes"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns how many of a composition's parts can have this value.
fn parts_of(word: &str) -> usize {
    let slow_start = SlowStart::NAMES.iter().any(|(name, _)| *name == word);
    let avoidance = Avoidance::NAMES.iter().any(|(name, _)| *name == word);
    let recovery = Recovery::NAMES.iter().any(|(name, _)| *name == word);
    [slow_start, avoidance, recovery].into_iter().filter(|has| *has).count()
}

/// Returns the name of a part in scenario files.
fn word<T: PartialEq>(names: &[(&'static str, T)], part: T) -> &'static str {
    names.iter().find(|(_, named)| *named == part).expect("every part has a name").0
}
