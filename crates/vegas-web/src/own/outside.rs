//! Calls to the reader's algorithms, by the numbers that the worker gives to algorithms and connections: functions that
//! the module imports.
#![allow(unsafe_code)]

pub(super) use imports::{own_copy, own_end, own_start, own_tell};

#[cfg(target_arch = "wasm32")]
mod imports {
    #[link(wasm_import_module = "own")]
    unsafe extern "C" {
        /// Begins a connection; returns its number.
        pub(crate) safe fn own_start(program: u32) -> u32;
        /// Passes an event; the outputs replace it in the slots.
        pub(crate) safe fn own_tell(connection: u32, event: u32);
        /// Makes another connection with equal state; returns its number.
        pub(crate) safe fn own_copy(connection: u32) -> u32;
        /// Frees a connection that is not used any more.
        pub(crate) safe fn own_end(connection: u32);
    }
}

/// Without a worker, no algorithm is kept.
#[cfg(not(target_arch = "wasm32"))]
mod imports {
    pub(crate) fn own_start(_program: u32) -> u32 {
        unreachable!("no worker, no algorithm of its own")
    }

    pub(crate) fn own_tell(_connection: u32, _event: u32) {
        unreachable!("nothing was started")
    }

    pub(crate) fn own_copy(_connection: u32) -> u32 {
        unreachable!("nothing was started")
    }

    pub(crate) fn own_end(_connection: u32) {
        unreachable!("nothing was started")
    }
}
