"""An edit makes stale what it can change: of a heavy function the models that ask it; of wording nothing."""

import pytest

from tests.schemas.test_broken_definitions import edit
from tests.support.checkout import copied
from windrow.kernels.runtime import cache
from windrow.pipelines.ledger import code_hash
from windrow.schemas import registry
from windrow.schemas.mistakes import file_of
from windrow.schemas.model import Model
from windrow.schemas.syntax import syntax_of

QUANTILES, ERRORS = f"{code_hash.HEAVY_FUNCTIONS}quantiles.py", "schemas/errors.py"
KIND, BOUNDS = "kernels/replay/window_kind.py", "kernels/bounds/__init__.py"
QUERY, POLICY = "examples/queries/bikes_demand.py", "examples/policies/until.py"
# By file: what stands there, and what may stand there instead.
WORDING = [
    (BOUNDS, "within the range of times.", "neither too short nor too long."),
    (BOUNDS, '"from 1 µs to 2**60 µs"', '"at least 1 µs"'),
    (KIND, 'f"at most {LONGEST_US} µs, about 36,533 years"', 'f"{LONGEST_US} µs or less"'),
    ("kernels/farm/farm.py", 'BadInput(f"at row', 'BadInput(f"in row'),
    (ERRORS, "took longer than most_seconds allows", "took too long"),
    (QUERY, "Demand per start station: ", "Trips of each start station: "),
    (QUERY, "99 % of New York's trips", "nearly all trips"),
    (QUERY, "window=sliding(size=timedelta(days=1), slide", "window=sliding(\n        size=timedelta( days=1 ), slide"),
    (POLICY, "anew.", "again."),
    (POLICY, "    is_full = ", "    # Full is full.\n\n    is_full = "),
    (QUANTILES, "the values at given shares", "values at shares"),
    (QUANTILES, '"numbers from 0.0 to 1.0, each of them once"', '"each once"'),
    (QUANTILES, "# + 0.0 makes 0.0 of −0.0", "# never −0.0"),
]
MEANING = [
    (BOUNDS, "0 < length_us", "0 <= length_us"),
    (KIND, "starts_us: np.ndarray | None = None", "starts_us: np.ndarray | None = NOTHING"),
    (ERRORS, "exit_code = 17", "exit_code = 71"),
    (QUERY, "minutes=5", "minutes=6"),
    (QUERY, 'agg("mean", "trip_duration_s")', 'agg("mean", "trip_duration")'),
    (QUERY, '"trips": agg', '"rides": agg'),
    (POLICY, 'total["tuples"] > most', 'total["tuples"] >= most'),
    (POLICY, "most: int, length_us: int", "most: int, length_us: int = 0"),
    (POLICY, 'agg("min", "start")', 'agg("min", "end")'),
    (QUANTILES, "position - place", "position + place"),
    (QUANTILES, "(0.5, 0.95, 0.99)", "(0.5, 0.95)"),
]
CHANGES = {KIND: "code", BOUNDS: "code", ERRORS: "code", QUERY: "bikes_demand", POLICY: "bikes_refill",
           QUANTILES: "farm_cdr_duration_quantiles"}  # fmt: skip


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the code, which is hashed instead of ours."""
    copied(tmp_path, *code_hash.ROOTS)
    monkeypatch.setattr(code_hash, "REPOSITORY", tmp_path)
    monkeypatch.setattr(registry, "ROOT", tmp_path / "schemas")
    for hashes in (code_hash, registry):
        monkeypatch.setattr(hashes, "source_of", lambda module: tmp_path / file_of(module))
    return tmp_path


def hashes() -> dict[str, str]:
    """Of each query, and of the code."""
    of_queries = {name: code_hash.definition_hash(query.stream, name) for name, query in registry.queries().items()}
    return {"code": code_hash.code_hash.__wrapped__(), **of_queries}


def changed(before: dict[str, str]) -> set[str]:
    return {name for name, found in hashes().items() if found != before[name]}


@pytest.mark.parametrize("file", ["quantiles", "_sorting", "of_my_own"])
def test_only_the_models_that_ask_it_are_of_another_definition(copy, file):
    models = {name for name, query in registry.queries().items() if isinstance(query, Model)}
    asking = {"quantiles": {"farm_cdr_duration_quantiles"}, "_sorting": models, "of_my_own": set()}[file]
    before = hashes()
    with (copy / code_hash.HEAVY_FUNCTIONS / f"{file}.py").open("a") as edited:
        edited.write("\nEDITED = True\n")
    assert changed(before) == asking


def test_other_comments_docstrings_spaces_and_texts_of_errors_make_nothing_stale(copy):
    before = hashes()
    for each in WORDING:
        edit(copy, *each)
        assert changed(before) == set(), each


def test_another_operator_constant_default_or_name_makes_stale_what_it_can_change(copy):
    for file, old, new in MEANING:
        before = hashes()
        edit(copy, file, old, new)
        assert changed(before) == {CHANGES[file]}, (file, old, new)


def test_what_is_saved_of_an_aggregate_outlives_a_comment_and_compiled_code_does_not(monkeypatch):
    def digests() -> tuple[str, str]:
        return tuple(of.__wrapped__(cache.AGGREGATES, "sum") for of in (cache.syntax_digest_of, cache.digest_of))

    (saved, compiled), ours = digests(), cache._sources(cache.AGGREGATES, "sum")
    monkeypatch.setattr(cache, "_sources", lambda *_: [(name, text + b"# reworded\n") for name, text in ours])
    assert digests()[0] == saved and digests()[1] != compiled
    monkeypatch.setattr(cache, "_sources", lambda *_: [(name, text + b"\nEDITED = True\n") for name, text in ours])
    assert digests()[0] != saved


def test_an_empty_file_gets_a_docstring():
    assert syntax_of(b"") == syntax_of(b"'What is here.'\n") != syntax_of(b"b'no docstring'\n")


@pytest.mark.parametrize(
    "one, other",
    [("def f(*, a): 1", "def f(*, a=None): 1"), ("x[1:]", "x[:1]"), ("x = 1", "x = True"), ("x = 1", "x = 1.0"),
     ("x = 'y'", "x = y"), ("x = 'y'", "x = b'y'"), ("{**a}", "{None: a}"), ("f(a)(b)", "f(a, b)"),
     ("x = f'{y}'", "x = f'{y}.'"), ("x: int", "x: float"), ("a if", "a if # broken")],
)  # fmt: skip
def test_codes_that_do_different_things_are_different(one, other):
    assert syntax_of(one.encode()) != syntax_of(other.encode())
