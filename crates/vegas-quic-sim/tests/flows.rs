//! QUIC flows in the simulator: whole, repeatable, and with the columns that TCP flows have.

mod support;

use support::{dumbbell, run};
use vegas_quic::VegasQuic;

#[test]
fn the_same_scenario_gives_the_same_run() {
    let faults = "loss = \"1%\", duplicate = 0.01, reorder = { probability = \"1%\", delay = \"7ms\" }";
    let flows =
        "flow = [{ algorithm = \"gallop\", transport = \"quic\" }, { algorithm = \"cubic\", transport = \"quic\" }]";
    let text = dumbbell("10mbit", "20ms", faults, flows);
    let (once, again) = (run(&text), run(&text));
    assert!(once.flows[0].segments_retransmitted > 50, "{:?}", once.flows[0]);
    assert_eq!(once, again);
}

/// By hand: 10 Mb/s carry 1,250,000 bytes a second, 1480 on the wire hold 1427 to 1435 of payload (28 of UDP and IP, 17 of
/// packet header, number and tag, a frame's header of 2 to 8), so a megabyte takes 0.826 to 0.83 s of the link, and the
/// handshake, the opening of the window and the last acknowledgement some round trips of 44 ms.
#[test]
fn a_transfer_is_whole_and_takes_its_time() {
    for preset in VegasQuic::presets() {
        let flow =
            format!("flow = [{{ algorithm = \"{preset}\", transport = \"quic\", size = \"1mb\", start = \"1s\" }}]");
        let outcome = run(&dumbbell("10mbit", "20ms", "", &flow));
        let flow = &outcome.flows[0];
        assert_eq!(flow.delivered_bytes, 1_000_000, "{preset}");
        let took = flow.completion_s.unwrap();
        assert!((0.87..3.0).contains(&took), "{preset} took {took} s");
        assert!((flow.goodput_mbps - 8.0 / took).abs() < 1e-6, "{preset}: {flow:?}");
        assert!((1.03..1.09).contains(&(flow.throughput_mbps / flow.goodput_mbps)), "{preset}: {flow:?}");
        assert!(flow.segments_sent - flow.segments_retransmitted >= 697, "{preset}: {flow:?}");
        let base_ms = flow.base_rtt_ms.unwrap();
        // Tor-Vegas measures the last of 31 packets, which may wait behind the 30 before it, 1.2 ms each
        let most_ms = if preset == "tor-vegas" { 46.0 + 30.0 * 1.2 } else { 46.0 };
        assert!((44.0..most_ms).contains(&base_ms), "{preset}: {base_ms}");
    }
}

/// Vegas keeps alpha to beta packets in the queue, whatever carries it: windows of 10 Mb/s x 44 ms and two or three more.
#[test]
fn vegas_holds_by_quic_what_it_holds_by_tcp() {
    let of =
        |flow: &str| run(&dumbbell("10mbit", "20ms", "", &format!("flow = [{{ algorithm = \"vegas\", {flow} }}]")));
    let (quic, tcp) = (of("transport = \"quic\""), of("packet = \"1480b\", header = \"53b\""));
    let (quic, tcp) = (&quic.flows[0], &tcp.flows[0]);
    assert!((quic.final_cwnd_segments - tcp.final_cwnd_segments).abs() < 2.0, "{quic:?} {tcp:?}");
    assert!((quic.goodput_mbps / tcp.goodput_mbps - 1.0).abs() < 0.03, "{quic:?} {tcp:?}");
    assert_eq!((quic.segments_retransmitted, tcp.segments_retransmitted), (0, 0));
}

/// A receiver that answers every second packet sends about half as many, so there are fewer events: three where there
/// were four, since an acknowledgement is one as a packet is.
#[test]
fn acknowledgements_can_be_thinned() {
    let of = |more: &str| {
        let flow = format!("flow = [{{ algorithm = \"reno\", transport = \"quic\", size = \"2mb\"{more} }}]");
        run(&dumbbell("10mbit", "20ms", "", &flow))
    };
    let (all, second) = (of(""), of(", delayed_ack = \"25ms\""));
    assert_eq!(second.flows[0].delivered_bytes, 2_000_000);
    let ratio = second.events as f64 / all.events as f64;
    assert!((0.65..0.85).contains(&ratio), "{ratio}");
}

#[test]
fn marks_reduce_the_window_without_a_loss() {
    let of = |ecn: bool| {
        let flow = format!("flow = [{{ algorithm = \"reno\", transport = \"quic\", ecn = {ecn} }}]");
        let text = dumbbell("10mbit", "20ms", "", &flow);
        run(&text.replace("queue = \"50p\"", "queue = { kind = \"codel\", limit = \"100p\", ecn = true }"))
    };
    let (marked, dropped) = (of(true), of(false));
    assert!(marked.flows[0].ecn_reductions > 3, "{:?}", marked.flows[0]);
    assert_eq!(dropped.flows[0].ecn_reductions, 0);
    assert!(dropped.flows[0].segments_retransmitted > 3, "{:?}", dropped.flows[0]);
    assert!(marked.flows[0].segments_retransmitted < dropped.flows[0].segments_retransmitted);
}

#[test]
fn a_flow_that_is_stopped_delivers_what_it_has_written_and_shares_with_tcp() {
    let flows = "flow = [{ algorithm = \"vegas\", transport = \"quic\", start = \"2s\" }, { algorithm = \"vegas\" }]";
    let outcome = run(&dumbbell("10mbit", "20ms", "", flows));
    let [quic, tcp] = [&outcome.flows[0], &outcome.flows[1]];
    assert!(quic.goodput_mbps > 2.0 && tcp.goodput_mbps > 2.0, "{quic:?} {tcp:?}");
    assert_eq!(quic.start_s, 2.0);
    let series = &outcome.flow_series;
    let before = (0..series.flow.len()).filter(|&row| series.flow[row] == 0 && series.time_s[row] < 2.0);
    assert!(before.clone().count() > 10 && before.clone().all(|row| series.phase[row] == 0));
}
