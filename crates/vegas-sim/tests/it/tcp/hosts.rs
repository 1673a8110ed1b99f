//! Which hosts carry a preset, as their own readers find out.

use vegas_core::{Host, registry};
use vegas_sim::scenario::Scenario;

/// Why the scenario reader refuses the preset on a host; none if it takes it.
fn refused(preset: &str, more: &str) -> Option<String> {
    let text = format!(
        r#"
        name = "hosts"
        duration = "1s"
        flow = [{{ algorithm = "{preset}"{more} }}]
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1gbit", delay = "1ms" }}
        bottleneck = {{ rate = "1gbit", delay = "1ms", queue = "100p" }}
        "#
    );
    Scenario::from_toml(&text, "hosts.toml", &[]).err().map(|error| error.to_string())
}

#[test]
fn the_table_of_hosts_says_what_the_reader_does() {
    let hosts = [(Host::Bsd, ""), (Host::Linux, ", host = \"linux\""), (Host::Quinn, ", transport = \"quic\"")];
    for (host, more) in hosts {
        let mut carried = 0;
        for preset in registry::PRESETS {
            let refusal = refused(preset.name, more);
            let said = host.carries(preset).err().map(|refusal| refusal.reason);
            assert_eq!(refusal.is_some(), said.is_some(), "{} on {}: {refusal:?} {said:?}", preset.name, host.name());
            if let (Some(refusal), Some(said)) = (refusal, said) {
                assert!(refusal.contains(said), "{} on {}: {refusal}: {said}", preset.name, host.name());
            }
            carried += u32::from(said.is_none());
        }
        assert!((5..=registry::PRESETS.len() as u32).contains(&carried), "{}: {carried}", host.name());
    }
}
