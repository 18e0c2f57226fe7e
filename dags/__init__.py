"""Graphs only: streams.py makes the DAGs of each stream, maintenance.py one for the lake; tasks.py has what they share,
command.py is the one operator that they use, installation.py has which Windrow it runs."""
