//! The core beside a kernel's copy: it decides on the same events.

use vegas_core::{Algorithm, StandaloneControl, State};
use vegas_linux::abi::{Config, Decision, EVENT_START, Event, OWN};
use vegas_linux::choice::outside::OUTSIDE;
use vegas_sim::scenario::{OwnControl, Program};

/// The core with the object's configuration.
pub(crate) struct Core {
    config: Config,
    control: Control,
    /// A change that is applied to one event in eight.
    pub(crate) blur: Option<fn(&mut Event)>,
    told: usize,
}

/// The state, and the state before the newest cut.
#[allow(clippy::large_enum_variant, reason = "there is one")]
enum Control {
    Composed(Algorithm, State, State),
    Standalone(StandaloneControl, StandaloneControl),
    Own(OwnControl, OwnControl),
}

impl Core {
    pub(crate) fn new(config: &Config) -> Self {
        Core { config: *config, control: start(config, 0), blur: None, told: 0 }
    }

    pub(crate) fn step(&mut self, mut event: Event) -> Decision {
        self.told += 1;
        if let Some(blur) = self.blur.filter(|_| self.told.is_multiple_of(8)) {
            blur(&mut event);
        }
        if event.kind == EVENT_START {
            self.control = start(&self.config, event.seed);
        }
        match &mut self.control {
            Control::Composed(algorithm, state, before) => {
                event.apply(algorithm, state, before);
                Decision::of(state)
            }
            Control::Standalone(control, before) => {
                event.apply_to(control, before);
                Decision::of_control(control)
            }
            Control::Own(control, before) => {
                event.apply_to(control, before);
                Decision::of_control(control)
            }
        }
    }
}

fn start(config: &Config, seed: u32) -> Control {
    if let Some(which) = config.standalone() {
        let control = StandaloneControl::start(which, &config.parameters(), seed.into());
        return Control::Standalone(control.clone(), control);
    }
    if config.standalone == OWN {
        let control = OUTSIDE.expect("the build has one").start(&config.parameters(), seed.into());
        return Control::Own(control.clone(), control);
    }
    let algorithm = config.algorithm().expect("a valid configuration");
    Control::Composed(algorithm, algorithm.start(), algorithm.start())
}
