//! Flows: their count, algorithms, transports and hosts.

use vegas_sim::scenario::Scenario;

use super::{GOOD, check};

#[test]
fn counts_of_flows() {
    let too_many = format!("{}\n", "[[flow]]\nalgorithm = \"vegas\"\ncount = 550_000\n".repeat(2));
    let tables = GOOD.replace("[[flow]]\nalgorithm = \"vegas\"\nstart = \"5s\"\npacket = \"1000b\"\n", &too_many);
    let error = Scenario::from_toml(&tables, "x.toml", &[]).expect_err("1.1 million flows");
    assert_eq!(error.to_string(), "x.toml:10: flow: there are 1100000 flows; write 1000000 at most");
    check(
        GOOD,
        &[
            (
                "packet =",
                "count = 0\npacket =",
                ":13: flow.0.count: 0 was given; expected a whole number from 1 to 1000000",
            ),
            // the second table is flow.1, although its flows are 3 and 4
            (
                "packet = \"1000b\"",
                "count = 3\n[[flow]]\nalgorithm = \"vegas\"\ncount = 2\nheader = \"1000b\"",
                ":17: flow.1.header: the header fills the packet: 1000b of 1000b; write less than the packet",
            ),
        ],
    );
}

#[test]
fn algorithms() {
    let names: Vec<&str> = vegas_core::registry::PRESETS.iter().map(|preset| preset.name).collect();
    let names = names.join(", ");
    let no_preset = format!(r#":11: flow.0.algorithm: "compound" is no preset; expected one of {names}"#).leak();
    let no_text = format!(":11: flow.0.algorithm: 5 is no preset; expected one of {names}").leak();
    check(
        GOOD,
        &[
            ("\"vegas\"", "\"vagas\"", r#":11: flow.0.algorithm: "vagas" is no preset; did you mean "vegas"?"#),
            ("\"vegas\"", "\"compound\"", no_preset),
            (
                "\"vegas\"",
                "{ mechanisms = \"AK\" }",
                r#":11: flow.0.algorithm.mechanisms: "AK": K is no mechanism; write letters from A to J"#,
            ),
            (
                "\"vegas\"",
                "{ mechanisms = 3 }",
                r#":11: flow.0.algorithm.mechanisms: 3 was given; expected letters from A to J, such as "ACF""#,
            ),
            (
                "\"vegas\"",
                "{ mechanisms = \"A\", preset = \"vegas\" }",
                ":11: flow.0.algorithm.mechanisms: stands beside preset; give one of the two",
            ),
            ("\"vegas\"", "5", no_text),
            (
                "\"vegas\"",
                "{ preset = \"vgas\" }",
                r#":11: flow.0.algorithm.preset: "vgas" is no preset; did you mean "vegas"?"#,
            ),
            (
                "\"vegas\"",
                "{ slow_strt = \"reno\" }",
                r#":11: flow.0.algorithm.slow_strt: unknown key; did you mean "slow_start"?"#,
            ),
            (
                "\"vegas\"",
                "{ preset = \"nv\", slow_start = \"gallop\", avoidance = \"vegas\" }",
                r#":11: flow.0.algorithm.avoidance: "nv" is an algorithm of its own, not one of parts; leave it out"#,
            ),
            (
                "\"vegas\"",
                "{ preset = \"tor-vegas\", slow_start = \"gallop\" }",
                ":11: flow.0.algorithm.slow_start: \"gallop\" cannot take the place of the slow start of \"tor-vegas\": \
                 the algorithm's slow start is a part of its rule",
            ),
            (
                "\"vegas\"",
                "{ preset = \"vegas-next\", slow_start = \"reno\" }",
                ":11: flow.0.algorithm.slow_start: \"reno\" is no part that \"vegas-next\" takes: it keeps its own slow start; leave \
                 it out",
            ),
            (
                "\"vegas\"",
                "{ preset = \"copa\", slow_start = \"rapid-start\" }",
                ":11: flow.0.algorithm.slow_start: \"rapid-start\" cannot take the place of the slow start of \"copa\": \
                 it drains the recovery of its first loss, which the algorithm answers itself",
            ),
            (
                "\"vegas\"",
                "{ preset = \"vegas-next\", base_rtt = \"least\", cut = \"half\" }",
                ":11: flow.0.algorithm.cut: \"vegas-next\" has only these parts: slow_start, base_rtt, rivals, avoidance; leave it out",
            ),
            (
                "\"vegas\"",
                "{ preset = \"rovegas\", base_rtt = \"drains\" }",
                ":11: flow.0.algorithm.base_rtt: \"drains\" needs an end-to-end signal; the base RTT comes from the routers",
            ),
            (
                "\"vegas\"",
                "{ preset = \"cubic\", base_rtt = \"drains\" }",
                ":11: flow.0.algorithm.base_rtt: \"drains\" needs a signal; signal is \"none\"",
            ),
            (
                "\"vegas\"",
                "{ preset = \"reno\", rivals = \"compete\" }",
                ":11: flow.0.algorithm.rivals: \"compete\" needs a signal; signal is \"none\"",
            ),
            (
                "\"vegas\"",
                "{ slow_start = \"rino\" }",
                r#":11: flow.0.algorithm.slow_start: "rino" is not a slow start; did you mean "reno"?"#,
            ),
            (
                "\"vegas\"",
                "{ cut = \"third\" }",
                r#":11: flow.0.algorithm.cut: "third" is not a cut; expected one of half, half-linux, three-quarters, cubic, vegas-ns3, scalable"#,
            ),
            (
                "\"vegas\"",
                "{ preset = \"vegas\", cut = \"scalable\" }\necn = false",
                ":12: flow.0.ecn: is false, but the algorithm answers marks only; leave it out, or write true",
            ),
            (
                "\"vegas\"",
                "{ avoidance = \"vegas\" }",
                r#":11: flow.0.algorithm.avoidance: needs a signal; signal is "none""#,
            ),
            (
                "\"vegas\"",
                "{ burst = 0 }",
                r#":11: flow.0.algorithm.burst: 0 was given; expected a whole number from 1 to 1048576, or "none""#,
            ),
            ("packet =", "alpha = 4\npacket =", ":13: flow.0.alpha: must not exceed beta"),
            (
                "packet =",
                "alpha = -1\npacket =",
                ":13: flow.0.alpha: -1 was given; expected a whole number from 0 to 1048576",
            ),
            (
                "packet =",
                "initial_window = 0\npacket =",
                ":13: flow.0.initial_window: 0 was given; expected a whole number from 1 to 1048576",
            ),
            (
                "packet =",
                "initial_window = 9\nmax_window = 8\npacket =",
                ":14: flow.0.max_window: must not be below the initial and the restart window",
            ),
            (
                "packet =",
                "initial_window = 9\nhost.receive_window = 8\npacket =",
                ":14: flow.0.host.receive_window: must not be below the initial and the restart window",
            ),
            (
                "packet =",
                "recovery = \"tahoe\"\npacket =",
                r#":13: flow.0.recovery: "tahoe" is not a fast recovery; expected one of reno, newreno, sack"#,
            ),
        ],
    );
}

#[test]
fn quic() {
    check(
        GOOD,
        &[
            (
                "packet =",
                "transport = \"udp\"\npacket =",
                r#":13: flow.0.transport: "udp" is not a transport; expected one of tcp, quic"#,
            ),
            (
                "packet =",
                "transport = \"quic\"\npacket =",
                ":14: flow.0.packet: 1000b was given; a QUIC packet has 1228b at least, headers included",
            ),
            (
                "packet =",
                "transport = \"quic\"\nack = \"40b\"\npacket =",
                r#":14: flow.0.ack: is TCP's; leave it out, or write transport = "tcp""#,
            ),
            (
                "packet =",
                "transport = \"quic\"\nhost = \"linux\"\npacket =",
                r#":14: flow.0.host: is TCP's; leave it out, or write transport = "tcp""#,
            ),
        ],
    );
    let quic = GOOD.replace("packet =", "transport = \"quic\"\npacket = \"1480b\"\n#");
    check(
        &quic,
        &[
            (
                "algorithm = \"vegas\"",
                "algorithm = { preset = \"vegas\", fine_retransmit = true }",
                ":11: flow.0.algorithm.fine_retransmit: mechanism C needs the retransmission path; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"rovegas\"",
                ":11: flow.0.algorithm.signal: needs a host that carries the queueing times of routers; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"ledbat\"",
                ":11: flow.0.algorithm: needs a host that measures one-way delays; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"prague\"",
                ":11: flow.0.algorithm: needs a host that paces; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"dctcp\"",
                ":11: flow.0.algorithm: needs a host with Accurate ECN (RFC 9768); \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = { preset = \"cubic\", cut = \"scalable\" }",
                ":11: flow.0.algorithm.cut: needs a host with Accurate ECN (RFC 9768); \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = { preset = \"nv\", slow_start = \"streak\" }",
                ":11: flow.0.algorithm.slow_start: needs a host that paces; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = { mechanisms = \"ABC\" }",
                ":11: flow.0.algorithm.fine_retransmit: mechanism C needs the retransmission path; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
            (
                "algorithm = \"vegas\"",
                "algorithm = \"streak\"",
                ":11: flow.0.algorithm.slow_start: needs a host that paces; \
                 host \"quic\" cannot carry it out: leave it out, or write transport = \"tcp\"",
            ),
        ],
    );
}

#[test]
fn hosts() {
    check(
        GOOD,
        &[
            (
                "packet =",
                "delayed_ack = true\npacket =",
                r#":13: flow.0.delayed_ack: true does not say for how long; write the longest wait, such as "200ms""#,
            ),
            (
                "packet =",
                "delayed_ack = \"0ms\"\npacket =",
                r#":13: flow.0.delayed_ack: a delay of 0 is none; write false, or a time such as "200ms""#,
            ),
            (
                "packet =",
                "host.delayed_ack = \"1s\"\npacket =",
                ":13: flow.0.host.delayed_ack: is longer than RFC 1122 allows; write 500ms at most",
            ),
            (
                "packet =",
                "delayed_ack = false\nhost.delayed_ack = false\npacket =",
                ":14: flow.0.host.delayed_ack: stands beside flow.0.delayed_ack; give one of the two",
            ),
            (
                "packet =",
                "host.gro = true\npacket =",
                r#":13: flow.0.host.gro: true does not say for how long; write "0s", or the longest time such as "20us""#,
            ),
            ("packet =", "host.gro = \"11ms\"\npacket =", ":13: flow.0.host.gro: is too long; write 10ms at most"),
            (
                "packet =",
                "host.gro = \"0s\"\nreceiver.misbehaves = \"optimistic-acks\"\npacket =",
                ":14: flow.0.receiver.misbehaves: acknowledges each segment at once; leave gro out",
            ),
            (
                "packet =",
                "host.reads_after = \"20us\"\npacket =",
                r#":13: flow.0.host.reads_after: is for host "linux"; leave it out, or write that host"#,
            ),
            (
                "packet =",
                "host.rto_min = \"0s\"\npacket =",
                r#":13: flow.0.host.rto_min: is 0; write a time above 0, such as "200ms""#,
            ),
            (
                "packet =",
                "host.rto_min = \"61s\"\npacket =",
                ":13: flow.0.host.rto_min: is above rto_max; write less, or raise rto_max",
            ),
            (
                "packet =",
                "host.rto_max = \"2s\"\npacket =",
                ":13: flow.0.host.rto_max: is below rto_initial; write more, or lower rto_initial",
            ),
            (
                "packet =",
                "host.rto_grain = \"2h\"\npacket =",
                ":13: flow.0.host.rto_grain: is longer than an hour; write 1h at most",
            ),
            (
                "packet =",
                "host.handshake = \"half\"\npacket =",
                r#":13: flow.0.host.handshake: "half" is not a handshake; expected one of none, full"#,
            ),
            (
                "packet =",
                "host = \"linus\"\npacket =",
                r#":13: flow.0.host: "linus" is not a kind of host; did you mean "linux"?"#,
            ),
            ("packet =", "host = 3\npacket =", ":13: flow.0.host: 3 is not a kind of host; expected one of bsd, linux"),
            (
                "packet =",
                "host = { delayed_ack = \"linux\" }\npacket =",
                r#":13: flow.0.host.delayed_ack: "linux" is for host "linux"; write a time such as "200ms", or that host"#,
            ),
            (
                "packet =",
                "host = { kind = \"bsd\", sack = false }\npacket =",
                r#":13: flow.0.host.sack: is for host "linux"; leave it out, or write recovery "sack" or "newreno""#,
            ),
            (
                "packet =",
                "host = { kind = \"bsd\", timestamps = true }\npacket =",
                r#":13: flow.0.host.timestamps: is for host "linux"; leave it out, or write that host"#,
            ),
            (
                "packet =",
                "host = { receive_window = \"linux\" }\npacket =",
                ":13: flow.0.host.receive_window: grows on host \"linux\" only; write a number of segments, or that host",
            ),
            (
                "algorithm = \"vegas\"\n",
                "algorithm = \"reno\"\nhost = { kind = \"linux\", receive_window = { initial = \"1800b\" } }\n",
                ":12: flow.0.host.receive_window.initial: 1800b was given; write two segments at least, 1896b",
            ),
            (
                "algorithm = \"vegas\"\n",
                "algorithm = \"reno\"\nhost = { kind = \"linux\", receive_window = { max = \"60kb\" } }\n",
                ":12: flow.0.host.receive_window.max: 60000b was given; write 65535b to 1073741824b",
            ),
            (
                "packet =",
                "host = \"linux\"\npacket =",
                ":11: flow.0.algorithm: \"vegas\" does not run on host \"linux\": mechanism C needs the retransmission \
                 path; write \"vegas-linux\", the kernel's Vegas, which runs there, or host = \"bsd\"",
            ),
            (
                "algorithm = \"vegas\"\n",
                "algorithm = \"gallop\"\nhost = \"linux\"\n",
                ":11: flow.0.algorithm: \"gallop\" does not run on host \"linux\": mechanism C needs the retransmission \
                 path; write host = \"bsd\"",
            ),
            (
                "algorithm = \"vegas\"\n",
                "algorithm = { preset = \"vegas\" }\nhost = \"linux\"\n",
                ":11: flow.0.algorithm.fine_retransmit: mechanism C needs the retransmission path; host \"linux\" cannot \
                 carry it out: leave it out, or write host = \"bsd\"",
            ),
            (
                "packet =",
                "host.kind = \"linux\"\nrecovery = \"newreno\"\npacket =",
                ":14: flow.0.recovery: is fixed for host \"linux\"; leave it out, or write host \"bsd\"",
            ),
            (
                "packet =",
                "host = { kind = \"linux\", ticks_per_second = 64 }\npacket =",
                ":13: flow.0.host.ticks_per_second: 64 was given; expected a whole number from 100 to 1000",
            ),
            (
                "packet =",
                "host = { kind = \"bsd\", ticks_per_second = 100 }\npacket =",
                r#":13: flow.0.host.ticks_per_second: is for host "linux"; leave it out, or write that host"#,
            ),
            (
                "packet =",
                "host = { kind = \"linux\", rto_grain = \"1ms\" }\npacket =",
                ":13: flow.0.host.rto_grain: is fixed for host \"linux\"; leave it out, or write host \"bsd\"",
            ),
        ],
    );
}
