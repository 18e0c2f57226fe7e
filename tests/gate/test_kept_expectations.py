"""The project of Great Expectations in the home: suites kept and renewed, results kept, and pages of both."""

import json
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from pipelines.config import MOST_WAIT, REPOSITORY, Config
from pipelines.gate import data_docs, project, validation_results
from pipelines.gate.validation_results import LOCK, kept, page, remove_replaced, run_name
from pipelines.lake.arrival_days import ArrivalDays
from pipelines.lake.lake import Lake
from pipelines.lake.locks import locked_here
from pipelines.ledger.entry import Run
from schemas.errors import NotSetUp, StorageFailed
from schemas.expectations import DayOfTable, at_least, silver_expectations
from schemas.ledger_tables import VERDICTS
from tests.support.lakes import gate_of
from tests.support.small_lake import DAYS, STREAM, SmallLake, asked, choose, make_lake, random_events

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(5)]

NOW, HOUR = timedelta(0), timedelta(hours=1)
RUN = "scheduled__2024-03-10T00:00:00+00:00"
SUITES = ("asked_audit", "asked_late_audit", f"silver_{STREAM.name}")


@pytest.fixture
def made(tmp_path) -> SmallLake:
    events = [event for event in random_events(seed=5) if event["key"] is not None]
    return make_lake(Config(tmp_path, tmp_path), asked(), events, constrained=False)


def check_silver(made: SmallLake, day=DAYS[1], run_id: str = RUN, events: int | None = None) -> list:
    lake = Lake(made.config).committing(run_id=run_id)
    days = made.arrival_days
    if events is not None:
        days = ArrivalDays({**days.by_date, day: days.by_date[day]._replace(events=events)})
    return gate_of(lake).check_silver(made.tables.source, made.snapshot, days, [day])[day]


def check_audit(made: SmallLake) -> list:
    lake = Lake(made.config).committing(run_id=RUN)
    return gate_of(lake).check_audit(made.audited(DAYS[1]))[DAYS[1]]


def below(made: SmallLake, pattern: str) -> list[Path]:
    return sorted(made.config.expectations.glob(pattern))


def suite(made: SmallLake, table: str) -> dict:
    return json.loads(Path(made.config.expectations, "suites", f"{table}.json").read_text())


def files_of(found: list) -> list[str]:
    return list(dict.fromkeys(verdict.validation for verdict in found if verdict.validation))


class TestSuites:
    def test_each_table_has_a_suite_a_validation_definition_and_a_checkpoint(self, made):
        check_silver(made), check_audit(made)
        for folder in ("suites", "validation_definitions", "checkpoints"):
            assert [path.stem for path in below(made, f"{folder}/*.json")] == sorted(SUITES)
        names = [each["meta"]["name"] for each in suite(made, SUITES[2])["expectations"]]
        assert names == [each.name for each in silver_expectations(STREAM, DAYS[1], 0)]

    def test_a_suite_is_of_every_day_and_what_differs_is_a_parameter(self, made):
        check_silver(made)
        before = suite(made, SUITES[2])
        check_silver(made, DAYS[2])
        assert suite(made, SUITES[2]) == before
        [inside] = [each for each in before["expectations"] if "day_begins" in str(each["kwargs"])]
        rows = before["expectations"][-1]
        assert inside["kwargs"]["min_value"] == {"$PARAMETER": "day_begins"}
        assert rows["kwargs"] == {"value": {"$PARAMETER": "rows_noted"}}

    def test_a_changed_definition_renews_its_suite_and_no_other(self, made, monkeypatch):
        check_silver(made), check_audit(made)
        others = {table: suite(made, table) for table in SUITES[:2]}
        rows = DayOfTable(f"silver_{STREAM.name}", "arrival_date", DAYS[1])
        reverse = at_least(rows, "start", "end", or_equal=False)
        monkeypatch.setattr("pipelines.gate.gate.silver_expectations", lambda stream, day, events: (reverse,))
        assert not check_silver(made)[0].passed
        assert [each["kwargs"]["column"] for each in suite(made, SUITES[2])["expectations"]] == ["start_is_above_end"]
        assert {table: suite(made, table) for table in SUITES[:2]} == others
        monkeypatch.undo()
        assert all(verdict.passed for verdict in check_silver(made))

    def test_a_project_whose_making_was_cut_off_is_made_anew(self, made):
        check_silver(made)
        for name in ("great_expectations.yml", f"suites/{SUITES[2]}.json"):
            file = made.config.expectations / name
            file.write_text(file.read_text()[:20])
        (made.config.expectations / "made_of.json").unlink()
        assert all(verdict.passed for verdict in check_silver(made))

    @pytest.mark.parametrize("content", [b"", b"\xff\x00", b"[]", b"null", b'{"suites": {}}', b'{"project": 1'])
    def test_a_project_whose_note_is_damaged_is_made_anew(self, made, content):
        check_silver(made)
        (made.config.expectations / "made_of.json").write_bytes(content)
        assert all(verdict.passed for verdict in check_silver(made))

    def test_a_project_of_another_library_is_made_anew(self, made, monkeypatch):
        check_silver(made), check_audit(made)
        monkeypatch.setattr(project.gx, "__version__", "another")
        assert all(verdict.passed for verdict in check_silver(made))
        assert [path.stem for path in below(made, "suites/*.json")] == [SUITES[2]]

    @pytest.mark.parametrize("file", ["great_expectations.yml", f"suites/{SUITES[2]}.json", "checkpoints/*.json"])
    def test_a_damaged_project_is_reported_with_what_to_do(self, made, file):
        check_silver(made)
        below(made, file)[0].write_text("stores: [")
        with pytest.raises(StorageFailed) as raised:
            check_silver(made)
        Path(re.search(r"remove (\S+made_of.json),", str(raised.value))[1]).unlink()
        assert all(verdict.passed for verdict in check_silver(made))
        assert len(list(kept(made.config))) == 2


