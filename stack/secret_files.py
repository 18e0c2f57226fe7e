"""The secrets of docker/compose.yaml: files that `make compose-up` makes where they are missing, and leaves as they are
where they are there.

Containers run as users of their own, so that the files are readable; the folder around them is this user's only.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from stack.places import REPOSITORY

FOLDER = REPOSITORY / "docker" / "secrets"
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
# Airflow signs with HS512 and wants at least 64 bytes.
_KEY_BYTES = 48
_DATABASE = "windrow:{POSTGRES_PASSWORD}@postgres/airflow"


def _random() -> str:
    return secrets.token_urlsafe(_BYTES)


def _identities(found: Mapping[str, str]) -> str:
    """As the S3 server takes them."""
    keys = {"accessKey": found["AWS_ACCESS_KEY_ID"], "secretKey": found["AWS_SECRET_ACCESS_KEY"]}
    return json.dumps({"identities": [{"name": "windrow", "credentials": [keys], "actions": ["Admin"]}]}, indent=1)


# In their order: the later ones are made of the earlier.
MADE: dict[str, Callable[[Mapping[str, str]], str]] = {
    "POSTGRES_PASSWORD": lambda found: _random(),
    LOGIN: lambda found: _random(),
    "AIRFLOW__API_AUTH__JWT_SECRET": lambda found: secrets.token_hex(_KEY_BYTES),
    "AWS_ACCESS_KEY_ID": lambda found: secrets.token_hex(_BYTES // 2),
    "AWS_SECRET_ACCESS_KEY": lambda found: _random(),
    "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": lambda found: f"postgresql+psycopg2://{_DATABASE.format_map(found)}",
    "WINDROW_LOCKS": lambda found: f"postgresql://{_DATABASE.format_map(found)}",
    "S3_IDENTITIES": _identities,
    SPARK: lambda found: "".join(
        f"{name} {value}\n" for name, value in {**_OF_SPARK, _KEY_OF_SPARK: _random()}.items()
    ),
}


def ensure(folder: Path = FOLDER) -> dict[str, str]:
    """By name what each file holds."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found: dict[str, str] = {}
    for name, make in MADE.items():
        file = folder / name
        if not file.exists():
            file.write_text(make(found))
            file.chmod(0o644)
        found[name] = file.read_text()
    return found
