"""Hidden and half-written files are left out, each with a line, whatever a layout's patterns take. No JVM."""

from dataclasses import replace

import pytest

from pipelines.ingest import landing
from pipelines.ingest.landing import HALF_WRITTEN, HIDDEN
from schemas import registry
from tests.support import trips
from tests.support.edited import with_layout

LEFT_OUT = {
    HIDDEN: [".x.csv", "._x.csv", ".x.csv.Ab3dEf", ".sync/x.csv"],
    HALF_WRITTEN: [
        "x.csv.part", "x.csv~", "~$x.csv", "x.csv.gz.PART", "x.csv.filepart", "x.csv.crdownload", "x.csv._COPYING_",
        "x.tmp/x.csv", "_temporary/0/x.csv",
    ],
}  # fmt: skip
TAKEN = ["x.csv", "x.part.csv", "_x.csv", "parts.csv", "tmp.csv", "x~1.csv", "a.b.csv", "x.csv.gz"]


@pytest.mark.parametrize("why", LEFT_OUT)
def test_a_file_that_is_hidden_or_still_written_is_left_out_and_listed(config, why):
    depths = ("*", "*/*", "*/*/*")
    everything = replace(trips.BIKES.layouts[0], paths=tuple(f"{trips.FOLDER}/{depth}" for depth in depths))
    for name in (*LEFT_OUT[why], *TAKEN):
        trips.write_bytes(config, f"{trips.FOLDER}/{name}", b"a")
    for stream in (with_layout(trips.BIKES, everything), registry.stream("bikes")):
        found = landing.listing(config.landing, stream)
        listed = [f"{trips.FOLDER}/{name}: left out, {why}" for name in LEFT_OUT[why]]
        assert sorted(message for message in found.messages if why in message) == sorted(listed)
        assert not {*found.paths} & {f"{trips.FOLDER}/{name}" for name in LEFT_OUT[why]}
        if stream.layouts == (everything,):
            assert {*found.events} == {f"{trips.FOLDER}/{name}" for name in TAKEN}
