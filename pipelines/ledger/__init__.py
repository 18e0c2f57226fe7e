"""The ledger: what each step of a run read, wrote and counted, under which code; and what the gate found."""
