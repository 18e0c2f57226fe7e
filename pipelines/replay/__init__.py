"""Replay: a day's arrivals through the query's kernel, into the audit tables. It follows the logical date.

Follow the data: `work.py` says what a run reads; `audit.py` has the engine give it to tasks; a `task.py` reads
whole keys and calls `replay_events.py` (filter, group keys, kernel). `validate.py` is for events from elsewhere.
"""
