"""A figure of a page: a chart in the Vega-Lite language with its rows inside, which the reader's browser draws."""

import csv
import math
from datetime import UTC, date, datetime
from io import StringIO
from typing import Any

import altair as alt
import pyarrow as pa
import pyarrow.types as types

from windrow.pipelines.report.page import PageFigure

HEIGHT_PX = 260
# Marks of both a light and a dark page.
BLUE, ORANGE, GREEN, RED, GREY, PURPLE = "#4c8dd6", "#e08a2e", "#3f9e6b", "#d9534f", "#8a8f98", "#9a6fd0"
WHOLE_STEP = 1.01
"""Between ticks that are whole: of 1 Vega makes 1, 1.5, 2."""
_TIMES = {
    **{"year": "%Y", "quarter": "%b %Y", "month": "%b %Y", "week": "%b %d", "date": "%b %d"},
    **{"hours": "%H:%M", "minutes": "%H:%M", "seconds": "%H:%M:%S", "milliseconds": "%S.%L s"},
}
_SECOND, _MINUTE, _HOUR, _DAY = 1, 60, 3_600, 86_400
_LENGTHS_S = (0, _SECOND, 10, _MINUTE, 600, _HOUR, 6 * _HOUR, _DAY, 7 * _DAY, 30 * _DAY)
_LENGTH = (
    "datum.value < 1 ? format(datum.value, '~r') + ' s' : datum.value < 60 ? datum.value + ' s' : "
    "datum.value < 3600 ? format(datum.value / 60, '~r') + ' min' : "
    "datum.value < 172800 ? format(datum.value / 3600, '~r') + ' h' : format(datum.value / 86400, '~r') + ' d'"
)


def figure(
    name: str,
    title: str,
    caption: str,
    drawn: alt.TopLevelMixin,
    height_px: int | None = HEIGHT_PX,
    wide: bool = False,
) -> PageFigure:
    """From an Altair chart whose data are of `data`, as wide as the page; without a height it has a size of its own."""
    sized = drawn if height_px is None else drawn.properties(width="container", height=height_px)
    made = sized.to_dict(validate=False)
    for unneeded in ("$schema", "config"):  # the page brings the colours, and the scripts the language
        made.pop(unneeded, None)
    # Altair has put all data together: a text of CSV each, with a line of column names.
    rows = sum(len(values.splitlines()) - 1 for values in made["datasets"].values())
    return PageFigure(name, title, caption, made, rows, wide)


def chart(rows: pa.Table | list[dict]) -> alt.Chart:
    """A chart of rows, of which there is at least one."""
    return alt.Chart(data(rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)))


def lines_px(rows: pa.Table | list[dict], field: str) -> int:
    """The height of a chart that has a line for each value of a field."""
    values = rows[field].to_pylist() if isinstance(rows, pa.Table) else [row[field] for row in rows]
    return 60 + 28 * len(set(values))


def data(rows: pa.Table) -> alt.InlineData:
    """Rows for a chart, as CSV: column names once, not once a row. Times are ISO 8601 in UTC; six digits of a float."""
    kinds = {field.name: _kind(field.type) for field in rows.schema}
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows.column_names)
    writer.writerows(zip(*([_cell(value) for value in column.to_pylist()] for column in rows.columns), strict=True))
    return alt.InlineData(values=out.getvalue(), format=alt.CsvDataFormat(type="csv", parse=kinds))


def _kind(type_: pa.DataType) -> str:
    if types.is_timestamp(type_) or types.is_date(type_):
        return "date"
    if types.is_boolean(type_):
        return "boolean"
    return "number" if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) else "string"


def _cell(value: object) -> object:
    if isinstance(value, datetime):
        # Vega's own dates count ms.
        text = value.astimezone(UTC).isoformat(timespec="milliseconds" if value.microsecond else "seconds")
        return text.replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()  # any other word is true for Vega
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else ""
    return "" if value is None else value


def time_axis(field: str, title: str | None = None, channel: type = alt.X) -> Any:
    """The axis of a time, in UTC: the horizontal one unless another is asked for."""
    axis = alt.Axis(labelOverlap=True, tickCount=6, format=_TIMES)
    return channel(f"{field}:T", title=title, scale=alt.Scale(type="utc"), axis=axis)


def stacked(rows: pa.Table, count: str, kind: str, title: str | None, count_title: str) -> alt.Chart:
    """Bars from `begins` to `ends`, those of one time on top of each other by kind: what has begin, end and count is a
    rectangle, since a bar is as thick as the chart likes."""
    stacks = chart(rows).transform_stack(stack=count, as_=["y0", "y1"], groupby=["begins"], sort=[alt.SortField(kind)])
    counted = alt.Y("y0:Q", title=count_title, axis=count_axis())
    return stacks.mark_rect(stroke=None).encode(x=time_axis("begins", title), x2="ends:T", y=counted, y2="y1:Q")


def count_axis() -> alt.Axis:
    """Of counts: its ticks are whole."""
    return alt.Axis(format="~s", tickMinStep=WHOLE_STEP)


def time_tip(field: str, title: str) -> alt.Tooltip:
    """A time as the reader sees it over a mark, in UTC."""
    return alt.Tooltip(f"{field}:T", title=f"{title}, UTC", timeUnit="utcyearmonthdatehoursminutesseconds")


def tip(field: str, title: str | None = None, format: str = ",") -> alt.Tooltip:
    """A number as the reader sees it over a mark."""
    return alt.Tooltip(f"{field}:Q", format=format, **({"title": title} if title else {}))


def colours(field: str, of_values: dict[str, str], title: str | None = None) -> alt.Color:
    scale = alt.Scale(domain=list(of_values), range=list(of_values.values()))
    return alt.Color(f"{field}:N", title=title, scale=scale)


def length_axis() -> dict[str, Any]:
    """Scale and axis of a length of time in seconds, from none to months."""
    axis = alt.Axis(values=list(_LENGTHS_S), labelExpr=_LENGTH, grid=True)
    return {"scale": alt.Scale(type="symlog", constant=1), "axis": axis}


def choice(name: str, label: str, options: list[str], labels: list[str] | None = None) -> alt.Parameter:
    bound = alt.binding_select(options=options, labels=labels or options, name=f"{label} ")
    return alt.param(name=name, value=options[0], bind=bound)
