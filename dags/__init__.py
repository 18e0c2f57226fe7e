"""Graphs only: streams.py makes one DAG per stream, command.py is the one operator that they use, installation.py says
which Windrow it runs."""
