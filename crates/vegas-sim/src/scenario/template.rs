//! A scenario for many runs with some of its values replaced: it is parsed once, and checked for each run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{check, overridden};
use crate::scenario::model::{Loader, OnDisk, Scenario};
use crate::scenario::read::error::{Place, ScenarioError};
use crate::scenario::read::override_;
use crate::scenario::read::source::Source;
use crate::util::watch::Watch;

/// A scenario file before its checks, from which scenarios with replaced values are created.
#[derive(Clone, Debug)]
pub struct Template {
    file: Source,
    source: String,
    loader: Option<Arc<dyn Loader>>,
}

impl Template {
    /// Reads TOML; `source` is as for [`Scenario::from_toml`]. Only the syntax is checked.
    pub fn from_toml(text: &str, source: &str) -> Result<Self, ScenarioError> {
        Ok(Template { file: Source::from_toml(text, source)?, source: source.into(), loader: None })
    }

    /// Reads JSON; `source` is as for [`Scenario::from_json`]. Only the syntax is checked.
    pub fn from_json(text: &str, source: &str) -> Result<Self, ScenarioError> {
        Ok(Template { file: Source::from_json(text, source)?, source: source.into(), loader: None })
    }

    /// Sets the loader of users' own algorithms.
    pub fn with_loader(self, loader: Arc<dyn Loader>) -> Self {
        Template { loader: Some(loader), ..self }
    }

    /// Returns the file's values, with the seed, and with those at the dotted keys of `replaced` replaced.
    pub fn document(&self, replaced: &Map<String, Value>, seed: u64) -> Result<Value, ScenarioError> {
        let mut tree = self.file.tree.clone();
        for (key, value) in replaced {
            override_::set(&mut tree, key, value.clone()).map_err(|problem| {
                let place = Place::Override(format!("{key}={value}"));
                ScenarioError { source: self.source.clone(), place, problem }
            })?;
        }
        if let Value::Object(tree) = &mut tree {
            tree.insert("seed".into(), seed.into());
        }
        Ok(tree)
    }

    /// Returns the scenario of [`Template::document`], which `--set` and `--seed` would also give.
    pub fn scenario(&self, replaced: &Map<String, Value>, seed: u64) -> Result<Scenario, ScenarioError> {
        Watch::without_limits(|watch| self.read(replaced, seed, watch))
    }

    /// Does what [`Template::scenario`] does; if the watch has stopped the work, the error does not describe the file.
    pub fn read(
        &self,
        replaced: &Map<String, Value>,
        seed: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Scenario, ScenarioError> {
        let folder = match &self.loader {
            None => OnDisk::of(&self.source),
            Some(loader) => OnDisk::of(&self.source).with_loader(Arc::clone(loader)),
        };
        let checked = check(&self.document(replaced, seed)?, &folder, watch);
        checked.map(|(scenario, _)| scenario).map_err(|problem| {
            let texts: Vec<(String, String)> = replaced.iter().map(|(k, v)| (k.clone(), v.to_string())).collect();
            let place = overridden(&problem.key, &self.file, &texts);
            let place = place.unwrap_or_else(|| self.file.place(&problem.key));
            ScenarioError { source: self.source.clone(), place, problem }
        })
    }
}

/// Reads any TOML file as values, with the line, from 1, of every dotted key.
///
/// Errors name `source`, and the line at which the text is not TOML or has a value that no scenario may have.
pub fn read_toml(text: &str, source: &str) -> Result<(Value, BTreeMap<String, usize>), ScenarioError> {
    let file = Source::from_toml(text, source)?;
    Ok((file.tree, file.lines))
}
