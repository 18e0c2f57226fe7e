"""`make image` and `make compose-up`: the images of docker/Dockerfile, and all services of docker/compose.yaml with
their secrets.

Secrets are files that `make compose-up` makes where they are missing, and leaves as they are where they are there.
Containers run as users of their own, so that the files are readable; the folder around them is this user's only.
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
INSTALL = "install both: https://docs.docker.com/engine/install/"
BASE, FILES = "WINDROW_BASE", "COMPOSE_FILE"

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
    _require("version")
    for target, name in TARGETS.items():
        say(f"building {name}")
        _run(build(target, os.environ.get(BASE)))


def build(target: str, base: str | None) -> list[str]:
    """The command that builds an image."""
    over = ("--build-arg", f"BASE={base}") if base else ()
    return ["docker", "build", *over, "--target", target, "-f", DOCKERFILE, "-t", TARGETS[target], "."]


def compose_up() -> None:
    """Make the secrets, and start all services; prints address and login. COMPOSE_FILE: files of one's own behind
    docker/compose.yaml, as Compose takes them."""
    _require("version")
    _require("compose", "version")
    os.environ.setdefault(FILES, COMPOSE)
    login = credentials.login("admin", ensure_secrets()[LOGIN], SECRETS / LOGIN)
    _run(["docker", "compose", "up", "--detach", "--wait"])
    say(f"  address   http://localhost:8080\n  login     {login}")
    say(f"  stop it   docker compose -f {COMPOSE} down")


def _require(*words: str) -> None:
    """NotSetUp where docker can't do this. Without an engine it has no `version`."""
    asked = ["docker", *words]
    if shutil.which("docker") is None or subprocess.run(asked, capture_output=True, check=False).returncode:
        raise NotSetUp(f"there is no docker engine with Compose here: `{' '.join(asked)}` fails", INSTALL)


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
