"""Names of before version 0.3, when the folders of a checkout were imported as they are called: `schemas.query` is
`windrow.schemas.query`. They go with version 0.4 (docs/python.md)."""

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

PACKAGES = ("kernels", "pipelines", "processes", "schemas")


class _FormerNames(MetaPathFinder, Loader):
    """Gives the module that has the new name, so that there is one of each class."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        ours = fullname.partition(".")[0] in PACKAGES and not fullname.endswith(".__main__")
        return spec_from_loader(fullname, self) if ours else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(f"windrow.{module.__name__}")


_former_names = _FormerNames()


def take_over(package: str) -> None:
    """For a package that is imported by its former name."""
    warnings.warn(f"import windrow.{package} instead of {package}", DeprecationWarning, stacklevel=3)
    if _former_names not in sys.meta_path:
        sys.meta_path.insert(0, _former_names)
    _former_names.exec_module(sys.modules[package])
