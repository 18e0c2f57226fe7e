"""The command line: `windrow`, also `python -m windrow.pipelines`."""

import gc
import os
import signal
import sys


def main() -> int:
    """Run one command; returns its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Python's own prints a traceback. The command sets its own as soon as it is imported, which takes a while.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import locale

    # Where the locale says another encoding, as C does for a cron job: files of ours have that one, pages and
    # definitions too. The process becomes another Python, since one that runs can't change it.
    if not sys.flags.utf8_mode and locale.getencoding().lower().replace("-", "") != "utf8":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    # What a command imports stays: to look through it for garbage at each 700 new objects took a fifth of the imports.
    gc.set_threshold(100_000)
    from windrow.schemas.errors import WindrowError

    try:
        from windrow.pipelines.cli._app import main as run
    except WindrowError as error:  # a windrow.toml that can't be read: definitions are looked for where it says
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return run()


if __name__ == "__main__":
    sys.exit(main())
