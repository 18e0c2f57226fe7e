"""The pages of queries: results over time, how windows were revised, and what came too late."""
