"""One ingest at a time per stream; who looks at several of its tables together holds it back meanwhile."""

from contextlib import AbstractContextManager

from pipelines import lake
from pipelines.config import Config


def held(config: Config, stream_name: str) -> AbstractContextManager[None]:
    """Wait for a running ingest of the stream, and let none begin. Not re-entrant."""
    return lake.locked(config, f"ingest_{stream_name}")
