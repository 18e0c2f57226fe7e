"""What images are built on and what services need, where no registry of images is reached: a Debian that debootstrap
makes, and PostgreSQL of Debian's package over it."""

import os
import shutil
import subprocess
from pathlib import Path

from stack.places import REPOSITORY

INSTALL = "apt-get update && apt-get install -y --no-install-recommends debootstrap"
RELEASE, BASE = "bookworm", "windrow-base"
# How this machine reaches package registries, where it says so.
OF_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_INDEX_URL", "UV_DEFAULT_INDEX")
TRUSTED, OF_DEBIAN = Path("/etc/ssl/certs/ca-certificates.crt"), Path("/usr/share/ca-certificates")
OWN = "usr/local/share/ca-certificates"
POSTGRES = f"""
FROM {BASE}
RUN apt-get update && apt-get install -y --no-install-recommends postgresql
COPY start-postgres /usr/local/bin/
USER postgres
RUN mkdir /var/lib/postgresql/data
ENTRYPOINT ["start-postgres"]
"""
# As far as docker/compose.yaml asks for what postgres:17-alpine does.
START_POSTGRES = """#!/bin/sh -e
cd /usr/lib/postgresql/*/bin
data=/var/lib/postgresql/data
if [ ! -s $data/PG_VERSION ]; then
    ./initdb -D $data -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256
    echo "host all all all scram-sha-256" >> $data/pg_hba.conf
    echo "CREATE DATABASE $POSTGRES_DB" | ./postgres --single -D $data postgres
fi
exec ./postgres -D $data -c listen_addresses="*"
"""


def docker(*words: object) -> str:
    """What a command prints. AssertionError, with its last lines, where it fails."""
    return ran("docker", *words)


def ran(*words: object) -> str:
    """The same of any command."""
    command = [str(word) for word in words]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    last = "\n".join((ended.stdout + ended.stderr).splitlines()[-40:])
    assert ended.returncode == 0, f"{' '.join(command)} ended with {ended.returncode}:\n{last}"
    return ended.stdout


def made_base(folder: Path) -> str:
    """The name of a minimal Debian, with this machine's own certificates."""
    assert os.geteuid() == 0, "debootstrap makes a Debian for root only; run: sudo make test-image"
    assert shutil.which("docker"), "these tests need a docker engine with Compose, such as Debian's docker.io"
    assert shutil.which("debootstrap"), f"there is no debootstrap on this machine: {INSTALL}"
    ran("debootstrap", "--variant=minbase", RELEASE, folder)
    (folder / OWN).mkdir(parents=True, exist_ok=True)
    for number, certificate in enumerate(own_certificates()):
        (folder / OWN / f"{number}.crt").write_text(certificate)
    named = {name: os.environ[name] for name in OF_NETWORK if name in os.environ}
    given = named | {"PIP_CERT": TRUSTED, "SSL_CERT_FILE": TRUSTED}
    packed = f"{folder}.tar"
    ran("tar", "-C", folder, "-cf", packed, ".")
    docker("import", *(word for name in given for word in ("-c", f"ENV {name}={given[name]}")), packed, BASE)
    return BASE


def own_certificates() -> list[str]:
    """Those that this machine trusts and Debian doesn't, as its proxy's may be."""
    end = "-----END CERTIFICATE-----\n"
    known = {path.read_text().strip() for path in OF_DEBIAN.rglob("*.crt")}
    found = [f"{each.strip()}\n{end}" for each in TRUSTED.read_text().split(end)[:-1]] if TRUSTED.exists() else []
    return [each for each in found if each.strip() not in known]


def made_postgres(folder: Path) -> str:
    """The name of an image like PostgreSQL's own, over that Debian."""
    folder.mkdir()
    (folder / "Dockerfile").write_text(POSTGRES)
    (folder / "start-postgres").write_text(START_POSTGRES)
    (folder / "start-postgres").chmod(0o755)
    docker("build", "-t", "windrow-postgres", folder)
    return "windrow-postgres"
