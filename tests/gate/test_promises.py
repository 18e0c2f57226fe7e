"""What runs find of promises: a plain oracle's figures on random streams, and each seeded delay and loss within the run
of the day that shows it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest

from tests.support.oracle.history import history
from tests.support.oracle.oracle import lies_in, rolling_window, windows_of_event
from tests.support.small_lake import DAYS, FIRST_DAY, STREAM, SmallLake, asked, make_lake, random_events
from tests.support.small_windows import DAY, HOUR
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate import promises
from windrow.pipelines.gate.recount.plain.ticks import to_time, to_us
from windrow.pipelines.ledger.promises import KEPT, STILL_BROKEN, Judgement
from windrow.schemas.promise import Promise, promise
from windrow.schemas.query import Query, agg, tumbling

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(8)]

COMPLETE = promise(complete=0.9, within="90 min")
MOVES = [promise(final_moves_at_most=0.1, of=name) for name in ("n", "total", "mean")]
KINDS = ("tumbling", "sliding", "calendar day", "rolling", "rolling, closed left", "spanning", "prorated")
Figures = list[tuple[date, float | None, float | None]]
"""Of a day that was judged: what is measured, and what was before the run's day."""


def judged(made: SmallLake, *days: date) -> dict[date, list[Judgement]]:
    return promises.judge(Lake(made.config), made.audited(*days))


def figures(found: list[Judgement], of: Promise) -> Figures:
    return rounded((each.day, each.measured, each.before) for each in found if each.promise == of)


def rounded(found: Iterable[tuple]) -> Figures:
    return [(day, *(None if share is None else round(share, 9) for share in shares)) for day, *shares in found]


def ended(end: int) -> date:
    return to_time(end - 1).date()


def pairs(events: list[dict], query: Query, day: date) -> Iterator[tuple[date, date, bool]]:
    """Of each event that had arrived by the end of a day and each window that holds it: the day on which the window
    ended, that from which it counts, and whether the event came in time."""
    within = to_us(COMPLETE.within)
    known = [event for tick in history(events, query, False) for event in tick.burst]
    known = [event for event in known if to_time(event.arrival).date() <= day]
    for event in known:
        windows = windows_of_event(event, query) if query.window.kind != "rolling" else rolling(event, known, query)
        for _, end in windows:
            counts = max(ended(end + within), to_time(event.arrival).date())
            yield ended(end), counts, event.arrival <= end + within


def rolling(event, known: list, query: Query) -> set[tuple[int, int]]:
    found = {rolling_window(other.start, query) for other in known if other.key == event.key}
    return {window for window in found if lies_in(event, window, query)}


def complete(events: list[dict], query: Query, day: date) -> Figures:
    """What a run of a day finds, written as plainly as possible."""
    found = [each for each in pairs(events, query, day) if each[1] <= day]
    shares = []
    for of in sorted({each[0] for each in found if day - each[0] <= promises.days_back(query, COMPLETE) * DAY}):
        now = [in_time for ended, _, in_time in found if ended == of]
        before = [in_time for ended, counts, in_time in found if ended == of and counts < day]
        if len(now) > len(before):
            shares.append((of, sum(now) / len(now), sum(before) / len(before) if before else None))
    return shares


def moves(rows: list[dict], query: Query, of: Promise, day: date) -> Figures:
    """The same of how far the last values are from those on time."""
    windows: dict[tuple, list[dict]] = {}
    for row in rows:
        if row["emitted_date"] <= day:
            windows.setdefault(tuple(row[name] for name in query.window_identity), []).append(row)
    by_day: dict[date, list[list[dict]]] = {}
    for of_window in windows.values():
        by_day.setdefault(ended(to_us(of_window[0]["window_end"])), []).append(of_window)
    found = []
    for judged_day, of_day in sorted(by_day.items()):
        is_recent = day - judged_day <= promises.days_back(query, of) * DAY
        if is_recent and max(row["emitted_date"] for each in of_day for row in each) == day:
            known_before = [[row for row in each if row["emitted_date"] < day] for each in of_day]
            found.append((judged_day, moved(of_day, of.of), moved([each for each in known_before if each], of.of)))
    return found


