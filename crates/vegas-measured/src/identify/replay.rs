//! A congestion control that gets the events of a capture: the window and the pace that it would have had.

use vegas_core::registry::Preset;
use vegas_core::units::Segments;
use vegas_core::{Ack, Algorithm, Controller, Needs, Output};

use super::timeline::Event;

/// What a control lets be in flight at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected {
    pub(super) window: f64,
    /// The time from one segment to the next, if the control paces, s.
    pub(super) spacing_s: Option<f64>,
}

/// How a control is replayed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) initial_window: Segments,
    pub(super) seed: u64,
    /// Whether it learns one-way delays, as far as it asks for them.
    pub(super) has_delays: bool,
}

/// Returns what a control of this preset asks for.
pub(super) fn needs(preset: &Preset) -> Needs {
    Controller::needs(&preset.composition, preset.standalone)
}

/// Replays the events to a control of this preset; returns what it expects at each point. None of one that does not
/// begin with this window.
pub(super) fn replay(preset: &Preset, events: &[Event], manner: Manner) -> Option<Vec<Expected>> {
    let mut parameters = preset.parameters;
    parameters.initial_window = manner.initial_window;
    let algorithm = Algorithm::new(preset.composition, parameters).ok()?;
    let algorithm = if preset.standalone.is_none() { algorithm.heeding_limit() } else { algorithm };
    let needs = needs(preset);
    let mut control = Controller::start(algorithm, preset.standalone, manner.seed);
    let mut before_loss = control.clone();
    let mut expected = Vec::new();
    for event in events {
        match event {
            Event::Handshake(now, rtt) => control.on_handshake(*now, *rtt),
            Event::Sent(sent) if needs.sent => control.on_sent(sent),
            Event::SegmentLost(lost) if needs.each_loss => control.on_segment_lost(lost),
            Event::Lost(loss) => {
                before_loss = control.clone();
                control.on_loss(loss);
            }
            Event::Undone => control.on_spurious(&before_loss),
            Event::Recovered(now) if needs.every_ack => control.on_recovered(*now),
            Event::Acked(ack) if needs.every_ack || (!ack.in_recovery && ack.acked > Segments(0)) => {
                let one_way_delay = ack.one_way_delay.filter(|_| manner.has_delays);
                control.on_ack(&Ack { one_way_delay, ..*ack });
            }
            Event::Settled(_) => expected.push(Expected::of(&control.output())),
            Event::Sent(_) | Event::SegmentLost(_) | Event::Recovered(_) | Event::Acked(_) => {}
        }
    }
    Some(expected)
}

impl Expected {
    fn of(output: &Output) -> Self {
        let spacing_s = output.pace.map(|pace| pace.spacing().as_nanos() as f64 / 1e9);
        Expected { window: f64::from(output.window.floor().0), spacing_s }
    }
}
