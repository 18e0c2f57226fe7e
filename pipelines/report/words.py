"""How people read figures and the data's own text."""

from unicodedata import category

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


def size(count: int) -> str:
    amount = float(count)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1_000:
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1_000
    return f"{amount:,.1f} GB"


def share(part: int, whole: int) -> str:
    return "-" if not whole else f"{100 * part / whole:.3g} %"
