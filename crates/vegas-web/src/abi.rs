//! The exported functions. A caller writes a text where [`input`] says, calls a function, and reads the bytes that
//! [`answer`] and [`answer_bytes`] name, or the numbers of [`rows`]. Functions that can fail give 0 where the answer is an
//! error: JSON with `message`, and `line` where it is known.
//!
//! What the module imports are the functions of `outside`, by which the worker runs the reader's own algorithms.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::laboratory::{Failure, Laboratory};

#[derive(Default)]
struct Module {
    laboratory: Laboratory,
    input: Vec<u8>,
    answer: Vec<u8>,
    rows: Vec<f64>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::new(Module::default());
}

fn with<T>(work: impl FnOnce(&mut Module) -> T) -> T {
    MODULE.with_borrow_mut(work)
}

/// Runs `work` on the text of the input, and keeps what it gives as the answer.
fn answered(work: impl FnOnce(&mut Laboratory, &str) -> Result<Vec<u8>, Failure>) -> u32 {
    answered_bytes(|laboratory, input| work(laboratory, &String::from_utf8_lossy(input)))
}

/// As [`answered`], of an input that is no text.
fn answered_bytes(work: impl FnOnce(&mut Laboratory, &[u8]) -> Result<Vec<u8>, Failure>) -> u32 {
    with(|module| {
        let given = work(&mut module.laboratory, &module.input);
        let is_good = given.is_ok();
        module.answer = given.unwrap_or_else(|failure| failure.json());
        u32::from(is_good)
    })
}

/// Makes room for an input of this many bytes, and says where it is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: u32) -> *mut u8 {
    with(|module| {
        module.input.clear();
        module.input.resize(bytes as usize, 0);
        module.input.as_mut_ptr()
    })
}

/// Where the newest answer is; it stays until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    with(|module| module.answer.as_ptr())
}

/// How many bytes the newest answer has.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> u32 {
    with(|module| module.answer.len() as u32)
}

/// Sets the module up: what a panic says becomes the answer, for after the trap that follows.
#[unsafe(no_mangle)]
pub extern "C" fn set_up() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string().replace('\n', " ");
        // the module may be borrowed by what has panicked
        MODULE.with(|module| {
            if let Ok(mut module) = module.try_borrow_mut() {
                module.answer = Failure::fault(&message).json();
            }
        });
    }));
}

/// Keeps a rate trace; the input is its name, a zero byte, and its text.
#[unsafe(no_mangle)]
pub extern "C" fn keep_trace() -> u32 {
    answered(Laboratory::keep_trace)
}

/// Keeps an algorithm of the reader's; the input is JSON about it, a zero byte, and its content.
#[unsafe(no_mangle)]
pub extern "C" fn keep_algorithm() -> u32 {
    answered_bytes(Laboratory::keep_algorithm)
}

/// Forgets the algorithms that were kept.
#[unsafe(no_mangle)]
pub extern "C" fn forget_algorithms() {
    with(|module| module.laboratory.forget_algorithms());
}

/// Where the numbers of an event are, and then the outputs of the algorithm that was told of it.
#[unsafe(no_mangle)]
pub extern "C" fn slots() -> *const f64 {
    crate::own::slots()
}

/// Checks the scenario of the input and describes it.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> u32 {
    answered(|laboratory, text| laboratory.check(text))
}

/// Changes a scenario's text; the input is JSON with `text` and `edits`.
#[unsafe(no_mangle)]
pub extern "C" fn edit() -> u32 {
    answered(|_, text| crate::edit::edit(text))
}

/// The presets: JSON, a list of `name` and `summary`.
#[unsafe(no_mangle)]
pub extern "C" fn presets() -> u32 {
    answered(|_, _| Ok(crate::describe::presets()))
}

/// Begins a run of the scenario of the input, and describes it. The flow `hand`, if there is one of that number, has the
/// window that [`steer`] sets.
#[unsafe(no_mangle)]
pub extern "C" fn begin(hand: u32) -> u32 {
    answered(|laboratory, text| laboratory.begin(text, Some(hand)))
}

/// Sets the window of the flow that is steered by hand, segments.
#[unsafe(no_mangle)]
pub extern "C" fn steer(segments: u32) {
    with(|module| module.laboratory.steer(segments));
}

/// Handles at most this many events: 0 where the run had to be ended, 1 where it goes on, 2 at its end.
#[unsafe(no_mangle)]
pub extern "C" fn advance(events: u32) -> u32 {
    let mut finished = false;
    let is_good = answered(|laboratory, _| {
        finished = laboratory.advance(events.into())?;
        Ok(Vec::new())
    });
    is_good + u32::from(finished)
}

/// The simulated time reached, s.
#[unsafe(no_mangle)]
pub extern "C" fn now_s() -> f64 {
    with(|module| module.laboratory.now_s())
}

/// Puts the rows of the flows (`table` 0) or links (1) that the last call did not give where the answer says, one row
/// after another; gives their number of values.
#[unsafe(no_mangle)]
pub extern "C" fn take_rows(table: u32) -> u32 {
    with(|module| {
        module.rows.clear();
        module.laboratory.take_rows(table, &mut module.rows);
        module.rows.len() as u32
    })
}

/// Where the values of [`take_rows`] are.
#[unsafe(no_mangle)]
pub extern "C" fn rows() -> *const f64 {
    with(|module| module.rows.as_ptr())
}

/// Ends the run, which has come to its end, and gives its summary; `wall_s` is how long it took by the caller's clock.
#[unsafe(no_mangle)]
pub extern "C" fn finish(wall_s: f64) -> u32 {
    answered(|laboratory, _| laboratory.finish(wall_s))
}

/// A table of the finished run as a file; the input is its name, such as `flows.parquet` or `flows.csv`.
#[unsafe(no_mangle)]
pub extern "C" fn table() -> u32 {
    answered(|laboratory, name| laboratory.table(name))
}

/// The reader's own algorithms at work, by the worker's numbers for them and their connections.
#[cfg(target_arch = "wasm32")]
pub(crate) mod outside {
    #[link(wasm_import_module = "own")]
    unsafe extern "C" {
        /// A connection begins; gives its number.
        pub(crate) safe fn own_start(program: u32) -> u32;
        /// An event; the outputs take its place in the slots.
        pub(crate) safe fn own_tell(connection: u32, event: u32);
        /// Another connection with equal state; gives its number.
        pub(crate) safe fn own_copy(connection: u32) -> u32;
        /// The connection is of no more use.
        pub(crate) safe fn own_end(connection: u32);
    }
}

/// Where there is no worker, no algorithm is kept.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod outside {
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
