//! Rules that every congestion control keeps on every sequence of events: of the standalone algorithms, and of those
//! that programs outside bring (`vegas-own`).

use std::fmt::Debug;

use vegas_core::units::{Segments, Window};
use vegas_core::{CongestionControl, Controller, Needs, Parameters, Phase};

use super::events::Event;

/// Hands one event to a control.
pub fn tell(control: &mut (impl CongestionControl + ?Sized), event: &Event) {
    match event {
        Event::Ack(ack) => control.on_ack(ack),
        Event::Loss(loss) => control.on_loss(loss),
    }
}

/// Tells a new control the events, three times. Panics with name, event and states where it breaks a rule or answers
/// differently.
pub fn check<C: CongestionControl + Clone + Debug + PartialEq + Send + Sync + 'static>(
    (name, needs): (&str, &Needs),
    start: impl Fn(&Parameters) -> C,
    parameters: &Parameters,
    events: &[Event],
) {
    let control = start(parameters);
    assert_eq!(control.output().window, Window::whole(parameters.initial_window), "{name}");
    check_rules((name, needs), Controller::boxed(control.clone(), 0), parameters, events);
    let (mut again, mut once_more) = (control.clone(), control);
    events.iter().for_each(|event| tell(&mut again, event));
    events.iter().for_each(|event| tell(&mut once_more, event));
    assert_eq!(once_more, again, "{name}: the same events, another answer");
}

/// Tells a control the events. Panics with name, event and states where it breaks a rule.
pub fn check_rules((name, needs): (&str, &Needs), mut control: Controller, parameters: &Parameters, events: &[Event]) {
    for (index, event) in events.iter().enumerate() {
        let saved = control.clone();
        tell(&mut *control, event);
        let context = || format!("{name}: event {index} {event:?}\n{saved:?}\n{control:?}");
        check_output(&control, needs, parameters, &context);
        check_answer(event, &saved, &control, needs, &context);
    }
}

fn check_output(control: &Controller, needs: &Needs, parameters: &Parameters, context: &impl Fn() -> String) {
    let (output, status) = (control.output(), control.status());
    assert!(output.window >= Window::ONE, "below one segment: {}", context());
    assert!(output.window <= Window::whole(parameters.max_window), "above max_window: {}", context());
    assert_eq!(output.window, status.window);
    assert!(output.quantum >= Segments(1));
    let paces = needs.pacing || needs.spread || needs.pace_kept;
    assert!(output.pace.is_none() || paces, "paces unasked: {}", context());
    assert!(status.ssthresh.is_none_or(|threshold| threshold >= Segments(2)), "{}", context());
    if let Some(threshold) = status.ssthresh {
        let opens = output.window < Window::whole(threshold);
        assert_eq!(opens, status.phase == Phase::SlowStart, "{}", context());
    }
}

fn check_answer(event: &Event, before: &Controller, after: &Controller, needs: &Needs, context: &impl Fn() -> String) {
    let (window, earlier) = (after.output().window, before.output().window);
    match event {
        Event::Ack(ack) if ack.in_recovery && !needs.own_recovery => {
            assert!(window <= earlier, "grew in recovery: {}", context());
        }
        Event::Ack(_) => {}
        Event::Loss(_) => {
            assert!(window <= earlier, "a loss raised the window: {}", context());
            let mut undone = after.clone();
            undone.on_spurious(before);
            assert!(undone.output().window >= earlier, "not undone: {}", context());
        }
    }
}
