"""A person's events leave the lake, with a receipt that proves it: `windrow forget --where`.

person.py   whose events: columns that the stream calls personal, and their values
lines.py    the lines that are theirs, in bronze: events, duplicates, and refused lines that hold a value
search.py   every file of the lake, read for the values
erase.py    the steps, from lines to the receipt; killed anywhere, it is asked again
"""
