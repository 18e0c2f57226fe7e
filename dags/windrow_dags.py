from windrow.airflow import dags

globals().update(dags(__file__))
