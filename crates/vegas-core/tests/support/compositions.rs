//! Every combination of parts, and a few sets of numbers.

use vegas_core::units::{Segments, Window};
use vegas_core::{
    Algorithm, Avoidance, Composition, Cut, Detection, Dialect, Limits, LossResponse, Parameters, Recovery, Signal,
    SlowStart, SlowStartEnds, registry,
};

/// Every combination of the parts that steer the window, whether it goes together or not. Detection, burst and spike
/// suppression are the host's to carry out and do not steer: they take turns.
pub fn all() -> Vec<Composition> {
    let hosts_parts: Vec<_> =
        detections().into_iter().flat_map(|detection| HOSTS_LIMITS.map(|limits| (detection, limits))).collect();
    let turns = hosts_parts.into_iter().cycle();
    let with_hosts_part = |(parts, (detection, (burst, suppress_spikes))): (Composition, _)| Composition {
        detection,
        limits: Limits { burst, suppress_spikes, ..parts.limits },
        ..parts
    };
    steering().into_iter().zip(turns).map(with_hosts_part).collect()
}

/// Every algorithm with parts that go together, with every set of numbers.
pub fn algorithms() -> Vec<Algorithm> {
    let pairs = all().into_iter().flat_map(|parts| parameter_sets().map(move |numbers| (parts, numbers)));
    pairs.filter_map(|(parts, numbers)| Algorithm::new(parts, numbers).ok()).collect()
}

/// Every composition with Reno's detection and no burst limit.
pub fn steering() -> Vec<Composition> {
    let reno = registry::preset("reno").expect("a preset").composition;
    let detection = reno.detection;
    let mut all = Vec::new();
    for signal in signals() {
        for slow_start in slow_starts() {
            for avoidance in avoidances() {
                for loss in loss_responses() {
                    for keep_up in [false, true] {
                        let limits = Limits { burst: None, keep_up, suppress_spikes: false };
                        let Composition { base_rtt, rivals, .. } = reno;
                        all.push(Composition {
                            signal,
                            base_rtt,
                            rivals,
                            slow_start,
                            avoidance,
                            loss,
                            detection,
                            limits,
                        });
                    }
                }
            }
        }
    }
    all
}

pub fn signals() -> Vec<Signal> {
    let mut all = vec![Signal::None];
    for dialect in [Dialect::Corrected, Dialect::Released, Dialect::Ns2] {
        for reset_base_after_single in [false, true] {
            all.push(Signal::EndToEnd { dialect, reset_base_after_single });
        }
    }
    all.extend([false, true].map(|keeps_least_base| Signal::RouterAssisted { keeps_least_base }));
    for dialect in [Dialect::Linux, Dialect::Ns3] {
        all.push(Signal::EndToEnd { dialect, reset_base_after_single: false });
    }
    all
}

pub fn slow_starts() -> impl Iterator<Item = SlowStart> {
    SlowStart::NAMES.iter().map(|(_, part)| *part)
}

pub fn avoidances() -> impl Iterator<Item = Avoidance> {
    Avoidance::NAMES.iter().map(|(_, part)| *part)
}

pub fn cuts() -> impl Iterator<Item = Cut> {
    Cut::NAMES.iter().map(|(_, part)| *part)
}

pub fn loss_responses() -> Vec<LossResponse> {
    let mut all = Vec::new();
    for cut in cuts() {
        for once_per_window in [false, true] {
            for slow_start_ends in [SlowStartEnds::AtCut, SlowStartEnds::AtNextAck] {
                all.push(LossResponse { cut, once_per_window, slow_start_ends });
            }
        }
    }
    all
}

pub fn detections() -> Vec<Detection> {
    let mut all = Vec::new();
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        for fine_retransmit in [false, true] {
            for recheck_after_retransmit in [false, true] {
                all.push(Detection {
                    recovery,
                    fine_retransmit,
                    recheck_after_retransmit,
                    retransmit_backs_off: fine_retransmit,
                    samples_waiting: false,
                });
            }
        }
    }
    all
}

/// Bursts (H), and spike suppression (J).
const HOSTS_LIMITS: [(Option<Segments>, bool); 3] = [(None, false), (Some(Segments(3)), false), (None, true)];

/// The papers' numbers, and the edges of what is allowed.
pub fn parameter_sets() -> [Parameters; 7] {
    let set = |alpha, beta, gamma, initial, restart, max| Parameters {
        ssthresh: None,
        alpha: Segments(alpha),
        beta: Segments(beta),
        gamma: Segments(gamma),
        initial_window: Segments(initial),
        restart_window: Segments(restart),
        max_window: Segments(max),
        ticks_per_second: 100,
    };
    let largest = Window::MAX.floor().0;
    [
        set(1, 3, 1, 2, 2, 1 << 20),
        set(1, 3, 1, 1, 1, 1 << 20),
        set(2, 4, 3, 30, 10, 40),
        set(0, 0, 0, 1, 2, 2),
        set(0, u32::MAX, u32::MAX, largest, 1, largest),
        set(u32::MAX, u32::MAX, 0, 3, largest, largest),
        Parameters { ssthresh: Some(Segments(60)), ticks_per_second: 1000, ..set(1, 3, 1, 2, 2, 1 << 20) },
    ]
}

/// Fails to build when a part gains a choice that the lists above do not know; slow start, avoidance and cut list
/// theirs.
const _: fn(&Composition) = |parts| {
    match parts.signal {
        Signal::None | Signal::RouterAssisted { keeps_least_base: _ } => {}
        Signal::EndToEnd { dialect, reset_base_after_single: _ } => match dialect {
            Dialect::Corrected | Dialect::Released | Dialect::Ns2 | Dialect::Linux | Dialect::Ns3 => {}
        },
    }
    let LossResponse { cut: _, once_per_window: _, slow_start_ends } = parts.loss;
    match slow_start_ends {
        SlowStartEnds::AtCut | SlowStartEnds::AtNextAck => {}
    }
    let Detection {
        recovery,
        fine_retransmit: _,
        recheck_after_retransmit: _,
        retransmit_backs_off: _,
        samples_waiting: _,
    } = parts.detection;
    match recovery {
        Recovery::Reno | Recovery::NewReno | Recovery::Sack => {}
    }
    let Limits { burst: _, keep_up: _, suppress_spikes: _ } = parts.limits;
};
