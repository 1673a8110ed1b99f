//! The rules that every algorithm keeps on every sequence of events.

use vegas_core::units::{Segments, Span, Time, Window};
use vegas_core::{
    Ack, Algorithm, Avoidance, Cut, Dialect, Loss, LossKind, Phase, Signal, SlowStart, SlowStartEnds, State,
};

use super::events::{Event, Host};

/// Hands one event to the algorithm.
pub fn step(algorithm: &Algorithm, state: &mut State, event: &Event) {
    match event {
        Event::Ack(ack) => algorithm.on_ack(state, ack),
        Event::Loss(loss) => algorithm.on_loss(state, loss),
    }
}

/// The states after each event.
pub fn replay(algorithm: &Algorithm, events: &[Event]) -> Vec<State> {
    let mut state = algorithm.start();
    let one = |event| {
        step(algorithm, &mut state, event);
        state
    };
    events.iter().map(one).collect()
}

/// Runs the events and panics where a rule is broken, naming the event.
pub fn check(algorithm: &Algorithm, events: &[Event], host: Host) {
    let mut state = algorithm.start();
    let mut last_cut = None;
    check_state(algorithm, &state).unwrap_or_else(|rule| panic!("at the start: {rule}"));
    for (index, event) in events.iter().enumerate() {
        let before = state;
        step(algorithm, &mut state, event);
        let broken = check_state(algorithm, &state).and_then(|()| match event {
            Event::Ack(ack) => check_ack(algorithm, &before, ack, &state, host),
            Event::Loss(loss) => check_loss(algorithm, &before, loss, &state, &mut last_cut),
        });
        if let Err(rule) = broken {
            panic!("event {index}: {rule}\n{event:?}\nbefore {before:?}\nafter  {state:?}\n{algorithm:?}");
        }
    }
}

type Verdict = Result<(), &'static str>;

fn rule(holds: bool, text: &'static str) -> Verdict {
    if holds { Ok(()) } else { Err(text) }
}

fn check_state(algorithm: &Algorithm, state: &State) -> Verdict {
    let parameters = algorithm.parameters();
    let window = state.window();
    let least = parameters.initial_window.min(parameters.restart_window).min(Segments(2));
    rule(window >= Window::whole(least), "the window fell below its minimum")?;
    rule(window <= Window::whole(parameters.max_window), "the window passed max_window")?;
    rule(state.ssthresh().is_none_or(|ssthresh| ssthresh >= Segments(2)), "ssthresh fell below 2")?;
    let opening = state.ssthresh().is_none_or(|ssthresh| window < Window::whole(ssthresh));
    rule(opening == (state.phase() == Phase::SlowStart), "the phase contradicts window and ssthresh")?;
    rule(state.base_rtt() != Some(Span::ZERO), "the base RTT is zero")?;
    let parts = algorithm.composition();
    let paces = parts.slow_start == SlowStart::Streak || parts.limits.suppress_spikes;
    rule(state.pacing_rate().is_none() || paces, "a rate from an algorithm that does not pace")
}

fn check_ack(algorithm: &Algorithm, before: &State, ack: &Ack, after: &State, host: Host) -> Verdict {
    let parts = algorithm.composition();
    let (was, is) = (before.window(), after.window());
    // RFC 5681, section 3.1: at most one segment per acknowledgement. Streak Doubling paces what is more, and
    // may reach its threshold with it, where the acknowledgement's own growth follows
    let jumps = jumps(algorithm, before, is);
    let most_added = match parts.slow_start {
        // RFC 3465: what was acknowledged
        SlowStart::VegasLinux | SlowStart::HyStart => Window::whole(ack.acked.max(Segments(1))),
        // RFC 9406, section 4.3: L
        SlowStart::HyStartPlusPlus => Window::whole(ack.acked.clamp(Segments(1), Segments(8))),
        _ => Window::ONE,
    };
    let doubles = parts.slow_start == SlowStart::Streak
        && before.phase() == Phase::SlowStart
        && is <= was.plus(was).plus(Window::ONE);
    rule(jumps || doubles || is <= was.plus(most_added), "an ACK added more than one segment")?;
    // and what is less than a segment where a step sets whole ones
    let fraction = match parts.avoidance {
        Avoidance::VegasNs3 => was.minus(Window::whole(was.floor())),
        _ => Window::default(),
    };
    let most_taken = was.eighth().max(Window::ONE.plus(fraction));
    let taken_by_backlog = matches!(parts.slow_start, SlowStart::Gallop | SlowStart::GallopJoining | SlowStart::Streak)
        || matches!(parts.slow_start, SlowStart::VegasLinux | SlowStart::VegasNs3)
        || parts.avoidance == Avoidance::Dynamic;
    rule(taken_by_backlog || is >= was.minus(most_taken), "an ACK took more than a segment and more than 1/8")?;
    let measures = !matches!(parts.avoidance, Avoidance::Reno | Avoidance::Cubic) || !opens_blindly(parts.slow_start);
    rule(is >= was || measures, "an ACK lowered Reno's window")?;
    let left = before.ssthresh() != after.ssthresh();
    let moves_with_window = matches!(parts.avoidance, Avoidance::VegasLinux | Avoidance::VegasNs3)
        || matches!(parts.slow_start, SlowStart::VegasLinux | SlowStart::VegasNs3);
    let by_itself = measures && (after.ssthresh() == Some(Segments(2)) || moves_with_window);
    rule(
        !left || by_itself || waits(algorithm) || hystart_ends(algorithm, before, after),
        "an ACK moved the threshold though neither test nor cut asked for it",
    )?;
    let kept_up = was <= Window::whole(in_flight(parts.signal, ack)).plus(Window::whole(Segments(2)));
    rule(jumps || !parts.limits.keep_up || kept_up || is <= was, "the window grew though the sender lagged (I)")?;
    let base = |state: &State| state.base_rtt().unwrap_or(Span::MAX);
    rule(base(after) <= base(before) || resets_base(parts.signal), "the base RTT rose without the reset switch")?;
    // "Revisited", inequality 5
    let expected_is_more = host == Host::Hostile || after.diff().is_none_or(|diff| diff >= 0);
    rule(expected_is_more || !corrected(parts.signal), "the corrected backlog is negative for an honest host")
}

