"""Whether an event is one of OpenLineage: by the JSON schemas of its repository, which are in spec/ as they are there
(version 1.54 of the client, Apache-2.0)."""

import json
from collections.abc import Iterator
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SPEC = [json.loads(file.read_text()) for file in sorted((Path(__file__).parent / "spec").glob("*.json"))]
KNOWN = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in SPEC)
FORMATS = Draft202012Validator.FORMAT_CHECKER


def require_event(event: dict, only: str = "") -> None:
    """The event, and each facet by the version of the schema that it says it has. only: facets of producers that are
    named so."""
    ours = (each for each in facets(event) if only in each["_producer"])
    for value, url in ((event, event["schemaURL"]), *((each, each["_schemaURL"]) for each in ours)):
        Draft202012Validator({"$ref": url}, registry=KNOWN, format_checker=FORMATS).validate(value)


def facets(value: object) -> Iterator[dict]:
    """All that an event has."""
    if isinstance(value, dict) and "_schemaURL" in value:
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from facets(each)
