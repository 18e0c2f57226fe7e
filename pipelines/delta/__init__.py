"""The Delta tables of a lake: commits, locks, versions, files, and what is damaged of them."""
