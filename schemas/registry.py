"""Finds streams, queries, models and feature sets by looking in their folders: a new one is a new file, and nothing
else. A model is a query too, named with a prefix. And whose tables of the lake are, by their names.

They load one by one: one that is broken harms itself, and those that need it, only. A caller that asks for it by name
gets BrokenDefinition; one that asks for all gets the others.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Generic, TypeVar

from windrow.schemas import project
from windrow.schemas.erased import erased_name
from windrow.schemas.errors import BrokenDefinition, NotSetUp, UnknownName
from windrow.schemas.feature_set import FeatureSet
from windrow.schemas.ledger_tables import LEDGER
from windrow.schemas.mistakes import load, names_in, source_of
from windrow.schemas.model import PREFIX, Model
from windrow.schemas.query import Query
from windrow.schemas.side_tables import lateness_name, nowcast_name, panes_name, state_name
from windrow.schemas.stream import Stream
from windrow.schemas.syntax import hash_of
from windrow.schemas.tables import ingest_tables
from windrow.schemas.validation import validate_query, validate_stream
from windrow.schemas.windows import require

T = TypeVar("T", Stream, Query, Model, FeatureSet)
ROOT = Path(__file__).parent
VIEWS = ("_final", "_as_of")  # of a query's table, in SQL


@dataclass(frozen=True)
class Definitions(Generic[T]):
    """Those of a folder, by name: each is either found or broken."""

    found: dict[str, T]
    broken: dict[str, BrokenDefinition]

    def named(self, kind: str, name: str, also_known: Sequence[str] = ()) -> T:
        """The definition of that name; BrokenDefinition if its file is, UnknownName without a file."""
        if name in self.broken:
            raise self.broken[name]
        if not self.found and project.root() is None:
            raise NotSetUp(
                f"this folder is in no project, and no {kind} is known", "windrow init FOLDER, or cd to a project"
            )
        if name not in self.found:
            raise UnknownName(kind, name, [*self.found, *self.broken, *also_known])
        return self.found[name]


def streams() -> dict[str, Stream]:
    """All streams by name: `STREAM` of every file of windrow.schemas.streams that isn't broken."""
    return _streams().found


def queries() -> dict[str, Query]:
    """All queries by name: `QUERY` of every file of windrow.schemas.queries and `MODEL` of every file of
    windrow.schemas.models that isn't broken."""
    return _queries().found


def models() -> dict[str, Model]:
    """Those of the queries that are models."""
    return {name: query for name, query in queries().items() if isinstance(query, Model)}


def broken_streams() -> dict[str, BrokenDefinition]:
    """What is wrong with the other files of streams, by name."""
    return _streams().broken


def broken_queries() -> dict[str, BrokenDefinition]:
    """What is wrong with the other files of queries and models, by name of the query; those of broken
    streams are among them."""
    return _queries().broken


def feature_sets() -> dict[str, FeatureSet]:
    """All feature sets by name: `FEATURES` of every file of windrow.schemas.features that isn't broken."""
    return _feature_sets().found


def broken_feature_sets() -> dict[str, BrokenDefinition]:
    """What is wrong with the other files of feature sets, by name."""
    return _feature_sets().broken


def stream_names() -> list[str]:
    """Of all streams, broken ones too, sorted."""
    return sorted([*streams(), *broken_streams()])


def query_names() -> list[str]:
    """Of all queries, broken ones too, sorted."""
    return sorted([*queries(), *broken_queries()])


def model_files() -> list[str]:
    """By which users may name models, broken ones too, sorted."""
    return [name.removeprefix(PREFIX) for name in query_names() if name.startswith(PREFIX)]


def stream(name: str) -> Stream:
    """The stream of that name; BrokenDefinition or UnknownName otherwise."""
    return _streams().named("stream", name)


def query(name: str) -> Query:
    """The query of that name, which may be a model; BrokenDefinition or UnknownName otherwise."""
    return _queries().named("query", name, model_files())


def feature_set(name: str) -> FeatureSet:
    """The feature set of that name; BrokenDefinition or UnknownName otherwise."""
    return _feature_sets().named("feature set", name)


def name_of_query(text: str) -> str:
    """The name of the query that a user means; the user may call a model by its file."""
    return PREFIX + text if text not in query_names() and text in model_files() else text


def module_of_stream(name: str) -> str:
    """The module of a stream's file."""
    return f"windrow.schemas.streams.{name}"


def module_of(query_name: str) -> str:
    """The module of the file of a query or a model."""
    if query_name.startswith(PREFIX):
        return f"windrow.schemas.models.{query_name.removeprefix(PREFIX)}"
    return f"windrow.schemas.queries.{query_name.removeprefix('queries.')}"  # as _queries names one that is wrong


def features_module(name: str) -> str:
    """The module of a feature set's file."""
    return f"windrow.schemas.features.{name}"


def queries_of(stream_name: str) -> list[Query]:
    """The queries that read a stream, by name."""
    return [q for q in queries().values() if q.stream == stream_name]


def broken_queries_of(stream_name: str) -> list[str]:
    """Names of queries that can't be loaded, whose files have the stream's name in quotes."""
    words = (f'"{stream_name}"', f"'{stream_name}'")
    texts = {name: source_of(module_of(name)).read_text(errors="replace") for name in broken_queries()}
    return [name for name, text in texts.items() if any(word in text for word in words)]


@cache
def _streams() -> Definitions[Stream]:
    return _load("streams", "STREAM", Stream, validate_stream)


