"""A seeded simulation of the ledger, the locks and the commits: short histories, each checked against the contract."""
