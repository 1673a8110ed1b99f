//! Frames of media over TCP and QUIC: their delays on an empty path, their order, and what is given up.

use vegas_quic_sim::Quic;
use vegas_sim::outcome::{FrameState, MediaFrame};
use vegas_sim::scenario::Scenario;
use vegas_sim::{Engine, Simulation};

/// A call: voice of 80 bytes, and two layers of video, on a path of 20 ms.
fn frames(transport: &str, rate: &str, engine: Engine) -> Vec<MediaFrame> {
    let text = format!(
        r#"
        name = "media"
        duration = "5s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "10gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "{rate}", delay = "8ms", queue = "100p" }}
        [[flow]]
        algorithm = "cubic"
        transport = "{transport}"
        packet = "1500b"
        [[flow.application]]
        kind = "media"
        layers = [
            {{ every = "20ms", size = "80b" }},
            {{ every = "33333us", size = "3750b", key_size = "37500b", group = 30 }},
            {{ every = "33333us", size = "6250b", key_size = "62500b", group = 30, give_up = "250ms" }},
        ]
        "#
    );
    let scenario = Scenario::from_toml(&text, "media.toml", &[]).unwrap();
    let mut simulation = Simulation::with_engine(engine, &scenario, Some(&Quic));
    while !simulation.advance(u64::MAX).finished {}
    simulation.finish().media
}

fn of(frames: &[MediaFrame], layer: u32) -> Vec<MediaFrame> {
    frames.iter().filter(|frame| frame.layer == layer && frame.time_s > 1.5).copied().collect()
}

fn mean_ms(frames: &[MediaFrame]) -> f64 {
    let delays: Vec<f64> = frames.iter().filter_map(|frame| frame.delay_ms).collect();
    delays.iter().sum::<f64>() / delays.len() as f64
}

#[test]
fn frames_arrive_after_the_path_and_their_own_bytes() {
    for transport in ["tcp", "quic"] {
        let all = frames(transport, "100mbit", Engine::Fast);
        // 5 s of 50 frames a second, and twice of 30, with those at the beginning and the end
        assert_eq!([0, 1, 2].map(|layer| all.iter().filter(|frame| frame.layer == layer).count()), [251, 151, 151]);
        let voice = of(&all, 0);
        // 10 ms, and a segment or less at 100 Mb/s; sometimes behind a key frame of 100,000 bytes, 8 ms
        assert!((10.0..12.0).contains(&mean_ms(&voice)), "{transport}: {}", mean_ms(&voice));
        let video = of(&all, 1);
        assert!(video.iter().filter_map(|frame| frame.delay_ms).all(|delay| delay > 10.3), "{transport}");
        assert!((10.3..13.0).contains(&mean_ms(&video)), "{transport}: {}", mean_ms(&video));
        assert!(all.iter().all(|frame| frame.state != FrameState::GivenUp), "{transport}");
        assert!(all.iter().all(|frame| frame.delay_ms.is_some() == (frame.state == FrameState::Delivered)));
    }
}

/// 2 Mb/s carry voice and the first layer of video, 1.2 Mb/s together, and not the second, 1.95 Mb/s.
#[test]
fn a_path_too_slow_for_all_layers_keeps_the_first() {
    for transport in ["tcp", "quic"] {
        let all = frames(transport, "2mbit", Engine::Fast);
        let given_up = |layer| of(&all, layer).iter().filter(|frame| frame.state == FrameState::GivenUp).count();
        assert_eq!((given_up(0), given_up(1)), (0, 0), "{transport}");
        assert!(given_up(2) > 30, "{transport}: {}", given_up(2));
        let [voice, first] = [0, 1].map(|layer| of(&all, layer));
        let delivered = |frames: &[MediaFrame]| frames.iter().filter(|frame| frame.delay_ms.is_some()).count();
        assert!(delivered(&voice) + 30 > voice.len() && delivered(&first) + 20 > first.len(), "{transport}");
        assert!(mean_ms(&voice) < mean_ms(&first), "{transport}");
    }
}

#[test]
fn both_engines_agree() {
    for (transport, rate) in [("tcp", "100mbit"), ("tcp", "2mbit"), ("quic", "2mbit")] {
        assert_eq!(
            frames(transport, rate, Engine::Fast),
            frames(transport, rate, Engine::Reference),
            "{transport} {rate}"
        );
    }
}