@cache
def _queries() -> Definitions[Query]:
    plain = _load("queries", "QUERY", Query, _validate_plain)
    models = _load("models", "MODEL", Model, _validate_query, PREFIX)
    # A query's file that is named as a model's table is wrong, and must not hide the model.
    wrong = {f"queries.{name}" if name in models.found else name: each for name, each in plain.broken.items()}
    return Definitions({**plain.found, **models.found}, {**wrong, **models.broken})


@cache
def _feature_sets() -> Definitions[FeatureSet]:
    return _load("features", "FEATURES", FeatureSet, validate_features)


def validate_features(features: FeatureSet) -> None:
    """WrongParameter for what the stream and the queries don't have; UnknownName."""
    require(features.name not in query_names(), "name", features.name, "one that no query has")
    _validate_query(features.query)
    for name, each in features.latest.items():
        of = query(each.query)
        require(
            {*of.key} <= {*features.key}, f"latest[{name!r}]", each.query, f"a query whose key is among {features.key}"
        )


def _validate_query(query: Query) -> None:
    validate_query(query, stream(query.stream))


def _validate_plain(query: Query) -> None:
    require(not isinstance(query, Model), "QUERY", query.name, "a Query(…); a Model(…) is written into models/")
    require(not query.name.startswith(PREFIX), "name", query.name, f"one without {PREFIX!r}, which is for models")
    _validate_query(query)


def _load(
    folder: str, attribute: str, kind: type[T], validate: Callable[[T], object], prefix: str = ""
) -> Definitions[T]:
    made: Definitions[T] = Definitions({}, {})
    package = f"windrow.schemas.{folder}"
    for file in names_in(import_module(package).__path__):
        name = prefix + file
        try:
            made.found[name] = load(f"{package}.{file}", attribute, kind, _named(name, file, validate))
        except BrokenDefinition as broken:
            made.broken[name] = broken
    return made


def _named(name: str, file: str, validate: Callable[[T], object]) -> Callable[[T], object]:
    allowed = f"that of its file, {name!r}" if name == file else f"{name!r}, as its file is {file}.py"

    def named_and_valid(found: T) -> None:
        require(found.name == name, "name", found.name, allowed)
        require(name not in LEDGER, "name", name, "one that no table of the ledger has: rename the file")
        validate(found)

    return named_and_valid


def stream_hash(name: str) -> str:
    """Changes whenever what a stream's lines mean may change: its file and the files that every stream shares. Texts of
    errors count: they are the details of refused records."""
    shared = ("stream.py", "parsing.py", "fields.py", "instants.py", "json_lines.py", "layouts.py", "local_time.py")
    return _hash_files([source_of(module_of_stream(name)), *(ROOT / file for file in shared)], error_texts=True)


def replay_hash(name: str) -> str:
    """Changes whenever what a replay takes from a stream's definition does, apart from its events: what columns hold,
    which days there are, how far ahead an event may be, and when heartbeats come. How lines are read shows in the
    events."""
    found = stream(name)
    columns = [(column.name, column.type, column.low, column.high, column.nullable) for column in found.columns]
    facts = [found.key, columns, found.ahead_at_most, found.first_day, found.last_day]
    # A stream without heartbeats is what it was before there were any.
    facts += [] if found.idle_after is None else [found.idle_after]
    return hashlib.sha256(repr(tuple(facts)).encode()).hexdigest()[:16]


def query_hash(name: str) -> str:
    """Changes whenever a query's or a model's file or the query language changes."""
    language = ["query.py", "aggregate.py", "expressions.py", "expression_text.py", "instants.py"]
    language += ["model.py"] if name.startswith(PREFIX) else []
    files = [ROOT / file for file in language]
    return _hash_files([source_of(module_of(name)), *files, *sorted((ROOT / "windows").rglob("*.py"))])


def features_hash(name: str) -> str:
    """Changes whenever a feature set's file or the language of feature sets changes."""
    language = ["feature_set.py", "query.py", "aggregate.py", "expressions.py", "expression_text.py"]
    return _hash_files([source_of(features_module(name)), *(ROOT / each for each in language)])


def _hash_files(paths: list[Path], error_texts: bool = False) -> str:
    return hash_of(((path.name, path.read_bytes()) for path in paths), error_texts)


def personal_columns(stream_name: str) -> frozenset[str]:
    """Those whose values no report and no message shows; of a stream that is none of ours, none."""
    found = streams()
    return frozenset(found[stream_name].personal if stream_name in found else ())


def stream_of(table: str) -> Stream | None:
    """The stream that a table belongs to. O(streams)."""
    found = streams().values()
    return next((stream for stream in found if table in {each.name for each in ingest_tables(stream)}), None)


def query_of(table: str) -> str | None:
    """The name of the query that a table or view belongs to. O(queries)."""
    return next((query for query in queries() if table in _tables_of(query)), None)


def _tables_of(query: str) -> set[str]:
    beside = {state_name(query), panes_name(query), lateness_name(query), nowcast_name(query)}
    return beside | {query + kind for kind in ("", "_late", "_audit", "_late_audit", *VIEWS)}


def made_by(table: str) -> str:
    """The command that makes a table; words in capitals stand for what the table's name doesn't say."""
    if stream := stream_of(table):
        return f"windrow ingest {stream.name}"
    if table in map(erased_name, streams()):
        return "windrow forget --where CONDITION"
    query = query_of(table)
    if query and table == lateness_name(query):
        return f"windrow whatif {query}"
    return f"windrow replay {query} --day YYYY-MM-DD" if query else "windrow ingest STREAM"


def made_anew_by(table: str) -> str:
    """What makes a table anew whose definition has changed."""
    query = query_of(table)
    if query and table != lateness_name(query):
        return f"windrow rebuild {query}"
    return f"move its folder away, then run: {made_by(table)}"
