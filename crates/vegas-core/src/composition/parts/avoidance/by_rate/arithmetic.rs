//! The integer arithmetic of `by-rate` and `vegas-next`: parts of windows, and a square root.

use crate::units::{Segments, Span, Window};

pub(crate) const WINDOW_MIN: Window = Window::whole(Segments(2));

/// CUBIC's cut (RFC 9438, section 4.6).
pub(crate) fn cut(window: Window) -> Window {
    Window::from_raw(window.as_raw() / 10 * 7).max(WINDOW_MIN.min(window))
}

/// The window times part / whole, of which the part is the shorter.
pub(crate) fn share(window: Window, part: Span, whole: Span) -> Window {
    const BITS: u32 = 24;
    const WINDOW_BITS: u32 = 15;
    let (part, whole) = (part.as_nanos(), whole.as_nanos().max(1));
    let shift = part.leading_zeros().min(BITS);
    let ratio = ((part << shift) / (whole >> (BITS - shift)).max(1)).min(1 << BITS);
    let parts = window.as_raw() >> (Window::FRACTION_BITS - WINDOW_BITS);
    Window::from_raw((parts * ratio) >> (BITS + WINDOW_BITS - Window::FRACTION_BITS))
}

const ROOT_BITS: u32 = 10;

/// The greatest root.
pub(crate) const ROOT_MAX: u64 = (1 << ROOT_BITS) - 1;

/// The square root, rounded down, and [`ROOT_MAX`] at most: one bit of it a step, from the highest.
#[cfg_attr(vegas_kernel, inline(never))]
pub(crate) fn root(value: u64) -> u64 {
    let mut root = 0u64;
    for bit in (0..ROOT_BITS).rev() {
        let more = root | 1 << bit;
        if more * more <= value {
            root = more;
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_roots() {
        for (value, expected) in [(0, 0), (1, 1), (3, 1), (4, 2), (123_903, 351), (123_904, 352), (1 << 21, 1023)] {
            assert_eq!(root(value), expected);
        }
    }

    #[test]
    fn a_part_of_a_window() {
        let window = Window::whole(Segments(120));
        assert_eq!(share(window, Span::from_millis(50), Span::from_millis(100)), Window::whole(Segments(60)));
        assert_eq!(share(window, Span::ZERO, Span::from_millis(100)), Window::default());
        assert_eq!(share(Window::MAX, Span::MAX, Span::MAX), Window::MAX);
    }
}
