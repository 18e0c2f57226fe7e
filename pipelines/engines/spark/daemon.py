"""What forks Spark's Python workers: with what every task imports, so that none of them imports it again."""

import gc
import os

import deltalake  # noqa: F401
import duckdb  # noqa: F401
import pyarrow.dataset  # noqa: F401
from pyspark.daemon import manager

import kernels.replay  # noqa: F401

# Read while Great Expectations is imported; its import takes 2 s, which each worker that validates rows would pay.
os.environ["GX_ANALYTICS_ENABLED"] = "False"

import great_expectations  # noqa: F401

if __name__ == "__main__":
    # Between two tasks it collects garbage: 40 ms over all that is imported, 20 without.
    gc.freeze()
    manager()
