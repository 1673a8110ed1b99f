//! The identity of runs with users' own algorithms.

use std::path::Path;
use std::sync::Arc;

use vegas_core::{Controller, Needs, Parameters};
use vegas_results::run_id;
use vegas_sim::scenario::{Language, Loaded, Loader, OnDisk, Program, Scenario};
use vegas_sim::{Limits, Watch};

/// A loader of any name, each with this content.
#[derive(Debug)]
struct Content(&'static str);

impl Loader for Content {
    fn load(&self, _: Language, name: &str, _: &Path) -> Result<Loaded, String> {
        Ok(Loaded { name: name.replace('/', "-"), content: self.0.into(), program: Arc::new(NeverRun) })
    }
}

#[derive(Debug)]
struct NeverRun;

impl Program for NeverRun {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn start(&self, _: &Parameters, _: u64) -> Controller {
        unreachable!("an identity needs no run")
    }
}

/// Returns the id of a run with the algorithm `name`, a file with `content`.
fn id(content: &'static str, name: &str) -> String {
    let text = format!(
        r#"
        name = "own"
        duration = "1s"
        topology.kind = "dumbbell"
        topology.access = {{ rate = "1gbit", delay = "1ms" }}
        topology.bottleneck = {{ rate = "10mbit", delay = "20ms", queue = "20p" }}
        flow = [{{ algorithm = {{ rust = "{name}", name = "mine" }} }}]
        "#
    );
    let folder = OnDisk::of("own.toml").with_loader(Arc::new(Content(content)));
    let mut stop = |_| None;
    let watch = &mut Watch::new(Limits::default(), &mut stop);
    run_id(&Scenario::read_toml_in(&folder, &text, "own.toml", &[], watch).expect("a scenario"))
}

#[test]
fn it_follows_the_content() {
    assert_ne!(id("one", "reno"), id("two", "reno"));
    assert_eq!(id("one", "reno"), id("one", "reno"));
}

#[test]
fn it_follows_the_name_of_the_file_and_not_its_folder() {
    assert_eq!(id("one", "/home/reno"), id("one", "/srv/copy/reno"));
    assert_ne!(id("one", "/home/reno"), id("one", "/home/vegas"));
}
