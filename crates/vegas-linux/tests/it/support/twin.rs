//! The core beside a kernel's copy: it decides on the same events.

use vegas_core::registry::PRESETS;
use vegas_core::{Algorithm, Controller};
use vegas_linux::abi::{Config, Decision, EVENT_START, EVENT_UNDO, Event, OWN};
use vegas_linux::choice::outside::OUTSIDE;
use vegas_sim::scenario::Program;

/// The core with the object's configuration.
pub(crate) struct Core {
    config: Config,
    control: Controller,
    /// The control before the newest cut.
    before: Controller,
    /// A change that is applied to one event in eight.
    pub(crate) blur: Option<fn(&mut Event)>,
    told: usize,
}

impl Core {
    pub(crate) fn new(config: &Config) -> Self {
        let control = start(config, 0);
        Core { config: *config, before: control.clone(), control, blur: None, told: 0 }
    }

    pub(crate) fn step(&mut self, mut event: Event) -> Decision {
        self.told += 1;
        if let Some(blur) = self.blur.filter(|_| self.told.is_multiple_of(8)) {
            blur(&mut event);
        }
        if event.kind == EVENT_START {
            self.control = start(&self.config, event.seed);
        }
        if event.kind == EVENT_START || event.is_congestion() {
            self.before = self.control.clone();
        }
        if event.kind == EVENT_UNDO {
            self.control.on_spurious(&self.before);
        }
        event.tell_segments(&mut *self.control);
        event.tell(&mut *self.control);
        Decision::of(&*self.control)
    }
}

fn start(config: &Config, seed: u32) -> Controller {
    let (parameters, seed) = (config.parameters(), seed.into());
    if config.standalone == OWN {
        return OUTSIDE.expect("the build has one").start(&parameters, seed);
    }
    let algorithm = match config.standalone() {
        None => config.algorithm(),
        standalone => {
            let preset = PRESETS.iter().find(|preset| preset.standalone == standalone).expect("each has a preset");
            Algorithm::new(preset.composition, parameters).ok()
        }
    };
    Controller::start(algorithm.expect("a valid configuration"), config.standalone(), seed)
}
