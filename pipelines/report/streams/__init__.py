"""The pages of streams: how events arrive, and what was refused."""
