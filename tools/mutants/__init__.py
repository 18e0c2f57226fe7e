"""How many small faults the tests find: `make mutants`."""
