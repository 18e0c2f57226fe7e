"""python -m tools.mutants: how many of N random small faults the tests find; hours on two cores, and it goes on where
it was ended. Its page is docs/tests-power.md."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated

import typer
from pytest import ExitCode

from stack.places import MADE, REPOSITORY
from tools.mutants import probes, trials
from tools.mutants.faults import Fault, sample
from tools.mutants.results import EQUIVALENT, FOLDER, PAGE, Measurement, write_page
from tools.mutants.trials import Clone
from windrow.pipelines.logged import say
from windrow.schemas.errors import WrongParameter

TREES = 2
RECORDING = ("-p", "tools.mutants.recording", "-q")
# Kernels are recorded as plain Python, by the tests of what they compute.
ALL_BUT_NIGHTLY = ("--nightly", "-m", "not nightly")
OF_KERNELS = ("-p", "no:xdist", "--timeout", "120", *ALL_BUT_NIGHTLY, "tests/kernels", "tests/semantics")
MOST_RECORDING_S = 10_800
OF_OTHERS = ("--nightly", "--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder")


def main(
    count: Annotated[int, typer.Option("--count", help="How many faults.")] = 150,
    seed: Annotated[int, typer.Option(help="Which faults.")] = 1,
    name: Annotated[str, typer.Option(help="Of the file of results, in tests/power/.")] = "now",
) -> None:
    """Measure the newest commit's tests, or go on at the commit at which the file of results began."""
    newest = subprocess.run(["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True).stdout.strip()
    try:
        measured = Measurement.begun(REPOSITORY / FOLDER / f"{name}.jsonl", newest, count, seed)
    except WrongParameter as error:
        raise typer.BadParameter(str(error)) from None
    if len(measured.results) < count:
        _go_on(measured)
    write_page()
    say(f"{len(measured.results)} faults at {measured.head['commit']}: {PAGE}; {measured.file} may be removed "
        "to measure the newest commit")  # fmt: skip


def _go_on(measured: Measurement) -> None:
    commit, count, seed = (measured.head[name] for name in ("commit", "count", "seed"))
    folder = MADE / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    trees = [Clone.ensure(folder / f"tree-{number}", commit) for number in range(1, TREES + 1)]
    faults = sample(trees[0].folder, count, seed)
    tests = _record(trees, faults, folder / f"{commit}-{seed}")
    done = {row["fault"] for row in measured.results}
    _try_all(trees, [fault for fault in faults if fault.name not in done], tests, measured)


def _record(trees: list[Clone], faults: list[Fault], folder: Path) -> dict[str, trials.Covering]:
    """Of each fault the tests that execute its place."""
    tests = {}
    for of_kernels, tree, options, environment in (
        (True, trees[0], OF_KERNELS, trials.PLAIN_PYTHON),
        (False, trees[1], OF_OTHERS, {}),
    ):
        chosen = {number: fault for number, fault in enumerate(faults) if fault.is_of_kernels == of_kernels}
        recorded = folder / ("kernels" if of_kernels else "others")
        if not recorded.exists():
            say(f"recording which tests execute the places of {len(chosen)} faults")
            _record_into(recorded, tree, chosen, options, environment)
        ran = trials.read_tests(recorded)
        hits = probes.read_hits(recorded, faults)
        tests |= {fault.name: trials.Covering.of(hits[fault.name], ran) for fault in chosen.values()}
    return tests


def _record_into(
    recorded: Path, tree: Clone, faults: dict[int, Fault], options: tuple[str, ...], environment: dict[str, str]
) -> None:
    """A folder that exists is whole."""
    recording = recorded.with_name(f"{recorded.name}-in-the-making")
    shutil.rmtree(recording, ignore_errors=True)
    recording.mkdir(parents=True)
    (recording / "hits").touch()  # where no test comes to any place
    probes.plant(tree.folder, faults)
    try:
        code, printed = tree.pytest(
            [*RECORDING, *options], {"WINDROW_PROBES": str(recording)} | environment, limit_s=MOST_RECORDING_S
        )
    finally:
        tree.clean()
    if code not in (ExitCode.OK, ExitCode.TESTS_FAILED):
        raise RuntimeError(f"the recording ended with {code}:\n{printed[-2_000:]}")
    recording.rename(recorded)


def _try_all(trees: list[Clone], faults: list[Fault], tests: dict[str, trials.Covering], measured: Measurement) -> None:
    """Each tree tries one fault after the other."""
    free: SimpleQueue[Clone] = SimpleQueue()
    for tree in trees:
        free.put(tree)

    def work(fault: Fault) -> None:
        tree = free.get()
        try:
            trial = _trial(tree, fault, tests[fault.name])
        finally:
            free.put(tree)
        measured.add(fault, trial)
        place = f"{fault.path}:{fault.line} {fault.kind}"
        say(f"{len(measured.results)} {trial.state} {trial.by}: {place} {trial.test}")

    with ThreadPoolExecutor(len(trees)) as pool:
        list(pool.map(work, faults))  # or an exception of one


def _trial(tree: Clone, fault: Fault, tests: trials.Covering) -> trials.Trial:
    if fault.name in EQUIVALENT:
        return trials.Trial("equivalent", "", "", 0, ())
    return trials.try_covering(tree, fault, tests)


if __name__ == "__main__":
    typer.run(main)
