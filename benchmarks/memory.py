"""How much memory processes took."""

from pathlib import Path


def peak_mib(process: int) -> float:
    """The most resident memory that a process has had. Not getrusage's maximum, which a process inherits from the one
    that started it."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024
