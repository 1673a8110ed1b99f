//! Python bindings of the simulator: the extension module `vegaslab._vegaslab`, and nothing but bindings.
#![forbid(unsafe_code)]

mod algorithms;
mod attended;
mod judging;
mod measured;
mod own;
mod results;
mod run;
mod scenario;
mod sweep;
mod template;
mod trace;

use pyo3::prelude::*;

/// The native half of vegaslab: it checks scenarios, simulates them, and holds their results.
#[pymodule]
mod _vegaslab {
    #[pymodule_export]
    use crate::algorithms::{algorithms, parts};
    #[pymodule_export]
    use crate::judging::conformance::{Conformance, conform, conformance_cases};
    #[pymodule_export]
    use crate::judging::scripts::packetdrill;
    #[pymodule_export]
    use crate::measured::{identify, measured};
    #[pymodule_export]
    use crate::own::events::{Ack, Loss, LostSegment, Rate, Restart, Sent, Start};
    #[pymodule_export]
    use crate::results::outcome::{Outcome, unpack};
    #[pymodule_export]
    use crate::results::place::{Place, remedy};
    #[pymodule_export]
    use crate::results::table::Table;
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::scenario::{Scenario, bits_per_second, load, nanoseconds, schema, size_bytes};
    #[pymodule_export]
    use crate::sweep::sweep;
    #[pymodule_export]
    use crate::template::{Template, columns, figure_columns, read_toml};
    #[pymodule_export]
    use crate::trace::read_trace;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("version", vegas_sim::ENGINE_VERSION)?;
        module.add("commit", vegas_results::ENGINE_COMMIT)
    }
}
