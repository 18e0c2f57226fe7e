"""`make image` and `make compose-up`: the images of docker/Dockerfile, and all services of docker/compose.yaml with
their secrets.

A docker engine builds the images, or buildah where there is none. Secrets are files that `make compose-up` makes where
they are missing, and leaves as they are where they are there. Containers run as users of their own, so that the files
are readable; the folder around them is this user's only.
"""

import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from stack.places import REPOSITORY
from windrow.pipelines.airflow import credentials
from windrow.pipelines.logged import say
from windrow.schemas.errors import NotSetUp

DOCKERFILE, COMPOSE = "docker/Dockerfile", "docker/compose.yaml"
TARGETS = {"spark": "windrow-spark", "airflow": "windrow-airflow"}
"""By target of the Dockerfile the image's name. The second is made of the first."""
BASE = "WINDROW_BASE"
BUILDAH = "apt-get update && apt-get install -y --no-install-recommends buildah"

SECRETS = REPOSITORY / "docker" / "secrets"
LOGIN = "AIRFLOW_LOGIN_PASSWORD"
SPARK, _KEY_OF_SPARK = "spark-defaults.conf", "spark.authenticate.secret"
# Only processes that have the key are let in, by connections that no other process can read; pages end nothing.
_OF_SPARK = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.saslFallback": "false",
    "spark.master.rest.enabled": "false",
    "spark.ui.killEnabled": "false",
}
_BYTES = 24
_DATABASE = "windrow:{POSTGRES_PASSWORD}@postgres/airflow"


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
    login = credentials.login("admin", ensure_secrets()[LOGIN], SECRETS / LOGIN)
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


def _random() -> str:
    return secrets.token_urlsafe(_BYTES)


def _identities(found: Mapping[str, str]) -> str:
    """As the S3 server takes them."""
    keys = {"accessKey": found["AWS_ACCESS_KEY_ID"], "secretKey": found["AWS_SECRET_ACCESS_KEY"]}
    return json.dumps({"identities": [{"name": "windrow", "credentials": [keys], "actions": ["Admin"]}]}, indent=1)


# In their order: the later ones are made of the earlier.
MADE_SECRETS: dict[str, Callable[[Mapping[str, str]], str]] = {
    "POSTGRES_PASSWORD": lambda found: _random(),
    LOGIN: lambda found: _random(),
    "AIRFLOW__API_AUTH__JWT_SECRET": lambda found: secrets.token_hex(credentials.KEY_BYTES),
    "AWS_ACCESS_KEY_ID": lambda found: secrets.token_hex(_BYTES // 2),
    "AWS_SECRET_ACCESS_KEY": lambda found: _random(),
    "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": lambda found: f"postgresql+psycopg2://{_DATABASE.format_map(found)}",
    "WINDROW_LOCKS": lambda found: f"postgresql://{_DATABASE.format_map(found)}",
    "S3_IDENTITIES": _identities,
    SPARK: lambda found: "".join(
        f"{name} {value}\n" for name, value in {**_OF_SPARK, _KEY_OF_SPARK: _random()}.items()
    ),
}


def ensure_secrets(folder: Path = SECRETS) -> dict[str, str]:
    """By name what each file holds."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found: dict[str, str] = {}
    for name, make in MADE_SECRETS.items():
        file = folder / name
        if not file.exists():
            file.write_text(make(found))
            file.chmod(0o644)
        found[name] = file.read_text()
    return found
