"""The set-up of a checkout: everything that must be there before `windrow` itself can run.

Standard library only, run by any Python ≥ 3.11 before anything is installed (`python3 -m stack --help`).

    places.py          where things are
    uv.py              uv, taken from PATH or installed into var/uv
    environments.py    .venv and .venv-airflow from the hashed requirement files
    debian.py          a Java runtime for Spark, a Redis server for tests
    setting_up.py      the parts in their order; the last are those of `windrow setup`
    doctor.py          what is missing or wrong, each with the command that fixes it
    demo.py            landing files, Airflow, a scheduled run, a backfill, and what the demo prints
    demo.sql           what it asks the tables at its end
    release.py         the requirement files, wheel, bill of materials, audit
    images.py          the images of docker/, its services and their secrets
"""
