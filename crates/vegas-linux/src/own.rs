//! Congestion controls of this process, under names that no other has: they go with it, however it ends.

use libbpf_rs::{Link, MapHandle, Object};

use crate::Error;
use crate::abi::Config;
use crate::choice::Choice;
use crate::object;
use crate::trace::{Trace, Until};

/// Algorithms that are registered while this value lives.
pub struct Own {
    /// What `TCP_CONGESTION` takes for each choice, in their order; equal choices share one.
    pub names: Vec<String>,
    configs: Vec<Config>,
    objects: Vec<Object>,
    links: Vec<Link>,
}

impl Own {
    /// Registers them. What routers say they take from `feedback`, the map of the option's programs.
    pub fn register(choices: &[Choice], feedback: Option<&MapHandle>) -> Result<Self, Error> {
        let mut own = Own { names: Vec::new(), configs: Vec::new(), objects: Vec::new(), links: Vec::new() };
        for choice in choices {
            let config = choice.config();
            let place = match own.configs.iter().position(|known| *known == config) {
                Some(place) => place,
                None => own.add(config, feedback)?,
            };
            own.names.push(name(place));
        }
        Ok(own)
    }

    fn add(&mut self, config: Config, feedback: Option<&MapHandle>) -> Result<usize, Error> {
        let place = self.objects.len();
        let mut object = object::load(&name(place), &config, feedback)?;
        self.links.push(object::register(&mut object)?);
        self.configs.push(config);
        self.objects.push(object);
        Ok(place)
    }

    pub(crate) fn traces(&self) -> Result<Vec<Trace<'static>>, Error> {
        let trace = |object| {
            Trace::start(&object::map(object, "trace")?, object::map(object, ".data.traced")?, Until::ObjectGoes)
        };
        self.objects.iter().map(trace).collect()
    }

    /// A record that was lost would leave a gap in series and proof.
    pub(crate) fn check_complete(&self) -> Result<(), Error> {
        for object in &self.objects {
            let lost = object::counts(&object::map(object, ".data.counts")?)?.records_lost;
            if lost > 0 {
                return Err(Error(format!(
                    "the kernel had no room for {lost} records: the machine is too slow for it"
                )));
            }
        }
        Ok(())
    }
}

/// No other process has it.
fn name(place: usize) -> String {
    format!("vl{}_{place}", std::process::id())
}
