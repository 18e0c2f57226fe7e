"""What stays of Great Expectations: results of validations, and pages of suites and of results."""

import errno
import gc
import json
import os
import re
import subprocess
import sys
import weakref
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest

from tests.support.lakes import gate_of
from tests.support.small_lake import DAYS, STREAM, SmallLake, asked, choose, make_lake, random_events
from windrow.pipelines.config import MOST_WAIT, REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.locks import locked_here
from windrow.pipelines.gate import validation, validation_results
from windrow.pipelines.gate.validation import validated
from windrow.pipelines.gate.validation_results import LOCK, keep, kept, name_of, page, remove_replaced, run_name
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp, StorageFailed
from windrow.schemas.expectations import NOT_NULL, DayOfTable, Expectation, at_least, silver_expectations
from windrow.schemas.ledger_tables import VERDICTS

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(5)]

NOW, HOUR = timedelta(0), timedelta(hours=1)
RUN = "scheduled__2024-03-10T00:00:00+00:00"
SILVER = f"silver_{STREAM.name}"
SUITES = ("asked_audit", "asked_late_audit", SILVER)


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


def result_without_rows() -> dict:
    """As much of a result as is asked for."""
    return {"meta": {"batch_markers": None}, "success": True}


def full_disk(*given: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def files_of(found: list) -> list[str]:
    return list(dict.fromkeys(verdict.validation for verdict in found if verdict.validation))


class TestSuites:
    def test_a_changed_definition_is_asked_from_then_on(self, made, monkeypatch):
        assert all(verdict.passed for verdict in check_silver(made))
        rows = DayOfTable(SILVER, "arrival_date", DAYS[1])
        reverse = at_least(rows, "start", "end", or_equal=False)
        monkeypatch.setattr("windrow.pipelines.gate.gate.silver_expectations", lambda stream, day, events: (reverse,))
        assert not check_silver(made)[0].passed
        monkeypatch.undo()
        assert all(verdict.passed for verdict in check_silver(made))

    def test_a_suite_is_of_every_day(self):
        first, second = (
            [(each.name, each.kind, each.parameters, each.computed) for each in of_day]
            for of_day in (silver_expectations(STREAM, DAYS[0], 1), silver_expectations(STREAM, DAYS[1], 2))
        )
        assert first == second

    def test_the_library_keeps_no_frame(self):
        frame = pd.DataFrame({"a": [1]})
        known = weakref.ref(frame)
        validated([Expectation("t", "n", NOT_NULL, {"column": "a"}, "", "")], iter([frame]), 0)
        del frame
        gc.collect()
        assert known() is None

    def test_where_no_day_has_to_be_checked_the_library_is_not_imported(self, made, monkeypatch):
        monkeypatch.delattr("windrow.pipelines.gate.validation", raising=False)
        monkeypatch.setitem(sys.modules, "windrow.pipelines.gate.validation", None)
        gate = gate_of(Lake(made.config))
        assert gate.check_silver(made.tables.source, made.snapshot, made.arrival_days, []) == {}
        with pytest.raises(ImportError):
            check_silver(made)


class TestResults:
    def test_verdicts_name_the_file_of_their_result_also_of_one_that_failed_and_laws_have_none(self, made):
        for events, failing in ((None, []), (3, ["as many rows as ingest noted"])):
            found = check_silver(made, events=events)
            (file,) = files_of(found)
            assert [each.validation for each in found[-2:]] == [None, None]
            result = json.loads((made.config.expectations / file).read_text())
            names = [name_of(each) for each in result["results"] if not each["success"]]
            assert (result["meta"]["run_id"]["run_name"], result["suite_name"]) == (RUN, SILVER)
            assert (result["success"], names, len(result["results"])) == (not failing, failing, len(found) - 2)
            markers = result["meta"]["batch_markers"]
            assert (markers["run"], markers["days"]) == (RUN, [str(DAYS[1])])
            assert markers["version"] == Lake(made.config).version(SILVER)

    def test_the_gate_s_two_tables_have_a_result_each_and_the_ledger_names_both(self, made):
        run = Run(RUN, STREAM.name, made.query.name, DAYS[1])
        found = gate_of(Lake(made.config)).record_audit(run, made.audited(DAYS[1]))[DAYS[1]]
        written = {row["check_name"]: row["validation"] for row in Lake(made.config).read(VERDICTS.name).to_pylist()}
        assert set(written.values()) == {*files_of(found), None}
        assert [Path(file).parts[1] for file in files_of(found)] == ["asked_audit", "asked_late_audit"]

    @pytest.mark.nightly
    def test_processes_that_validate_at_the_same_time_each_keep_their_result(self, tmp_path):
        code = (
            "import sys; from pathlib import Path; from datetime import date; import pandas as pd\n"
            "from windrow.pipelines.config import Config; from windrow.pipelines.gate.validation import validated\n"
            "from windrow.pipelines.gate.validation_results import keep\n"
            "from windrow.schemas.expectations import NOT_NULL, Expectation\n"
            "home, table = Path(sys.argv[1]), sys.argv[2]\n"
            "asked = [Expectation(table, 'a is not null', NOT_NULL, {'column': 'a'}, '', '')]\n"
            "for _ in range(5):\n"
            "    found = validated(asked, [pd.DataFrame({'a': [1]})], 0)\n"
            "    days = [date(2024, 3, 9)]\n"
            "    assert found['success'] and keep(Config(home, home), 'one run', table, 0, days, found)\n"
        )
        words = [[sys.executable, "-c", code, str(tmp_path), table] for table in ("one", "one", "two")]
        started = [subprocess.Popen(each, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) for each in words]
        assert [process.communicate()[1] for process in started] == ["", "", ""]
        results = list(kept(Config(tmp_path, tmp_path)))
        assert sorted(result.table for result in results) == ["one"] * 10 + ["two"] * 5

    def test_results_that_newer_ones_replaced_go_once_they_are_old(self, made):
        check_audit(made)
        files = {day: [files_of(check_silver(made, day, f"run {n}"))[0] for n in range(3)] for day in DAYS[:2]}
        validation.build(made.config)
        assert remove_replaced(made.config, HOUR, dry_run=False) == 0
        assert remove_replaced(made.config, NOW, dry_run=True) == 4 and len(list(kept(made.config))) == 8
        assert remove_replaced(made.config, NOW, dry_run=False) == 4
        left = {str(result.path.relative_to(made.config.expectations)) for result in kept(made.config)}
        assert {each for each in left if "silver" in each} == {files[DAYS[0]][2], files[DAYS[1]][2]}
        assert len(left) == 2 + 2
        assert not page(made.config, files[DAYS[0]][0]).exists() and page(made.config, files[DAYS[0]][2]).exists()
        assert validation.build(made.config)[1:] == (4, 0)
        assert files[DAYS[0]][0] not in validation_results.index(made.config).read_text()

    def test_the_newest_that_passed_stays_though_newer_ones_failed(self, made):
        noted = made.arrival_days.events(DAYS[1])
        files = [files_of(check_silver(made, events=each))[0] for each in (noted, noted, 3, 3)]
        assert remove_replaced(made.config, NOW, dry_run=False) == 2
        assert {each for each in files if (made.config.expectations / each).exists()} == {files[1], files[3]}

    @pytest.mark.parametrize("days_were_validated_together", [True, False])
    def test_a_result_stays_while_it_is_the_newest_of_one_of_its_days(self, made, days_were_validated_together):
        """Also one from before days were validated together, which names its day otherwise."""
        days = (DAYS[:2], DAYS[1:], DAYS[:1]) if days_were_validated_together else (DAYS[:1], DAYS[1:2], DAYS[1:])
        files = [keep(made.config, RUN, SILVER, 0, each, result_without_rows()) for each in days]
        for file, day in zip(files[:2], DAYS, strict=False) if not days_were_validated_together else ():
            path = made.config.expectations / file
            result = json.loads(path.read_text())
            del result["meta"]["batch_markers"]["days"]
            result["meta"]["batch_markers"]["day"] = str(day)
            path.write_text(json.dumps(result))
        assert remove_replaced(made.config, NOW, dry_run=False) == 1
        left = [(made.config.expectations / file).exists() for file in files]
        assert left == ([False, True, True] if days_were_validated_together else [True, False, True])

    def test_a_full_disk_is_reported_and_leaves_nothing(self, made, monkeypatch):
        monkeypatch.setattr(Path, "rename", full_disk)
        with pytest.raises(StorageFailed, match="no space to write"):
            keep(made.config, RUN, SILVER, 0, DAYS[:1], result_without_rows())
        assert not [path for path in made.config.expectations.rglob("*") if path.is_file()]

    def test_what_killed_processes_left_is_no_damage(self, made):
        file = made.config.expectations / files_of(check_silver(made))[0]
        unfinished = file.with_suffix(".json.1.unfinished")
        unfinished.touch()
        result = json.loads(file.read_text())
        del result["meta"]["batch_markers"]["days"]
        file.write_text(json.dumps(result))
        assert remove_replaced(made.config, NOW, dry_run=True) == 0 and unfinished.exists()
        assert remove_replaced(made.config, NOW, dry_run=False) == 0 and not unfinished.exists()
        assert validation.build(made.config)[1:] == (1, 1)

    @pytest.mark.parametrize(
        "run_id", ["", ".", "..", "a/b", "../../x", "a" * 101, "a\nb", "<b>", "ü", "a b", "\udc80"]
    )
    def test_a_run_id_that_is_not_plain_becomes_a_folder_s_name_of_its_own(self, run_id):
        assert [run_name(plain) for plain in (RUN, "manual_1", "a" * 100)] == [RUN, "manual_1", "a" * 100]
        name = run_name(run_id)
        assert run_name(name) == name != run_name(run_id + "!")
        assert Path("x", name).name == name and len(name.encode()) < 100


class TestPages:
    def test_each_suite_and_each_result_has_a_page_that_the_index_leads_to(self, made, monkeypatch):
        monkeypatch.setitem(registry.queries(), made.query.name, made.query)
        files = [*files_of(check_silver(made)), *files_of(check_audit(made))]
        built = validation.build(made.config)
        assert built[1:] == (3, 3)
        links = re.findall(r'href="([^"]+)"', built.first_page.read_text())
        targets = {(built.first_page.parent / link.replace("%3A", ":").replace("%2B", "+")) for link in links}
        assert all(target.exists() for target in targets)
        assert {page(made.config, file) for file in files} <= targets
        assert {built.first_page.parent / f"expectations/{table}.html" for table in SUITES} <= targets
        assert "SELECT * FROM verdicts" in built.first_page.read_text()

    def test_a_page_is_made_once(self, made):
        first = files_of(check_silver(made))[0]
        validation.build(made.config)
        made_first = page(made.config, first).stat().st_mtime_ns
        check_silver(made, DAYS[2])
        assert validation.build(made.config)[1:] == (2, 1)
        assert page(made.config, first).stat().st_mtime_ns == made_first

    def test_a_page_needs_nothing_from_elsewhere_and_runs_nothing(self, made):
        row = choose(made.rows(made.tables.audit), lambda row: row["emitted_date"] == DAYS[1])
        made.change(made.tables.audit, row, pane="<script>alert(1)</script><img src=x>")
        failing = page(made.config, files_of(check_audit(made))[0])
        validation.build(made.config)
        assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x&gt;" in failing.read_text()
        for each in made.config.expectations.glob("data_docs/**/*.html"):
            text = each.read_text()
            assert "Content-Security-Policy\" content=\"default-src 'none'" in text
            assert not re.search(r"<(script|img|link|iframe)|\bon\w+=|(src|href)=.(https?:)?//|@import|url\(", text)

    def test_a_result_that_is_no_result_is_named(self, made):
        file = made.config.expectations / files_of(check_silver(made))[0]
        file.write_text("{}")
        for read in (validation.build, lambda config: remove_replaced(config, NOW, dry_run=False)):
            with pytest.raises(StorageFailed, match=re.escape(str(file))):
                read(made.config)


def test_a_gate_that_keeps_results_holds_no_pages_up_and_before_any_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv(MOST_WAIT, "0")
    config = Config(tmp_path, tmp_path)
    with locked_here(config, LOCK, shared=True), pytest.raises(NotSetUp, match="no validation results.*windrow replay"):
        validation.build(config)
