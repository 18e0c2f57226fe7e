"""What SQL engines, pandas, Polars and Flink call an aggregate, by which its name here can be suggested."""

_NAMES = {
    "all": ("bool_and", "every", "logical_and"),
    "any": ("bool_or", "logical_or"),
    "approx_distinct": ("approx_count_distinct", "approx_n_unique", "hll", "hyperloglog"),
    "approx_quantile": ("approx_percentile", "kll", "percentile_approx", "tdigest"),
    "argmax": ("arg_max", "idxmax", "latest_by", "max_by"),
    "argmin": ("arg_min", "earliest_by", "idxmin", "min_by"),
    "count_distinct": ("countdistinct", "distinct", "distinct_count", "n_unique", "nunique", "unique"),
    "count": ("len", "n", "number", "rows", "size"),
    "first": ("any_value", "earliest", "first_value", "open"),
    "last": ("close", "last_value", "latest", "newest"),
    "max": ("greatest", "high", "highest", "largest", "maximum"),
    "median": ("med", "middle"),
    "mode": ("most_common", "most_frequent"),
    "quantile": ("percentile", "percentile_disc", "quantile_disc"),
    "mean": ("average", "avg"),
    "min": ("least", "low", "lowest", "minimum", "smallest"),
    "product": ("prod",),
    "range": ("ptp", "spread"),
    "std": ("deviation", "sd", "stddev", "stddev_pop", "stddev_samp", "stdev"),
    "sum": ("total",),
    "top_k": ("approx_top_k", "top", "topk", "value_counts"),
    "variance": ("var", "var_pop", "var_samp"),
}
_BY_NAME = {other: name for name, others in _NAMES.items() for other in others}


def named_elsewhere(function: object) -> str | None:
    """The aggregate that others call so; None for a name that no system has."""
    return _BY_NAME.get(str(function).lower().replace(" ", "_"))
