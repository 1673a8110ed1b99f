//! Valid scenario files, with their meaning worked out by hand.

use std::fs;
use std::path::Path;

use vegas_core::units::{Bytes, Rate, Segments, Span, Time};
use vegas_core::{Avoidance, Cut, Host, Recovery, Signal, SlowStart, registry};
use vegas_sim::scenario::{
    Change, DelayedAck, GilbertElliott, Handshake, HostKind, Impairments, Jitter, Policer, QueueLimit, ReceiveWindow,
    Receiving, Sampling, Scenario,
};

const DUMBBELL: &str = r#"
name = "test"
duration = "1.5min"
[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "1ms" }
bottleneck = { rate = "1.6mbit", delay = "48ms", queue = "100p" }
[[flow]]
algorithm = "vegas"
"#;

fn load(text: &str) -> Scenario {
    Scenario::from_toml(text, "x.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Loads the dumbbell with these lines at the end: keys of its flow, or more tables.
fn dumbbell_with(lines: &str) -> Scenario {
    load(&format!("{DUMBBELL}{lines}"))
}

/// Returns links as `from->to`.
fn names(scenario: &Scenario, links: &[usize]) -> Vec<String> {
    let name = |id: &usize| {
        let link = &scenario.links[*id];
        format!("{}->{}", scenario.nodes[link.from], scenario.nodes[link.to])
    };
    links.iter().map(name).collect()
}

fn all_links(scenario: &Scenario) -> Vec<String> {
    names(scenario, &(0..scenario.links.len()).collect::<Vec<_>>())
}

/// A flow that names no host has that of its algorithm, by itself and as the preset of a table of parts.
#[test]
fn what_linux_has_runs_on_a_linux_host() {
    let kind = |flow: &str| {
        let text = DUMBBELL.replace("algorithm = \"vegas\"", flow);
        load(&text).flows[0].host.kind
    };
    assert_eq!(kind("algorithm = \"vegas\""), HostKind::Bsd);
    assert_eq!(kind("algorithm = \"vegas-linux\""), HostKind::Linux);
    assert_eq!(kind("algorithm = { preset = \"bbr3\" }"), HostKind::Linux);
    assert_eq!(kind("algorithm = { signal = \"end-to-end\" }"), HostKind::Bsd);
    assert_eq!(kind("algorithm = \"bbr3\"\nhost = \"bsd\""), HostKind::Bsd);
    assert_eq!(kind("algorithm = \"bbr3\"\nhost = { rto_min = \"1s\" }"), HostKind::Linux);
}

#[test]
fn every_preset_runs_without_a_word_about_hosts() {
    for preset in registry::PRESETS {
        assert!(matches!(preset.host, Host::Bsd | Host::Linux), "{}", preset.name);
        load(&DUMBBELL.replace("\"vegas\"", &format!("{:?}", preset.name)));
    }
}

/// A count of flows equals the flows written out: numbers, hosts, paths, everything.
#[test]
fn a_count_of_flows_is_as_if_written_out() {
    let counted = dumbbell_with("count = 3\n[[flow]]\nalgorithm = \"reno\"\nstart = \"1s\"\ncount = 2\n");
    let vegas = "[[flow]]\nalgorithm = \"vegas\"\n";
    let reno = "[[flow]]\nalgorithm = \"reno\"\nstart = \"1s\"\n";
    let written = dumbbell_with(&[vegas, vegas, reno, reno].concat());
    assert_eq!(counted.flows.len(), 5);
    assert_eq!(counted, Scenario { document: counted.document.clone(), ..written });
}

/// `vegaslab list scenarios` and the results folder use the name; the list shows the description.
#[test]
fn shipped_scenarios_are_named_as_their_files_and_described() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let scenario =
            Scenario::from_toml(&text, &path.to_string_lossy(), &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Some(scenario.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
        assert!(scenario.description.is_some_and(|description| description.len() <= 100), "{}", path.display());
    }
}

#[test]
fn defaults() {
    let scenario = dumbbell_with("");
    assert_eq!(scenario.duration.as_nanos(), 90_000_000_000);
    assert_eq!(scenario.seed, 1);
    assert_eq!(scenario.sampling, Sampling::Every(Span::from_nanos(100_000_000)));
    assert!(!scenario.capture);
    let flow = &scenario.flows[0];
    let vegas = registry::preset("vegas").unwrap();
    assert_eq!(
        (flow.algorithm.as_str(), flow.composition, flow.parameters),
        ("vegas", vegas.composition, vegas.parameters)
    );
    assert_eq!((flow.start, flow.stop, flow.size), (Time::ZERO, None, None));
    assert_eq!((flow.packet, flow.ack, flow.header), (Bytes::new(1000), Bytes::new(40), Bytes::new(40)));
    let host = &flow.host;
    assert_eq!((host.dupack_threshold, host.limited_transmit, host.recovery_burst), (3, false, None));
    assert_eq!(
        (host.delayed_ack, host.receive_window),
        (DelayedAck::None, ReceiveWindow::Constant(Segments(1_048_576)))
    );
    assert_eq!((host.rto.min.as_nanos(), host.rto.max.as_nanos()), (200_000_000, 60_000_000_000));
    assert_eq!((host.rto.initial.as_nanos(), host.rto.grain.as_nanos()), (3_000_000_000, 10_000_000));
    assert_eq!((host.handshake, host.receiving), (Handshake::None, Receiving::default()));
}

#[test]
fn defaults_that_follow_the_algorithm() {
    let scenario =
        dumbbell_with("[[flow]]\nalgorithm = \"reno\"\n[[flow]]\nalgorithm = \"vegas\"\nrecovery = \"newreno\"\n");
    let [vegas, reno, vegas_newreno] = scenario.flows.as_slice() else { panic!("three flows") };
    assert!(!vegas.host.limited_transmit, "mechanism C acts on the first duplicate acknowledgements itself");
    assert!(reno.host.limited_transmit);
    assert_eq!((reno.host.recovery_burst, vegas_newreno.host.recovery_burst), (None, Some(Segments(2))));
    assert_eq!(vegas_newreno.composition.detection.recovery, Recovery::NewReno);
    assert_eq!(vegas_newreno.algorithm, "vegas");
}

#[test]
fn quantities() {
    let scenario = dumbbell_with(
        "start = \"250us\"\nstop = \"1.25s\"\nsize = \"1.5mb\"\npacket = \"1.5kb\"\nack = \"64b\"\nheader = \"52b\"\n\
         [flow.access]\nrate = \"64.5kbit\"\ndelay = \"10ns\"\nqueue = \"64kib\"\n",
    );
    let flow = &scenario.flows[0];
    assert_eq!(flow.start.as_nanos(), 250_000);
    assert_eq!(flow.stop.map(Time::as_nanos), Some(1_250_000_000));
    assert_eq!(flow.size, Some(Bytes::new(1_500_000)));
    assert_eq!((flow.packet, flow.ack, flow.header), (Bytes::new(1500), Bytes::new(64), Bytes::new(52)));
    let bottleneck = &scenario.links[0];
    assert_eq!(bottleneck.rate, Rate::from_bits_per_second(1_600_000));
    assert_eq!((bottleneck.delay.as_nanos(), bottleneck.queue), (48_000_000, QueueLimit::Packets(100)));
    let access = &scenario.links[flow.path[0]];
    assert_eq!(access.rate, Rate::from_bits_per_second(64_500));
    assert_eq!((access.delay.as_nanos(), access.queue), (10, QueueLimit::Bytes(Bytes::new(65_536))));
}

/// 1.6 Mb/s times 2 (48 + 1 + 1) ms are 20 000 bytes; with 28 ms on the way back 16 000.
#[test]
fn queues_in_bandwidth_delay_products() {
    let queue = |from: &str, to: &str| load(&DUMBBELL.replace(from, to)).links[0].queue;
    let bytes = |bytes: u64| QueueLimit::Bytes(Bytes::new(bytes));
    assert_eq!(queue("\"100p\"", "\"1bdp\""), bytes(20_000));
    assert_eq!(queue("\"100p\"", "\"0.5bdp\""), bytes(10_000));
    assert_eq!(queue("\"100p\"", "{ kind = \"codel\", limit = \"2.5bdp\" }"), bytes(50_000));
    assert_eq!(queue("\"100p\"", "\"1bdp\", backward = { delay = \"28ms\" }"), bytes(16_000));
    // a flow's own access link changes its base RTT, but not the queue
    let own = "access = { rate = \"1gbit\", delay = \"40ms\" }\n";
    assert_eq!(load(&format!("{}{own}", DUMBBELL.replace("100p", "1bdp"))).links[0].queue, bytes(20_000));
}

#[test]
fn the_least_and_the_greatest() {
    let edge = DUMBBELL
        .replace("\"1.6mbit\"", "\"1bit\"")
        .replace("\"1gbit\"", "\"1tbit\"")
        .replace("\"48ms\"", "\"1h\"")
        .replace("\"1ms\"", "\"0ns\"")
        .replace("\"1.5min\"", "\"2400h\"")
        .replace("\"100p\"", "\"1p\"");
    let scenario = load(&format!("seed = 18446744073709551615\nsample = \"1h\"\n{edge}packet = \"65535b\"\n"));
    assert_eq!(scenario.seed, u64::MAX);
    assert_eq!(scenario.duration.as_nanos(), 8_640_000_000_000_000);
    assert_eq!(scenario.links[0].rate, Rate::from_bits_per_second(1));
    assert_eq!(scenario.links[0].delay.as_nanos(), 3_600_000_000_000);
    assert_eq!(scenario.links[0].queue, QueueLimit::Packets(1));
    assert_eq!(scenario.links[2].rate, Rate::from_bits_per_second(1_000_000_000_000));
    assert_eq!(scenario.links[2].delay, Span::ZERO);
}

#[test]
fn sampling() {
    assert_eq!(load(&format!("sample = \"change\"\n{DUMBBELL}")).sampling, Sampling::EveryChange);
    assert_eq!(load(&format!("sample = \"off\"\n{DUMBBELL}")).sampling, Sampling::Off);
    assert_eq!(load(&format!("sample = \"10ms\"\n{DUMBBELL}")).sampling, Sampling::Every(Span::from_nanos(10_000_000)));
}

#[test]
fn dumbbell() {
    let scenario = dumbbell_with("[[flow]]\nalgorithm = \"reno\"\naccess = { rate = \"2mbit\", delay = \"7ms\" }\n");
    assert_eq!(scenario.nodes, ["r1", "r2", "s0", "d0", "s1", "d1"]);
    let links = ["r1->r2", "r2->r1", "s0->r1", "r1->s0", "r2->d0", "d0->r2", "s1->r1", "r1->s1", "r2->d1", "d1->r2"];
    assert_eq!(all_links(&scenario), links);
    assert_eq!(names(&scenario, &scenario.flows[0].path), ["s0->r1", "r1->r2", "r2->d0"]);
    assert_eq!(names(&scenario, &scenario.flows[0].reverse_path), ["d0->r2", "r2->r1", "r1->s0"]);
    let delays =
        |flow: usize| scenario.flows[flow].path.iter().map(|id| scenario.links[*id].delay.as_nanos()).sum::<u64>();
    assert_eq!((delays(0), delays(1)), (50_000_000, 62_000_000));
    assert_eq!(scenario.links[2].queue, QueueLimit::Unlimited);
}

#[test]
fn directions_and_impairments() {
    let keys = "queue = \"100p\", loss = \"0.25%\", duplicate = 0.000001, drop = [5, 9], \
                reorder = { probability = 0.5, delay = \"3ms\" }, \
                backward = { rate = \"64kbit\", queue = \"10p\", loss = 0.01 }";
    let scenario = load(&DUMBBELL.replace("queue = \"100p\"", keys));
    let [forward, backward] = &scenario.links[..2] else { panic!("a link each way") };
    let ppm = |link: &vegas_sim::scenario::LinkSpec| {
        (link.impairments.loss_ppm, link.impairments.duplicate_ppm, link.impairments.reorder_ppm)
    };
    assert_eq!((ppm(forward), ppm(backward)), ((2_500, 1, 500_000), (10_000, 0, 0)));
    assert_eq!(forward.impairments.reorder_delay.as_nanos(), 3_000_000);
    assert_eq!((&forward.impairments.drop_data[..], &backward.impairments.drop_data[..]), (&[5, 9][..], &[][..]));
    assert_eq!((backward.rate.as_bits_per_second(), backward.delay), (64_000, forward.delay));
    assert_eq!((forward.queue, backward.queue), (QueueLimit::Packets(100), QueueLimit::Packets(10)));
}

#[test]
fn bursts_and_jitter() {
    let keys = "queue = \"100p\", jitter = \"2ms\", \
                loss = { model = \"gilbert-elliott\", good_to_bad = \"1%\", bad_to_good = 1, loss_good = 0.001 }";
    let scenario = load(&DUMBBELL.replace("queue = \"100p\"", keys));
    let [forward, backward] = &scenario.links[..2] else { panic!("a link each way") };
    let channel = GilbertElliott {
        good_to_bad_ppm: 10_000,
        bad_to_good_ppm: 1_000_000,
        loss_good_ppm: 1_000,
        loss_bad_ppm: 1_000_000,
    };
    assert_eq!(forward.impairments.burst_loss, Some(channel));
    assert_eq!(forward.impairments.jitter, Jitter::Uniform(Span::from_millis(2)));
    assert_eq!(backward.impairments, Impairments::default());
}

#[test]
fn policers_batches_and_wifi() {
    let keys = "queue = \"100p\", policer = { rate = \"5mbit\", burst = \"30kb\" }, \
                jitter = { model = \"wifi\", mean = \"7ms\" }, backward = { batch = \"10ms\" }";
    let change = "change = [{ at = \"1s\", link = \"r1->r2\", loss = 1 }]\n";
    let scenario = load(&format!("{change}{}", DUMBBELL.replace("queue = \"100p\"", keys)));
    let [forward, backward] = &scenario.links[..2] else { panic!("a link each way") };
    let policer = Policer { rate: Rate::from_bits_per_second(5_000_000), burst: Bytes::new(30_000) };
    let impairments =
        Impairments { policer: Some(policer), jitter: Jitter::Wifi(Span::from_millis(7)), ..Impairments::default() };
    assert_eq!(forward.impairments, impairments);
    assert_eq!(backward.impairments, Impairments { batch: Span::from_millis(10), ..Impairments::default() });
    let Change::Link(change) = &scenario.changes[0].change else { panic!("a link's change") };
    assert_eq!(change.loss_ppm, Some(1_000_000));
}

#[test]
fn parking_lot() {
    let text = r#"
        name = "test"
        duration = "9s"
        topology.kind = "parking-lot"
        topology.access = { rate = "1gbit", delay = "1ms" }
        topology.hops = 3
        topology.bottleneck = { rate = "1mbit", delay = "2ms", queue = "9p" }
        flow = [
            { algorithm = "vegas" },
            { algorithm = "vegas", enter = "r2", leave = "r3" },
            { algorithm = "vegas", enter = "r4", leave = "r2" },
        ]
    "#;
    let scenario = load(text);
    assert_eq!(scenario.nodes[..6], ["r1", "r2", "r3", "r4", "s0", "d0"]);
    assert_eq!(all_links(&scenario)[..6], ["r1->r2", "r2->r1", "r2->r3", "r3->r2", "r3->r4", "r4->r3"]);
    let path = |flow: usize| names(&scenario, &scenario.flows[flow].path).join(" ");
    assert_eq!(path(0), "s0->r1 r1->r2 r2->r3 r3->r4 r4->d0");
    assert_eq!(path(1), "s1->r2 r2->r3 r3->d1");
    assert_eq!(path(2), "s2->r4 r4->r3 r3->r2 r2->d2");
    assert_eq!(names(&scenario, &scenario.flows[2].reverse_path).join(" "), "d2->r2 r2->r3 r3->r4 r4->s2");
}

/// A square a-b-d, a-c-d with a long diagonal a-d; `links` are from, to, delay in ms.
fn graph(links: &[(&str, &str, u32)], flow: &str) -> String {
    let link = |(from, to, delay): &(&str, &str, u32)| {
        format!("{{ between = [\"{from}\", \"{to}\"], rate = \"1mbit\", delay = \"{delay}ms\", queue = \"9p\" }}")
    };
    let links: Vec<String> = links.iter().map(link).collect();
    let text = format!(
        "name = \"test\"\nduration = \"9s\"\nflow = [{{ algorithm = \"reno\", {flow} }}]\n\
         [topology]\nkind = \"graph\"\nnodes = [\"a\", \"b\", \"c\", \"d\"]\nlink = [{}]\n",
        links.join(", ")
    );
    let scenario = load(&text);
    names(&scenario, &scenario.flows[0].path).join(" ")
}

#[test]
fn routes() {
    let to_d = "from = \"a\", to = \"d\"";
    let square = |ab, bd, ac, cd, ad| [("a", "c", ac), ("c", "d", cd), ("a", "b", ab), ("b", "d", bd), ("a", "d", ad)];
    assert_eq!(graph(&square(1, 1, 2, 2, 9), to_d), "a->b b->d", "least delay");
    assert_eq!(graph(&square(2, 2, 1, 1, 9), to_d), "a->c c->d", "least delay");
    assert_eq!(graph(&square(1, 1, 1, 1, 2), to_d), "a->d", "equal delay: fewest links");
    assert_eq!(graph(&square(1, 1, 1, 1, 9), to_d), "a->b b->d", "equal delay and links: first-named node");
    assert_eq!(graph(&square(1, 1, 1, 1, 2), "from = \"a\", to = \"d\", via = [\"c\"]"), "a->c c->d");
    assert_eq!(graph(&square(0, 0, 0, 0, 0), "from = \"d\", to = \"b\""), "d->b", "no delay at all");
}

#[test]
fn a_table_of_parts() {
    let scenario = load(&DUMBBELL.replace(
        "\"vegas\"",
        "{ preset = \"vegas\", slow_start = \"reno\", cut = \"half\", burst = \"none\", recovery = \"sack\" }",
    ));
    let flow = &scenario.flows[0];
    let vegas = registry::preset("vegas").unwrap();
    assert_eq!(flow.algorithm, "vegas+reno-slow-start+half-cut+sack+burst-none");
    assert_eq!(flow.composition.signal, vegas.composition.signal);
    assert_eq!(flow.composition.slow_start, SlowStart::Reno);
    assert_eq!(flow.composition.avoidance, Avoidance::Vegas);
    assert_eq!((flow.composition.loss.cut, flow.composition.loss.once_per_window), (Cut::Half, true));
    assert_eq!((flow.composition.limits.burst, flow.composition.limits.keep_up), (None, true));
    assert_eq!(flow.composition.detection.recovery, Recovery::Sack);
    assert_eq!(flow.parameters, vegas.parameters);
}

#[test]
fn a_table_of_nothing_is_reno() {
    let flow = &load(&DUMBBELL.replace("\"vegas\"", "{}")).flows[0];
    assert_eq!((flow.algorithm.as_str(), flow.composition.signal), ("reno", Signal::None));
}

/// "Revisited", section VI: all mechanisms are Vegas, none is Reno, and other parts may be given beside them.
#[test]
fn mechanisms_are_taken_over_reno() {
    for (algorithm, name) in [
        (r#"{ mechanisms = "ABCDEFGHI" }"#, "vegas"),
        (r#"{ mechanisms = "" }"#, "reno"),
        (r#"{ mechanisms = "", recovery = "sack" }"#, "sack"),
        (r#"{ mechanisms = "FCA" }"#, "reno+ACF"),
        (r#"{ mechanisms = "ACF", recovery = "sack" }"#, "reno+ACF+sack"),
    ] {
        assert_eq!(load(&DUMBBELL.replace("\"vegas\"", algorithm)).flows[0].algorithm, name, "{algorithm}");
    }
    let flow = &load(&DUMBBELL.replace("\"vegas\"", r#"{ mechanisms = "ACF" }"#)).flows[0];
    let slow_start = SlowStart::Vegas;
    assert_eq!((flow.composition.slow_start, flow.composition.loss.cut), (slow_start, Cut::ThreeQuarters));
    assert_eq!((flow.composition.detection.fine_retransmit, flow.composition.limits.keep_up), (true, false));
    assert_eq!(flow.parameters.initial_window, Segments(1));
}

/// A table's name is its own, or the differences from the preset: two tables that differ in one part differ in name.
#[test]
fn a_table_of_parts_has_a_name() {
    let name = |algorithm: &str| load(&DUMBBELL.replace("\"vegas\"", algorithm)).flows[0].algorithm.clone();
    for (algorithm, expected) in [
        (r#"{ preset = "vegas", slow_start = "gallop" }"#, "vegas+gallop"),
        (r#"{ preset = "vegas", slow_start = "gallop", name = "Gallop_2-x+y" }"#, "Gallop_2-x+y"),
        (r#"{ preset = "vegas", name = "mine" }"#, "mine"),
        (r#"{ preset = "vegas", avoidance = "reno" }"#, "vegas+reno-avoidance"),
        (r#"{ preset = "vegas", slow_start = "hystart++" }"#, "vegas+hystart++"),
        (r#"{ preset = "vegas", fine_retransmit = false }"#, "vegas+no-fine-retransmit"),
        (r#"{ preset = "vegas", once_per_window = true, burst = 5 }"#, "vegas+burst-5"),
        (r#"{ signal = "end-to-end", keep_up = true }"#, "reno+end-to-end-signal+keep-up"),
        (r#"{ preset = "gallop", base_rtt = "drains" }"#, "gallop+drains-base-rtt"),
        (r#"{ preset = "vegas", base_rtt = "drains", rivals = "compete" }"#, "vegas+drains-base-rtt+compete-rivals"),
        (r#"{ preset = "vegas", avoidance = "by-rate" }"#, "vegas+by-rate"),
        (r#"{ preset = "vegas-next", base_rtt = "least" }"#, "vegas-next+least-base-rtt"),
        (r#"{ preset = "vegas-next", rivals = "ignore" }"#, "vegas-next+ignore-rivals"),
        (
            r#"{ preset = "vegas-next", avoidance = "vegas", slow_start = "search" }"#,
            "vegas-next+search+vegas-avoidance",
        ),
    ] {
        assert_eq!(name(algorithm), expected, "{algorithm}");
    }
}

#[test]
fn names_of_tables_are_checked() {
    for (given, said) in [
        ("reno", "\"reno\" is the name of a preset; choose another"),
        ("a/b", "\"a/b\" is no name; write letters, digits, - _ + and begin with none of - +"),
        ("", "\"\" is no name; write letters, digits, - _ + and begin with none of - +"),
        ("-a", "\"-a\" is no name; write letters, digits, - _ + and begin with none of - +"),
        (&"a".repeat(61), "is 61 characters long; at most 60 are allowed"),
    ] {
        let table = format!("{{ preset = \"vegas\", name = \"{given}\" }}");
        let text = DUMBBELL.replace("\"vegas\"", &table);
        let error = Scenario::from_toml(&text, "file.toml", &[]).unwrap_err();
        assert_eq!(error.key(), "flow.0.algorithm.name");
        assert!(error.to_string().ends_with(&format!("flow.0.algorithm.name: {said}")), "{error}");
    }
}

/// Every preset can be written part by part, so every part has a name.
#[test]
fn every_part_has_a_name() {
    for preset in registry::PRESETS {
        let parts = &preset.composition;
        assert!(Signal::NAMES.iter().any(|(_, part)| *part == parts.signal), "{}", preset.name);
        assert!(SlowStart::NAMES.iter().any(|(_, part)| *part == parts.slow_start), "{}", preset.name);
        assert!(Avoidance::NAMES.iter().any(|(_, part)| *part == parts.avoidance), "{}", preset.name);
        assert!(Cut::NAMES.iter().any(|(_, part)| *part == parts.loss.cut), "{}", preset.name);
        assert!(Recovery::NAMES.iter().any(|(_, part)| *part == parts.detection.recovery), "{}", preset.name);
    }
}

#[test]
fn numbers_of_the_algorithm() {
    let scenario = dumbbell_with(
        "alpha = 2\nbeta = 4\ngamma = 0\ninitial_window = 10\nrestart_window = 3\nmax_window = 500\n\
         host = { receive_window = 64, dupack_threshold = 4, recovery_burst = 3, limited_transmit = true }\n",
    );
    let flow = &scenario.flows[0];
    let numbers = &flow.parameters;
    assert_eq!((numbers.alpha.0, numbers.beta.0, numbers.gamma.0), (2, 4, 0));
    assert_eq!((numbers.initial_window.0, numbers.restart_window.0), (10, 3));
    assert_eq!(numbers.max_window.0, 64, "the receiver's window bounds it");
    assert_eq!((flow.host.dupack_threshold, flow.host.recovery_burst), (4, Some(Segments(3))));
    assert!(flow.host.limited_transmit);
}

/// A kind of host has its own defaults, given by its name or in a table.
#[test]
fn kinds_of_host() {
    let cubic = |lines: &str| load(&DUMBBELL.replace("\"vegas\"\n", &format!("\"cubic\"\n{lines}\n"))).flows[0].clone();
    assert_eq!(cubic("host = \"bsd\"").host, cubic("").host);
    let linux = cubic("host = \"linux\"");
    assert_eq!((linux.host.kind, linux.host.handshake), (HostKind::Linux, Handshake::Full));
    assert_eq!((linux.host.rto.min.as_nanos(), linux.host.rto.initial.as_nanos()), (200_000_000, 1_000_000_000));
    assert_eq!(linux.composition.detection.recovery, Recovery::Sack);
    let limits = |initial, max| ReceiveWindow::Linux { initial: Bytes::new(initial), max: Bytes::new(max) };
    // of 6 MiB, 105 in 256, as 948 bytes occupy 2304
    assert_eq!(linux.host.receive_window, limits(65_535, 2_580_480));
    assert_eq!(cubic("").host.receive_window, ReceiveWindow::Constant(Segments(1_048_576)));
    let tuned = cubic("host = { kind = \"linux\", receive_window = \"linux\" }");
    assert_eq!(tuned.host, linux.host);
    let table = cubic("host = { kind = \"linux\", receive_window = { initial = \"4kb\", max = \"1mb\" } }");
    assert_eq!(table.host.receive_window, limits(4_000, 1_000_000));
    let table = cubic("host = { kind = \"linux\", handshake = \"none\" }");
    assert_eq!((table.host.kind, table.host.handshake), (HostKind::Linux, Handshake::None));
}

#[test]
fn delayed_acknowledgements() {
    let delay = |line: &str| dumbbell_with(line).flows[0].host.delayed_ack;
    assert_eq!(delay("delayed_ack = false\n"), DelayedAck::None);
    assert_eq!(delay("delayed_ack = \"200ms\"\n"), DelayedAck::After(Span::from_millis(200)));
    assert_eq!(delay("host.delayed_ack = \"40ms\"\n"), DelayedAck::After(Span::from_millis(40)));
    let linux = load(&format!("{DUMBBELL}host = \"linux\"\ndelayed_ack = \"linux\"\n").replace("vegas", "reno"));
    assert_eq!(linux.flows[0].host.delayed_ack, DelayedAck::Linux);
}

#[test]
fn overrides() {
    let set = |key: &str, value: &str| (key.to_string(), value.to_string());
    let overrides = [
        set("flow.0.algorithm", "reno"),
        set("flow.0.gamma", "2"),
        set("flow.0.host.handshake", "full"),
        set("topology.bottleneck.queue", "30p"),
        set("topology.bottleneck.drop", "[1, 2]"),
        set("topology.bottleneck.drop.1", "7"),
        set("seed", "3"),
        set("seed", "4"),
        set("capture", "true"),
        set("description", "as typed: no \"TOML\""),
    ];
    let scenario = Scenario::from_toml(DUMBBELL, "x.toml", &overrides).unwrap();
    let flow = &scenario.flows[0];
    assert_eq!((flow.algorithm.as_str(), flow.parameters.gamma.0, flow.host.handshake), ("reno", 2, Handshake::Full));
    assert_eq!(scenario.links[0].queue, QueueLimit::Packets(30));
    assert_eq!(scenario.links[0].impairments.drop_data, [1, 7]);
    assert_eq!((scenario.seed, scenario.capture), (4, true), "the last one counts");
    assert_eq!(scenario.description.as_deref(), Some("as typed: no \"TOML\""));
    assert_eq!(scenario.document["flow"][0]["algorithm"], "reno");
    assert_eq!(scenario.document["topology"]["bottleneck"]["queue"], "30p");
}

#[test]
fn json_means_the_same_as_toml() {
    let json = r#"{
        "name": "test", "duration": "1.5min", "seed": null,
        "topology": {
            "kind": "dumbbell",
            "access": { "rate": "1gbit", "delay": "1ms" },
            "bottleneck": { "rate": "1.6mbit", "delay": "48ms", "queue": "100p" }
        },
        "flow": [ { "algorithm": "vegas", "stop": null } ]
    }"#;
    let from_json = Scenario::from_json(json, "dict", &[]).unwrap();
    let from_toml = dumbbell_with("");
    assert_eq!(Scenario { document: from_toml.document.clone(), ..from_json }, from_toml);
}

/// The greatest number of tables that a program may write. Checking each against all links would take hours.
#[test]
fn long_files_are_read_in_a_moment() {
    let mut text = String::from(
        r#"
        name = "long"
        sample = "off"
        duration = "1000s"
        topology.kind = "dumbbell"
        topology.access = { rate = "1gbit", delay = "1ms" }
        topology.bottleneck = { rate = "50mbit", delay = "48ms", queue = "100p" }
        "#,
    );
    // the last line is incomplete
    let before = text.lines().count() - 1;
    (0..20_000).for_each(|_| text += "[[flow]]\nalgorithm = \"vegas\"\n");
    for number in 0..40_000 {
        text +=
            &format!("[[change]]\nlink = \"s{}->r1\"\nat = \"{}ms\"\nqueue = \"64kb\"\n", number % 20_000, 1 + number);
    }
    let scenario = Scenario::from_toml(&text, "long.toml", &[]).unwrap();
    assert_eq!((scenario.flows.len(), scenario.changes.len()), (20_000, 40_000));
    let wrong = text.replace("\"s19999->r1\"", "\"s20000->r1\"");
    let error = Scenario::from_toml(&wrong, "long.toml", &[]).unwrap_err();
    assert_eq!((error.key(), error.line()), ("change.19999.link", Some(before + 40_000 + 4 * 19_999 + 2)));
}
