"""The tables of the ledger: what was done, from what, and what the gate found. Nothing can make them again."""

from windrow.schemas.stream import Column
from windrow.schemas.tables import Table, required

RUNS = Table(
    "runs",
    "The ledger: when a step ends, one row, and one per stage that it went through",
    (
        required("run_id", "string", "name of the run: shared by the steps of one logical date and query"),
        required("step", "string", "ingest, audit, or publish"),
        Column("stage", "string", "stage of the flow map; null for the row of the whole step"),
        required("stream", "string", "name of the stream"),
        Column("query", "string", "name of the query; null for ingest"),
        Column("logical_date", "date", "the arrival day that the run is for; null for an ingest without one"),
        required("state", "string", "running, done, failed, refused, skipped or cut off"),
        required("at", "timestamp", "when this row was written, UTC; the same in the rows of a step's end"),
        required("seconds", "float64", "wall time of the step so far, or of the stage", "s"),
        required("inputs", "string", "JSON: digests of what was read, by table and partition"),
        required("outputs", "string", "JSON: table versions that were written; of a stage, its validation results"),
        required("counts", "string", "JSON: rows in and out, by kind"),
        required("code_hash", "string", "hash of the code of kernels/, pipelines/ and schemas/"),
        required("definition_hash", "string", "hash of the stream's and the query's definitions"),
        Column("kernel", "string", "the kernels that made the rows; `counts` has how many keys each"),
        Column(
            "message",
            "string",
            "what went wrong, for failed and refused; why nothing was done, for skipped; warnings of an ingest",
        ),
        Column("engine_page", "string", "addresses of Spark's page and event log of the step; null where both are off"),
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
        required("table_version", "int64", "exactly this version of it"),
        required("check_name", "string", "name of the check"),
        required("passed", "bool", "whether it held"),
        required("figure", "string", "what was measured"),
        required("allowed", "string", "the limit of that"),
        Column("offending", "string", "SQL that shows the rows which broke it"),
        required("at", "timestamp", "when it was checked, UTC"),
        Column("snapshot", "string", "name of the snapshot that was read; of two names the greater is the newer"),
        Column("validation", "string", "file of the validation result that has it, below expectations/; null for laws"),
    ),
    grows=True,
)

FARM_RUNS = Table(
    "farm_runs",
    "What each farm of a model's run did: one row per farm, a farm being one call over the keys of a bucket",
    (
        required("run_id", "string", "name of the run"),
        required("stream", "string", "name of the stream"),
        required("query", "string", "name of the model's query"),
        required("logical_date", "date", "the arrival day that the run is for"),
        required(
            "at", "timestamp", "when the run's rows were written, UTC; of a run that was repeated the newest count"
        ),
        required("function", "string", "name of the function"),
        required("engine", "string", "spark or local"),
        required("host", "string", "the machine that it ran on"),
        required("workers", "int64", "threads that computed windows"),
        required("windows", "int64", "windows that were computed"),
        required("tuples", "int64", "tuples of all these windows: one that is in several counts in each"),
        required("statuses", "string", "JSON: windows by status"),
        required("completion_s", "float64", "from the first window handed out to the last computed", "s"),
        required("calculation_s", "float64", "mean time in the function per window (FARM definition 14)", "s"),
        required("bandwidth", "float64", "windows computed per second (FARM definition 13)", "windows/s"),
        required("ideal_bandwidth", "float64", "the same if no worker ever waited", "windows/s"),
        required("load_balance", "float64", "mean ÷ greatest time in the function among workers; 1 is even"),
        required("fragmentation", "float64", "pieces of memory per window (FARM §6.2.3.1); 1 is in one piece"),
        required("held_bytes", "int64", "most that tuples and windows took in memory", "bytes"),
    ),
    grows=True,
)

LEDGER = {table.name: table for table in (RUNS, VERDICTS, FARM_RUNS)}
"""By name."""
