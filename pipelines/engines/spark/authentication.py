"""Who may talk to Spark's processes: those that have the key. Without one, any process of any user that finds a
driver's port may ask it, and end it.

    local, yarn, k8s   Spark makes a key for each session
    local-cluster      so does Windrow, as Spark doesn't
    spark://           the one that its master and workers have too, of their spark-defaults.conf
"""

import secrets
from collections.abc import Mapping

from schemas.errors import NotSetUp

AUTHENTICATE = "spark.authenticate"
_KEY = f"{AUTHENTICATE}.secret"
_FIX = (
    f"the {_KEY} of its master and workers in the spark-defaults.conf of this machine "
    f'(docs/operations.md#a-cluster-of-spark); or {{"{AUTHENTICATE}": "false"}} in WINDROW_SPARK_CONF where it has none'
)


def of_a_cluster(master: str, users: Mapping[str, str]) -> dict[str, str]:
    """Settings by which a driver is known on its cluster, and by which no other process reads what they say. NotSetUp
    where no setting of the user's says the key of a standalone cluster."""
    if users.get(AUTHENTICATE, "true").lower() != "true":
        return {}
    if _KEY not in users and master.startswith("spark:"):
        raise NotSetUp(f"Spark's master {master} asks for a key, and no setting says it", _FIX)
    key = {_KEY: secrets.token_hex()} if master.startswith("local-cluster") else {}
    # Without a fallback to what is not encrypted, where the other side asks for it.
    return {"spark.network.crypto.enabled": "true", "spark.network.crypto.saslFallback": "false", **key}
