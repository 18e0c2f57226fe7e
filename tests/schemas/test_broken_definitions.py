"""A broken definition harms itself only: the others load, and it comes out with file, line and what may be meant.

Each is broken in a copy of the tree, and loaded there by a process of its own.
"""

import json
from pathlib import Path

import pytest

from tests.support.checkout import copied
from tests.support.processes import python
from windrow.schemas import registry

ROOT = Path(__file__).parents[2]
QUERY, STREAM = "examples/queries/bikes_daily.py", "examples/streams/cdr.py"
LOADED = """
import json
from windrow.schemas import registry
broken = {**registry.broken_streams(), **registry.broken_queries()}
print(json.dumps({
    "streams": list(registry.streams()), "queries": list(registry.queries()),
    "broken": {name: [error.file, error.line, str(error)] for name, error in broken.items()},
}))
"""


@pytest.fixture
def tree(tmp_path) -> Path:
    return copied(tmp_path, "schemas")


def edit(tree: Path, file: str, old: str, new: str) -> int:
    """Replace a piece of a file; returns the line that it begins in."""
    text = (tree / file).read_text()
    assert old in text, old
    (tree / file).write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


def printed(tree: Path, program: str) -> str:
    """What a Python of its own prints, over the tree's definitions."""
    done = python("-c", program, cwd=tree)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(tree: Path) -> dict:
    return json.loads(printed(tree, LOADED))


def where(condition: str) -> tuple[str, str]:
    return "    lateness=", f"    where=({condition},),\n    lateness="


# What is replaced by what in a query, and what the message then has.
QUERIES = {
    "syntax": ('    name="bikes_daily",', '    name="bikes_daily"', "SyntaxError: "),
    "a name in Python": ("tumbling(size", "tumblin(size", "NameError: name 'tumblin' is not defined. Did you mean "
                         "'tumbling'?"),
    "an import": ("import Query, agg, tumbling", "import Query, agg, tumblin", "Did you mean 'tumbling'?"),
    "an argument": ("    lateness=", "    latenes=", "'latenes'. Did you mean 'lateness'?"),
    "a window's argument": ("tumbling(size", "tumbling(sise", "'sise'. Did you mean 'size'?"),
    "no QUERY": ("QUERY = Query(", "QUERRY = Query(", "QUERY = Query(…), which isn't there. Did you mean 'QUERRY'?"),
    "another name": ('"bikes_daily"', '"bikes_dayly"', "name is 'bikes_dayly'; allowed: that of its file, "
                     "'bikes_daily'"),
    "an unknown stream": ('="bikes"', '="bike"', "no stream is named 'bike'. Did you mean 'bikes'? Known: "),
    "a key": ('"start_station_id",)', '"start_station",)', "key is 'start_station'. Did you mean 'start_station_id'? "
              "Allowed: a column of stream 'bikes': "),
    "an aggregate's column": ('"trip_duration_s")', '"trip_duration")', "Did you mean 'trip_duration_s'?"),
    "a column in where": (*where('("user_typ", "==", "x")'), "where is 'user_typ'. Did you mean 'user_type'? "
                          "Allowed: "),
    "a value in where": (*where('("trip_duration_s", "<", "300")'), "where is ('trip_duration_s', '<', '300'); "
                         "allowed: NULL, or values of one type, on both sides of <: column 'trip_duration_s' of "),
    "an operator in where": (*where('("trip_duration_s", "=", 300)'), "where is '='; allowed: one of == !="),
    "a filter": ('agg("count")', 'agg("count", where="trip_duration_s > ")', "where is 'trip_duration_s > '; allowed: "
                 "a value, a column or ( behind the last character"),
    "an expression": ('"sum", "trip_duration_s"', '"sum", "user_type * 2"', "aggregates['total_trip_duration_s'] is "
                      "'user_type * 2'; allowed: numbers on both sides of *: column 'user_type' of type string"),
    "an error of its own": ("QUERY = Query(", "{}['x']\nQUERY = Query(", "KeyError: 'x'"),
}  # fmt: skip
STREAMS = {
    "no STREAM": ("STREAM = Stream(", "STREEM = Stream(", "STREAM = Stream(…), which isn't there. Did you mean "
                  "'STREEM'?"),
    "a key": ("    key=(", '    key=("cellar", ', "key is 'cellar'. Did you mean 'cell'? Allowed: a column of stream "
              "'cdr': "),
    "a column's type": ('"int64"', '"int"', "is 'int'. Did you mean 'int64'? Allowed: string, int64, float64, bool, "
                        "timestamp, date"),
    "a zone": ("    zone=", '    zone="Nowhere" or ', "zone is 'Nowhere'; allowed: a name of the IANA time zone "
               "database"),
}  # fmt: skip
"""What a query's file can have too is tried above."""


