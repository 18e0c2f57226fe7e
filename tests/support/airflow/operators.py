"""A stand-in for windrow, and the run of a task: for cases inside of Airflow's environment."""

import sys

RUN = {"run_id": "manual__1", "params": {"day": None}, "ds": "2018-10-01"}


def program(folder, text):
    """What matters is a process that behaves so."""
    path = folder / "windrow"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path
