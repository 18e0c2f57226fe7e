"""Windows whose state is in a store: the same answers, a store as small as the window, and a crash loses no flush."""

import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kernels.test_monoid_trees import INT, KERNELS, SUM
from tests.support.kernels.machine import COMMUTATIVE, ORDERED, walk
from tests.support.kernels.plain import PlainWindow, same
from tests.support.processes import free_port, wait_until
from windrow.kernels.aggregators import make
from windrow.kernels.stores import HEADER, open_store, stores
from windrow.schemas.errors import BadInput, NotServed, StorageFailed, WrongParameter
from windrow.schemas.query import agg

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(5)]

ROOT = Path(__file__).resolve().parents[2]
CHILD = "import sys; from tests.kernels.test_stores import work; work(*sys.argv[1:])"
SMALL = {"store": "lmdb", "buffer": 16}
"""What another store does, its four methods say."""
each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_store = pytest.mark.parametrize("store", stores())


@pytest.mark.machine
@each_kernel
def test_a_window_whose_nodes_are_in_a_store_is_a_sorted_list(kernel):
    walk(kernel, ORDERED, SMALL)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if shutil.which("redis-server") is None:
        pytest.skip("there is no redis-server; make doctor says how to get one")
    port, folder = free_port(), tmp_path_factory.mktemp("redis")
    words = f"redis-server --port {port} --bind 127.0.0.1 --dir {folder} --appendonly no --save".split()
    with subprocess.Popen([*words, ""], stdout=subprocess.DEVNULL) as started:
        try:
            wait_until(lambda: answers(port), "Redis")
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            started.terminate()


def answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def steps(seed: int):
    """(operation, arguments) without an end: the same for the same seed."""
    draw, now = random.Random(seed), 0
    while True:
        times = [now := now + draw.choice([0, 1, 1, 2]) for _ in range(draw.choice([1, 10, 90]))]
        yield "bulk_insert", (times, [draw.randint(-9, 9) for _ in times])
        yield "bulk_evict", (now - draw.choice([0, 40, 500, 900]),)


def opened(kernel: str, store: str, path: str, url: str | None):
    """A window of the store at a path; with the small buffer it has most nodes in the store."""
    options = {"url": url} if url else {}
    return make(kernel, COMMUTATIVE, column_types=INT, store=store, path=path, buffer=16, **options)


def work(kernel: str, store: str, path: str, url: str, seed: str) -> None:
    """What is killed: it says the number of each step that it is about to flush, and of each that is flushed."""
    window = opened(kernel, store, path, url)
    for number, (operation, arguments) in enumerate(steps(int(seed))):
        getattr(window, operation)(*arguments)
        if number % 5 == 4:
            print("flushing", number, flush=True)
            window.flush()
            print("flushed", number, flush=True)


def killed(kernel: str, store: str, path: str, url: str | None, seed: int) -> tuple[int, int]:
    """Kill a working process at a random moment; (last step surely flushed, last step that may have been)."""
    draw = random.Random(seed)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, kernel, store, path, url or "", str(seed)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = [child.stdout.readline()]
    time.sleep(draw.uniform(0, 0.4))
    child.kill()
    lines += child.communicate()[0].splitlines()
    assert child.returncode == -signal.SIGKILL
    numbers = {
        word: [int(line.split()[1]) for line in lines if line.split()[:1] == [word] and line.split()[1:]]
        for word in ("flushing", "flushed")
    }
    return max(numbers["flushed"], default=-1), max(numbers["flushing"], default=-1)


def is_as_of(window, number: int, seed: int) -> bool:
    """Whether a window is what all steps up to a number make."""
    plain = PlainWindow(COMMUTATIVE)
    for done, (operation, arguments) in enumerate(steps(seed)):
        if done > number:
            break
        getattr(plain, operation)(*arguments)
    ends = (window.oldest(), window.youngest(), len(window))
    return ends == (plain.oldest(), plain.youngest(), len(plain)) and same(window.query(), plain.query())


@pytest.fixture
def place(request, store, tmp_path):
    """(path, url) of an empty place in the store."""
    if store == "redis":
        return f"test-{request.node.name}", request.getfixturevalue("server")
    return str(tmp_path / "window"), None


@each_store
def test_the_four_methods(store, place):
    one = open_store(store, *place)
    one.write({(0, 1): b"a", (0, 2): b"b", (3, 1 << 40): b"c", (HEADER, 0): b"d"}, [])
    assert one.read([(0, 2), (0, 3), (3, 1 << 40)]) == [b"b", None, b"c"]
    one.write({(0, 9): b"e"}, [(0, 1, 3)])
    one.sync()
    one.close()
    again = open_store(store, *place)
    assert again.read([(0, 1), (0, 2), (0, 9), (HEADER, 0)]) == [None, None, b"e", b"d"]
    again.close()


