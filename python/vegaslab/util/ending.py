"""The end of a command on a signal: SIGTERM ends it as Ctrl-C does, with an exit code of its own."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALLED = 128


def ctrl_c_raises() -> None:
    """Makes Ctrl-C raise `KeyboardInterrupt` from here on, unless it is ignored or has another handler."""
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """Makes SIGTERM raise `KeyboardInterrupt` within the block, so that all that Ctrl-C cleans up is cleaned up.

    A handler of another library stays; only the main thread can set one.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def is_sigterm(interrupt: KeyboardInterrupt) -> bool:
    """Returns whether SIGTERM was the cause: it reaches this process alone, while a terminal's Ctrl-C reaches all."""
    return interrupt.args == (signal.SIGTERM,)


def interrupted(interrupt: KeyboardInterrupt) -> int:
    """Returns the exit code, as shells have it: 130 after Ctrl-C, 143 after SIGTERM."""
    return _SIGNALLED + (signal.SIGTERM if is_sigterm(interrupt) else signal.SIGINT)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number))
