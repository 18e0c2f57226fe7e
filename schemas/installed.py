"""Whether this is a checkout, whose `make` sets up what is missing, or an installed wheel, which has no Makefile."""

from pathlib import Path

IN_A_CHECKOUT = (Path(__file__).resolve().parent.parent / "pyproject.toml").exists()


def set_up(of_a_wheel: str) -> str:
    """The command by which a user gets what is missing."""
    return "make setup" if IN_A_CHECKOUT else of_a_wheel
