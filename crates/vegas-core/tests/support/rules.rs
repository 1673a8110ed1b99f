//! The rules that every algorithm keeps on every sequence of events.

use vegas_core::units::{Segments, Span, Time, Window};
use vegas_core::{
    Ack, Algorithm, Composed, CongestionControl, Dialect, Leap, Loss, LossKind, Phase, Share, Signal, SlowStartEnds,
    Status,
};

use super::events::{Event, Host};

/// Hands one event to the composition, an acknowledgement as one outside of recovery; [`check_recovery`] has it within.
pub fn step(control: &mut Composed, event: &Event) {
    match event {
        Event::Ack(ack) => control.on_ack(&Ack { in_recovery: false, ..*ack }),
        Event::Loss(loss) => control.on_loss(loss),
    }
}

/// The control after each event.
pub fn replay(algorithm: &Algorithm, events: &[Event]) -> Vec<Composed> {
    let mut control = Composed::new(*algorithm);
    let one = |event| {
        step(&mut control, event);
        control
    };
    events.iter().map(one).collect()
}

/// Runs the events and panics where a rule is broken, naming the event.
pub fn check(algorithm: &Algorithm, events: &[Event], host: Host) {
    let mut control = Composed::new(*algorithm);
    let mut last_cut = None;
    check_state(&control).unwrap_or_else(|rule| panic!("at the start: {rule}"));
    for (index, event) in events.iter().enumerate() {
        let before = control;
        step(&mut control, event);
        let broken = check_state(&control).and_then(|()| match event {
            Event::Ack(ack) => check_recovery(before, ack)
                .and_then(|()| check_ack(algorithm, &before.status(), ack, &control.status(), host)),
            Event::Loss(loss) => check_loss(&before, loss, &control, &mut last_cut),
        });
        if let Err(rule) = broken {
            panic!("event {index}: {rule}\n{event:?}\nbefore {before:?}\nafter  {control:?}");
        }
    }
}

type Verdict = Result<(), &'static str>;

fn rule(holds: bool, text: &'static str) -> Verdict {
    if holds { Ok(()) } else { Err(text) }
}

fn check_state(control: &Composed) -> Verdict {
    let (algorithm, state) = (control.algorithm(), control.status());
    let parameters = algorithm.parameters();
    let window = state.window;
    let first = algorithm.composition().slow_start.first_window().unwrap_or(parameters.initial_window);
    let least = first.min(parameters.restart_window).min(Segments(2));
    rule(window >= Window::whole(least), "the window fell below its minimum")?;
    rule(window <= Window::whole(parameters.max_window), "the window passed max_window")?;
    rule(state.ssthresh.is_none_or(|ssthresh| ssthresh >= Segments(2)), "ssthresh fell below 2")?;
    let opening = state.ssthresh.is_none_or(|ssthresh| window < Window::whole(ssthresh));
    rule(opening == (state.phase == Phase::SlowStart), "the phase contradicts window and ssthresh")?;
    rule(state.base_rtt != Some(Span::ZERO), "the base RTT is zero")?;
    let parts = algorithm.composition();
    let paces = parts.slow_start.paces() || parts.slow_start.needs().spread || parts.limits.suppress_spikes;
    rule(control.output().pace.is_none() || paces, "a rate from an algorithm that does not pace")
}

/// The same acknowledgement in recovery: it raises nothing, and lowers the window of a part alone that says so.
fn check_recovery(before: Composed, ack: &Ack) -> Verdict {
    let parts = *before.algorithm().composition();
    let mut after = before;
    after.on_ack(&Ack { in_recovery: true, ..*ack });
    rule(after.output().window <= before.output().window, "an ACK in recovery raised the window")?;
    rule(
        after == before
            || parts.signal.hears_recoveries()
            || parts.slow_start.promise().drains
            || parts.loss.cut.needs().accurate_ecn,
        "an ACK in recovery changed the state",
    )?;
    check_state(&after)
}

fn check_ack(algorithm: &Algorithm, before: &Status, ack: &Ack, after: &Status, host: Host) -> Verdict {
    let parts = algorithm.composition();
    let (slow_start, avoidance) = (parts.slow_start.promise(), parts.avoidance.promise());
    let (was, is) = (before.window, after.window);
    let leaps = leaps(algorithm, before, is);
    let counted = ack.acked.min(slow_start.most_added).0.saturating_mul(slow_start.times);
    let most_added = Window::whole(Segments(counted.max(1)).min(Window::MAX.floor()));
    let most_stepped = if avoidance.steps_up { was.plus(was.half()) } else { Window::default() };
    rule(leaps || is <= was.plus(most_added).max(most_stepped), "an ACK added more than its part promises")?;
    // and what is less than a segment where a step sets whole ones
    let fraction = if avoidance.whole_segments { was.minus(Window::whole(was.floor())) } else { Window::default() };
    let most_taken = was.eighth().max(Window::ONE.plus(fraction));
    let steps_down = slow_start.steps_down || avoidance.steps_down;
    rule(steps_down || is >= was.minus(most_taken), "an ACK took more than a segment and more than 1/8")?;
    let measures = parts.avoidance.needs_signal() || parts.slow_start.needs_signal();
    rule(is >= was || measures || slow_start.steps_down, "an ACK lowered the window though no part measures")?;
    let left = before.ssthresh != after.ssthresh;
    let moves_with_window = avoidance.moves_threshold || slow_start.moves_threshold;
    let by_itself = measures && (after.ssthresh == Some(Segments(2)) || moves_with_window);
    rule(
        !left || by_itself || waits(algorithm) || test_ends(algorithm, before, after),
        "an ACK moved the threshold though neither test nor cut asked for it",
    )?;
    let kept_up = was <= Window::whole(in_flight(parts.signal, ack)).plus(Window::whole(Segments(2)));
    rule(leaps || !parts.limits.keep_up || kept_up || is <= was, "the window grew though the sender lagged (I)")?;
    let base = |state: &Status| state.base_rtt.unwrap_or(Span::MAX);
    rule(base(after) <= base(before) || resets_base(parts.signal), "the base RTT rose without the reset switch")?;
    // "Revisited", inequality 5
    let expected_is_more = host == Host::Hostile || after.diff.is_none_or(|diff| diff >= 0);
    rule(expected_is_more || !corrected(parts.signal), "the corrected backlog is negative for an honest host")
}

