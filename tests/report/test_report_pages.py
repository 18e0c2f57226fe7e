"""The pages of the report: complete, self-contained, with the lake's own figures; without a browser."""

import csv
import json
import re
from datetime import date, timedelta
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import altair as alt
import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import vl_convert
from deltalake import write_deltalake

from tests.command_line.conftest import ROWS, write_days
from tests.support.lakes import QUERIES
from tests.support.semantics.queries import HOUR, ask
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.lateness.whatif import whatif
from windrow.pipelines.report import site
from windrow.pipelines.report.figure import chart, count_axis
from windrow.pipelines.report.queries.results import key_label
from windrow.schemas import registry
from windrow.schemas.errors import BrokenDefinition
from windrow.schemas.query import session
from windrow.schemas.spelling import in_words

pytestmark = pytest.mark.slow

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
MOST_BYTES = 5_000_000
OF_EACH = {"stream": registry.streams(), "query": registry.queries()}


class Read(HTMLParser):
    """What a page loads, links to, shows and draws."""

    def __init__(self, text: str):
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.figures: list[str] = []
        self.specs: dict[str, dict] = {}
        self.text: list[str] = []
        self._spec: str | None = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.loaded += [given[name] for of, name in LOADED if of == tag and name in given]
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        self.names |= {given["id"]} if "id" in given else set()
        self.figures += [given["data-figure"]] if "data-figure" in given else []
        self._spec = given["id"].removeprefix("spec-") if given.get("type") == "application/json" else None

    def handle_endtag(self, tag):
        self._spec = None

    def handle_data(self, text):
        if self._spec is not None:
            self.specs[self._spec] = json.loads(text)
        else:
            self.text.append(text)

    @property
    def shown(self) -> str:
        return " ".join(" ".join(self.text).split())


class Site(NamedTuple):
    """A report, and its pages as read."""

    report: site.Report
    folder: Path
    pages: dict[str, Read]

    def rows(self, page: str, figure: str) -> list[dict]:
        """The data of a figure."""
        [values] = self.pages[page].specs[figure]["datasets"].values()
        return list(csv.DictReader(StringIO(values)))


def built(config: Config, folder: Path) -> Site:
    report = site.build(config, folder, lambda text: None)
    return Site(report, folder, {path.name: Read(path.read_text()) for path in folder.glob("*.html")})


@pytest.fixture(scope="module")
def made(first_published, tmp_path_factory) -> Site:
    return built(first_published, tmp_path_factory.mktemp("site") / "report")


@pytest.fixture(scope="module")
def empty(tmp_path_factory) -> Site:
    """Of a lake without any table."""
    folder = tmp_path_factory.mktemp("nothing")
    return built(Config(folder / "home", folder / "landing"), folder / "report")


@pytest.fixture(params=["made", "empty"])
def either(request) -> Site:
    return request.getfixturevalue(request.param)


@pytest.mark.few(2)
def test_there_is_a_page_of_every_stream_and_query_and_of_all_else(either):
    asked = {f"{kind}-{name}" for kind, names in OF_EACH.items() for name in names}
    whole = {"index", "streams", "queries", "runs", "lineage", "lateness", "benchmarks"}
    assert {f"{name}.html" for name in asked | whole} <= either.pages.keys()
    assert (either.report.pages, either.report.not_made) == (len(either.pages), [])


def test_nothing_is_loaded_from_elsewhere_and_every_link_leads_somewhere(either):
    for page in either.pages.values():
        loaded = [name for name in page.loaded if name != "data:,"]
        assert all((either.folder / name).is_file() for name in loaded), loaded
        ours = [link.split("#")[0] for link in page.links if not link.startswith(("https://", "#"))]
        assert all((either.folder / link).exists() for link in ours), ours
        within = {link.removeprefix("#") for link in page.links if link.startswith("#")}
        assert within <= page.names
    for name in ("site.css", "site.js"):
        assert "http" not in (either.folder / name).read_text()


def test_it_is_small_enough_to_be_sent(made):
    sizes = {path.name: path.stat().st_size for path in made.folder.iterdir()}
    assert made.report.size_bytes == sum(sizes.values()) - sizes["report.json"] < MOST_BYTES


def test_every_figure_has_data_and_compiles(either):
    for name, page in either.pages.items():
        assert page.figures == list(page.specs), name
        for figure, spec in page.specs.items():
            texts = spec.get("datasets", {}).values()
            assert texts and all(len(text.splitlines()) > 1 for text in texts), (name, figure)
            vl_convert.vegalite_to_vega(spec)
    assert either.report.figures == sum(len(page.figures) for page in either.pages.values())


