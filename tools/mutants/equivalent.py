"""Faults that change nothing that a user can see, each with the reason; found by hand, mostly among those that
survived. They are not tried."""

SAME_LENGTHS = "both have as many entries, wherever they come from"
ONLY_SPEED = "the same answer, in another time"
RETURNED_BEFORE = "what is exactly that has returned before"
EXACTLY_THEN = "a clock that stands at exactly that moment: a message comes one look later"

EQUIVALENT: dict[str, str] = {
    "128e55e791": SAME_LENGTHS,
    "fc0a019edd": SAME_LENGTHS,
    "7936151946": "min of the same two",
    "f828ee8ec2": ONLY_SPEED,
    "31214c93f4": "a pane ends one row group later where bytes are equal; rows do not depend on panes",
    "300846c069": ONLY_SPEED,
    "66828e1aa5": EXACTLY_THEN,
    "f28a50eddb": ONLY_SPEED,
    "a9f4e3011f": ONLY_SPEED,
    "c56c1df0cc": ONLY_SPEED,  # notes only save a fold from its frame's beginning
    "3174be97ba": ONLY_SPEED,  # how often a replay looks whether it must stop
    "d896f45329": "chooses the levels that are looked at; what may leave is decided for each page",
    "8f9467aa7b": "the counts of the last place say only that enough is left of it, which no answer asks",
    "6f5714fc0a": RETURNED_BEFORE,
    "5042285e3c": RETURNED_BEFORE,
    "8231b2068d": "of no values only the length of the longest run is read, which says that there are none",
    "e0847f6993": ONLY_SPEED,  # which events of a key are sampled to choose its kernel
    "df941e35cb": ONLY_SPEED,  # a ring that is written out one node sooner
    "27195c3192": ONLY_SPEED,  # the stand-in of a monitor, in plain Python only: looks again at once
    "2f25dbf004": "an event of an empty range is in no stretch",
}
