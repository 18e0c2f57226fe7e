"""Words of a plan's block (kernels/plan.py): a header, then a block per slot.

    number of slots | words of a state | 1 if all aggregates commute | address of the operations' addresses | …
    code of the monoid | byte offset of its words in a state | number of them | column | second column (-1: none)
    | 3 parameters
"""

SLOTS, STATE_WORDS, COMMUTATIVE, OPERATIONS = 0, 1, 2, 3
FIRST_SLOT, SLOT_WORDS = 8, 8
CODE, OFFSET, WORDS, COLUMN, SECOND_COLUMN, PARAMETERS = 0, 1, 2, 3, 4, 5
MOST_PARAMETERS = SLOT_WORDS - PARAMETERS
