"""The local stack: everything that must be there before Windrow itself can run.

Standard library only, run by any Python ≥ 3.11 before anything is installed (`python3 -m stack --help`). So nothing of
filelock; nor do others take away more than they bring. supervisor and honcho end what they started when they end, or
know it no more: `make up` couldn't start a dead scheduler next to living ones, whose tasks go on; and neither ends what
a dead component's tasks left. apache-airflow-client would replace one function of pipelines/airflow/rest.py.

    places.py          where things are
    commands.py        run one step of the set-up
    uv.py              uv, taken from PATH or installed into var/uv
    environments.py    .venv and .venv-airflow from the hashed requirement files
    debian.py          a Java runtime for Spark, a Redis server for tests
    jars.py            the JARs of Delta and of S3
    archive.py         the class-data archive (training.py is the job that it is made from)
    compiled.py        the kernels, compiled once
    setting_up.py      the parts in their order
    doctor.py          what is missing or wrong, each with the command that fixes it
    settings.py        Airflow's environment, with its database
    credentials.py     its secrets
    components.py      its four components and their watcher: to start one, and again when it has died
    airflow.py         all of them: started, completed, ended; what is wrong with them
    up.py              Airflow left running: its landing folder, what else runs here, its own command line
    demo.py            landing files, Airflow, a scheduled run, a backfill, and what the demo prints
    demo_questions.sql what it asks
    release.py         the requirement files, wheel, bill of materials, audit
    images.py          the images of docker/, its services and their secrets
"""