def moved(windows: list[list[dict]], name: str) -> float | None:
    """Of the rows of windows."""
    if not windows:
        return None
    changes, total = 0.0, 0.0
    for rows in windows:
        on_time = next((row[name] or 0 for row in rows if row["pane"] == "on_time"), 0)
        newest = max(rows, key=lambda row: row["revision"])[name] or 0
        changes, total = changes + abs(newest - on_time), total + abs(newest)
    return changes / total if total else float(changes > 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_measured_is_what_the_oracle_measures_however_days_are_run(tmp_path, kind, seed):
    events, moving = random_events(seed), [each for each in MOVES if kind != "prorated" or each.of != "mean"]
    query = asked(kind, promises=(COMPLETE, *moving), where=(("whole", "!=", 3),) if seed else ())
    made = make_lake(Config(tmp_path, tmp_path), query, events)
    rows, together = made.rows(made.tables.audit), judged(made, *DAYS)
    Lake(made.config).ensure(made.tables.results)
    made.rewrite(made.tables.results, rows)
    for day in DAYS:
        alone = judged(made, day)[day]
        for of in (COMPLETE, *moving):
            expected = complete(events, query, day) if of == COMPLETE else moves(rows, query, of, day)
            assert figures(together[day], of) == figures(alone, of) == rounded(expected)
    assert any(each.before is not None for each in together[DAYS[-1]])


def test_windows_that_began_on_a_day_without_a_publication_move_nothing(tmp_path):
    events, query = random_events(2), asked(promises=tuple(MOVES))
    made = make_lake(Config(tmp_path, tmp_path), query, events)
    rows = [row for row in made.rows(made.tables.audit) if row["emitted_date"] > DAYS[0]]
    Lake(made.config).ensure(made.tables.results)
    made.rewrite(made.tables.results, rows)
    window = [(tuple(row[name] for name in query.window_identity), row["revision"]) for row in rows]
    begun = {of for of, revision in window if revision == 0}
    left = [row for row, (of, _) in zip(rows, window, strict=True) if of in begun]
    assert len(left) < len(rows)
    found = judged(made, DAYS[2])[DAYS[2]]
    for of in MOVES:
        assert figures(found, of) == rounded(moves(left, query, of, DAYS[2]))


def test_a_key_may_have_the_name_of_what_is_measured(tmp_path):
    columns = (replace(STREAM.columns[0], name="ended"), *STREAM.columns[1:])
    events = [{"ended": each["key"], **each} for each in random_events(3)]
    query = asked(key=("ended",), promises=tuple(MOVES))
    made = make_lake(Config(tmp_path, tmp_path), query, events, replace(STREAM, columns=columns, key=("ended",)))
    rows = made.rows(made.tables.audit)
    Lake(made.config).ensure(made.tables.results)
    made.rewrite(made.tables.results, rows)
    for of in MOVES:
        assert figures(judged(made, DAYS[2])[DAYS[2]], of) == rounded(moves(rows, query, of, DAYS[2]))


def test_several_windows_are_measured_together(tmp_path):
    events, windows = random_events(7), {"short": tumbling(2 * HOUR), "long": tumbling(6 * HOUR)}
    several = asked(window=None, windows=windows, promises=(COMPLETE,))
    made = make_lake(Config(tmp_path / "several", tmp_path), asked(promises=(COMPLETE,)), events)
    of_several = [each for part in several.parts.values() for each in pairs(events, part, DAYS[-1])]
    audited = made.audited(DAYS[-1])
    asked_of = replace(audited, tables=audited.tables._replace(query=several))
    for found in promises.judge(Lake(made.config), asked_of)[DAYS[-1]]:
        now = [in_time for of, counts, in_time in of_several if of == found.day and counts <= DAYS[-1]]
        assert found.measured == pytest.approx(sum(now) / len(now))


# A stream that comes as it should: one event an hour and key, none of them late.
KEYS, WEEK = ("a", "b", "c"), [FIRST_DAY + n * DAY for n in range(6)]
MIDNIGHT, MINUTE = datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=UTC), timedelta(minutes=1)
SPOILT = WEEK[2]
PROMISED = (
    promise(complete=0.99, within="1 h"),
    promise(final_moves_at_most=0.01, of="n"),
    promise(fresh_within="2 h"),
    promise(rows_between=(64, 80)),
)
HOURLY = asked(
    window=tumbling(HOUR),
    aggregates={"n": agg("count")},
    promises=PROMISED,
    lateness=HOUR / 4,
    allowed_lateness=2 * DAY,
)


def regular(chance: Random) -> list[dict]:
    first, found = random_events(0, count=2)[0], []
    for hour in range(24 * len(WEEK)):
        for key in KEYS:
            start = MIDNIGHT + hour * HOUR + chance.randrange(1, 40) * MINUTE
            arrival = start + chance.randrange(10) * MINUTE
            found.append({**first, "key": key, "start": start, "end": start, "arrival": arrival})
    return found


def of_file(event: dict, first_hour: int) -> bool:
    """Whether it came with the file of four hours of the day that is spoilt."""
    return event["start"].date() == SPOILT and first_hour <= event["start"].hour < first_hour + 4


