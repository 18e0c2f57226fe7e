"""What keeps a lake right: what is stale and makes it again, maintained, repaired, rebuilt, forgotten, verified."""
