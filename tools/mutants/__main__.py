"""python -m tools.mutants: how many of N random small faults the tests find; hours on two cores, and it goes on where
it was ended. Its page is docs/tests-power.md."""

import subprocess
import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Annotated

import typer

from stack.places import MADE, REPOSITORY, say
from tools.mutants import page, probes, trials
from tools.mutants.equivalent import EQUIVALENT
from tools.mutants.faults import Fault, sample
from tools.mutants.results import FOLDER, Measurement, TriedFault
from tools.mutants.trees import Clone

TREES = 2
RECORDING = ("-p", "tools.mutants.recording", "-q")
# Kernels are recorded as plain Python, by the tests of what they compute; nothing of the nightly set is in such a part.
OF_KERNELS = ("-p", "no:xdist", "--timeout", "120", "--part", "1/1000000", "tests/kernels", "tests/semantics")
OF_OTHERS = ("--nightly", "--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder")


def main(
    count: Annotated[int, typer.Option("--count", help="How many faults.")] = 150,
    seed: Annotated[int, typer.Option(help="Which faults.")] = 1,
    name: Annotated[str, typer.Option(help="Of the file of results, in tests/power/.")] = "now",
) -> None:
    """Measure the newest commit's tests."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True).stdout.strip()
    folder = MADE / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    trees = [Clone.ensure(folder / f"tree-{number}", commit) for number in range(1, TREES + 1)]
    faults = sample(trees[0].folder, count, seed)
    head = {"commit": commit, "count": count, "seed": seed}
    measured = Measurement.begun(REPOSITORY / FOLDER / f"{name}.jsonl", **head)
    _try_all(trees, _left(faults, measured), _record(trees, faults, folder / f"{commit}-{seed}"), measured)
    page.write()


def _left(faults: list[Fault], measured: Measurement) -> list[Fault]:
    done = {result.fault for result in measured.results}
    return [fault for fault in faults if fault.name not in done]


def _record(trees: list[Clone], faults: list[Fault], folder: Path) -> dict[str, trials.Covering]:
    """Of each fault the tests that execute its place."""
    is_kernel = [fault.path.startswith("kernels/") for fault in faults]
    tests = {}
    for of_kernels, tree, options in ((True, trees[0], OF_KERNELS), (False, trees[1], OF_OTHERS)):
        chosen = {number: fault for number, fault in enumerate(faults) if is_kernel[number] == of_kernels}
        recorded = folder / ("kernels" if of_kernels else "others")
        if not (recorded / "tests").exists():
            recorded.mkdir(parents=True)
            say(f"recording which tests execute the places of {len(chosen)} faults")
            probes.plant(tree.folder, chosen)
            environment = {"WINDROW_PROBES": str(recorded)} | (trials.PLAIN_PYTHON if of_kernels else {})
            tree.pytest([*RECORDING, *options], environment, limit_s=10_800)
            tree.clean()
        ran = trials.read_tests(recorded)
        hits = probes.read_hits(recorded, faults)
        tests |= {fault.name: trials.Covering.of(hits[fault.name], ran) for fault in chosen.values()}
    return tests


def _try_all(trees: list[Clone], faults: list[Fault], tests: dict[str, trials.Covering], measured: Measurement) -> None:
    """Each tree tries one fault after the other."""
    waiting: SimpleQueue[Fault] = SimpleQueue()
    for fault in faults:
        waiting.put(fault)

    def work(tree: Clone) -> None:
        while True:
            try:
                fault = waiting.get_nowait()
            except Empty:
                return
            result = TriedFault.of(fault, _trial(tree, fault, tests[fault.name]))
            measured.add(result)
            place = f"{fault.path}:{fault.line} {fault.kind}"
            say(f"{len(measured.results)} {result.state} {result.by}: {place} {result.test}")

    threads = [threading.Thread(target=work, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _trial(tree: Clone, fault: Fault, tests: trials.Covering) -> trials.Trial:
    if fault.name in EQUIVALENT:
        return trials.Trial(fault.name, "equivalent", "", "", 0, ())
    return trials.try_covering(tree, fault, tests)


if __name__ == "__main__":
    typer.run(main)
