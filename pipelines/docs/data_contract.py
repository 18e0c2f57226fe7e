"""A query's table as a contract in the words of the Open Data Contract Standard: columns with unit and meaning, what
the gate checks of every row, and what is promised (`windrow contract`)."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from windrow.kernels.runtime.found import first_paragraph
from windrow.pipelines.gate import checks
from windrow.pipelines.location import Location, endpoint_url, is_local
from windrow.pipelines.report import dag_text
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.expectations import Expectation, audit_expectations
from windrow.schemas.promise import COMPLETE, FAIL, FRESH, ROWS, Promise
from windrow.schemas.query import Query
from windrow.schemas.registry import module_of
from windrow.schemas.stream import Column

VERSION = "v3.1.0"
ANY_DAY = date(1970, 1, 1)
# Of both the standard has words of its own.
_TYPES = {"int64": "integer", "float64": "number", "bool": "boolean"}
_RANGED = ("integer", "number")
# What becomes of rows that break something.
_SEVERITIES = {True: "error", False: "warning"}


def data_contract(tables: QueryTables, folder: Location) -> dict[str, Any]:
    """Plain values. folder: of the table in the lake. Its version is another whenever anything of it is."""
    query, results = tables.query, tables.results
    grain = f"One row for each revision of a window: {', '.join((*query.window_identity, 'revision'))}"
    keys = (*query.window_identity, "revision")
    table = {
        "name": query.name,
        "logicalType": "object",
        "physicalType": "table",
        "description": results.comment,
        "dataGranularityDescription": grain,
        "properties": [_property(each, keys, results.partition_by) for each in results.columns],
        "quality": [*_expected(query), *_laws(query), *_row_counts(query)],
    }
    said = {
        "name": query.name,
        "status": "active",
        "description": {
            "purpose": first_paragraph(module_of(query.name)) or dag_text.asked(query),
            "usage": "The largest revision of a window with emitted_at up to T is what was known at T; the largest of "
            f"all is what turned out to be true, and {query.name}_final has it.",
        },
        "servers": [_server(folder)],
        "schema": [table],
        "slaProperties": [_agreement(query, each) for each in query.promises if each.kind != ROWS],
    }
    version = hashlib.sha256(json.dumps(said, default=str).encode()).hexdigest()[:16]
    return {"apiVersion": VERSION, "kind": "DataContract", "id": f"windrow:{query.name}", "version": version, **said}


def as_yaml(value: Any, indent: str = "") -> str:
    """Plain values as a document of YAML: mappings and lists in lines, all else as in JSON, which YAML reads too."""
    if not value or not isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, list):
        named = [("-", each) for each in value]
    else:
        named = [(f"{name}:", each) for name, each in value.items()]
    lines = []
    for name, each in named:
        is_nested = bool(each) and isinstance(each, Mapping | list)
        lines.append(f"{indent}{name}" + ("" if is_nested else f" {as_yaml(each)}"))
        lines += [as_yaml(each, f"{indent}  ")] if is_nested else []
    return "\n".join(lines)


def _property(column: Column, keys: Sequence[str], partitions: Sequence[str]) -> dict[str, Any]:
    logical = _TYPES.get(column.type, column.type)
    bounds = {"minimum": column.low, "maximum": column.high} if logical in _RANGED else {}
    options = {name: bound for name, bound in bounds.items() if bound is not None}
    found: dict[str, Any] = {"name": column.name, "logicalType": logical, "physicalType": column.type}
    found |= {"description": column.meaning, "required": not column.nullable}
    found |= {"logicalTypeOptions": options} if options else {}
    found |= {"customProperties": [{"property": "unit", "value": column.unit}]} if column.unit else {}
    if column.name in keys:
        found |= {"primaryKey": True, "primaryKeyPosition": keys.index(column.name) + 1}
    if column.name in partitions:
        found |= {"partitioned": True, "partitionKeyPosition": partitions.index(column.name) + 1}
    return found


def _expected(query: Query) -> Iterator[dict[str, Any]]:
    """What Great Expectations checks; in words where the column is computed."""
    for each in audit_expectations(query, ANY_DAY):
        rule = {"name": each.name, "description": _limit(each), "severity": _SEVERITIES[True]}
        if each.computed:
            yield {**rule, "type": "text"}
        else:
            asked = {"type": each.kind, "kwargs": each.parameters}
            yield {**rule, "type": "custom", "engine": "great-expectations", "implementation": asked}


def _limit(asked: Expectation) -> str:
    """That of a time inside the day is a day's own."""
    return "inside the day of the row's partition, UTC" if str(ANY_DAY) in asked.limit else asked.limit


def _laws(query: Query) -> Iterator[dict[str, Any]]:
    kinds = ("audit", *(() if query.context_free else ("dependent",)))
    for law in (law for kind in kinds for law in checks.checks(kind)):
        said = (law.__doc__ or "").split("\n")[0]
        yield {"name": law.NAME, "type": "text", "description": said, "severity": _SEVERITIES[True]}


def _row_counts(query: Query) -> Iterator[dict[str, Any]]:
    for each in query.promises:
        if each.kind == ROWS:
            bound = {"mustBe": each.least} if each.least == each.most else {"mustBeBetween": [each.least, each.most]}
            rule = {"name": "rows of a day", "type": "library", "metric": "rowCount", "unit": "rows", **bound}
            by_day = "of each day of emitted_date"
            yield {**rule, "description": by_day, "severity": _SEVERITIES[each.or_else == FAIL]}


def _agreement(query: Query, promise: Promise) -> dict[str, Any]:
    named = {COMPLETE: ("completeness", "events"), FRESH: ("freshness", "emitted_at")}
    said, column = named.get(promise.kind, ("finalMoves", promise.of))
    agreed = {"property": said, "value": promise.least if promise.kind == COMPLETE else promise.most}
    agreed |= {"unit": promise.unit} if promise.unit else {}
    described = f"{promise.name}: {promise.allowed}, or else {promise.or_else}"
    return {**agreed, "element": f"{query.name}.{column}", "driver": "operational", "description": described}


def _server(folder: Location) -> dict[str, Any]:
    kind = {"server": "lake", "format": "delta"}
    if is_local(folder):
        return {**kind, "type": "local", "path": str(folder)}
    if str(folder).startswith("s3://"):
        at = endpoint_url()
        return {**kind, "type": "s3", "location": str(folder), **({"endpointUrl": at} if at else {})}
    return {**kind, "type": "custom", "location": str(folder)}
