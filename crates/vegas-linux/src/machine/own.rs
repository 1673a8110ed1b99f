//! Congestion controls of this process, under names unique to it: they vanish with the process, however it ends.

use std::thread;

use libbpf_rs::{Link, MapHandle, Object};

use crate::Error;
use crate::abi::Config;
use crate::choice::Choice;
use crate::kernel::maps::map;
use crate::kernel::object;
use crate::kernel::trace::{Trace, Until};

/// Algorithms that are registered while this value lives.
pub struct Own {
    /// The name for `TCP_CONGESTION` of each choice, in the choices' order; equal choices share one.
    pub names: Vec<String>,
    objects: Vec<Object>,
    /// The registrations of the algorithms, which end when these are dropped.
    _links: Vec<Link>,
}

impl Own {
    /// Registers the choices. They read the routers' times from `feedback`, the map of the option's programs.
    pub fn register(choices: &[Choice], feedback: Option<&MapHandle>) -> Result<Self, Error> {
        let mut configs: Vec<Config> = Vec::new();
        let mut place = |choice: &Choice| {
            let config = choice.config();
            configs.iter().position(|known| *known == config).unwrap_or_else(|| {
                configs.push(config);
                configs.len() - 1
            })
        };
        let names = choices.iter().map(|choice| name(place(choice))).collect();
        let mut objects = load(&configs, feedback)?;
        let _links = objects.iter_mut().map(object::register).collect::<Result<_, _>>()?;
        Ok(Own { names, objects, _links })
    }

    pub(crate) fn traces(&self) -> Result<Vec<Trace<'static>>, Error> {
        let trace = |object| Trace::start(&map(object, "trace")?, map(object, ".data.traced")?, Until::ObjectGoes);
        self.objects.iter().map(trace).collect()
    }

    /// Checks that no record was lost.
    pub(crate) fn check_complete(&self) -> Result<(), Error> {
        self.objects.iter().try_for_each(object::check_complete)
    }
}

/// Loads the objects in parallel: the kernel's verifier takes half a second of a processor for each.
fn load(configs: &[Config], feedback: Option<&MapHandle>) -> Result<Vec<Object>, Error> {
    thread::scope(|scope| {
        let load = |(place, config)| scope.spawn(move || object::load(&name(place), config, feedback));
        let loading: Vec<_> = configs.iter().enumerate().map(load).collect();
        let died = |_| Err(Error("loading a congestion control died".into()));
        loading.into_iter().map(|object| object.join().unwrap_or_else(died)).collect()
    })
}

/// Returns a name that no other process uses.
fn name(place: usize) -> String {
    format!("vl{}_{place}", std::process::id())
}
