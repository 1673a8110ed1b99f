//! Panics as findings: their place and message.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A panic of the simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// The file and the line.
    pub place: String,
    /// The message, in one line.
    pub message: String,
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `work`; a panic becomes an error, and prints nothing.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    install_hook();
    let outer = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    done.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        Panic { place: PLACE.take(), message: text.replace('\n', " ") }
    })
}

/// Installs a hook that notes the place of a guarded panic. Other panics are printed as without the hook.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| match GUARDED.get() {
            true => PLACE.set(panic.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()))),
            false => before(panic),
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_has_place_and_message() {
        let nothing: Vec<u8> = Vec::new();
        let panic = guarded(|| nothing[nothing.len()]).unwrap_err();
        assert!(panic.place.starts_with(file!()), "{panic:?}");
        assert!(panic.message.contains("index out of bounds"), "{panic:?}");
        assert_eq!(guarded(|| 1), Ok(1));
    }
}
