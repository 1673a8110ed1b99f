//! SEARCH (draft-chung-ccwg-search-09) on 50 Mb/s and 100 ms, against its formula at the ends of its bins: `docs/algorithms/search.md`
//! has the table, worked out from when each segment leaves, waits and is acknowledged.

use super::run;

/// When slow start ended, s, and with what window.
fn exit(slow_start: &str, queue: u32) -> (f64, f64) {
    let outcome = run(&format!(
        r#"
        name = "search"
        duration = "3s"
        flow = [{{ algorithm = {{ preset = "cubic", slow_start = "{slow_start}" }}, initial_window = 2 }}]
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottleneck = {{ rate = "50mbit", delay = "48ms", queue = "{queue}p" }}
        "#
    ));
    let flow = &outcome.flows[0];
    (flow.slow_start_end_s.unwrap(), flow.cwnd_at_slow_start_end.unwrap())
}

/// Of 3022 segments (2794 and 3234 at 48 parts of 100) 2192 have arrived at 1.3626 s: 27 % are missing. A bin before it is 25.9 %.
#[test]
fn slow_start_ends_where_a_quarter_is_missing() {
    let (at, window) = exit("search", 4000);
    assert!((at - 1.3626).abs() < 0.0005, "{at}");
    assert!((window - 3279.0).abs() <= 1.0, "{window}");
}

/// Towards the newer bin what is not sent yet counts: it is over before the path's 625 segments.
#[test]
fn the_printed_interpolation_ends_it_too_early() {
    let (at, window) = exit("search-draft-09", 4000);
    assert!((at - 0.9017).abs() < 0.0005, "{at}");
    assert!((window - 512.0).abs() <= 1.0, "{window}");
}

/// A queue of 1000 drops what is missed 4 ms before that; with 50 more it is in time.
#[test]
fn a_loss_can_come_a_bin_too_soon() {
    let ((lost, _), (in_time, _)) = (exit("search", 1000), exit("search", 1050));
    assert!(lost < in_time && (in_time - 1.3626).abs() < 0.0005, "{lost} {in_time}");
}
