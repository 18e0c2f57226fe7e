"""docs/experiments.md: the figures of five papers beside the shapes that this project's benchmarks found."""

import re
from typing import NamedTuple

from windrow.pipelines.docs.markdown import bullets, grid, joined, page
from windrow.schemas.project import CHECKOUT

BENCHMARKS = CHECKOUT / "docs" / "benchmarks"
HOLDS, FAILS = ("As in the paper", "As asked for", "Holds"), ("NOT as", "DOES NOT HOLD")


class Experiment(NamedTuple):
    """Figures of a paper. shape: what must come out; page, titles: where it is measured, by how headings begin;
    because: why another shape came out, where one did."""

    figures: str
    shape: str
    page: str
    titles: tuple[str, ...]
    because: str = ""


LEAVES = (
    "A leaf of this tree holds up to 64 entries, a node of the paper's up to 15: most single evictions and insertions "
    "touch one leaf ([decision 11](decisions/0011-finger-tree-layout.md)). So a loop of single ones is quicker than "
    "the paper's, and bulk operations have less to save."
)
ONE_RUN = "One run on a machine with neighbours: the figures beside it, of more windows or fewer, are as in the paper."
FLAT = "An update takes the same time in a window of any size (MTA 6): a shorter one hardly pays for the policy."
EXPERIMENTS = (
    Experiment(
        "FIBA 7", "bulk evict: FiBA and MTA flat, loops of single evictions about m times slower", "fiba",
        ("Latency of bulk evict",), LEAVES,
    ),
    Experiment(
        "FIBA 8, 9", "bulk insert: FiBA below a loop out of order; two stacks and DABA best in order", "fiba",
        ("Latency of bulk insert",), f"{LEAVES} That puts bulk insertion in order before DABA too.",
    ),
    Experiment(
        "FIBA 10", "without the deferred free list bulk evict is linear", "fiba", ("Deferred free list",)
    ),
    Experiment("FIBA 11, 12", "throughput rises with m", "fiba", ("Throughput against burst size",)),
    Experiment(
        "FIBA 13, 14", "throughput against d: bulk flat, single falls with log d", "fiba",
        ("Throughput against disorder",),
        "Leaves hold up to 64 entries and nodes up to 16 children, so a tree of 4 million has four levels, and log d "
        "as many steps.",
    ),
    Experiment(
        "FIBA 15, 16", "real trips: heavy tails of n, m and d; bulk ahead", "fiba",
        ("Shape of real windows", "Throughput of real trips"),
    ),
    Experiment(
        "FIBA 17", "inside an engine: the kernel far ahead, more so as the window grows", "spark",
        ("How it grows with the window",),
    ),
    Experiment("FIBA 7.3", "constant bytes per item, n as large as memory allows", "fiba", ("Bytes an entry",)),
    Experiment("MTA 6", "latency per update: naive linear, amortised flat", "mta", ("Latency of constant windows",)),
    Experiment(
        "MTA 7", "bulk eviction: linear for DABA, logarithmic for MTA", "mta", ("Latency of bulk evictions",)
    ),
    Experiment(
        "MTA table 2", "six aggregates by kernels; slide policies that evict early win", "mta",
        ("Six aggregates", "Slide policies"), FLAT,
    ),
    Experiment(
        "MTA 8", "window size within a memory limit: the store needs O(log n)", "mta", ("Window size against",)
    ),
    Experiment("MTA 9", "50 aggregates in one pass grow far slower than 50 windows", "mta", ("Many aggregates",)),
    Experiment(
        "SPANS 10, 11", "slicing ahead for short events, multi-level for long, sweeping flat", "spans",
        ("Length of events", "Height of slices"),
    ),
    Experiment(
        "SPANS 12, 13", "throughput against range and overlap, also with range not a multiple of the slide", "spans",
        ("Range and overlap", "Range and height"),
    ),
    Experiment(
        "SPANS 14", "real calls: slicing ahead of buckets and sweeping", "spans", ("Real calls",),
        "Where few events begin in a slide, slices are as many as events and share nothing. Events of one slice that "
        "come in a row are one insertion for every kernel here, which buckets gain most by.",
    ),
    Experiment(
        "SPANS 15", "a map of the best kernel; the planner agrees with it", "spans", ("Best kernels",)
    ),
    Experiment(
        "FARM 27 to 30", "bandwidth and completion time against workers: up to the ideal or the cores", "farm",
        ("Bandwidth (", "Completion time"), ONE_RUN,
    ),
    Experiment(
        "FARM 31, 32", "calculation time, fragmentation: active below agnostic when fragmented", "farm",
        ("Calculation time", "Fragmentation"),
    ),
    Experiment("FARM 33, 34", "scalability near linear up to the cores", "farm", ("Scalability (",)),
    Experiment(
        "FARM 35 to 37", "slide by tuple: bandwidth, scalability, chunk sizes as in the paper", "farm",
        ("Bandwidth of slide", "Scalability of slide", "Chunks of slide"),
    ),
    Experiment(
        "FRAMES", "multi-buffer's cost follows w and the repaired part, single buffer's follows n", "frames",
        ("Kinds of frames", "Operations by", "Next to a walk", "When tuples double"),
        "The rate that is asked for is this project's own. A late tuple of a frame by aggregate opens all frames "
        "behind it again.",
    ),
    Experiment(
        "End to end", "what a day costs beside what a user would pick instead", "spark", ("A day by", "The last day")
    ),
    Experiment(
        "Growth", "how the cost grows with events, days and queries", "backfill", ("`bikes_demand`", "The 6"),
        "DuckDB and Spark write last rows only. Windrow writes every revision, the late table, verdicts and a ledger.",
    ),
)  # fmt: skip


