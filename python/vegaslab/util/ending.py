"""How a command ends that a signal interrupts: SIGTERM ends it as Ctrl-C does, with an exit code of its own."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALLED = 128


def ctrl_c_raises() -> None:
    """From here on Ctrl-C raises `KeyboardInterrupt`, unless it is ignored, or another's handler is there."""
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """While the block lasts, SIGTERM raises `KeyboardInterrupt`, so that whatever Ctrl-C cleans up is cleaned up.

    A handler of another library stays; threads other than the main one cannot have any.
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
    """Whether it was SIGTERM, which reaches no other process, rather than a terminal's Ctrl-C, which reaches all."""
    return interrupt.args == (signal.SIGTERM,)


def interrupted(interrupt: KeyboardInterrupt) -> int:
    """The exit code, as shells have it: 130 after Ctrl-C, 143 after SIGTERM."""
    return _SIGNALLED + (signal.SIGTERM if is_sigterm(interrupt) else signal.SIGINT)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number))
