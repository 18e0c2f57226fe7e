"""Graphs only: streams.py and stale.py make DAGs for each stream, maintenance.py one for the lake; tasks.py has what
they share, command.py is the one operator that they use, installation.py has which Windrow it runs."""
