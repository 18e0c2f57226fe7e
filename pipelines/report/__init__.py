"""What people read about streams, queries and tasks. Nothing here makes a row."""
