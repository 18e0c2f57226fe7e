from windrow.airflow import raise_broken

raise_broken(__file__)  # what is wrong with a definition, as an import error: it has no DAG, all others have theirs
