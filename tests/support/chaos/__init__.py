"""All that can happen to a lake, at random and for as long as the user likes: `make chaos MINUTES=30`.

    python -m tests.support.chaos --minutes 30 --seed 1 [--landing ../shared/data] [--only bikes,cdr] [--interrupts 200]

A round is a lake of some real files and a number of events: files land, change, vanish and are copied; ingests,
replays, backfills, maintenance and `windrow forget` run, some at the same time, and are killed at random moments, or
lose their JVM; files of tables are damaged. In the end a reader does what the messages say, and nothing else, until no
command has anything to say; then all rows are those of a lake that was built at once from the same files. Every second
round forces Spark. The same seed gives the same events; at which line of code a kill meets its process is the machine's
choice. After the minutes, Ctrl-C comes at random moments of a command that starts Spark.
"""
