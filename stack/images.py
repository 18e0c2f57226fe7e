"""`make image` and `make compose-up`: the images of docker/Dockerfile, and all services of docker/compose.yaml.

A docker engine builds the images, or buildah where there is none.
"""

import os
import shutil
import subprocess

from schemas.errors import NotSetUp
from stack import places, secret_files
from stack.places import REPOSITORY, say

DOCKERFILE, COMPOSE = "docker/Dockerfile", "docker/compose.yaml"
TARGETS = {"spark": "windrow-spark", "airflow": "windrow-airflow"}
"""By target of the Dockerfile the image's name. The second is made of the first."""
BASE = "WINDROW_BASE"
BUILDAH = "apt-get update && apt-get install -y --no-install-recommends buildah"


def build_all() -> None:
    """Both images. WINDROW_BASE: over another base than the Dockerfile's."""
    builder = find_builder()
    for target, name in TARGETS.items():
        say(f"building {name}")
        _run(build(builder, target, os.environ.get(BASE)))


def find_builder() -> str:
    """NotSetUp where there is neither a docker engine nor buildah."""
    if _has_engine():
        return "docker"
    if shutil.which("buildah"):
        return "buildah"
    raise NotSetUp("there is neither a docker engine nor buildah, one of which builds images", BUILDAH)


def build(builder: str, target: str, base: str | None) -> list[str]:
    """The command that builds an image."""
    over = ("--build-arg", f"BASE={base}") if base else ()
    # docker finds the list by its name, and keeps layers anyway.
    buildahs = ("--layers", "--ignorefile", f"{DOCKERFILE}.dockerignore") if builder == "buildah" else ()
    return [builder, "build", *buildahs, *over, "--target", target, "-f", DOCKERFILE, "-t", TARGETS[target], "."]


def files() -> list[str]:
    """Files and folders that a build reads: those that images hold, and what says which."""
    ignored = f"{DOCKERFILE}.dockerignore"
    lines = (REPOSITORY / ignored).read_text().splitlines()
    return [DOCKERFILE, ignored, *(line.removeprefix("!") for line in lines if line.startswith("!"))]


def compose_up() -> None:
    """Make the secrets, and start all services; prints address and login."""
    if not _has_engine():
        raise NotSetUp("there is no docker engine here", "install one, then make image compose-up")
    login = places.login("admin", secret_files.ensure()[secret_files.LOGIN], secret_files.FOLDER / secret_files.LOGIN)
    _run(["docker", "compose", "-f", COMPOSE, "up", "--detach", "--wait"])
    say(f"  address   http://localhost:8080\n  login     {login}")
    say(f"  stop it   docker compose -f {COMPOSE} down")


def _has_engine() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = ["docker", "version", "--format", "{{.Server.Version}}"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def _run(command: list[str]) -> None:
    ended = subprocess.run(command, cwd=REPOSITORY, check=False)
    if ended.returncode:
        raise NotSetUp(f"it ended with exit code {ended.returncode}, and says above why", " ".join(command))