class TestResults:
    def test_verdicts_name_the_file_of_their_result_and_laws_have_none(self, made):
        found = check_silver(made)
        (file,) = files_of(found)
        assert [each.validation for each in found[-2:]] == [None, None]
        result = json.loads((made.config.expectations / file).read_text())
        assert result["meta"]["run_id"]["run_name"] == RUN
        assert result["suite_name"] == SUITES[2] and result["success"]
        assert len(result["results"]) == len(found) - 2
        markers = result["meta"]["batch_markers"]
        assert (markers["run"], markers["day"]) == (RUN, str(DAYS[1]))
        assert markers["version"] == Lake(made.config).version(SUITES[2])

    def test_the_gate_s_two_tables_have_a_result_each_and_the_ledger_names_both(self, made):
        run = Run(RUN, STREAM.name, made.query.name, DAYS[1])
        found = gate_of(Lake(made.config)).record_audit(run, made.audited(DAYS[1]))[DAYS[1]]
        written = {row["check_name"]: row["validation"] for row in Lake(made.config).read(VERDICTS.name).to_pylist()}
        assert set(written.values()) == {*files_of(found), None}
        assert [Path(file).parts[1] for file in files_of(found)] == ["asked_audit", "asked_late_audit"]

    def test_a_result_that_failed_is_kept_too(self, made):
        found = check_silver(made, events=3)
        result = json.loads((made.config.expectations / files_of(found)[0]).read_text())
        assert [each["expectation_config"]["meta"]["name"] for each in result["results"] if not each["success"]] == [
            "as many rows as ingest noted"
        ]

    @pytest.mark.nightly
    def test_processes_that_validate_at_the_same_time_each_keep_their_result(self, tmp_path):
        code = (
            "import sys; from pathlib import Path; from datetime import date; import pandas as pd\n"
            "from pipelines.config import Config; from pipelines.gate.project import TableBatch, run_checkpoint\n"
            "from pipelines.lake.engine import Frames\n"
            "from schemas.expectations import NOT_NULL, Expectation\n"
            "home, table = Path(sys.argv[1]), sys.argv[2]\n"
            "asked = [Expectation(table, 'a is not null', NOT_NULL, ('a',), {'column': 'a'}, '', '')]\n"
            "for _ in range(5):\n"
            "    batch = TableBatch('one run', table, 0, date(2024, 3, 9))\n"
            "    frame = Frames('pandas', [pd.DataFrame({'a': [1]})])\n"
            "    assert run_checkpoint(Config(home, home), batch, asked, frame).result.success\n"
        )
        words = [[sys.executable, "-c", code, str(tmp_path), table] for table in ("one", "one", "two")]
        started = [subprocess.Popen(each, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) for each in words]
        assert [process.communicate()[1] for process in started] == ["", "", ""]
        results = list(kept(Config(tmp_path, tmp_path)))
        assert sorted(result.about.table for result in results) == ["one"] * 10 + ["two"] * 5

    def test_results_that_newer_ones_replaced_go_once_they_are_old(self, made):
        check_audit(made)
        files = {day: [files_of(check_silver(made, day, f"run {n}"))[0] for n in range(3)] for day in DAYS[:2]}
        data_docs.build(made.config)
        assert remove_replaced(made.config, HOUR, dry_run=False) == 0
        assert remove_replaced(made.config, NOW, dry_run=True) == 4 and len(list(kept(made.config))) == 8
        assert remove_replaced(made.config, NOW, dry_run=False) == 4
        left = {str(result.path.relative_to(made.config.expectations)) for result in kept(made.config)}
        assert {each for each in left if "silver" in each} == {files[DAYS[0]][2], files[DAYS[1]][2]}
        assert len(left) == 2 + 2
        assert not page(made.config, files[DAYS[0]][0]).exists() and page(made.config, files[DAYS[0]][2]).exists()
        assert data_docs.build(made.config)[1:] == (4, 0)
        assert files[DAYS[0]][0] not in validation_results.index(made.config).read_text()

    def test_the_newest_that_passed_stays_though_newer_ones_failed(self, made):
        noted = made.arrival_days.events(DAYS[1])
        files = [files_of(check_silver(made, events=each))[0] for each in (noted, noted, 3, 3)]
        assert remove_replaced(made.config, NOW, dry_run=False) == 2
        assert {each for each in files if (made.config.expectations / each).exists()} == {files[1], files[3]}

    def test_what_killed_processes_left_is_no_damage(self, made):
        file = made.config.expectations / files_of(check_silver(made))[0]
        unfinished = file.with_suffix(".json.1.unfinished")
        unfinished.touch()
        result = json.loads(file.read_text())
        del result["meta"]["batch_markers"]["day"]
        file.write_text(json.dumps(result))
        assert remove_replaced(made.config, NOW, dry_run=True) == 0 and unfinished.exists()
        assert remove_replaced(made.config, NOW, dry_run=False) == 0 and not unfinished.exists()
        assert data_docs.build(made.config)[1:] == (1, 1)

    @pytest.mark.parametrize("run_id", [RUN, "manual_1", "a" * 100])
    def test_a_plain_run_id_is_the_result_s_run_name(self, run_id):
        assert run_name(run_id) == run_id

    @pytest.mark.parametrize(
        "run_id", ["", ".", "..", "a/b", "../../x", "a" * 101, "a\nb", "<b>", "ü", "a b", "\udc80"]
    )
    def test_any_other_run_id_becomes_a_folder_s_name_of_its_own(self, made, run_id):
        name = run_name(run_id)
        assert run_name(name) == name != run_name(run_id + "!")
        assert Path("x", name).name == name and len(name.encode()) < 100