@pytest.mark.slow
@pytest.mark.few(5)
@pytest.mark.parametrize("mistake", QUERIES)
def test_a_broken_query_harms_itself_only(tree, mistake):
    old, new, problem = QUERIES[mistake]
    line = edit(tree, QUERY, old, new)
    found = loaded(tree)
    assert found["streams"] == list(registry.streams())
    assert found["queries"] == [name for name in registry.queries() if name != "bikes_daily"]
    [(name, (file, at, text))] = found["broken"].items()
    line = 1 if mistake == "no QUERY" else line  # what isn't there has none
    assert (name, file, at) == ("bikes_daily", QUERY, line)
    assert text.startswith(f"{QUERY}:{line}: ") and problem in text
    assert text.endswith("; edit it, then: windrow check")


@pytest.mark.slow
@pytest.mark.few(3)
@pytest.mark.parametrize("mistake", STREAMS)
def test_a_broken_stream_harms_itself_and_its_queries_only(tree, mistake):
    old, new, problem = STREAMS[mistake]
    line = edit(tree, STREAM, old, new)
    found = loaded(tree)
    assert found["streams"] == [name for name in registry.streams() if name != "cdr"]
    assert found["queries"] == [name for name, query in registry.queries().items() if query.stream != "cdr"]
    of_cdr = ["cdr", "cdr_active", "cdr_sessions", "cdr_subscribers", "farm_cdr_duration_quantiles"]
    assert list(found["broken"]) == of_cdr
    file, at, text = found["broken"]["cdr"]
    assert file == STREAM and problem in text
    # What isn't there has no line.
    assert at == {"no STREAM": 1}.get(mistake, line)
    assert f"it needs {STREAM}, which is broken in line {at}: " in found["broken"]["cdr_active"][2]


def test_several_broken_ones_come_out_each_with_its_own_error(tree):
    for name in ("bikes_daily", "bikes_demand"):
        edit(tree, f"examples/queries/{name}.py", 'stream="bikes"', 'stream="bike"')
    (tree / "examples/queries/half.py").write_text("\0")
    (tree / "examples/streams/latin.py").write_bytes(b'NAME = "caf\xe9"')
    broken = loaded(tree)["broken"]
    assert list(broken) == ["latin", "bikes_daily", "bikes_demand", "half"]
    assert "utf-8" in broken["latin"][2] and "null bytes" in broken["half"][2]


def test_a_layout_that_raises_what_no_line_can_be_blamed_for_names_its_line(tree):
    line = edit(tree, STREAM, "def parse_", "def parse_nothing(fields, place):\n    return {}['x']\n\n\ndef parse_") + 1
    edit(tree, STREAM, "parse=parse_", "parse=parse_nothing or parse_")
    asked = (
        "from windrow.schemas import registry\nfrom windrow.schemas.parsing import read_line\n"
        "from windrow.schemas.stream import Place\n"
        "stream = registry.stream('cdr')\n"
        "layout = next(each for each in stream.layouts if each.parse.__name__ == 'parse_nothing')\n"
        "try:\n    read_line(stream, layout, layout.delimiter.join('1' * (layout.fields or 3)), Place('cdr/a', 7))\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    assert f"BrokenDefinition {STREAM}:{line}: parsing line 7 of cdr/a: KeyError: 'x'" in printed(tree, asked)


def test_a_broken_model_is_refused_by_its_own_error_and_no_broken_query_is_taken_for_a_model(tree):
    edit(tree, "examples/models/bikes_anomalies.py", "    name=", "    nam=")
    edit(tree, QUERY, "    name=", "    nam=")
    asked = (
        "from windrow.schemas import registry\n"
        "for name in ('bikes_anomalies', 'telemetry_trend', 'bikes_daily', 'bikes_anomaly'):\n"
        "    try:\n        print(registry.query(registry.name_of_query(name)).name)\n"
        "    except Exception as error:\n        print(type(error).__name__, error)\n"
    )
    broken, right, query, unknown = printed(tree, asked).splitlines()
    assert broken.startswith("BrokenDefinition examples/models/bikes_anomalies.py:") and "'nam'" in broken
    assert right == "farm_telemetry_trend"
    assert query.startswith(f"BrokenDefinition {QUERY}:")
    assert unknown.startswith("UnknownName no query is named 'bikes_anomaly'. Did you mean 'bikes_anomalies'?")


def test_a_broken_query_is_one_of_the_stream_that_its_file_names(tree):
    edit(tree, QUERY, *QUERIES["syntax"][:2])
    (tree / "examples/queries/farm_bikes_anomalies.py").write_text(
        (tree / "examples/queries/bikes_demand.py").read_text()
    )
    asked = "from windrow.schemas.registry import broken_queries_of as of; print(sorted(of('bikes')), of('cdr'))"
    assert printed(tree, asked) == "['bikes_daily', 'queries.farm_bikes_anomalies'] []\n"
