//! SEARCH (draft-chung-ccwg-search-09) on 50 Mb/s and 100 ms, compared with its formula at the ends of its bins.
//! `docs/algorithms/search.md` has the table, calculated from the times at which each segment leaves, waits and is
//! acknowledged.

use vegas_sim::outcome::Outcome;

use super::run;

fn run_with(slow_start: &str, queue: u32) -> Outcome {
    run(&format!(
        r#"
        name = "search"
        duration = "3s"
        flow = [{{ algorithm = {{ preset = "cubic", slow_start = "{slow_start}" }}, initial_window = 2 }}]
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottleneck = {{ rate = "50mbit", delay = "48ms", queue = "{queue}p" }}
        "#
    ))
}

/// When slow start ended, s, and with what window.
fn exit(slow_start: &str, queue: u32) -> (f64, f64) {
    let flow = &run_with(slow_start, queue).flows[0];
    (flow.slow_start_end_s.unwrap(), flow.cwnd_at_slow_start_end.unwrap())
}

/// Of 3022 segments (2794 and 3234 at 48 parts of 100) 2192 have arrived at 1.3626 s: 27 % are missing. One bin earlier
/// 25.9 % are missing.
#[test]
fn slow_start_ends_where_a_quarter_is_missing() {
    let (at, window) = exit("search", 4000);
    assert!((at - 1.3626).abs() < 0.0005, "{at}");
    assert!((window - 3279.0).abs() <= 1.0, "{window}");
}

/// An interpolation towards the newer bin counts segments that were not sent yet: slow start ends before the path's 625
/// segments.
#[test]
fn the_printed_interpolation_ends_it_too_early() {
    let (at, window) = exit("search-draft-09", 4000);
    assert!((at - 0.9017).abs() < 0.0005, "{at}");
    assert!((window - 512.0).abs() <= 1.0, "{window}");
}

/// With a queue of 1000 a drop is found 4 ms before that time, and the loss ends slow start; with 50 more places SEARCH
/// ends it.
#[test]
fn a_loss_can_come_a_bin_too_soon() {
    let ((lost, _), (in_time, _)) = (exit("search", 1000), exit("search", 1050));
    assert!(lost < in_time && (in_time - 1.3626).abs() < 0.0005, "{lost} {in_time}");
}

/// Three bins of 35.06 ms have delivered 657 segments at 6250 a second. Of 3279 in flight two thirds of what is
/// acknowledged leave: 3933 acknowledgements, 629 ms after 1.3626 s. What is left above the path's 626 waits in the
/// queue, which never runs empty.
#[test]
fn the_drain_ends_with_what_the_path_holds() {
    let outcome = run_with("search-drain", 4000);
    let flow = &outcome.flows[0];
    let (at, window) = (flow.slow_start_end_s.unwrap(), flow.cwnd_at_slow_start_end.unwrap());
    assert!((at - (1.3626 + 0.629)).abs() < 0.003, "{at}");
    assert!((window - 657.0).abs() <= 2.0, "{window}");
    let series = &outcome.link_series;
    let longest = (0..outcome.links.len()).max_by_key(|link| outcome.links[*link].max_queue_packets).unwrap();
    let rows =
        (0..series.time_s.len()).filter(|row| series.link[*row] as usize == longest && series.time_s[*row] > 2.0);
    let queue: Vec<u32> = rows.map(|row| series.queue_packets[row]).collect();
    assert!(queue.len() > 5 && queue.iter().all(|queue| (10..200).contains(queue)), "{queue:?}");
    assert_eq!(flow.segments_retransmitted, 0);
}
