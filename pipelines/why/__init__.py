"""Why a row says what it says: the revisions of a window, the events that made each, and who published it.

    asked.py        which window is asked
    published.py    its rows at a version of the table; the runs that published them, and their verdicts
    key_events.py   the events of its key in silver, as a run read them, each with the watermark before it
    held.py         which of them a revision covers; its aggregates, counted again from these
    explain.py      revision by revision what came and what left, and whether it adds up
    difference.py   the same of two versions of the table, and what the difference comes from

Only files that may hold rows of the key and the time are opened, by the statistics in Delta's log. No kernel takes
part: rows are counted again by the plain recount of the gate.
"""
