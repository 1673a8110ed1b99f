//! Background traffic.

use super::{GOOD, check};

#[test]
fn traffic() {
    let good = format!(
        "{GOOD}[[traffic]]\nkind = \"pareto-on-off\"\nrate = \"1mbit\"\non = \"400ms\"\noff = \"600ms\"\nshape = 1.5\n"
    );
    check(
        &good,
        &[
            (
                "\"pareto-on-off\"",
                "\"pareto\"",
                ":15: traffic.0.kind: \"pareto\" is not a kind of traffic; expected one of constant, exponential-on-off, \
                 pareto-on-off, poisson-transfers, tcplib, connection-trace",
            ),
            (
                "\"pareto-on-off\"",
                "\"exponential-on-off\"",
                ":19: traffic.0.shape: means nothing in exponential-on-off traffic; leave it out, or set traffic.0.kind \
                 to \"pareto-on-off\" or \"poisson-transfers\"",
            ),
            (
                "\"pareto-on-off\"",
                "\"constant\"",
                ":17: traffic.0.on: means nothing in constant traffic; leave it out, or set traffic.0.kind to \
                 \"exponential-on-off\" or \"pareto-on-off\"",
            ),
            ("rate = \"1mbit\"\n", "", r#":14: traffic.0.rate: is missing; give one, such as rate = "50mbit""#),
            ("on = \"400ms\"\n", "", r#":14: traffic.0.on: is missing; give one, such as on = "500ms""#),
            ("off = \"600ms\"\n", "", r#":14: traffic.0.off: is missing; give one, such as off = "500ms""#),
            (
                "rate = \"1mbit\"",
                "rate = \"0bit\"",
                ":16: traffic.0.rate: a rate of 0 sends nothing; write 1bit or more",
            ),
            (
                "rate = \"1mbit\"",
                "rate = \"1tbit\"\npacket = \"40b\"",
                ":16: traffic.0.rate: packets would be less than a nanosecond apart; write a lower rate, 1tbit at most",
            ),
            (
                "400ms",
                "7999us",
                ":17: traffic.0.on: is shorter than one packet takes at this rate; write 8000000ns or more, or set \
                 traffic.0.whole_packets to true",
            ),
            (
                "\"pareto-on-off\"\nrate = \"1mbit\"\non = \"400ms\"\noff = \"600ms\"\nshape = 1.5",
                "\"constant\"\nrate = \"1mbit\"\nwhole_packets = true",
                ":17: traffic.0.whole_packets: means nothing in constant traffic; leave it out, or set traffic.0.kind to \
                 \"exponential-on-off\" or \"pareto-on-off\"",
            ),
            ("shape = 1.5", "whole_packets = 1", ":19: traffic.0.whole_packets: 1 was given; expected true or false"),
            ("600ms", "0ms", r#":18: traffic.0.off: is 0; write a time above 0, such as "500ms""#),
            ("600ms", "2h", ":18: traffic.0.off: is longer than an hour; write 1h at most"),
            (
                "shape = 1.5",
                "shape = 1",
                ":19: traffic.0.shape: 1 was given; expected a number from 1.01 to 100 in steps of 0.001, such as 1.5",
            ),
            (
                "shape = 1.5",
                "shape = \"1.5\"",
                ":19: traffic.0.shape: \"1.5\" was given; expected a number from 1.01 to 100 in steps of 0.001, such as 1.5",
            ),
            (
                "shape = 1.5",
                "start = \"60s\"",
                ":19: traffic.0.start: the traffic never starts: the run is over by then; write a time before duration",
            ),
            (
                "shape = 1.5",
                "stop = \"0s\"",
                ":19: traffic.0.stop: the traffic stops before it starts; write a time after start",
            ),
            (
                "shape = 1.5",
                "enter = \"r1\"",
                ":19: traffic.0.enter: means nothing in a dumbbell; leave it out, or set topology.kind to \"parking-lot\"",
            ),
            (
                "shape = 1.5",
                "direction = \"up\"",
                ":19: traffic.0.direction: \"up\" is not a direction; expected one of forward, backward",
            ),
            (
                "queue = \"100p\"",
                "queue = \"900b\"",
                ":13: flow.0.packet: 1000b do not fit the 900b of the queue of r1->r2; lengthen it",
            ),
            (
                "shape = 1.5",
                "packet = \"1500b\"\naccess = { rate = \"1gbit\", delay = \"1ms\", queue = \"1200b\" }",
                ":19: traffic.0.packet: 1500b do not fit the queue of ts0->r1; write 1200b at most",
            ),
        ],
    );
}

#[test]
fn transfers() {
    let good = format!(
        "{GOOD}[[traffic]]\nkind = \"poisson-transfers\"\ninterarrival = \"30ms\"\nsize = \"20kb\"\n\
         size_distribution = \"pareto\"\nshape = 1.2\n[traffic.flow]\nalgorithm = \"reno\"\n"
    );
    check(
        &good,
        &[
            (
                "interarrival = \"30ms\"\n",
                "",
                r#":14: traffic.0.interarrival: is missing; give one, such as interarrival = "100ms""#,
            ),
            ("size = \"20kb\"\n", "", r#":14: traffic.0.size: is missing; give one, such as size = "10kb""#),
            (
                "[traffic.flow]\nalgorithm = \"reno\"\n",
                "",
                ":14: traffic.0.flow: is missing; give one, such as a [[flow]] table with algorithm = \"vegas\"",
            ),
            ("30ms", "0ms", r#":16: traffic.0.interarrival: is 0; write a time above 0, such as "500ms""#),
            ("20kb", "0b", ":17: traffic.0.size: a transfer of 0 bytes sends nothing; write 1b or more"),
            (
                "\"pareto\"",
                "\"exponential\"",
                ":19: traffic.0.shape: means nothing here; leave it out, or set traffic.0.size_distribution to \"pareto\"",
            ),
            (
                "\"pareto\"",
                "\"normal\"",
                ":18: traffic.0.size_distribution: \"normal\" is not a distribution of sizes; expected one of fixed, \
                 exponential, pareto",
            ),
            (
                "shape = 1.2",
                "rate = \"1mbit\"",
                ":19: traffic.0.rate: means nothing in poisson-transfers traffic; leave it out, or set traffic.0.kind to \
                 \"constant\" or \"exponential-on-off\" or \"pareto-on-off\"",
            ),
            (
                "algorithm = \"reno\"",
                "algorithm = \"reno\"\nsize = \"1kb\"",
                ":22: traffic.0.flow.size: is the source's and not one connection's; write it as traffic.0.size",
            ),
            (
                "algorithm = \"reno\"",
                "algorithm = \"reno\"\ncount = 2",
                ":22: traffic.0.flow.count: the source opens as many as traffic.0.interarrival says; leave it out",
            ),
            (
                "algorithm = \"reno\"",
                "algorithm = \"rino\"",
                r#":21: traffic.0.flow.algorithm: "rino" is no preset; did you mean "reno"?"#,
            ),
        ],
    );
}

#[test]
fn conversations() {
    let good = format!(
        "{GOOD}[[traffic]]\nkind = \"tcplib\"\ninterarrival = \"30ms\"\n[traffic.flow]\nalgorithm = \"reno\"\n"
    );
    check(
        &good,
        &[
            (
                "interarrival = \"30ms\"\n",
                "size = \"20kb\"\n",
                ":16: traffic.0.size: means nothing in tcplib traffic; leave it out, or set traffic.0.kind to \
                 \"poisson-transfers\"",
            ),
            (
                "interarrival = \"30ms\"\n",
                "interarrival = \"30ms\"\nitems = 0\n",
                ":17: traffic.0.items: 0 was given; expected a whole number from 1 to 1000",
            ),
            (
                "interarrival = \"30ms\"\n",
                "",
                r#":14: traffic.0.interarrival: is missing; give one, such as interarrival = "100ms""#,
            ),
            (
                "[traffic.flow]\nalgorithm = \"reno\"\n",
                "",
                ":14: traffic.0.flow: is missing; give one, such as a [[flow]] table with algorithm = \"vegas\"",
            ),
        ],
    );
}

#[test]
fn connection_traces() {
    let scenarios = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let good = format!(
        "{GOOD}[[traffic]]\nkind = \"connection-trace\"\ntrace = \"{scenarios}/replayed-connections.csv\"\n\
         side = \"requests\"\n[traffic.flow]\nalgorithm = \"reno\"\n"
    );
    let trace = format!("trace = \"{scenarios}/replayed-connections.csv\"\n");
    let other_file = format!(
        ":16: traffic.0.trace: {scenarios}/rate-trace.txt: line 1: is not start_s,request_bytes,response_bytes,think_s"
    );
    check(
        &good,
        &[
            ("replayed-connections.csv", "rate-trace.txt", &other_file),
            (&trace, "", r#":14: traffic.0.trace: is missing; give one, such as trace = "connections.csv""#),
            (
                "side = \"requests\"",
                "side = \"answers\"",
                ":17: traffic.0.side: \"answers\" is not a side of connections; expected one of responses, requests",
            ),
            (
                "\"connection-trace\"",
                "\"tcplib\"",
                ":16: traffic.0.trace: means nothing in tcplib traffic; leave it out, or set traffic.0.kind to \
                 \"connection-trace\"",
            ),
            (
                "side = \"requests\"",
                "interarrival = \"30ms\"",
                ":17: traffic.0.interarrival: means nothing in connection-trace traffic; leave it out, or set \
                 traffic.0.kind to \"poisson-transfers\" or \"tcplib\"",
            ),
            (
                "algorithm = \"reno\"",
                "algorithm = \"reno\"\ncount = 2",
                ":20: traffic.0.flow.count: the source opens as many as traffic.0.trace says; leave it out",
            ),
            (
                "[traffic.flow]\nalgorithm = \"reno\"\n",
                "",
                ":14: traffic.0.flow: is missing; give one, such as a [[flow]] table with algorithm = \"vegas\"",
            ),
        ],
    );
}
