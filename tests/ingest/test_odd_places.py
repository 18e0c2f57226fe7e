"""Homes, landing folders and landing files of odd names: all work, or are refused before anything is made."""

import os
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import trips
from tests.support.engines import ENGINES
from tests.support.lakes import PATIENT, ingest
from windrow.pipelines import config as settings_of
from windrow.pipelines.config import HOME, LANDING, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.location import NOT_IN_HOMES
from windrow.schemas.errors import WrongParameter

PRINTABLE = "".join(sorted({*string.punctuation, *" aA0é日😀"} - {"/"}))
# Each character, and those that libraries take for something together.
NAMES = {place: "".join(each for each in PRINTABLE if each not in bad) for place, bad in
         {"home": NOT_IN_HOMES, "landing": "", "file": ""}.items()}  # fmt: skip
NAMES["landing"] += "%41%2f"
NAMES["file"] += "%41%2f"


def loaded(monkeypatch, place: Path, home: str, landing: str) -> Config:
    monkeypatch.setenv(HOME, str(place / home / "home"))
    monkeypatch.setenv(LANDING, str(place / landing / "landing"))
    return settings_of.load()


def assert_keeps_what_lands(config: Config, file: str) -> None:
    """Also once it replaces what it delivered."""
    events = [trips.trip(f"2017-06-03 0{hour}:00:00", 600) for hour in (7, 8)]
    for count in (1, 2):
        path = trips.write(config, file, [*events[:count], "no trip"])
        assert ingest(config, "bikes").messages == ()
        assert [(row["path"], row["line"]) for row in trips.silver(config)] == [(path, 2 + n) for n in range(count)]
        assert trips.quarantine(config) == [(path, 2 + count, "wrong column count")]
    assert Lake(config).folder("silver_bikes").is_relative_to(config.home) and config.home.is_dir()


@pytest.mark.slow
@PATIENT
@ENGINES
def test_all_characters_that_are_served_work_together(tmp_path, engine, monkeypatch):
    config = loaded(monkeypatch, tmp_path, NAMES["home"], NAMES["landing"])
    assert_keeps_what_lands(config, NAMES["file"])


@pytest.mark.parametrize("character", [*NOT_IN_HOMES, "\n", "\t", "\x1b", "\u202e", "\udc80"])
def test_a_home_of_any_other_is_refused_by_its_name_before_anything_is_made(tmp_path, character, monkeypatch):
    with pytest.raises(WrongParameter) as refused:
        loaded(monkeypatch, tmp_path, f"a{character}b", "landing")
    assert str(refused.value).startswith("WINDROW_HOME is ") and ascii(character) in str(refused.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("setting", [HOME, LANDING])
def test_a_folder_of_a_user_that_there_is_not_is_refused(setting, monkeypatch):
    monkeypatch.setenv(setting, "~nobody-of-that-name/lake")
    with pytest.raises(WrongParameter, match=f"{setting} is '~nobody-of-that-name/lake'"):
        settings_of.load()


@pytest.mark.nightly
@pytest.mark.takes(120)
@PATIENT
@settings(max_examples=30)
@given(st.lists(st.text(st.sampled_from([*PRINTABLE, "\n", "\x7f"]), min_size=1, max_size=8), min_size=3, max_size=3))
def test_places_of_random_names_work_or_are_refused(tmp_path_factory, names):
    home, landing, file = (f"x{name}x" for name in names)
    place = tmp_path_factory.mktemp("odd")
    with pytest.MonkeyPatch.context() as patch:
        odd = {*home} & {*NOT_IN_HOMES} or not (home + landing).isprintable()
        if odd:
            with pytest.raises(WrongParameter):
                loaded(patch, place, home, landing)
            return
        config = loaded(patch, place, home, landing)
        if file.isprintable():
            assert_keeps_what_lands(config, file)
        else:
            trips.write(config, file, [])
            assert [each for each in ingest(config, "bikes").messages if "not printable" in each]
