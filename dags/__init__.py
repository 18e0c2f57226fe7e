"""Graphs only: streams.py makes the DAGs of each stream, maintenance.py one for the lake; tasks.py has what they share,
command.py and operators.py are what they run, installation.py has which Windrow that is, and who hears of a failure."""
