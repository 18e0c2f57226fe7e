"""One file = one command: the function named as the file. Heavy imports are inside it: `--help` is quick."""
