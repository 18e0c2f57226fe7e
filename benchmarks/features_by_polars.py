"""The features by Polars: a process of its own.

    python -m benchmarks.features_by_polars WAY FOLDER

It reads events.parquet and labels.parquet of the folder and writes polars_WAY.parquet.
"""

import os
import sys
from functools import partial
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "2"

import polars as pl

from benchmarks.features_source import KEY, NORTH, SECONDS, SIZES_US, YEAR

LONGEST_US, PAIRS_AT_ONCE = max(SIZES_US.values()), 20_000_000


def tables(folder: Path) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Events and labels by key and time."""
    us = pl.col("start", "arrival").cast(pl.Int64)
    young = (pl.col(YEAR) >= 1990).cast(pl.Int64).alias("young")
    events = pl.scan_parquet(folder / "events.parquet").select(
        pl.col(KEY).alias("key"), us, pl.col(SECONDS).alias("s"), pl.col(NORTH).alias("n"), young
    )
    labels = pl.scan_parquet(folder / "labels.parquet").select(
        "label", pl.col(KEY).alias("key"), pl.col("asked_at").cast(pl.Int64).alias("asked")
    )
    return events, labels


def joined(events: pl.LazyFrame, labels: pl.LazyFrame, as_known: bool) -> pl.LazyFrame:
    """A join over the key, and pairs within the longest window by the shortest that holds them; then of each window
    what those that are not longer have."""
    start, asked = pl.col("start"), pl.col("asked")
    within = (start > asked - LONGEST_US) & (start <= asked)
    within = within & (pl.col("arrival") <= asked) if as_known else within
    band = sum((start <= asked - size).cast(pl.Int8) for size in SIZES_US.values())
    s, n, last = pl.col("s"), pl.col("n"), pl.col("start").arg_max()
    parts = (
        labels.join(events, on="key").filter(within).with_columns(band=band).group_by("label", "band")
        .agg(
            trips=pl.len().cast(pl.Int64), of_young=pl.col("young").sum(), sum_s=s.sum(), shortest_s=s.min(),
            longest_s=s.max(), sum_north=n.sum(), northernmost=n.max(), last_s=s.get(last), last_start=start.max(),
        )
    )  # fmt: skip
    return parts.group_by("label").agg(
        each for number, window in enumerate(SIZES_US) for each in _of_window(number, window)
    )


def _of_window(number: int, window: str) -> list[pl.Expr]:
    def of(name: str) -> pl.Expr:
        return pl.col(name).filter(pl.col("band") <= number)

    trips, sums = of("trips").sum(), {name: of(name).sum() for name in ("sum_s", "sum_north")}
    some = trips > 0
    last = of("last_s").get(of("last_start").arg_max(), null_on_oob=True)
    return [
        trips.alias(f"trips_{window}"), of("of_young").sum().alias(f"of_young_{window}"),
        pl.when(some).then(sums["sum_s"]).alias(f"sum_s_{window}"),
        pl.when(some).then(sums["sum_s"] / trips).alias(f"mean_s_{window}"),
        of("shortest_s").min().alias(f"shortest_s_{window}"), of("longest_s").max().alias(f"longest_s_{window}"),
        pl.when(some).then(sums["sum_north"]).alias(f"sum_north_{window}"),
        pl.when(some).then(sums["sum_north"] / trips).alias(f"mean_north_{window}"),
        of("northernmost").max().alias(f"northernmost_{window}"), last.alias(f"last_s_{window}"),
    ]  # fmt: skip


def by_join(events: pl.DataFrame, labels: pl.DataFrame, as_known: bool, engine: str = "in-memory") -> pl.DataFrame:
    """Keys in chunks, so that the pairs of one fit in memory."""
    events, labels = events.sort("key"), labels.sort("key")
    pairs = events.group_by("key").len().join(labels.group_by("key").len(), on="key", suffix="_labels").sort("key")
    chunk = (pairs["len"].cast(pl.Int64) * pairs["len_labels"]).cum_sum() // PAIRS_AT_ONCE
    found = []
    for _, keys in pairs.with_columns(chunk=chunk).group_by("chunk"):
        low, high = keys["key"].min(), keys["key"].max()
        some = [each.lazy().filter(pl.col("key").is_between(low, high)) for each in (events, labels)]
        found.append(joined(some[0], some[1], as_known).collect(engine=engine))
    counts = pl.col("^(trips|of_young)_.*$").fill_null(0)
    every = labels.select("label")
    return every.join(pl.concat(found), on="label", how="left").with_columns(counts) if found else every


def patched(events: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """As true, but for labels that a trip under way may touch: these by the join, on the streaming engine."""
    begun, ended = (
        labels.select("label", "key", at=pl.col("asked")).sort("key", "at").join_asof(
            events.select("key", at=time).sort("key", "at").with_columns(n=pl.int_range(1, pl.len() + 1).over("key")),
            on="at", by="key", check_sortedness=False).sort("label")["n"].fill_null(0)
        for time in (pl.col("start"), pl.col("arrival"))
    )  # fmt: skip
    labels = labels.sort("label")
    touched = labels.filter(begun > ended)
    exact = by_join(events, touched, as_known=True, engine="streaming")
    rest = rolling(events, labels).join(touched, on="label", how="anti")
    return pl.concat([rest.select(exact.columns), exact], how="vertical_relaxed")


def rolling(events: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Differences of running sums at both bounds, which ASOF joins find, and the last trip at the upper; rolling least
    and most over labels and events together."""
    events, labels = events.sort("key", "start"), labels.sort("key", "asked")
    running = events.select(
        "key", "start", "s", trips=pl.int_range(1, pl.len() + 1).over("key"),
        of_young=pl.col("young").cum_sum().over("key"),
        sum_s=pl.col("s").cum_sum().over("key"), sum_north=pl.col("n").cum_sum().over("key"),
    )  # fmt: skip
    names = ["trips", "of_young", "sum_s", "sum_north"]
    found = _as_of(labels, running, 0).rename({"s": "last_s"})
    for window, size in SIZES_US.items():
        before = _as_of(labels, running, size)
        found = found.with_columns(
            (found[name].fill_null(0) - before[name].fill_null(0)).alias(f"{name}_{window}") for name in names
        )
    found = found.join(_extremes(events, labels), on="label")
    for window in SIZES_US:
        trips = pl.col(f"trips_{window}")
        found = found.with_columns(
            pl.when(trips > 0).then(pl.col("last_s")).alias(f"last_s_{window}"),
            *(pl.when(trips > 0).then(pl.col(f"{name}_{window}")).alias(f"{name}_{window}") for name in names[2:]),
            *(pl.when(trips > 0).then(pl.col(f"sum_{of}_{window}") / trips).alias(f"mean_{of}_{window}")
              for of in ("s", "north")),
        )  # fmt: skip
    return found