def test_the_figures_of_a_stream_and_of_a_query_are_all_there(made):
    of_stream = {"arrivals", "arrival-event-time", "lag-shares", "lag-over-time", "rate", "bursts"}
    assert of_stream <= set(made.pages["stream-bikes.html"].figures)
    of_query = {"over-time", "known-at", "revisions", "completeness"}
    for query in QUERIES:
        # With emit `arrival` no row is of the pane `on_time`.
        on_time = set() if registry.query(query).emit == "arrival" else {"on-time-final"}
        assert of_query | on_time <= set(made.pages[f"query-{query}.html"].figures)
    assert {"durations", "stages", "verdicts", "calendar-bikes"} <= set(made.pages["runs.html"].figures)


def test_arrivals_are_all_events_of_silver(made, first_published):
    silver = Lake(first_published).read("silver_bikes", columns=["path", "line"])
    assert sum(int(row["events"]) for row in made.rows("stream-bikes.html", "arrivals")) == len(silver)


def test_windows_on_time_are_counted_as_the_table_has_them(made, first_published):
    table = Lake(first_published).read("bikes_daily")
    late = table.filter(pc.field("pane") == "late")
    identity = list(registry.query("bikes_daily").window_identity)
    windows, changed = (rows.group_by(identity).aggregate([]).num_rows for rows in (table, late))
    counted = made.rows("query-bikes_daily.html", "completeness")
    assert sum(int(row["windows"]) for row in counted) == windows
    right = sum(int(row["windows"]) for row in counted if "late" not in row["panes"])
    assert right == windows - changed > 0


def test_the_slider_has_every_revision_of_its_windows(made, first_published):
    table = Lake(first_published).read("bikes_daily").to_pylist()
    shown = made.rows("query-bikes_daily.html", "known-at")
    windows = {(row["key"], row["window_start"]) for row in shown}
    identities = [(str(row["start_station_id"]), f"{row['window_start']:%Y-%m-%dT%H:%M:%SZ}") for row in table]
    of_these = [each for each in identities if each in windows]
    assert len(shown) == len(of_these) > len(windows) > 0
    # In Vega's words: any other is true.
    assert {row["is_final"] for row in shown} == {"true", "false"}
    assert sum(row["is_final"] == "true" for row in shown) == len(windows)


def test_windows_that_were_all_known_at_once_have_a_slider_of_one_moment(tmp_path):
    config = Config(tmp_path / "home", tmp_path / "landing")
    write_days(config, ROWS[:1])
    spec = built(config, tmp_path / "report").pages["query-bikes_demand.html"].specs["known-at"]
    [moments] = (each["value"] for each in spec["params"] if each["name"] == "moments")
    assert [text for _, text in moments] == ["2018-10-01 21:00"]  # New York's


def test_counts_have_whole_ticks():
    rows = [{"day": day, "count": count} for day, count in (("a", 1), ("b", 2))]
    x, y = alt.X("day:N"), alt.Y("count:Q", scale=alt.Scale(zero=False), axis=count_axis())
    drawn = vl_convert.vegalite_to_svg(chart(rows).mark_point().encode(x=x, y=y).to_dict())
    assert re.findall(r">([\d.]+)</text>", drawn) == ["1", "2"]


def test_a_null_key_is_another_than_the_word_null():
    query = ask(session(HOUR), key=("a", "b"))
    keys = [("null", "x"), (None, "x"), ("y", None)]
    values = ", ".join(map(str, keys)).replace("None", "NULL")
    shown = duckdb.sql(f"SELECT {key_label(query)} FROM (VALUES {values}) AS rows(a, b)").fetchall()
    assert [text for (text,) in shown] == ["'null' · x", "null · x", "y · null"]


def test_the_calendar_has_each_published_day_as_done(made):
    days = {(row["query"], row["day"]): row["state"] for row in made.rows("runs.html", "calendar-bikes")}
    assert {query for query, _ in days} == set(QUERIES)
    assert set(days.values()) == {"done"}


def test_lineage_lists_every_table_with_units(made, first_published):
    shown = made.pages["lineage.html"].shown
    names = [name for name in Lake(first_published).names() if not name.endswith("_audit")]
    assert [name for name in names if f"{name}: " not in shown] == []
    assert "trip_duration_s int64 s" in shown.replace("long", "int64")


