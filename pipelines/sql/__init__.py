"""SQL over the lake, for readers: `windrow query` and Spark sessions. Nothing here makes a row."""
