"""The local stack: everything that must be there before Windrow itself can run.

Standard library only, run by any Python ≥ 3.11 before anything is installed (`python3 -m stack --help`).

    places.py          where things are
    commands.py        run one step of the set-up
    uv.py              uv, taken from PATH or installed into var/uv
    environments.py    .venv and .venv-airflow from the hashed requirement files
    java.py            a Java runtime for Spark
    jars.py            the JARs of Delta and of S3
    archive.py         the class-data archive (training.py is the job that it is made from)
    compiled.py        the kernels, compiled once
    setting_up.py      the steps in their order
    doctor.py          what is missing or wrong, each with the command that fixes it
    settings.py        Airflow's environment
    credentials.py     its secrets
    database.py        its own database
    components.py      its four components and their watcher: to start one, and to find those that live
    airflow.py         all of them: started, completed, ended
    up.py              Airflow left running: its landing folder, and what else runs here
    airflow_command.py Airflow's own command line, over a home
    restarts.py        which were started again, and which were given up
    watch.py           the watcher
    condition.py       what is wrong with them
    rest.py            a client of Airflow's REST API
    demo.py            landing files, Airflow, a scheduled run, a backfill
    showing.py         what the demo prints
    picture.py         what it draws (run by .venv's Python)
    lock.py            the requirement files, from pyproject.toml
    images.py          the images of docker/, and its services
    secret_files.py    the secrets of these
"""