def _as_of(labels: pl.DataFrame, running: pl.DataFrame, size: int) -> pl.DataFrame:
    asked = labels.select("label", "key", start=pl.col("asked") - size)
    return asked.join_asof(running, on="start", by="key", check_sortedness=False)


def _extremes(events: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    together = pl.concat([events.rename({"start": "asked"}), labels], how="diagonal").sort("key", "asked")
    at = pl.from_epoch("asked", "us").alias("at")

    def over(name: str, function: str, window: str) -> pl.Expr:
        rolled = getattr(pl.col(name), f"rolling_{function}_by")("at", window, closed="right")
        return rolled.over("key")

    asked = [("s", "min", "shortest_s"), ("s", "max", "longest_s"), ("n", "max", "northernmost")]
    rolled = together.lazy().with_columns(at).select(
        "label", *(over(name, function, w).alias(f"{made}_{w}") for name, function, made in asked for w in SIZES_US)
    )  # fmt: skip
    return rolled.filter(pl.col("label").is_not_null()).collect()


WAYS = {
    "true_join": partial(by_join, as_known=False, engine="streaming"),
    "true_rolling": rolling,
    "known_join": partial(by_join, as_known=True),
    "known_join_streaming": partial(by_join, as_known=True, engine="streaming"),
    "known_patched": patched,
}


def main(way: str, folder: Path) -> None:
    """One way."""
    events, labels = (each.collect() for each in tables(folder))
    WAYS[way](events, labels).write_parquet(folder / f"polars_{way}.parquet", compression="uncompressed")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
