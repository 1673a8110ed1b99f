//! A made-up run of two flows over two one-way links: every column has a value, every nullable one also a gap.

use serde_json::json;
use vegas_core::registry;
use vegas_core::units::{Bytes, Rate, Segments, Span, Time};
use vegas_sim::WireSize;
use vegas_sim::outcome::{
    CapturePoint, CapturedPacket, CapturedStamps, CompletionTimes, FlowOutcome, FlowSeries, Incident, IncidentKind,
    LinkOutcome, LinkSeries, Outcome, QueueingTimes, Retransmission, TcpFlags, TrafficOutcome, TransferOutcome,
};
use vegas_sim::scenario::{
    DatagramSpec, DelayedAck, Discipline, EcnVersion, FlowKind, FlowSpec, Handshake, HostKind, HostSpec, Impairments,
    LinkKind, LinkSpec, Load, QueueLimit, ReceiveWindow, Receiving, Sampling, Scenario, TcpOptions, Timeouts,
    TrafficSpec, TransferSpec, Transport,
};

pub(crate) fn scenario() -> Scenario {
    Scenario {
        description: None,
        name: "sample".to_owned(),
        duration: Span::from_millis(2_500),
        until_complete: false,
        seed: 7,
        sampling: Sampling::Every(Span::from_millis(100)),
        nodes: vec!["client".to_owned(), "server".to_owned()],
        links: vec![link(0, 1), link(1, 0)],
        flows: vec![flow("vegas"), flow("sack")],
        changes: Vec::new(),
        traffic: vec![constant_traffic(), transfer_traffic()],
        capture: true,
        document: json!({
            "name": "sample", "duration": "2.5s", "flow": [{"algorithm": "vegas"}, {"algorithm": "sack"}]
        }),
        warnings: Vec::new(),
    }
}

fn constant_traffic() -> TrafficSpec {
    let datagrams = DatagramSpec { rate: Rate::from_bits_per_second(1_000_000), packet: Bytes::new(500), on_off: None };
    TrafficSpec { start: Time::ZERO, stop: None, path: vec![0], user: None, load: Load::Datagrams(datagrams) }
}

fn transfer_traffic() -> TrafficSpec {
    let load = Load::Transfers(TransferSpec {
        interarrival: Span::from_millis(200),
        size: Bytes::new(10_000),
        distribution: None,
        connection: Box::new(flow("reno")),
    });
    TrafficSpec { start: Time::ZERO + Span::from_millis(500), stop: None, path: vec![0], user: None, load }
}

fn link(from: usize, to: usize) -> LinkSpec {
    let kind = LinkKind {
        rate: Rate::from_bits_per_second(10_000_000),
        trace: None,
        delay: Span::from_millis(10),
        queue: QueueLimit::Packets(20),
        discipline: Discipline::DropTail,
        aqt: false,
        impairments: Impairments::default(),
    };
    LinkSpec { from, to, kind: kind.into() }
}

fn flow(algorithm: &str) -> FlowSpec {
    let preset = registry::preset(algorithm).unwrap();
    let kind = FlowKind {
        transport: Transport::Tcp,
        algorithm: algorithm.to_owned(),
        composition: preset.composition,
        standalone: None,
        own: None,
        parameters: preset.parameters,
        host: HostSpec {
            kind: HostKind::Bsd,
            dupack_threshold: 3,
            limited_transmit: false,
            recovery_burst: None,
            delayed_ack: DelayedAck::None,
            options: TcpOptions { sack: true, timestamps: false },
            receive_window: ReceiveWindow::Constant(Segments(1_000)),
            rto: Timeouts {
                min: Span::from_millis(200),
                max: Span::from_secs(60),
                initial: Span::from_secs(1),
                grain: Span::from_millis(1),
            },
            receiving: Receiving::default(),
            handshake: Handshake::Full,
            byte_counting: true,
            slow_start_after_idle: true,
            aqt_every: 1,
            accepts_ecn: EcnVersion::Accurate,
            misbehaves: None,
        },
        ecn: false,
        size: None,
        application: Vec::new(),
        packet: Bytes::new(1_000),
        ack: Bytes::new(40),
        header: Bytes::new(40),
        user: None,
        group: None,
    };
    FlowSpec { start: Time::ZERO, stop: None, path: vec![0], reverse_path: vec![1], kind: kind.into() }
}

