"""Faults that change nothing that a user can see, each with the reason; found by hand among those that survived."""

EQUIVALENT: dict[str, str] = {}
