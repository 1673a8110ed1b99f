//! The kernel's own congestion controls, and the presets that are copies of them.

use vegas_core::Parameters;
use vegas_core::registry;
use vegas_core::units::Segments;
use vegas_sim::scenario::FlowSpec;

use crate::Error;

/// A congestion control of the kernel's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernels {
    /// The name for `TCP_CONGESTION`.
    pub(crate) name: String,
    /// The first window.
    pub(crate) initial_window: Segments,
}

impl Kernels {
    /// Returns what the kernel has for a flow; none where the flow's algorithm is no copy. A flow with numbers or parts
    /// that the kernel's do not have is refused.
    pub(crate) fn of_flow(flow: usize, spec: &FlowSpec) -> Result<Option<Self>, Error> {
        let Some(name) = registry::kernels_own(&spec.algorithm) else { return Ok(None) };
        let initial_window = spec.parameters.initial_window;
        // a preset, as its name is one
        let preset = registry::preset(&spec.algorithm).map(|preset| preset.parameters);
        let unchanged = preset.is_some_and(|preset| Parameters { initial_window, ..preset } == spec.parameters);
        if !unchanged {
            return Err(Error(format!(
                "flow.{flow}: the kernel's {name} has numbers of its own; leave out all but initial_window"
            )));
        }
        Ok(Some(Kernels { name: name.into(), initial_window }))
    }
}
