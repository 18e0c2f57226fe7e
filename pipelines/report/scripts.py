"""The libraries that draw the figures, as one file of the site: Vega, Vega-Lite and Vega-Embed, from `vl-convert`.

Bundling takes seconds, so an earlier report's file of the same versions is taken.
"""

import shutil
from importlib.metadata import version
from pathlib import Path

import vl_convert


def file_name() -> str:
    """Named by the version of the package, which brings versions of all three."""
    return f"vega-{version('vl-convert-python')}.js"


def write(folder: Path, earlier: Path) -> None:
    """Write the file into a folder, or copy that of an earlier report."""
    made = earlier / file_name()
    if made.is_file():
        shutil.copyfile(made, folder / file_name())
    else:
        # Without a snippet it makes the three libraries known to the page; its types ask for one.
        (folder / file_name()).write_text(vl_convert.javascript_bundle(), encoding="utf-8")  # type: ignore[call-arg]