class TestPages:
    def test_before_anything_was_validated_it_says_what_to_do(self, made):
        with pytest.raises(NotSetUp, match="windrow replay"):
            data_docs.build(made.config)

    def test_each_suite_and_each_result_has_a_page_that_the_index_leads_to(self, made):
        files = [*files_of(check_silver(made)), *files_of(check_audit(made))]
        built = data_docs.build(made.config)
        assert built[1:] == (3, 3)
        links = re.findall(r'href="([^"]+)"', built.first_page.read_text())
        targets = {(built.first_page.parent / link.replace("%3A", ":").replace("%2B", "+")) for link in links}
        assert all(target.exists() for target in targets)
        assert {page(made.config, file) for file in files} <= targets
        assert {built.first_page.parent / f"expectations/{table}.html" for table in SUITES} <= targets
        assert "SELECT * FROM verdicts" in built.first_page.read_text()

    def test_a_page_is_made_once(self, made):
        first = files_of(check_silver(made))[0]
        data_docs.build(made.config)
        made_first = page(made.config, first).stat().st_mtime_ns
        check_silver(made, DAYS[2])
        assert data_docs.build(made.config)[1:] == (2, 1)
        assert page(made.config, first).stat().st_mtime_ns == made_first

    def test_a_page_needs_nothing_from_elsewhere_and_runs_nothing(self, made):
        row = choose(made.rows(made.tables.audit), lambda row: row["emitted_date"] == DAYS[1])
        made.change(made.tables.audit, row, pane="<script>alert(1)</script><img src=x>")
        failing = page(made.config, files_of(check_audit(made))[0])
        data_docs.build(made.config)
        assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x&gt;" in failing.read_text()
        for each in below(made, "data_docs/**/*.html"):
            text = each.read_text()
            assert "Content-Security-Policy\" content=\"default-src 'none'" in text
            assert not re.search(r"<(script|img|link|iframe)|\bon\w+=|(src|href)=.(https?:)?//|@import|url\(", text)

    def test_a_result_that_is_no_result_is_named(self, made):
        file = made.config.expectations / files_of(check_silver(made))[0]
        file.write_text("{}")
        for read in (data_docs.build, lambda config: remove_replaced(config, NOW, dry_run=False)):
            with pytest.raises(StorageFailed, match=re.escape(str(file))):
                read(made.config)


def test_a_gate_that_keeps_results_holds_no_pages_up(tmp_path, monkeypatch):
    monkeypatch.setenv(MOST_WAIT, "0")
    config = Config(tmp_path, tmp_path)
    with locked_here(config, LOCK, shared=True), pytest.raises(NotSetUp, match="no validation results yet"):
        data_docs.build(config)
