"""The start of the command: `vegaslab`, and `python -m vegaslab`."""

import signal
import sys

# the imports below take some tenths of a second: Ctrl-C meanwhile ends the process, without a traceback
_CTRL_C_RAISES = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _CTRL_C_RAISES:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
# launcher/scripts/vegaslab has blocked the signal until here
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def main() -> int:
    """Runs the command; returns the exit code."""
    # Ctrl-C during the import ends the process without a traceback: see above
    from vegaslab.commands.cli import main as run

    try:
        return run()
    finally:
        if _CTRL_C_RAISES:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
