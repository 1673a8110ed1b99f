//! Duplicates that the network makes: a Linux host undoes no recovery for them (RFC 3708, section 3).

use vegas_sim::scenario::Scenario;

/// The segments that four runs deliver in 20 s on a path of 100 ms that loses one segment of 500.
fn delivered(algorithm: &str, duplicate: &str) -> u64 {
    (1..=4).map(|seed| delivered_with(seed, algorithm, duplicate)).sum()
}

fn delivered_with(seed: u64, algorithm: &str, duplicate: &str) -> u64 {
    let text = format!(
        r#"
        name = "duplicates"
        duration = "20s"
        seed = {seed}
        sample = "off"
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottleneck = {{ rate = "50mbit", delay = "49ms", queue = "10000p", loss = "0.2%", duplicate = "{duplicate}" }}
        [[flow]]
        algorithm = "{algorithm}"
        packet = "1500b"
        host = "linux"
        "#
    );
    let scenario = Scenario::from_toml(&text, "duplicates", &[]).unwrap_or_else(|error| panic!("{error}"));
    vegas_sim::run(&scenario).flows[0].delivered_bytes / 1448
}

/// Another one of 100 segments arrives twice: the window is not larger for that. Chance moves the losses, and with them
/// what is delivered, by less than a third; undone recoveries would deliver five times as much.
#[test]
fn a_network_that_duplicates_does_not_undo_recoveries() {
    for algorithm in ["reno-linux", "cubic-linux", "vegas-linux"] {
        let (alone, duplicated) = (delivered(algorithm, "0%"), delivered(algorithm, "1%"));
        assert!(3 * duplicated < 4 * alone, "{algorithm}: {duplicated} for {alone}");
    }
}
