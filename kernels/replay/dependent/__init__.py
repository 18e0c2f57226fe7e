"""Windows that depend on their key's other events (semantics §2, "context-bound"): they have no numbers and no closed
form, so after each tick what has become of them is compared with their newest rows.

    rows so far          [1, 5) r0    [7, 9) r0            gap 2; now 5 comes late
    windows now          [1, 9)                            5 is near 4 and near 7
    rows of the tick     [1, 5) r1 is no more   [1, 9) r0   [7, 9) r1 is no more

    logic.py      what the replay calls; by_arrival.py: of count windows in order of arrival, which never change
    state.py      what is kept of a key, and what a kind's tuples are asked (WindowSource): frames.py, of sessions and
                  frames; triggered.py, of others, by one walk over tuples
    emitted.py    what the newest row of each window had, until that is final, and the rows of a late burst
"""
