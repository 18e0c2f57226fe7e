"""Features: what streams and queries said of keys at the moments of labels.

labels.py            a file, a table or a DataFrame as labels: a key, a time, and anything else
feature_columns.py   the table that a run leaves: the labels' columns, and the features'
probing.py           events and labels in memory ──kernels/probes──▶ features
newest_rows.py       rows of published queries, the newest known at each label
probe_work.py        which events a run reads, and how they and the labels are given to tasks
recount.py           the law: some labels' features, counted again from silver
run.py               a run: features of a lake's streams into a table of the lake, or into memory
stale.py             tables of features that a new run would perhaps make differently
"""
