//! The tests of scripts, of the walk through them, and of any text as a script.

mod any_text;
mod scripts;
#[path = "../support/any_text.rs"]
mod support;
mod walk;
