"""What other processes of the machine learn of a run of Spark: none of its secrets, and nothing from its driver.

One run is looked at, in a process of its own, with its pages and its event log.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from struct import Struct
from typing import NamedTuple
from urllib.request import urlopen

import pytest

from tests.support.other_user import NOBODY
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.processes import proc

pytestmark = pytest.mark.jvm
# Words that java.util.Properties would take for something else.
SECRETS = {
    "spark.hadoop.fs.s3a.secret.key": " # kept=by: S3\\",
    "spark.executorEnv.AWS_SESSION_TOKEN": "kept!by executors",
    "spark.authenticate.secret": "kept-by-the-driver",
}
OWN = {
    "spark.sql.shuffle.partitions": "3",
    "spark.ui.enabled": "true",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}
RUN = """
import json, sys
from pathlib import Path
from windrow.pipelines.config import Config
from windrow.pipelines.engines.spark.spark_session import session
from windrow.pipelines.runs.ingest_day import ingest_day
from tests.support.replay import landing

config = Config(Path(sys.argv[1], "home"), Path(sys.argv[1], "landing"))
landing.write(config.landing, landing.trips(per_day=2))
ingest_day(config, "bikes", None, None, print)
spark, settings = session(config), json.load(open(sys.argv[2]))
apache, scala = spark._jvm.org.apache.spark, spark._jvm.scala
question = getattr(apache.storage, "BlockManagerMessages$GetMemoryStatus$").__getattr__("MODULE$")
tag = getattr(scala.reflect, "ClassTag$").__getattr__("MODULE$").Any()
asked = apache.serializer.JavaSerializer(apache.SparkConf()).newInstance().serialize(question, tag)
found = spark.sparkContext.getConf()
print(json.dumps({
    "driver": int(found.get("spark.driver.port")),
    "blocks": spark.sparkContext._jsc.sc().env().blockManager().blockManagerId().port(),
    "question": bytes(asked.array()[: asked.limit()]).hex(),
    "others": [name for name, value in settings.items() if found.get(name) != value],
}), flush=True)
sys.stdin.read()
"""
# Of Spark's network: the frame's bytes, the kind of message, the question's number, and bytes of what is asked.
HEAD, ASKS, ANSWERS, FAILS = Struct(">qbqi"), 3, 4, 5
PORTS = ("driver", "blocks")


class Seen(NamedTuple):
    """What a run that lives says of its session, and what everybody may see of it."""

    folder: Path
    session: dict
    printed: str

    def answer(self, port: str) -> bytes:
        """To a process without a key, which asks in Spark's own words how much memory the executors have."""
        number, name = self.session[port], b"BlockManagerMaster"
        # From no address; to one, of a host, a port and a name.
        words = (b"\0", b"\1", b"\0\x09127.0.0.1", number.to_bytes(4), len(name).to_bytes(2), name)
        body = b"".join(words) + bytes.fromhex(self.session["question"])
        with socket.create_connection(("127.0.0.1", number), timeout=60) as line:
            line.sendall(HEAD.pack(HEAD.size + len(body), ASKS, 1, len(body)) + body)
            return line.recv(1 << 16)


@contextmanager
def running(folder: Path, **more: str) -> Iterator[Seen]:
    """A run that has ingested, until the context ends."""
    (folder / "events").mkdir()
    conf = {**OWN, "spark.eventLog.dir": f"file:{folder}/events", **SECRETS, **more}
    file = os.memfd_create("settings")
    os.write(file, json.dumps(conf).encode())
    words = [sys.executable, "-c", RUN, folder, f"/proc/self/fd/{file}"]
    environment = os.environ | {"WINDROW_SPARK_CONF": json.dumps(conf), "WINDROW_ENGINE": "spark"}
    with (
        open(folder / "log", "w") as log,
        subprocess.Popen(
            words, env=environment, stdin=-1, stdout=-1, stderr=log, text=True, pass_fds=[file]
        ) as process,
    ):
        printed = []
        for line in process.stdout:
            printed.append(line)
            if line.startswith("{"):
                break
        assert printed and printed[-1].startswith("{"), (folder / "log").read_text()[-3000:]
        yield Seen(folder, json.loads(printed[-1]), "".join(printed))
        process.stdin.close()


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> Iterator[Seen]:
    with running(tmp_path_factory.mktemp("run")) as found:
        yield found


def assert_no_secret(where: str, text: str) -> None:
    assert not [name for name, secret in SECRETS.items() if secret in text or repr(secret)[1:-1] in text], where


def test_a_session_has_the_users_settings_and_nobody_else_sees_its_secrets(seen):
    assert seen.session["others"] == []
    commands = [b" ".join(proc.command_line(each)).decode(errors="replace") for each in proc.all_processes()]
    assert [each for each in commands if str(seen.folder) in each and "SparkSubmit" in each]
    for each in (*commands, seen.printed):
        assert_no_secret("a command line, or what was printed", each)
    files = [path for path in seen.folder.rglob("*") if path.is_file()]
    assert {"log", "events"} <= {path.relative_to(seen.folder).parts[0] for path in files}
    for path in files:
        assert_no_secret(str(path), path.read_bytes().decode(errors="replace"))


def test_the_ledger_has_the_pages_and_these_no_secret(seen):
    (row,) = run_table.rows(Lake(Config(seen.folder / "home", seen.folder / "landing")))
    page, event_log = row.engine_page.split(", ")
    assert event_log.startswith(f"file:{seen.folder}/events/")
    address = f"{page}/api/v1/applications/{event_log.rpartition('/')[2]}/environment"
    with urlopen(address, timeout=60) as answer:
        text = answer.read().decode()
    assert "spark.hadoop.fs.s3a.secret.key" in text
    assert_no_secret(address, text)


@pytest.mark.parametrize("port", PORTS)
def test_a_process_without_the_key_learns_nothing(seen, port):
    answer = seen.answer(port)
    assert answer[8] == FAILS and b"SASL" in answer, answer


def become_another_user() -> None:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def learned(seen: Seen, processes: list[int]) -> tuple[list[int], list[int]]:
    """Those of the processes whose environment this one reads, and what sort of answer each port gives it."""
    return [each for each in processes if proc.environment(each)], [seen.answer(each)[8] for each in PORTS]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_a_second_user_of_the_machine_learns_nothing(seen):
    of_run = str(seen.folder).encode()
    processes = [each for each in proc.all_processes() if of_run in b" ".join(proc.command_line(each))]
    assert [each for each in processes if proc.environment(each)] == processes != []
    with ProcessPoolExecutor(1, get_context("fork"), become_another_user) as others:
        assert others.submit(learned, seen, processes).result() == ([], [FAILS, FAILS])


@pytest.mark.nightly
def test_without_authentication_it_would_learn_what_it_asks(tmp_path):
    with running(tmp_path, **{"spark.authenticate": "false"}) as found:
        assert found.answer("driver")[8] == ANSWERS
