"""A command is a function, in a file with those that are used along with it. Heavy imports are inside it: `--help` is
quick. What several commands share is in files with an underscore in front."""