pub(crate) fn outcome() -> Outcome {
    Outcome {
        end_s: 2.5,
        flows: vec![finished_flow(), FlowOutcome { start_s: 1.5, ..FlowOutcome::default() }],
        links: vec![
            LinkOutcome {
                max_queue_packets: 19,
                mean_queue_packets: 2.25,
                drops: 3,
                marks: 5,
                utilisation: 0.875,
                queueing: Some(QueueingTimes { mean_ms: 1.8, p50_ms: 1.5, p95_ms: 9.5, p99_ms: 14.0, max_ms: 15.2 }),
                queues: Vec::new(),
            },
            LinkOutcome::default(),
        ],
        traffic: vec![
            TrafficOutcome {
                start_s: 0.0,
                sent_packets: 625,
                delivered_packets: 600,
                lost_packets: 20,
                sent_mbps: 1.0,
                throughput_mbps: 0.96,
                transfers: None,
            },
            TrafficOutcome { start_s: 0.5, transfers: Some(transfers()), ..TrafficOutcome::default() },
        ],
        flow_series: flow_series(),
        link_series: link_series(),
        incidents: incidents(),
        media: Vec::new(),
        capture: Vec::new(),
        frames: Vec::new(),
        events: 1_234,
        delivered_packets: 567,
    }
}

fn transfers() -> TransferOutcome {
    let completion = Some(CompletionTimes { p50_s: 0.25, p90_s: 0.75, p99_s: 1.5 });
    TransferOutcome { started: 12, completed: 10, goodput_mbps: 3.25, completion }
}

fn finished_flow() -> FlowOutcome {
    FlowOutcome {
        start_s: 0.0,
        throughput_mbps: 9.5,
        goodput_mbps: 9.12,
        delivered_bytes: 960_000,
        completion_s: Some(0.85),
        segments_sent: 1_003,
        segments_retransmitted: 3,
        timeouts: 1,
        ecn_reductions: 2,
        mean_rtt_ms: Some(31.5),
        base_rtt_ms: Some(20.8),
        slow_start_end_s: Some(0.2),
        cwnd_at_slow_start_end: Some(32.0),
        final_cwnd_segments: 27.0,
        mean_cwnd_segments: 24.5,
    }
}

fn flow_series() -> FlowSeries {
    FlowSeries {
        time_s: vec![0.1, 0.1, 0.2],
        flow: vec![0, 1, 0],
        cwnd_segments: vec![8.0, 1.0, 12.125],
        ssthresh_segments: vec![None, None, Some(2.0)],
        in_flight_segments: vec![8, 0, 12],
        rtt_ms: vec![Some(20.8), None, Some(22.0)],
        base_rtt_ms: vec![Some(20.8), None, Some(20.8)],
        diff_segments: vec![Some(0.0), None, Some(1.0)],
        phase: vec![1, 0, 2],
        acked_bytes: vec![9_600, 0, 19_200],
        retransmits: vec![0, 0, 3],
        timeouts: vec![0, 0, 1],
        throughput_mbps: vec![0.8, 0.0, 1.6],
    }
}

fn link_series() -> LinkSeries {
    LinkSeries {
        time_s: vec![0.1, 0.1],
        link: vec![0, 1],
        queue_packets: vec![4, 0],
        queue_bytes: vec![4_000, 0],
        max_queue_packets: vec![19, 1],
        drops: vec![3, 0],
        throughput_mbps: vec![9.5, 0.38],
        utilisation: vec![0.95, 0.038],
    }
}

fn incidents() -> Vec<Incident> {
    let incident = |time_s, kind, link, sequence| {
        let retransmission = (kind == IncidentKind::Retransmit).then_some(Retransmission::AfterTimeout);
        Incident { time_s, kind, flow: 0, link, sequence, retransmission }
    };
    vec![
        incident(0.15, IncidentKind::QueueDrop, Some(0), 960),
        incident(0.16, IncidentKind::Loss, Some(1), 0),
        incident(0.17, IncidentKind::Mark, Some(0), 1_920),
        incident(0.19, IncidentKind::Retransmit, None, 960),
        incident(0.2, IncidentKind::SlowStartExit, None, 0),
        incident(0.4, IncidentKind::Timeout, None, 1_920),
    ]
}

/// A packet of flow 0 that leaves its sender at `milliseconds`; tests change the fields that they need.
pub(crate) fn data(milliseconds: u64, sequence: u64) -> CapturedPacket {
    CapturedPacket {
        at: Time::ZERO + Span::from_millis(milliseconds),
        flow: 0,
        point: CapturePoint::SenderOut,
        sequence,
        acknowledgement: 0,
        payload: 960,
        wire: WireSize::new(1_000),
        sack: [(0, 0); 3],
        sack_blocks: 0,
        window: 0,
        syn: false,
        codepoint: 0,
        flags: TcpFlags::default(),
        stamps: CapturedStamps::default(),
        datagram: None,
    }
}

/// An acknowledgement that reaches the sender of flow 0.
pub(crate) fn ack(milliseconds: u64, acknowledgement: u64, sack: &[(u64, u64)]) -> CapturedPacket {
    let mut blocks = [(0, 0); 3];
    blocks[..sack.len()].copy_from_slice(sack);
    CapturedPacket {
        point: CapturePoint::SenderIn,
        acknowledgement,
        payload: 0,
        wire: WireSize::new(40),
        sack: blocks,
        sack_blocks: sack.len() as u8,
        window: 0,
        ..data(milliseconds, 0)
    }
}
