"""The services of docker/compose.yaml, started as a user starts them, in a Compose project of their own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from stack.images import COMPOSE, FILES, SECRETS
from stack.places import REPOSITORY
from tests.support.images import docker, made_postgres, ran

PROJECT, S3_IMAGE = "windrow-of-tests", "WINDROW_S3_IMAGE"
BUCKET, S3 = "windrow", "http://127.0.0.1:8333"
IMAGES = {name: each["image"] for name, each in yaml.safe_load((REPOSITORY / COMPOSE).read_text())["services"].items()}


def up() -> None:
    """Start what does not run, and wait until all is healthy."""
    ran("make", "compose-up")


@contextmanager
def running(folder: Path, outside: pytest.MonkeyPatch) -> Iterator[None]:
    """With empty volumes, which are removed in the end. outside: as long as they run."""
    outside.setenv("COMPOSE_PROJECT_NAME", PROJECT)
    outside.setenv(FILES, f"{COMPOSE}{os.pathsep}{_substitutes(folder)}")
    try:
        up()
        for name, value in _of_lake().items():
            outside.setenv(name, value)
        yield
    finally:
        docker("compose", "down", "--volumes")


def container(service: str) -> str:
    """The name of a service's container."""
    return docker("compose", "ps", "--all", "--quiet", service).strip()


def secret(name: str) -> str:
    """One that compose_up has made."""
    return (SECRETS / name).read_text().strip()


def _of_lake() -> dict[str, str]:
    """Variables by which this machine reaches it."""
    keys = {name: secret(name) for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    places = {"WINDROW_HOME": f"s3://{BUCKET}/lake", "WINDROW_LANDING": f"s3://{BUCKET}/landing"}
    return {**keys, **places, "AWS_ENDPOINT_URL": S3, "AWS_REGION": "us-east-1"}


def _substitutes(folder: Path) -> Path:
    """A file of Compose with other images of services whose own this machine can't have."""
    missing = [name for name in ("postgres", "s3") if not _pulled(IMAGES[name])]
    named = {"postgres": lambda: made_postgres(folder / "postgres"), "s3": _s3}
    file = folder / "substitutes.yaml"
    file.write_text(yaml.safe_dump({"services": {name: {"image": named[name]()} for name in missing}}))
    return file


def _pulled(image: str) -> bool:
    return not subprocess.run(["docker", "pull", "--quiet", image], capture_output=True, check=False).returncode


def _s3() -> str:
    image = os.environ.get(S3_IMAGE)
    assert image, f"{IMAGES['s3']} can't be pulled here; have {S3_IMAGE} name an image like it"
    return image
