"""`make lock`, `make wheel`, `make sbom`, `make audit`: what a release is made of, and whether any of it is known to be
unsafe.

Requirements have a hash for every file and no download address. A `uv.lock` is not kept: it would write the address of
this machine's registry into the repository.
"""

from stack import uv
from stack.places import AIRFLOW_ENVIRONMENT, MADE, PYTHON, REPOSITORY, REQUIREMENTS, SPARK_ENVIRONMENT
from windrow.pipelines import logged
from windrow.pipelines.logged import say

WHEELS, BILLS = MADE / "wheel", MADE / "sbom"
BILLED = {"spark": SPARK_ENVIRONMENT, "airflow": AIRFLOW_ENVIRONMENT}
PROJECT = REPOSITORY / "pyproject.toml"
# What each file of requirements is made from: the project's own dependencies with all extras, or groups of
# pyproject.toml.
SOURCES = {
    "spark": (str(PROJECT), "--extra", "all", "--group", f"{PROJECT}:dev"),
    # Of the same versions, so that `make setup` only adds to it.
    "demo": (str(PROJECT), "--extra", "report", "--group", f"{PROJECT}:build", "-c", str(REQUIREMENTS / "spark.txt")),
    "airflow": ("--group", f"{PROJECT}:airflow"),
    "uv": ("--group", f"{PROJECT}:setup"),
}
OF_LOCK = [
    "--quiet",
    "--universal",
    "--generate-hashes",
    "--no-header",
    "--no-emit-index-url",
    "--python-version",
    "3.11",
]


def lock() -> None:
    """Bring every requirement file up to date; versions move only where pyproject.toml asks for it."""
    for name, sources in SOURCES.items():
        target = REQUIREMENTS / f"{name}.txt"
        before = target.read_text() if target.exists() else ""
        command = [uv.ensure(), "pip", "compile", *OF_LOCK, *sources, "--output-file", str(target)]
        logged.run(f"lock {name}", command, "correct the dependencies in pyproject.toml")
        outcome = "is as before" if target.read_text() == before else "was changed"
        say(f"{target.relative_to(REPOSITORY)} {outcome}")


def wheel() -> None:
    """Windrow as a wheel, of the version that the git tag says, by the locked build backend."""
    options = ["--wheel", "--no-build-isolation", "--offline", "--python", str(PYTHON), "--out-dir", str(WHEELS)]
    logged.run("wheel", [uv.ensure(), "build", *options, str(REPOSITORY)], "make setup && make wheel", shown=True)


def sbom() -> None:
    """What is installed in each environment, with versions and licences, as a CycloneDX bill of materials."""
    BILLS.mkdir(parents=True, exist_ok=True)
    for name, environment in BILLED.items():
        written = BILLS / f"{name}.json"
        options = ["environment", "--output-reproducible", "--output-file", str(written), str(environment)]
        logged.run(f"sbom {name}", [str(PYTHON), "-m", "cyclonedx_py", *options], "make setup && make sbom")
        say(f"{written.relative_to(REPOSITORY)} says what is in {environment.name}")


def audit() -> None:
    """Known vulnerabilities of every pinned package, asked of PyPI. One that can't be asked about is a failure too."""
    for name in BILLED:
        options = ["--strict", "--disable-pip", "--no-deps", "--requirement", str(REQUIREMENTS / f"{name}.txt")]
        command = [uv.ensure(), "tool", "run", "--quiet", "pip-audit", *options]
        logged.run(
            f"audit {name}",
            command,
            "raise the version in pyproject.toml, then make lock; or ask again where PyPI answers",
            shown=True,
        )