@each_kernel
@each_store
def test_a_window_is_taken_up_again_as_of_its_last_flush(kernel, store, place):
    window = opened(kernel, store, *place)
    for number, (operation, arguments) in zip(range(60), steps(1), strict=False):
        getattr(window, operation)(*arguments)
        if number % 7 == 6:
            assert is_as_of(window, number, 1)
            window.flush()
    window.close()
    again = opened(kernel, store, *place)
    again.check()
    assert is_as_of(again, 55, 1)
    again.close()


@pytest.mark.slow
@each_kernel
@each_store
@pytest.mark.parametrize("seed", range(3))
def test_a_process_that_is_killed_loses_what_it_did_after_its_last_flush_and_nothing_else(kernel, store, place, seed):
    surely, perhaps = killed(kernel, store, *place, seed)
    again = opened(kernel, store, *place)
    again.check()
    assert is_as_of(again, surely, seed) or is_as_of(again, perhaps, seed)
    again.bulk_insert([1 << 40, 1 + (1 << 40)], [1, 2])
    again.check()
    again.close()


@each_kernel
@each_store
def test_another_window_is_not_taken_for_the_stored_one(kernel, store, place):
    path, url = place
    options = {"store": store, "path": path, **({"url": url} if url else {})}
    window = make(kernel, SUM, column_types=INT, **options)
    window.insert(1, 1)
    window.flush()
    window.close()
    for wrong in ({"aggregates": {"sum": agg("max", "v")}, "column_types": INT}, {"aggregates": SUM}):
        with pytest.raises(BadInput, match="the store holds a window of .*sum.*int64.* not of"):
            make(kernel, **wrong, **options)


@each_store
def test_a_page_that_is_gone_is_an_error_not_an_answer(store, place):
    window = opened("amortized_monoid_tree", store, *place)
    window.bulk_insert(range(1000), range(1000))
    window.flush()
    window.close()
    spoiled = open_store(store, *place)
    spoiled.write({}, [(level, 0, 60) for level in range(6)])
    spoiled.close()
    with pytest.raises(StorageFailed, match="page .* isn't in the store"):
        opened("amortized_monoid_tree", store, *place).bulk_evict(500)


@each_store
def test_a_header_that_is_damaged_is_an_error(store, place):
    spoiled = open_store(store, *place)
    spoiled.write({(HEADER, 0): b"windrow window 1\n" + b"x" * 100}, [])
    spoiled.close()
    with pytest.raises(StorageFailed, match="damaged"):
        opened("monoid_tree", store, *place)


@each_kernel
def test_a_write_that_fails_leaves_the_window_as_it_was(kernel, tmp_path, monkeypatch):
    def full(*_):
        raise StorageFailed("the disk is full; make room")

    window = opened(kernel, "lmdb", str(tmp_path), None)
    window.bulk_insert(range(50), range(50))
    before = window.query()
    with monkeypatch.context() as patch:
        patch.setattr(window._stored._store, "write", full)
        with pytest.raises(StorageFailed, match="disk is full"):
            window.flush()
    window.check()
    assert window.query() == before
    window.flush()
    window.close()
    again = opened(kernel, "lmdb", str(tmp_path), None)
    assert again.query() == before


@each_kernel
def test_what_was_evicted_leaves_the_store(kernel, tmp_path):
    window = opened(kernel, "lmdb", str(tmp_path), None)
    for start in range(0, 40_000, 500):
        window.bulk_insert(range(start, start + 500), [1] * 500)
        window.bulk_evict(start - 2000)
        window.flush()
    pages = window._stored._store._database.stat()["entries"]
    window.close()
    assert pages <= 2 * 2 * 2500 / 4  # nodes of the window / nodes per page, and some that are yet to go


def test_a_store_has_one_window_at_a_time(tmp_path, server):
    window = opened("monoid_tree", "lmdb", str(tmp_path), None)
    with pytest.raises(StorageFailed, match="in use by another window"):
        opened("monoid_tree", "lmdb", str(tmp_path), None)
    window.close()
    older = opened("monoid_tree", "redis", "shared", server)
    newer = opened("monoid_tree", "redis", "shared", server)
    with pytest.raises(StorageFailed, match="opened by another window since"):
        older.flush()
    newer.flush()


def test_mistakes_are_reported(tmp_path):
    with pytest.raises(NotServed, match="lmdb, redis"):
        make("monoid_tree", SUM, store="rocks")
    with pytest.raises(WrongParameter, match="only together with store="):
        make("monoid_tree", SUM, path=str(tmp_path))
    with pytest.raises(WrongParameter, match="buffer is 100; allowed: a power of two"):
        make("monoid_tree", SUM, buffer=100)
    with pytest.raises(WrongParameter, match="url is 'x'"):
        make("monoid_tree", SUM, store="lmdb", url="x")
    with pytest.raises(WrongParameter, match="a window in memory has nothing to be flushed to"):
        make("monoid_tree", SUM).flush()
    with pytest.raises(StorageFailed, match="no Redis server answers at .* start one"):
        make("monoid_tree", SUM, store="redis", url="redis://127.0.0.1:1/0")
