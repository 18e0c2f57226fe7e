"""A day whose notes are wrong fails its check at the next run's ingest, also if it passed before. No JVM."""

import pytest

from pipelines.delta.lake import Lake
from pipelines.runs.ingest_day import ingest_day
from schemas.errors import GateFailed
from tests.support.lakes import DAYS, PATIENT, spoil_noted

pytestmark = PATIENT


def test_notes_that_are_wrong_fail_the_ingest_of_the_day_and_of_no_other(published):
    spoil_noted(Lake(published), DAYS[0])
    with pytest.raises(GateFailed, match="the newest start is that of silver.*limit:.*\n.*windrow query"):
        ingest_day(published, "bikes", DAYS[0], "spoilt", lambda text: None)
    assert ingest_day(published, "bikes", DAYS[1], "right", lambda text: None).files == ()
