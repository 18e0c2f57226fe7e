"""From offending rows to a verdict: how many, and SQL that shows the first of them alongside what is expected.

The SQL holds no double quote, so that it can be pasted into `windrow query "…"`: names stand after a dot,
where DuckDB takes any word, and values go through `sql.literal`.
"""

from pipelines.gate.recount import sql
from pipelines.gate.recount.recount import Recount
from pipelines.ledger.verdicts import Verdict

SHOWN = 10
WINDOW_ROW = ("window_start", "window_end", "revision")
ROW_COLUMNS = ("pane", "emitted_at", "events", "late_events")


def verdict_on_rows(recount: Recount, check: str, offenders: str, expected: tuple[str, ...], what: str) -> Verdict:
    """A verdict on the audit rows.

    offenders: SQL for (key_number, window_start_us, window_end_us, revision, *expected) of each offending
    row; an expected column that ends in `_us` is shown as a time. what: how the figure goes on after "3 of 12
    rows".
    """
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE offenders AS {offenders}")
    (found,) = recount.one("SELECT count(*) FROM offenders")
    (total,) = recount.one("SELECT count(*) FROM audit")
    offending = _alongside_audit(recount, expected) if found else None
    return Verdict(
        check,
        not found,
        f"{found} of {total} rows {what}",
        "0 rows",
        offending,
        recount.tables.audit.name,
        recount.versions.audit,
    )


def does_not_apply(recount: Recount, check: str, to: str) -> Verdict:
    """The verdict of a law from which semantics §2 excepts such windows."""
    return Verdict(
        check,
        True,
        f"does not apply: {to}",
        "0 rows",
        None,
        recount.tables.audit.name,
        recount.versions.audit,
    )


def _alongside_audit(recount: Recount, expected: tuple[str, ...]) -> str:
    """SQL: the first offenders with what is expected, and the row of the audit table, where there is one."""
    keys = [f"key_{number}" for number in range(len(recount.query.key))]
    shown = recount.rows(f"""
        SELECT {"".join(f"k.{sql.name(column)}, " for column in recount.query.key)}
               {", ".join(f"o.{column}" for column in _columns(expected))}
        FROM offenders o JOIN keys k USING (key_number)
        ORDER BY ALL LIMIT {SHOWN}""")
    names = [*keys, *_columns(expected)]
    matches = [f"t.{column} IS NOT DISTINCT FROM x.{key}" for column, key in zip(recount.query.key, keys, strict=True)]
    matches += [f"t.{column} = x.{column}" for column in WINDOW_ROW]
    matches.append(f"t.emitted_date = {sql.literal(recount.day)}")
    found = ", ".join(f"t.{column}" for column in (*ROW_COLUMNS, *recount.query.aggregates))
    return (
        f"SELECT x.*, {found} FROM {values_list(shown, names)} "
        f"LEFT JOIN {recount.tables.audit.name} t ON {' AND '.join(matches)} ORDER BY ALL"
    )


def _columns(expected: tuple[str, ...]) -> tuple[str, ...]:
    return ("window_start_us", "window_end_us", "revision", *expected)


def values_list(rows: list[tuple], names: list[str]) -> str:
    """`(VALUES (…), (…)) x(names)`; a column that ends in `_us` is shown as a time, without that ending."""
    written = ", ".join("(" + ", ".join(map(_shown, row, names)) + ")" for row in rows)
    return f"(VALUES {written}) x({', '.join(each.removesuffix('_us') for each in names)})"


def _shown(value: object, name: str) -> str:
    if name.endswith("_us") and isinstance(value, int):
        return sql.at(value)
    # A bare 0.1 would be a DECIMAL, which compares with nothing that a user has.
    return f"CAST('{value!r}' AS DOUBLE)" if isinstance(value, float) else sql.literal(value)
