"""Runs the cells of docs/training-data.ipynb over real trips, and writes what they show into the notebook, into its
page docs/training-data.md and the page's drawing: `make training-data`, `python -m tools.notebook LANDING`.

The cells run in one scratch folder, one behind the other. As in Jupyter, a cell shows its last expression, and the
figures that it draws.
"""

import ast
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, chdir
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from windrow.pipelines.docs.markdown import grid, joined

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTEBOOK, PAGE, DRAWING = (DOCS / name for name in ("training-data.ipynb", "training-data.md", "drawings/training.svg"))
TRIPS = "bikes/citibike-nyc-2017"
MADE = "<!-- Made by `make training-data` from the notebook: change that, not this page. -->"
SVG, MARKDOWN, PLAIN = "image/svg+xml", "text/markdown", "text/plain"


def renewed(landing: Path) -> dict[Path, str]:
    """The notebook, its page and its drawing, with what the cells show now; landing holds TRIPS."""
    import matplotlib  # a second, once; the page of a notebook as it stands needs none

    from tools.docs.drawings import SETTINGS

    matplotlib.use("Agg")
    notebook = read()
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as entered:
        entered.enter_context(patch.dict(os.environ, _settings(Path(scratch), landing)))
        entered.enter_context(chdir(scratch))
        entered.enter_context(matplotlib.rc_context(SETTINGS))
        names: dict[str, object] = {}
        for cell in _code(notebook):
            cell["outputs"] = [*_shown("".join(cell["source"]), names)]
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    return {NOTEBOOK: text, PAGE: page(notebook), DRAWING: drawing(notebook)}


def read() -> dict:
    return json.loads(NOTEBOOK.read_text())


def page(notebook: dict) -> str:
    """The cells as Markdown, with what the notebook says that they showed."""
    title, *cells = notebook["cells"]
    return joined(["".join(title["source"]), MADE, *map(_markdown, cells)]) + "\n"


def drawing(notebook: dict) -> str:
    """The figure of the only cell that draws one."""
    [found] = [each[SVG] for cell in _code(notebook) for each in _data(cell) if SVG in each]
    return "".join(found)


def _settings(scratch: Path, landing: Path) -> dict[str, str]:
    """Of Windrow in the scratch folder, where the trips land."""
    into = scratch / "landing" / TRIPS
    into.mkdir(parents=True)
    for file in sorted((landing / TRIPS).iterdir()):
        shutil.copyfile(file, into / file.name)
    return {"WINDROW_HOME": str(scratch), "WINDROW_LANDING": f"{scratch}/landing", "WINDROW_ENGINE": "local"}


def _code(notebook: dict) -> list[dict]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _data(cell: dict) -> list[dict]:
    return [output["data"] for output in cell["outputs"]]


def _shown(source: str, names: dict) -> Iterator[dict]:
    """Runs a cell; its outputs as a notebook keeps them."""
    *body, last = ast.parse(source).body
    body += [] if isinstance(last, ast.Expr) else [last]
    exec(compile(ast.Module(body, []), NOTEBOOK.name, "exec"), names)
    if isinstance(last, ast.Expr):
        data = _as_text(eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names))
        yield {"output_type": "display_data", "metadata": {}, "data": data}
    yield from _figures()


def _figures() -> Iterator[dict]:
    """What is drawn and not yet shown."""
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        written, figure = StringIO(), pyplot.figure(number)
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
        svg = [f"{line.rstrip()}\n" for line in written.getvalue().splitlines()]
        data = {SVG: svg, PLAIN: [figure.axes[0].get_title()]}
        yield {"output_type": "display_data", "metadata": {}, "data": data}


def _as_text(value: object) -> dict[str, list[str]]:
    """A DataFrame as a table; all else as Python writes it."""
    if not hasattr(value, "itertuples"):
        return {PLAIN: [repr(value)]}
    rows = [[*map(_number, row)] for row in value.itertuples(index=False)]
    plain = value.to_string(index=False, float_format=_number)
    return {MARKDOWN: _lines(grid([[*value.columns], *rows])), PLAIN: _lines(plain)}


def _number(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _markdown(cell: dict) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    return joined([f"```python\n{source}\n```", *map(_output, _data(cell))])


def _output(data: dict) -> str:
    plain = "".join(data[PLAIN])
    if SVG in data:
        return f"![{plain}]({DRAWING.relative_to(DOCS)})"
    return "".join(data[MARKDOWN]) if MARKDOWN in data else f"```text\n{plain}\n```"


def main() -> int:
    """Write the files."""
    for file, text in renewed(Path(sys.argv[1])).items():
        file.write_text(text)
        print(f"made docs/{file.relative_to(DOCS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
