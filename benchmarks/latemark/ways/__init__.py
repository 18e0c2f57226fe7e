"""Ways to answer the questions, one file each; README.md says what a file has."""
