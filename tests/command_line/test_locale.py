"""In any locale files, pages and what is printed are UTF-8."""

import os
import subprocess
import sys

import pytest

from pipelines.config import REPOSITORY

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.slow
def test_a_command_reads_and_prints_utf8_where_the_locale_is_c():
    words = [sys.executable, "-m", "pipelines", "check", "nothing-é"]
    ended = subprocess.run(words, cwd=REPOSITORY, env=os.environ | ASCII, capture_output=True, check=False)
    assert "nothing-é" in ended.stderr.decode() and ended.returncode == 3
