"""Features: what streams and queries said of keys at the moments of labels.

labels.py            a file, a table or a DataFrame as labels: a key, a time, and anything else
feature_columns.py   the table that a run leaves: the labels' columns, and the features'
sorted_labels.py     labels by key and time, with the same numbers of keys as the events
newest_rows.py       rows of published queries, the newest known at each label
probing.py           events and labels in memory ──kernels/probes──▶ features
probe_work.py        which events a run reads, and how they and the labels are given to tasks
recount.py           the law: some labels' features, counted again from silver
run.py               a run: features of a lake's streams into a table of the lake, or into memory
feature_runs.py      what the ledger keeps of it
stale.py             tables of features that a new run would perhaps make differently
"""
