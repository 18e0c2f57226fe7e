"""The import error of broken definitions, apart from the DAGs, since Airflow drops all DAGs of a file that fails.

An error raised where DAGs are made takes the other streams' down, and one that is only shown next to them pauses them:
Airflow schedules no DAG of a file that has an import error.
"""

import sys
from pathlib import Path

from airflow.sdk.exceptions import AirflowException

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from schemas.registry import broken_queries, broken_streams

BROKEN = [*broken_streams().values(), *broken_queries().values()]
if BROKEN:
    # From None: its text has file and line, a traceback of ours would bury them.
    raise AirflowException("\n".join(map(str, BROKEN))) from None
