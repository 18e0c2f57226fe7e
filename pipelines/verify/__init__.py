"""Whether days give the same rows however they are replayed: `windrow verify`. Nothing here makes a row of the lake."""
