"""What the pages of the report are called. Airflow's pages link to them where no library is."""


def stream_file(name: str) -> str:
    """The page of a stream."""
    return f"stream-{name}.html"


def query_file(name: str) -> str:
    """The page of a query."""
    return f"query-{name}.html"
