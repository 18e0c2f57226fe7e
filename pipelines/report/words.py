"""How people read figures and the data's own text."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta
from typing import Any
from unicodedata import category

from windrow.schemas.query import WINDOW_NAME
from windrow.schemas.spelling import in_words

FIRST_FILE = "index.html"
SERVED_AT = "/windrow"
"""In the address of an Airflow with the plugins of dags/plugins/."""
# Unicode's categories of control characters, of invisible ones that turn the direction of text, and of broken ones.
_STEERING = ("Cc", "Cf", "Cs")


def stream_file(name: str) -> str:
    return f"stream-{name}.html"


def query_file(name: str) -> str:
    return f"query-{name}.html"


def without_controls(text: str) -> str:
    r"""The text with \x1b for ESC, and so on: data must not steer what shows it. Line ends stay."""
    steers = {each for each in text if category(each) in _STEERING and each != "\n"}
    return text.translate({ord(each): each.encode("unicode_escape").decode() for each in steers})


def length(seconds: float | None) -> str:
    """A length by the unit that fits: 1.5 h, 64 s, 0.209 s."""
    if seconds is None:
        return "-"
    size = abs(seconds)
    if size >= 2 * 86_400:
        return f"{seconds / 86_400:,.1f} d"
    if size >= 2 * 3_600:
        return f"{seconds / 3_600:.1f} h"
    return f"{seconds / 60:.0f} min" if size >= 600 else f"{seconds:,.0f} s" if size >= 10 else f"{seconds:.3g} s"


def days_in_words(days: Collection[date]) -> str:
    """How many, and from when to when."""
    if len(days) < 2:
        return f"1 day, {min(days)}" if days else "no days"
    return f"{len(days):,} days, {min(days)} to {max(days)}"


def lateness_row(row: Mapping[str, Any]) -> dict[str, object]:
    """A row of a table lateness_<query>, as it is listed."""
    marks = {"as defined": row["is_own"], "recommended": row["is_recommended"]}
    return {
        **({"window": row[WINDOW_NAME]} if WINDOW_NAME in row else {}),
        "lateness": _lateness(row),
        "windows": row["windows"],
        "complete on time": f"{row['complete_share']:.3%}",
        "events on time": f"{row['on_time_share']:.3%}",
        "late events": row["late_events"],
        "median delay": length(row["delay_median_seconds"]),
        "mean delay": length(row["delay_mean_seconds"]),
        "note": "; ".join(mark for mark, is_marked in marks.items() if is_marked),
    }


def recommendation(rows: Iterable[Mapping[str, Any]]) -> str:
    """What such a table says, in a sentence."""
    [[best], [own]] = ([row for row in rows if row[mark]] for mark in ("is_recommended", "is_own"))
    window = f", window {best[WINDOW_NAME]}" if WINDOW_NAME in best else ""
    first, last = best["first_arrival_day"], best["last_arrival_day"]
    span = f"{first}" if first == last else f"{first} to {last}"
    return (
        f"{best['query']}{window}, events that arrived {span}: a lateness of {_lateness(best)} makes at least "
        f"{100 * best['complete_asked']:g} % of the windows complete on time; as defined it is {_lateness(own)}, with "
        f"{own['complete_share']:.3%}"
    )


def _lateness(row: Mapping[str, Any]) -> str:
    return in_words(timedelta(seconds=row["lateness_seconds"]))


def share(part: int, whole: int) -> str:
    return "-" if not whole else f"{100 * part / whole:.3g} %"
