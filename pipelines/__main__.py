"""The command line: `windrow`, also `python -m pipelines`."""

import signal
import sys


def main() -> int:
    """Run one command; returns its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Python's own prints a traceback. The command sets its own as soon as it is imported, which takes a while.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pipelines.cli._app import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
