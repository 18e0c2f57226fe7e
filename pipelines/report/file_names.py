"""What the pages of the report are called, and where Airflow has them. Its pages link to them where no library is."""

FIRST_FILE = "index.html"
SERVED_AT = "/windrow"
"""In the address of an Airflow with the plugins of dags/plugins/."""


def stream_file(name: str) -> str:
    return f"stream-{name}.html"


def query_file(name: str) -> str:
    return f"query-{name}.html"