def experiments_page() -> str:
    """The page, from those of benchmarks."""
    found = [_Found.of(each) for each in EXPERIMENTS]
    rows = [[_link(each), each.asked.shape, each.outcome] for each in found]
    return page(
        "experiments",
        lines=len(found),
        confirmed=sum(each.outcome == "confirmed" for each in found),
        overview=grid([["figures", "what must come out", "outcome"], *rows]),
        figures=joined(each.text() for each in found),
    )


def _link(found: "_Found") -> str:
    return f"[{found.asked.figures}](#{_anchor(found.asked.figures)})"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


class _Found(NamedTuple):
    """What was measured: pictures and verdicts of the page's sections, and on which machine at which commit."""

    asked: Experiment
    machine: str
    pictures: list[str]
    verdicts: list[str]

    @classmethod
    def of(cls, asked: Experiment) -> "_Found":
        head, *sections = (BENCHMARKS / f"{asked.page}.md").read_text().split("\n## ")
        machine = next((line for line in head.splitlines() if "commit " in line), "")
        lines = [line for each in sections if each.startswith(asked.titles) for line in each.splitlines()]
        pictures = [line.replace("](", "](benchmarks/") for line in lines if line.startswith("![")]
        return cls(asked, machine, pictures, [line[2:] for line in lines if line[2:].startswith((*HOLDS, *FAILS))])

    @property
    def refuted(self) -> list[str]:
        return [each for each in self.verdicts if each.startswith(FAILS)]

    @property
    def outcome(self) -> str:
        if not self.verdicts:
            return "not measured"
        held = len(self.verdicts) - len(self.refuted)
        return "confirmed" if not self.refuted else f"{held} of {len(self.verdicts)} checks confirmed"

    def text(self) -> str:
        """Its section: each check that failed, or the first ones of those that hold."""
        shown = self.refuted or self.verdicts[:3]
        others = len(self.verdicts) - len(shown)
        more = [f"{others} more hold."] if others else []
        because = [f"Why: {self.asked.because or 'not known yet.'}"] if self.refuted else []
        where = f"From [{self.asked.page}](benchmarks/{self.asked.page}.md), which has the tables. {self.machine}"
        parts = [
            f"## {self.asked.figures}",
            f"Must come out: {self.asked.shape}.",
            *self.pictures,
            bullets([*shown, *more]),
            *because,
            where,
        ]
        return joined(parts)
