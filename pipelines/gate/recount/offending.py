"""From offending rows to a verdict: how many, and SQL that shows the first of them alongside what is expected.

The SQL holds no double quote, so that it can be pasted into `windrow query "…"`: names stand after a dot,
where DuckDB takes any word, and values go through `sql.literal`.
"""

from collections.abc import Sequence

from pipelines.gate.recount import sql
from pipelines.gate.recount.finding import SHOWN, LawFinding
from pipelines.gate.recount.query_day import AuditedDay
from pipelines.gate.recount.recount import Recount
from pipelines.ledger.verdicts import Verdict


def found_in_rows(recount: Recount, offenders: str, expected: tuple[str, ...]) -> LawFinding:
    """What a law finds in the audit rows of some keys: how many break it, of how many rows; with their keys' values and
    what is expected of them.

    offenders: SQL for (*recount.window, revision, *expected) of each offending row.
    """
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE offenders AS {offenders}")
    (found,) = recount.one("SELECT count(*) FROM offenders")
    (total,) = recount.one("SELECT count(*) FROM audit")
    rows = recount.rows(f"""
        SELECT {"".join(f"k.{sql.name(column)}, " for column in recount.query.key)}
               {", ".join(f"o.{column}" for column in _columns(recount, expected))}
        FROM offenders o JOIN keys k USING (key_number)
        ORDER BY ALL LIMIT {SHOWN}""")
    return LawFinding(found, {"rows": total}, tuple(rows))


def verdict_on_rows(of: AuditedDay, check: str, found: LawFinding, expected: tuple[str, ...], what: str) -> Verdict:
    """The verdict on a day's audit rows. what: how the figure goes on after "3 of 12 rows"; an expected column that
    ends in `_us` is shown as a time."""
    return Verdict(
        check,
        not found.broken,
        f"{found.broken} of {found.counted['rows']} rows {what}",
        "0 rows",
        _alongside_audit(of, found, expected) if found.broken else None,
        of.tables.audit.name,
        of.versions.audit,
    )


def does_not_apply(of: AuditedDay, check: str, to: str) -> Verdict:
    """The verdict of a law from which semantics §2 excepts such windows."""
    return Verdict(check, True, f"does not apply: {to}", "0 rows", None, of.tables.audit.name, of.versions.audit)


def _alongside_audit(of: AuditedDay, found: LawFinding, expected: tuple[str, ...]) -> str:
    """SQL: the first offenders with what is expected, and the row of the audit table, where there is one."""
    keys = [f"key_{number}" for number in range(len(of.query.key))]
    names = [*keys, *_columns(of, expected)]
    window_row = [column.removesuffix("_us") for column in _columns(of, ())]
    matches = [f"t.{column} IS NOT DISTINCT FROM x.{key}" for column, key in zip(of.query.key, keys, strict=True)]
    matches += [f"t.{column} = x.{column}" for column in window_row]
    matches.append(f"t.emitted_date = {sql.literal(of.day)}")
    left_out = (*of.query.key, *window_row, "emitted_date")
    columns = ", ".join(f"t.{column}" for column in of.tables.audit.column_names if column not in left_out)
    return (
        f"SELECT x.*, {columns} FROM {values_list(found.rows, names)} "
        f"LEFT JOIN {of.tables.audit.name} t ON {' AND '.join(matches)} ORDER BY ALL"
    )


def _columns(of: AuditedDay, expected: tuple[str, ...]) -> tuple[str, ...]:
    return (*of.window[1:], "revision", *expected)


def values_list(rows: Sequence[tuple], names: list[str]) -> str:
    """`(VALUES (…), (…)) x(names)`; a column that ends in `_us` is shown as a time, without that ending."""
    written = ", ".join("(" + ", ".join(map(_shown, row, names)) + ")" for row in rows)
    return f"(VALUES {written}) x({', '.join(each.removesuffix('_us') for each in names)})"


def _shown(value: object, name: str) -> str:
    if name.endswith("_us") and isinstance(value, int):
        return sql.at(value)
    # A bare 0.1 would be a DECIMAL, which compares with nothing that a user has.
    return f"CAST('{value!r}' AS DOUBLE)" if isinstance(value, float) else sql.literal(value)
