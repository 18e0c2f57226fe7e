"""A run from its inputs to its rows in the ledger: what DAGs and commands start."""
