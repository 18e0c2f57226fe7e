"""What makes two records one event has to be said of a new stream: nothing that is right for all could be chosen."""

import pytest

from schemas.errors import WrongParameter
from tools import new


def test_a_new_stream_has_the_identity_that_was_asked_for(tmp_path):
    for name, asked, written in (
        ("a", "key,start", '("key", "start")'),
        ("b", "key", '("key",)'),
        ("c", "none", "None"),
    ):
        file, _ = new.write("stream", name, tmp_path, asked)
        assert f"identity={written}," in file.read_text()


@pytest.mark.parametrize("asked", ["", "key;start", "Line"])
def test_without_one_the_choice_is_explained(tmp_path, asked):
    with pytest.raises(WrongParameter, match="such as IDENTITY=key,start(?s:.*)repeats word for word is lost"):
        new.write("stream", "boats", tmp_path, asked)
