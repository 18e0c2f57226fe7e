"""The rank of each event of a key by time, found before the first one is taken, and a tree over places by rank; what
has not arrived is the identity. For aggregates that commute."""