def test_the_search_finds_every_table_and_column_where_it_is_listed(made, first_published):
    text = (made.folder / "search.js").read_text()
    found = {name: address for name, address, _ in json.loads(text[text.index("[") : text.rindex("]") + 1])}
    lake = Lake(first_published)
    names = [name for name in lake.names() if not name.endswith("_audit")]
    columns = {f"{name}.{column}" for name in names for column in lake.dataset(name).schema.names}
    assert {*names, *columns, "bikes_daily", "Lineage"} <= found.keys()
    for page, _, name in (address.partition("#") for address in found.values()):
        assert name in made.pages[page].names | {""}


def test_the_overview_says_of_each_query_what_it_asks_and_its_windows(made):
    shown = made.pages["index.html"].shown
    assert "Demand per start station: the last day, every five minutes. bikes days that slide by 5 minutes" in shown


def test_no_line_of_a_table_ends_within_a_date(made):
    for name in ("index.html", "runs.html", "query-bikes_daily.html"):
        cells = re.findall(r"<td.*?</td>", (made.folder / name).read_text())
        within_dates = [re.sub(r'<span class="when">.*?</span>', "", cell) for cell in cells]
        assert cells != within_dates and not [cell for cell in within_dates if re.search(r"\d{4}-\d\d-\d\d", cell)]


def test_an_empty_lake_says_the_next_three_commands(empty):
    shown = empty.pages["index.html"].shown
    assert all(f"windrow {each}" in shown for each in ("ingest STREAM", "backfill --stream STREAM", "report"))
    assert "windrow ingest bikes" in empty.pages["stream-bikes.html"].shown
    for name in ("bikes_daily", "farm_bikes_anomalies"):
        assert f"windrow replay {name} --day YYYY-MM-DD" in empty.pages[f"query-{name}.html"].shown


def test_a_broken_definition_is_named_with_its_line(tmp_path):
    broken = BrokenDefinition("examples/queries/half.py", 3, "no stream is named 'bike'")
    registry.broken_queries()["half"] = broken
    try:
        made = built(Config(tmp_path / "home", tmp_path / "landing"), tmp_path / "report")
    finally:
        del registry.broken_queries()["half"]
    for page in ("index.html", "queries.html"):
        assert "examples/queries/half.py:3: no stream is named 'bike'" in made.pages[page].shown


@pytest.mark.nightly
def test_a_damaged_table_spoils_its_own_page_only(published, tmp_path):
    for file in Lake(published).files("bikes_daily"):
        Path(file).write_bytes(b"no Parquet")
    made = built(published, tmp_path / "report")
    assert made.report.not_made == ["query-bikes_daily.html"]
    assert "windrow repair bikes_daily" in made.pages["query-bikes_daily.html"].shown
    assert made.pages["query-bikes_demand.html"].figures


def test_each_report_has_the_curves_of_the_newest_days_and_makes_them_when_these_change(ingested, tmp_path):
    folder = tmp_path / "report"
    page = built(ingested, folder).pages["lateness.html"]
    assert {"curve-bikes_demand", "delay-bikes_demand", "curve-bikes_daily"} <= set(page.figures)
    kept = json.loads((folder / "lateness.json").read_text())
    days = [date.fromisoformat(kept["bikes_demand"]["rows"][0][f"{end}_arrival_day"]) for end in ("first", "last")]
    [found] = whatif(ingested, "bikes_demand", days)
    assert in_words(timedelta(microseconds=found.recommended_us)) in page.shown
    kept["bikes_daily"]["rows"][0]["late_events"] = 987_654
    (folder / "lateness.json").write_text(json.dumps(kept))
    shown = built(ingested, folder).pages["lateness.html"].shown
    assert "987,654" in shown and "made by windrow whatif bikes_demand" in shown


def test_lines_that_were_refused_are_shown_and_cannot_steer_a_page(ingested, tmp_path):
    hostile = "</script><script src=//elsewhere.example/x.js></script>\u202e\x1b"
    table = Lake(ingested).read("quarantine_bikes").schema
    of_record = {"path": "bikes/x.csv", "line": 1, "reading": 0, "reason": "unreadable", "text": hostile}
    row = dict.fromkeys(table.names) | of_record | {"records": 1, "definition": "x"}
    write_deltalake(str(Lake(ingested).folder("quarantine_bikes")), pa.Table.from_pylist([row], table), mode="append")
    made = built(ingested, tmp_path / "report")
    text = (made.folder / "stream-bikes.html").read_text()
    assert hostile[:30] not in text and "\u202e" not in text and "\x1b" not in text
    shown = made.pages["stream-bikes.html"].shown
    assert "\\u202e" in shown and "unreadable bikes/x.csv:1" in shown
