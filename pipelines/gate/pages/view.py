"""The library's pages by templates of ours: its own load styles and scripts from six other machines, and without these
an index lists nothing. What templates/ lacks is the library's."""

from pathlib import Path

from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, FileSystemLoader

TEMPLATES = Path(__file__).parent / "templates"


class Page(DefaultJinjaPageView):
    """A page of a suite or of a result, or the index of all."""

    def __init__(self, **directories: str | None) -> None:
        super().__init__(**directories)
        # `custom_views_directory` only adds templates: a name that the library has too is the library's there.
        theirs = self.env.loader
        assert theirs is not None, "the library sets it"
        self.env.loader = ChoiceLoader([FileSystemLoader(TEMPLATES), theirs])
