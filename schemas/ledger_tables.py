"""The tables of the ledger: what was done, from what, and what the gate found. Nothing can make them again."""

from windrow.schemas.stream import Column
from windrow.schemas.tables import Table, required

RUNS = Table(
    "runs",
    "The ledger: one row for each step that has ended, and one for each of its stages",
    (
        required("run_id", "string", "name of the run: shared by the steps of one logical date and query"),
        required("step", "string", "ingest, audit, or publish"),
        Column("stage", "string", "stage of the flow map; null for the row of the whole step"),
        required("stream", "string", "name of the stream"),
        Column("query", "string", "name of the query; null for ingest"),
        Column("logical_date", "date", "the arrival day that the run is for; null for an ingest without one"),
        required("state", "string", "running, done, failed, refused, skipped or cut off"),
        required("at", "timestamp", "when this row was written, UTC; all rows of a step's end have the same time"),
        required("seconds", "float64", "wall time of the step so far, or of the stage", "s"),
        required("inputs", "string", "JSON: digests of what was read, by table and partition"),
        required("outputs", "string", "JSON: table versions that were written; for a stage, its validation results"),
        required("counts", "string", "JSON: rows in and out, by kind"),
        required("code_hash", "string", "hash of the code of kernels/, pipelines/ and schemas/"),
        required("definition_hash", "string", "hash of the stream's and the query's definitions"),
        Column("kernel", "string", "the kernels that made the rows; `counts` says how many keys each of them had"),
        Column(
            "message",
            "string",
            "failed, refused: what went wrong; skipped: why nothing was done; ingest: its warnings",
        ),
        Column("engine_page", "string", "addresses of Spark's page and event log for the step; null if both are off"),
    ),
    grows=True,
)

VERDICTS = Table(
    "verdicts",
    "What each check of the gate found",
    (
        required("run_id", "string", "name of the run"),
        required("stream", "string", "name of the stream"),
        Column("query", "string", "name of the query; null for checks of silver"),
        Column("logical_date", "date", "the arrival day that was checked"),
        required("table_name", "string", "table that was checked"),
        required("table_version", "int64", "version of the table that was checked"),
        required("check_name", "string", "name of the check"),
        required("passed", "bool", "whether the check passed"),
        required("figure", "string", "what was measured"),
        required("allowed", "string", "the limit of the figure"),
        Column("offending", "string", "SQL that shows the rows that broke the check"),
        required("at", "timestamp", "when it was checked, UTC"),
        Column("snapshot", "string", "name of the snapshot that was read; names sort by age, the newest last"),
        Column("validation", "string", "file of the validation result, below expectations/; null for laws"),
    ),
    grows=True,
)

FARM_RUNS = Table(
    "farm_runs",
    "What each farm of a model's run did: one row per farm; a farm is one call over the keys of a bucket",
    (
        required("run_id", "string", "name of the run"),
        required("stream", "string", "name of the stream"),
        required("query", "string", "name of the model's query"),
        required("logical_date", "date", "the arrival day that the run is for"),
        required(
            "at", "timestamp", "when the run's rows were written, UTC; if a run was repeated, its newest rows count"
        ),
        required("function", "string", "name of the function"),
        required("engine", "string", "spark or local"),
        required("host", "string", "the machine that it ran on"),
        required("workers", "int64", "threads that computed windows"),
        required("windows", "int64", "windows that were computed"),
        required("tuples", "int64", "tuples of all these windows; a tuple counts once for each of its windows"),
        required("statuses", "string", "JSON: windows by status"),
        required("completion_s", "float64", "time from the first window handed out to the last one computed", "s"),
        required("calculation_s", "float64", "mean time in the function per window (FARM definition 14)", "s"),
        required("bandwidth", "float64", "windows computed per second (FARM definition 13)", "windows/s"),
        required("ideal_bandwidth", "float64", "bandwidth if no worker ever waited", "windows/s"),
        required(
            "load_balance", "float64", "mean ÷ greatest time in the function among workers; 1: all workers had the same"
        ),
        required(
            "fragmentation", "float64", "pieces of memory per window (FARM §6.2.3.1); 1: each window is in one piece"
        ),
        required("held_bytes", "int64", "most memory that tuples and windows took", "bytes"),
    ),
    grows=True,
)

PROMISES = Table(
    "promises",
    "What each run found of the promises of its query",
    (
        required("run_id", "string", "name of the run"),
        required("stream", "string", "name of the stream"),
        required("query", "string", "name of the query"),
        required("logical_date", "date", "the arrival day that the run is for"),
        required("promise", "string", "what is promised"),
        required("day", "date", "the day that was judged; the newest logical_date has the last word on it"),
        Column("measured", "float64", "a share; of fresh in seconds, of rows in rows; null: there was no row yet"),
        required("allowed", "string", "the limit of what is measured"),
        required("verdict", "string", "kept, warn, fail, or still broken, where an earlier day's run found it too"),
        required("at", "timestamp", "when it was checked, UTC"),
    ),
    grows=True,
)

LEDGER = {table.name: table for table in (RUNS, VERDICTS, FARM_RUNS, PROMISES)}
"""By name."""