/// A slow start's own test ends it where the window is (RFC 9406, section 4.2), for good where the avoidance shrinks
/// it, or where a drain has left the window, to which the avoidance may have added by the same acknowledgement.
fn test_ends(algorithm: &Algorithm, before: &Status, after: &Status) -> bool {
    let here = Some(before.window.floor().max(Segments(2)));
    let drained = |ssthresh: Segments| {
        let left = Window::whole(ssthresh);
        left <= after.window.max(Window::whole(Segments(2))) && after.window <= left.plus(Window::ONE)
    };
    let promise = algorithm.composition().slow_start.promise();
    promise.ends_itself
        && before.phase == Phase::SlowStart
        && ([here, Some(Segments(2))].contains(&after.ssthresh)
            || promise.steps_down && after.ssthresh.is_some_and(drained))
}

/// Whether the window is where a slow start may go at once, and one acknowledgement's growth beyond.
fn leaps(algorithm: &Algorithm, before: &Status, window: Window) -> bool {
    let most = algorithm.parameters().max_window;
    let target = match algorithm.composition().slow_start.promise().leap {
        Leap::HalfThreshold => Window::whole(before.ssthresh.unwrap_or(most).min(most)).half(),
        Leap::InitialWindow => Window::whole(algorithm.parameters().initial_window),
        Leap::Twice => before.window.plus(before.window),
        Leap::Nowhere => return false,
    };
    before.phase == Phase::SlowStart && window <= target.plus(Window::ONE)
}

fn check_loss(before_it: &Composed, loss: &Loss, after_it: &Composed, last_cut: &mut Option<Time>) -> Verdict {
    let (algorithm, before, after) = (before_it.algorithm(), before_it.status(), after_it.status());
    let (was, is) = (before.window, after.window);
    rule(is <= was, "a loss raised the window")?;
    rule(before.base_rtt == after.base_rtt, "a loss changed the base RTT")?;
    rule(before.diff == after.diff, "a loss changed the backlog")?;
    if loss.kind == LossKind::Timeout {
        *last_cut = Some(loss.now);
        let restart = Window::whole(algorithm.parameters().restart_window);
        rule(is == restart.min(was), "a timeout left another window than the restart window")?;
        if loss.threshold_holds {
            return rule(after.ssthresh == before.ssthresh, "a timeout moved a threshold that holds");
        }
        let share = match algorithm.composition().loss.cut.share_after_timeout() {
            Share::Of1024(parts) => Window::from_raw(was.as_raw() * parts / 1024).floor(),
            Share::OneLessOrThreshold => {
                was.minus(Window::ONE).floor().min(before.ssthresh.unwrap_or(Segments(u32::MAX)))
            }
        };
        let share = share.max(Segments(2));
        return rule(after.ssthresh == Some(share), "a timeout's threshold is not the share of the window");
    }
    let once = algorithm.composition().loss.once_per_window;
    if once && last_cut.is_some_and(|cut| loss.sent <= cut) {
        return rule(before_it == after_it, "a loss from before the last cut changed the state (E)");
    }
    *last_cut = Some(loss.now);
    rule(is < was || was <= Window::whole(Segments(2)), "a loss did not cut the window")?;
    // half of the whole segments, rounded down: less than one segment below half
    let to_threshold = algorithm.composition().loss.cut.to_threshold()
        && before.ssthresh.is_some_and(|ssthresh| is == Window::whole(ssthresh));
    let drains = algorithm.composition().slow_start.promise().drains && before.phase == Phase::SlowStart;
    rule(to_threshold || drains || is.plus(Window::ONE) > was.half(), "a loss took more than half of the window")?;
    if waits(algorithm) {
        return rule(before.ssthresh == after.ssthresh, "a cut moved the threshold before the next ACK");
    }
    rule(after.phase == Phase::Avoidance || is < Window::whole(Segments(2)), "a cut began a slow start")
}

fn waits(algorithm: &Algorithm) -> bool {
    algorithm.composition().loss.slow_start_ends == SlowStartEnds::AtNextAck
}

fn in_flight(signal: Signal, ack: &Ack) -> Segments {
    match signal {
        Signal::EndToEnd { dialect: Dialect::Ns2, .. } | Signal::RouterAssisted { .. } => {
            Segments(ack.in_flight.0.saturating_sub(ack.acked.0).saturating_add(1))
        }
        _ => ack.in_flight,
    }
}

fn resets_base(signal: Signal) -> bool {
    matches!(
        signal,
        Signal::EndToEnd { reset_base_after_single: true, .. } | Signal::RouterAssisted { keeps_least_base: false }
    )
}

fn corrected(signal: Signal) -> bool {
    matches!(signal, Signal::EndToEnd { dialect: Dialect::Corrected, .. })
}