def delayed(chance: Random, events: list[dict]) -> tuple[list[dict], set[str]]:
    hour, delay = chance.randrange(21), chance.randrange(120, 2_400) * MINUTE
    changed = [{**each, "arrival": each["arrival"] + delay} if of_file(each, hour) else each for each in events]
    return changed, {PROMISED[0].name}


def lost_file(chance: Random, events: list[dict]) -> tuple[list[dict], set[str]]:
    hour = chance.randrange(21)
    return [each for each in events if not of_file(each, hour)], {"rows", "fresh"}


def lost_events(chance: Random, events: list[dict]) -> tuple[list[dict], set[str]]:
    share = chance.uniform(0.25, 0.9)
    return [each for each in events if each["start"].date() != SPOILT or chance.random() > share], {"rows", "fresh"}


def lost_key(chance: Random, events: list[dict]) -> tuple[list[dict], set[str]]:
    key = chance.choice(KEYS)
    return [each for each in events if each["start"].date() != SPOILT or each["key"] != key], {"rows"}


def lost_day(_chance: Random, events: list[dict]) -> tuple[list[dict], set[str]]:
    return [each for each in events if each["start"].date() != SPOILT], {"rows", "fresh"}


DEFECTS = (delayed, lost_file, lost_events, lost_key, lost_day)


def week_of(folder, events: list[dict]) -> dict[date, list[Judgement]]:
    numbered = [{**each, "seq": ("probe/events.csv", number, 0)} for number, each in enumerate(events)]
    return judged(make_lake(Config(folder, folder), HOURLY, numbered), *WEEK)


@pytest.mark.parametrize("seed", range(4))
def test_a_stream_that_comes_as_it_should_keeps_every_promise(tmp_path, seed):
    found = week_of(tmp_path, regular(Random(seed)))
    assert [str(each) for of_day in found.values() for each in of_day if each.verdict != KEPT] == []
    assert {each.promise for of_day in found.values() for each in of_day} == {*PROMISED}


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_every_seeded_delay_and_loss_is_found_by_the_run_of_the_day_that_shows_it(tmp_path, defect, seed):
    """A delay shows when the events arrive; a loss when the day's windows pass, which those of its last hour do on the
    next."""
    chance = Random(f"{defect.__name__} {seed}")
    events, expected = defect(chance, regular(chance))
    found = week_of(tmp_path, events)
    of_file = [each["arrival"].date() for each in events if each["arrival"] - each["start"] > HOUR]
    shown = max(of_file, default=SPOILT)
    news = {day: {each.promise.name for each in of_day if each.is_news} for day, of_day in found.items()}
    assert not any(news[day] for day in WEEK if day < SPOILT)
    assert expected & set().union(*(news[day] for day in WEEK if SPOILT <= day <= shown)), news


def test_what_an_earlier_day_broke_is_no_news_and_stops_no_run(tmp_path):
    """A file comes a day late; the last of its events two days."""
    chance = Random(3)
    events = [{**each, "arrival": each["arrival"] + DAY} if of_file(each, 8) else each for each in regular(chance)]
    last = max((each for each in events if of_file(each, 8)), key=lambda each: each["start"])
    events = [{**each, "arrival": each["arrival"] + DAY} if each is last else each for each in events]
    found = week_of(tmp_path, events)
    of_spoilt = {day: {each.verdict for each in found[day] if each.day == SPOILT} for day in WEEK[3:5]}
    assert of_spoilt[WEEK[3]] >= {"warn"} and of_spoilt[WEEK[4]] == {STILL_BROKEN}


def test_a_day_on_which_nothing_arrived_has_no_rows_and_old_ones(tmp_path):
    made = make_lake(Config(tmp_path, tmp_path), HOURLY, random_events(1))
    lake, (after, yet_to_come) = Lake(made.config), (DAYS[-1] + 5 * DAY, date.today() + DAY)
    found = promises.judge_silent(lake, made.tables, [after, yet_to_come])
    assert [(each.promise.name, each.measured) for each in found[after]] == [("fresh", None), ("rows", 0)]
    assert found[yet_to_come] == [] and {each.verdict for each in found[after]} == {"warn"}
    lake.ensure(made.tables.results)
    made.rewrite(made.tables.results, made.rows(made.tables.audit))
    [fresh, _] = promises.judge_silent(lake, made.tables, [after])[after]
    newest = max(row["emitted_at"] for row in made.rows(made.tables.audit))
    assert timedelta(seconds=fresh.measured) == MIDNIGHT + (after - FIRST_DAY) + DAY - newest
