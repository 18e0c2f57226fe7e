"""What the tests of the stack share."""

import pytest

from stack import setting_up


@pytest.fixture(scope="session")
def set_up() -> None:
    """Everything as `make setup` leaves it, also after an edit of the kernels; costs a second when all is well."""
    setting_up.run()
