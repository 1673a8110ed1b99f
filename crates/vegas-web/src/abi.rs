//! The exported functions. A caller writes a text where [`input`] says, calls a function, and reads the bytes that
//! [`answer`] and [`answer_bytes`] name, or the numbers of [`rows`]. A function that can fail returns 0 where the
//! answer is an error: JSON with `message`, and with `line` where it is known.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::failure::Failure;
use crate::laboratory::Laboratory;

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

/// Runs `work` on the text of the input, and keeps its result as the answer.
fn answered(work: impl FnOnce(&mut Laboratory, &str) -> Result<Vec<u8>, Failure>) -> u32 {
    answered_bytes(|laboratory, input| work(laboratory, &String::from_utf8_lossy(input)))
}

/// Does the work of [`answered`] on an input that need not be text.
fn answered_bytes(work: impl FnOnce(&mut Laboratory, &[u8]) -> Result<Vec<u8>, Failure>) -> u32 {
    with(|module| {
        let given = work(&mut module.laboratory, &module.input);
        let is_good = given.is_ok();
        module.answer = given.unwrap_or_else(|failure| failure.json());
        u32::from(is_good)
    })
}

/// Reserves room for an input of this many bytes, and returns the address to write it to.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: u32) -> *mut u8 {
    with(|module| {
        module.input.clear();
        module.input.resize(bytes as usize, 0);
        module.input.as_mut_ptr()
    })
}

/// The address of the newest answer, which stays valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    with(|module| module.answer.as_ptr())
}

/// The size of the newest answer, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> u32 {
    with(|module| module.answer.len() as u32)
}

/// Sets the module up: the message of a panic becomes the answer, which the caller reads after the trap that follows.
#[unsafe(no_mangle)]
pub extern "C" fn set_up() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string().replace('\n', " ");
        // the code that panicked may still borrow the module
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

/// Keeps one of the reader's algorithms; the input is JSON about it, a zero byte, and its content.
#[unsafe(no_mangle)]
pub extern "C" fn keep_algorithm() -> u32 {
    answered_bytes(Laboratory::keep_algorithm)
}

/// Forgets all kept algorithms.
#[unsafe(no_mangle)]
pub extern "C" fn forget_algorithms() {
    with(|module| module.laboratory.forget_algorithms());
}

/// The address of an event's numbers, and of the outputs of the algorithm after the event.
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

/// Begins a run of the scenario in the input, and describes it. If there is a flow number `hand`, [`steer`] sets its
/// window.
#[unsafe(no_mangle)]
pub extern "C" fn begin(hand: u32) -> u32 {
    answered(|laboratory, text| laboratory.begin(text, Some(hand)))
}

/// Sets the window of the flow that the reader steers, segments.
#[unsafe(no_mangle)]
pub extern "C" fn steer(segments: u32) {
    with(|module| module.laboratory.steer(segments));
}

/// Handles at most this many events. Returns 0 where the run had to be ended, 1 where it goes on, and 2 at its end.
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

/// Copies the rows of the flows (`table` 0) or links (1) since the last call, one row after another, to [`rows`];
/// returns their number of values.
#[unsafe(no_mangle)]
pub extern "C" fn take_rows(table: u32) -> u32 {
    with(|module| {
        module.rows.clear();
        module.laboratory.take_rows(table, &mut module.rows);
        module.rows.len() as u32
    })
}

/// The address of the values of [`take_rows`].
#[unsafe(no_mangle)]
pub extern "C" fn rows() -> *const f64 {
    with(|module| module.rows.as_ptr())
}

/// Finishes the run, which has come to its end, and returns its summary; `wall_s` is its duration by the caller's
/// clock.
#[unsafe(no_mangle)]
pub extern "C" fn finish(wall_s: f64) -> u32 {
    answered(|laboratory, _| laboratory.finish(wall_s))
}

/// A table of the finished run as a CSV file; the input is the file's name, such as `flows.csv`.
#[unsafe(no_mangle)]
pub extern "C" fn table() -> u32 {
    answered(|laboratory, name| laboratory.table(name))
}
