"""The images of docker/Dockerfile, built by buildah over a Debian that debootstrap makes, and commands in them.

So no registry of images is needed, and no engine.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack import images
from tests.support import checkout

INSTALL = "apt-get update && apt-get install -y --no-install-recommends buildah debootstrap"
PROGRAMS = ("buildah", "debootstrap")
RELEASE, BASE = "bookworm", "localhost/windrow-base"
ENTRYPOINT = ("tini", "-s", "--", "python3", "/opt/windrow/docker/entrypoint.py")
# How this machine reaches package registries, where it says so.
OF_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_CERT", "PIP_INDEX_URL", "SSL_CERT_FILE", "UV_DEFAULT_INDEX")
CERTIFICATES = Path("/usr/local/share/ca-certificates")


@dataclass(frozen=True)
class Builder:
    """Buildah, with images and containers below a folder."""

    folder: Path

    def run(self, *words: object) -> str:
        """What a command of buildah prints. AssertionError, with its last lines, where it fails."""
        settings = {"CONTAINERS_STORAGE_CONF": str(self._settings()), "BUILDAH_ISOLATION": "chroot"}
        return _run(["buildah", *words], settings, self.context)

    @property
    def context(self) -> Path:
        """What images are built from: as it was at first, since an edit meanwhile would build both from the start."""
        copied = self.folder / "context"
        if not copied.exists():
            checkout.copied(copied, *images.files())
        return copied

    def make_base(self) -> None:
        """A minimal Debian, with this machine's own certificates."""
        root = self.folder / "base"
        _run(["debootstrap", "--variant=minbase", RELEASE, root], {}, self.folder)
        if CERTIFICATES.is_dir():
            shutil.copytree(CERTIFICATES, root / CERTIFICATES.relative_to("/"), dirs_exist_ok=True)
        container = self.run("from", "scratch").strip()
        self.run("add", "--quiet", container, root, "/")
        given = (word for name in OF_NETWORK if name in os.environ for word in ("--env", f"{name}={os.environ[name]}"))
        self.run("config", "--cmd", "bash", *given, container)
        self.run("commit", "--quiet", "--rm", container, BASE)

    def remove(self) -> None:
        """All of it: gigabytes."""
        self.run("rmi", "--all", "--force")
        shutil.rmtree(self.folder)

    def build(self, target: str) -> None:
        """As `make image` does, over that Debian."""
        self.run(*images.build("buildah", target, BASE)[1:])

    @contextmanager
    def container(self, image: str, volumes: Mapping[Path, str] | None = None) -> Iterator["Container"]:
        """A container, removed in the end; the volumes are folders of this machine, by where they are in it."""
        name = self.run("from", "--pull-never", image).strip()
        try:
            yield Container(self, name, {**(volumes or {})})
        finally:
            self.run("rm", name)

    def _settings(self) -> Path:
        settings = self.folder / "storage.conf"
        places = f'runroot = "{self.folder / "run"}"\ngraphroot = "{self.folder / "graph"}"\n'
        settings.write_text(f'[storage]\ndriver = "overlay"\n{places}')
        return settings


@dataclass(frozen=True)
class Container:
    """One in which commands run through the image's entry point, as the image's user."""

    builder: Builder
    name: str
    volumes: dict[Path, str]

    def run(self, *words: str) -> str:
        """What a command prints. AssertionError where it fails."""
        mounted = [word for here, there in self.volumes.items() for word in ("--volume", f"{here}:{there}")]
        return self.builder.run("run", *mounted, self.name, "--", *ENTRYPOINT, *words)


def require_programs() -> None:
    """AssertionError, with the command that installs what is missing."""
    assert os.geteuid() == 0, "debootstrap makes a Debian for root only; run: sudo make test-image"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    assert not missing, f"there is no {' and no '.join(missing)} on this machine; these tests need both: {INSTALL}"


def _run(words: list[object], settings: Mapping[str, str], folder: Path) -> str:
    command = [str(word) for word in words]
    ended = subprocess.run(
        command, cwd=folder, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    last = "\n".join((ended.stdout + ended.stderr).splitlines()[-30:])
    assert ended.returncode == 0, f"{' '.join(command)} ended with {ended.returncode}:\n{last}"
    return ended.stdout