/// Whether the slow start reads no backlog, and so never lowers the window.
fn opens_blindly(slow_start: SlowStart) -> bool {
    matches!(slow_start, SlowStart::Reno | SlowStart::HyStartPlusPlus | SlowStart::HyStart)
}

/// Both HyStarts end slow start where the window is (RFC 9406, section 4.2), or for good where the avoidance shrinks it.
fn hystart_ends(algorithm: &Algorithm, before: &State, after: &State) -> bool {
    let parts = algorithm.composition();
    let has_test = opens_blindly(parts.slow_start) && parts.slow_start != SlowStart::Reno;
    let here = Some(before.window().floor().max(Segments(2)));
    has_test && before.phase() == Phase::SlowStart && [here, Some(Segments(2))].contains(&after.ssthresh())
}

/// Dynamic Vegas's slow start may go to half the threshold at once, and one acknowledgement's growth beyond.
fn jumps(algorithm: &Algorithm, before: &State, window: Window) -> bool {
    let most = algorithm.parameters().max_window;
    let half = Window::whole(before.ssthresh().unwrap_or(most).min(most)).half();
    let opens = before.phase() == Phase::SlowStart;
    algorithm.composition().slow_start == SlowStart::MidSpeed && opens && window <= half.plus(Window::ONE)
}

fn check_loss(
    algorithm: &Algorithm,
    before: &State,
    loss: &Loss,
    after: &State,
    last_cut: &mut Option<Time>,
) -> Verdict {
    let (was, is) = (before.window(), after.window());
    rule(is <= was, "a loss raised the window")?;
    rule(before.base_rtt() == after.base_rtt(), "a loss changed the base RTT")?;
    rule(before.diff() == after.diff(), "a loss changed the backlog")?;
    if loss.kind == LossKind::Timeout {
        *last_cut = Some(loss.now);
        let restart = Window::whole(algorithm.parameters().restart_window);
        rule(is == restart.min(was), "a timeout left another window than the restart window")?;
        let share = match algorithm.composition().loss.cut {
            Cut::Half | Cut::ThreeQuarters => was.half().floor(),
            Cut::Cubic => Window::from_raw(was.as_raw() * 717 / 1024).floor(),
            Cut::VegasNs3 => was.minus(Window::ONE).floor().min(before.ssthresh().unwrap_or(Segments(u32::MAX))),
        };
        let share = share.max(Segments(2));
        return rule(after.ssthresh() == Some(share), "a timeout's threshold is not the share of the window");
    }
    let once = algorithm.composition().loss.once_per_window;
    if once && last_cut.is_some_and(|cut| loss.sent <= cut) {
        return rule(before == after, "a loss from before the last cut changed the state (E)");
    }
    *last_cut = Some(loss.now);
    rule(is < was || was <= Window::whole(Segments(2)), "a loss did not cut the window")?;
    // half of the whole segments, rounded down: less than one segment below half
    let to_threshold = algorithm.composition().loss.cut == Cut::VegasNs3
        && before.ssthresh().is_some_and(|ssthresh| is == Window::whole(ssthresh));
    rule(to_threshold || is.plus(Window::ONE) > was.half(), "a loss took more than half of the window")?;
    if waits(algorithm) {
        return rule(before.ssthresh() == after.ssthresh(), "a cut moved the threshold before the next ACK");
    }
    rule(after.phase() == Phase::Avoidance || is < Window::whole(Segments(2)), "a cut began a slow start")
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
