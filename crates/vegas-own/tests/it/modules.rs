//! Modules decide as the presets that they copy, and fail in one line.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vegas_core::registry::preset;
use vegas_core::units::{Segments, SendIndex, Span, Time, Window};
use vegas_core::{Ack, Controller, Parameters, Status};
use vegas_own::wasm;
use vegas_results::tables;
use vegas_sim::scenario::{Failure, Language, Loaded, Loader, OnDisk, Scenario};
use vegas_sim::{Limits, Watch, run};

#[derive(Debug)]
struct Modules;

impl Loader for Modules {
    fn load(&self, language: Language, name: &str, folder: &Path) -> Result<Loaded, String> {
        assert_eq!(language, Language::Wasm);
        wasm::load(name, folder)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(algorithm: &str, host: &str) -> Scenario {
    let text = format!(
        r#"
        name = "own"
        duration = "20s"
        sample = "change"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "10mbit", delay = "20ms", queue = "20p", loss = "0.2%", reorder = {{ probability = "0.3%", delay = "15ms" }} }}
        flow = [{{ algorithm = {algorithm}, host = "{host}" }}, {{ algorithm = "newreno", start = "3s" }}]
        "#
    );
    let folder = OnDisk::of("own.toml").with_loader(Arc::new(Modules));
    let (limits, mut stop) = (Limits::default(), |_| None);
    Scenario::read_toml_in(&folder, &text, "own.toml", &[], &mut Watch::new(limits, &mut stop)).expect("a scenario")
}

/// Losses, timeouts, and on a Linux host spurious losses, which a copy of the memory undoes.
#[test]
fn presets_in_three_languages_are_the_presets() {
    for (preset, host) in [("reno", "bsd"), ("reno", "linux"), ("vegas", "bsd")] {
        let known = read(&format!(r#"{{ name = "mine", preset = "{preset}" }}"#), host);
        let known = tables(&known, &run(&known)).expect("tables");
        for language in ["c", "rs", "ts"] {
            let module = root().join(format!("examples/own-algorithm/modules/{preset}-{language}.wasm"));
            let own = format!(r#"{{ name = "mine", preset = "{preset}", wasm = "{}" }}"#, module.display());
            let own = read(&own, host);
            let own = tables(&own, &run(&own)).expect("tables");
            for ((name, own), (_, known)) in own.named().into_iter().zip(known.named()) {
                assert_eq!(own, known, "{name}: {preset} in {language} on {host}");
            }
        }
    }
}

/// `python/tests/scenario/wasm/hostile.c`, which performs at its first acknowledgement the attack that the initial
/// window selects.
fn hostile(harm: u32) -> Controller {
    let loaded = wasm::load("hostile.wasm", &root().join("python/tests/scenario/wasm")).expect("a module");
    let reno = preset("reno").expect("a preset").parameters;
    loaded.program.start(&Parameters { initial_window: Segments(harm), ..reno }, 1)
}

const ACK: Ack = Ack {
    now: Time::from_nanos(100_000_000),
    rtt: Some(Span::from_millis(100)),
    acked: Segments(1),
    in_flight: Segments(1),
    newest: SendIndex(1),
    next: SendIndex(2),
    window_limited: true,
    ce_marked: 0,
    feedback: None,
    in_recovery: false,
    delivered: Segments(1),
    lost: Segments(0),
    one_way_delay: None,
    rate: None,
};

fn after_ack(harm: u32) -> Status {
    let mut control = hostile(harm);
    control.on_ack(&ACK);
    control.status()
}

fn failure(harm: u32) -> String {
    let unwound = catch_unwind(AssertUnwindSafe(|| after_ack(harm))).expect_err("it fails");
    let Failure(line) = *unwound.downcast().expect("a failure");
    line.split_once("hostile.wasm: ").expect("the file").1.to_owned()
}

#[test]
fn a_call_that_does_not_end_is_ended() {
    assert_eq!(failure(2), "on_ack at 0.1 s: all fuel consumed by WebAssembly");
    assert!(failure(8).starts_with("on_ack at 0.1 s: "), "{}", failure(8));
}

#[test]
fn memory_is_limited() {
    assert_eq!(failure(3), "on_ack at 0.1 s: wasm `unreachable` instruction executed");
    assert_eq!(failure(4), "on_ack at 0.1 s: out of bounds memory access");
    assert_eq!(failure(5), "start at 0 s: start gave the address 2147483647, beyond the memory");
}

#[test]
fn the_window_is_one_segment_at_least() {
    assert_eq!(after_ack(6).window, Window::ONE);
}

/// WebAssembly does not define a NaN's sign and payload; results must not depend on the processor.
#[test]
fn floating_point_is_equal_everywhere() {
    assert_eq!(after_ack(7).diff, Some(0x7fc0_0000));
}

/// `python/tests/scenario/wasm/delay.c`, which shows the newest one-way delay as its base RTT.
#[test]
fn one_way_delays_are_told_to_modules_that_ask() {
    let loaded = wasm::load("delay.wasm", &root().join("python/tests/scenario/wasm")).expect("a module");
    assert!(loaded.program.needs().one_way_delay);
    let mut control = loaded.program.start(&preset("reno").expect("a preset").parameters, 1);
    control.on_ack(&Ack { one_way_delay: Some(Span::from_millis(33)), ..ACK });
    assert_eq!(control.status().base_rtt, Some(Span::from_millis(33)));
    let other = wasm::load("hostile.wasm", &root().join("python/tests/scenario/wasm")).expect("a module");
    assert!(!other.program.needs().one_way_delay);
}

/// A module that contains only a table with `places` entries.
fn with_table(places: u32) -> Result<(), String> {
    let mut module = b"\0asm\x01\0\0\0\x04\x09\x01\x70\0".to_vec();
    // LEB128, always of five bytes
    module.extend([0, 7, 14, 21, 28].map(|shift| (places >> shift) as u8 & 0x7f | if shift < 28 { 0x80 } else { 0 }));
    module[9] = (module.len() - 10) as u8;
    let folder = std::env::temp_dir().join(format!("vegas-own-{}-{places}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("table.wasm"), module).expect("written");
    let loaded = wasm::load("table.wasm", &folder).map(drop);
    fs::remove_dir_all(folder).expect("removed");
    loaded
}

#[test]
fn tables_are_limited() {
    let refused = with_table(1000).expect_err("it exports nothing");
    assert!(refused.ends_with("exports no memory"), "{refused}");
    let refused = with_table(100_000_000).expect_err("800 MB");
    assert!(!refused.ends_with("exports no memory"), "{refused}");
}
