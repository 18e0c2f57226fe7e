"""What forks Spark's Python workers: with what every task imports, so that none of them imports it again."""

import gc

import deltalake  # noqa: F401
import duckdb  # noqa: F401
import pyarrow.dataset  # noqa: F401
from pyspark.daemon import manager

import windrow.kernels.api
import windrow.pipelines.gx  # noqa: F401

if __name__ == "__main__":
    # Between two tasks it collects garbage: 40 ms over all that is imported, 20 without.
    gc.freeze()
    manager()
