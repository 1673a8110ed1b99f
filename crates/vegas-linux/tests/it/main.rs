//! Tests on this machine's kernel, as one program: `--test-threads 1`, since runs in real time share the processors and
//! what is registered is the machine's.

mod command;
mod live;
mod option_command;
mod option_proof;
#[path = "../../../vegas-core/tests/support/packets.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the core's own tests, which use all of it")]
mod packets;
mod proof;
mod router;
mod rovegas;
mod separate;
mod support;
