"""Keys in extreme disorder: all their events have a place from the start, their rank by time, known before the first
one is taken; what has not arrived is the identity. For aggregates that commute."""
