"""The images of docker/, built once for the tests of this folder. They stay: `make compose-up` starts them."""

import pytest

from stack import images
from tests.support.images import made_base


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> str:
    """A Debian that no registry of images is asked for."""
    return made_base(tmp_path_factory.mktemp("debian"))


@pytest.fixture(scope="session")
def built(base) -> None:
    """As `make image` builds them."""
    with pytest.MonkeyPatch.context() as outside:
        outside.setenv(images.BASE, base)
        images.build_all()
