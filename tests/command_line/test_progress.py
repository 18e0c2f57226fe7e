"""Long work says how far it is: lines in a log, bars on a terminal, and never on stdout."""

from io import StringIO
from threading import Event

from rich.console import Console
from rich.progress import Progress

from pipelines import flow
from pipelines.cli._progress import StageBars, StageLines, progress, repeated


def test_in_a_log_each_stage_is_logged_once_as_it_begins(capsys):
    with progress() as show:
        show("replay")
        show("replay", 3, 10)
        show("gate")
    text = capsys.readouterr()
    assert isinstance(show, StageLines)
    assert text.err.splitlines() == [f"== replay: {flow.REPLAY.does}", f"== gate: {flow.GATE.does}"]
    assert text.out == ""


def test_a_detail_of_a_stage_is_a_line_within_its_section_and_what_is_no_stage_is_logged_as_it_is(capsys):
    with progress() as show:
        for text in ("other: 3", "bronze", "bronze: 3", "bronze: 3", "bronze", "silver", "silver: days"):
            show(text)
    of_stages = [f"== bronze: {flow.BRONZE.does}", "bronze: 3", f"== silver: {flow.SILVER.does}", "silver: days"]
    assert capsys.readouterr().err.splitlines() == ["== other: 3", *of_stages]


def test_on_a_terminal_each_stage_has_a_bar_which_shows_details_and_is_full_when_the_next_begins():
    bars = Progress(console=Console(file=StringIO(), force_terminal=True))
    show = StageBars(bars)
    show("silver")
    show("silver: quarantine")
    assert [task.description for task in bars.tasks] == ["silver: quarantine"]
    show("replay", 3, 10)
    show("gate")
    shown = [(task.description, task.completed, task.total) for task in bars.tasks]
    assert shown[1:] == [("replay", 10, 10), ("gate", 0, None)]


def test_a_log_says_again_and_again_how_far_the_work_is(capsys):
    lines, said = StageLines(), Event()

    def say():
        lines.go_on()
        said.set()

    lines.go_on()
    assert capsys.readouterr().err == "", "nothing has begun"
    lines("days of bikes_demand", 1, 677)
    lines("days of bikes_demand", 12, 677)
    with repeated(0.001, say):
        assert said.wait(60)
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert (first, second) == ("== days of bikes_demand", "days of bikes_demand: 12 of 677, 0 s so far")
