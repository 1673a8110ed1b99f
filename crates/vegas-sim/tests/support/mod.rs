//! Scenarios built by hand, for tests that vary them at random.

use vegas_core::units::{Bytes, Rate, Segments, Span, Time};
use vegas_core::{Composition, Parameters, Recovery, registry};
use vegas_sim::scenario::{
    DelayedAck, Discipline, EcnVersion, FlowKind, FlowSpec, Handshake, HostKind, HostSpec, Impairments, LinkKind,
    LinkSpec, QueueLimit, ReceiveWindow, Receiving, Sampling, Scenario, TcpOptions, Timeouts, Transport,
};

/// One flow from `s` over two routers to `d`; links 0 to 2 lead to `d`, links 3 to 5 back.
pub(crate) fn one_flow(preset: &str, bottleneck: Rate, one_way: Span, queue: QueueLimit) -> Scenario {
    let preset = registry::preset(preset).expect("a preset");
    let access = |from, to| link(from, to, Rate::from_bits_per_second(1_000_000_000), Span::from_millis(1));
    let narrow = |from, to| {
        let mut link = link(from, to, bottleneck, one_way);
        link.queue = queue;
        link
    };
    Scenario {
        name: "test".into(),
        description: None,
        duration: Span::from_secs(20),
        until_complete: false,
        seed: 1,
        sampling: Sampling::Every(Span::from_millis(100)),
        nodes: ["s", "r1", "r2", "d"].map(String::from).to_vec(),
        links: vec![access(0, 1), narrow(1, 2), access(2, 3), access(3, 2), narrow(2, 1), access(1, 0)],
        flows: vec![flow(preset.name, preset.composition, preset.parameters)],
        changes: Vec::new(),
        traffic: Vec::new(),
        capture: false,
        document: serde_json::Value::Null,
        warnings: Vec::new(),
    }
}

pub(crate) fn link(from: usize, to: usize, rate: Rate, delay: Span) -> LinkSpec {
    let kind = LinkKind {
        rate,
        trace: None,
        delay,
        queue: QueueLimit::Unlimited,
        discipline: Discipline::DropTail,
        aqt: false,
        impairments: Impairments::default(),
    };
    LinkSpec { from, to, kind: kind.into() }
}

pub(crate) fn flow(algorithm: &str, composition: Composition, parameters: Parameters) -> FlowSpec {
    let kind = FlowKind {
        transport: Transport::Tcp,
        algorithm: algorithm.into(),
        composition,
        standalone: vegas_core::registry::preset(algorithm).and_then(|preset| preset.standalone),
        own: None,
        parameters,
        host: host(&composition),
        ecn: false,
        size: None,
        application: Vec::new(),
        packet: Bytes::new(1000),
        ack: Bytes::new(40),
        header: Bytes::new(40),
        user: None,
        group: None,
    };
    FlowSpec { start: Time::ZERO, stop: None, path: vec![0, 1, 2], reverse_path: vec![3, 4, 5], kind: kind.into() }
}

pub(crate) fn host(composition: &Composition) -> HostSpec {
    HostSpec {
        kind: HostKind::Bsd,
        dupack_threshold: 3,
        limited_transmit: !composition.detection.fine_retransmit,
        recovery_burst: (composition.detection.recovery == Recovery::NewReno).then_some(Segments(2)),
        delayed_ack: DelayedAck::None,
        options: TcpOptions { sack: true, timestamps: false },
        receive_window: ReceiveWindow::Constant(Segments(1 << 20)),
        rto: Timeouts {
            min: Span::from_millis(200),
            max: Span::from_secs(60),
            initial: Span::from_secs(3),
            grain: Span::from_millis(10),
        },
        receiving: Receiving::default(),
        handshake: Handshake::None,
        byte_counting: true,
        slow_start_after_idle: true,
        aqt_every: 1,
        accepts_ecn: EcnVersion::Accurate,
        misbehaves: None,
    }
}
