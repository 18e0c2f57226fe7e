"""A health check: whether a page answers; of Airflow's health page, whether a component's entry says so.

python3 healthy.py URL [COMPONENT]
"""

import json
import sys
from urllib.request import urlopen


def healthy(url: str, component: str | None) -> bool:
    """OSError where nothing answers."""
    with urlopen(url, timeout=10) as answer:
        return component is None or json.load(answer)[component]["status"] == "healthy"


if __name__ == "__main__":
    sys.exit(0 if healthy(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None) else 1)
