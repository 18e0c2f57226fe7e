"""What forks Spark's Python workers: with what every task imports, so that none of them imports it again."""

import gc
import os

import deltalake  # noqa: F401
import duckdb  # noqa: F401
import pyarrow.dataset  # noqa: F401
from pyspark.daemon import manager

import kernels.replay  # noqa: F401

# The library reads it as it is imported, which takes 2 s: each worker that validated rows paid them.
os.environ["GX_ANALYTICS_ENABLED"] = "False"

import great_expectations  # noqa: F401

if __name__ == "__main__":
    # Between two tasks it collects garbage: 40 ms over all that is imported, 20 without.
    gc.freeze()
    manager()
