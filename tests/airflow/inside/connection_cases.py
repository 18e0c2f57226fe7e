"""Connections of Airflow as settings of Windrow. test_operator.py starts pytest for it in Airflow's environment."""

import json

import pytest
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowFailException

from dags import connections


def spark(**fields):
    return Connection(conn_id="cluster", **{"conn_type": "spark", "host": "spark://head", "port": 7077} | fields)


def test_a_connection_of_spark_is_settings_of_windrow():
    extra = {"deploy-mode": "client", "queue": "night", "conf": {"spark.executor.memory": "4g"}}
    found = connections.of_spark(spark(extra=json.dumps(extra)))
    assert found["WINDROW_SPARK_MASTER"] == "spark://head:7077"
    assert json.loads(found["WINDROW_SPARK_CONF"]) == {"spark.yarn.queue": "night", "spark.executor.memory": "4g"}
    assert connections.of_spark(spark(host="yarn", port=None))["WINDROW_SPARK_MASTER"] == "yarn"


def test_a_connection_that_windrow_can_not_use_is_refused_by_its_name():
    with pytest.raises(AirflowFailException, match="'cluster', a connection of type 'http'; .* type 'spark'"):
        connections.of_spark(spark(conn_type="http"))
    with pytest.raises(AirflowFailException, match="'cluster' has deploy-mode 'cluster'; allowed: client"):
        connections.of_spark(spark(extra=json.dumps({"deploy-mode": "cluster"})))


def storage(**fields) -> Connection:
    return Connection(conn_id="lake", **{"conn_type": "aws", "login": "id", "password": "key", **fields})


def test_a_connection_of_aws_is_the_standard_variables():
    extra = {"region_name": "us-east-1", "endpoint_url": "http://s3:9000"}
    assert connections.of_storage(storage(extra=json.dumps(extra))) == {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "key",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": "http://s3:9000",
    }
    assert connections.of_storage(storage(login=None, password=None)) == {}


def test_a_storage_connection_that_windrow_can_not_use_is_refused_by_its_name():
    with pytest.raises(AirflowFailException, match="'lake', a connection of type 'http'; .* type 'aws'"):
        connections.of_storage(storage(conn_type="http"))
    with pytest.raises(AirflowFailException, match="'lake' has role_arn; allowed: login and password"):
        connections.of_storage(storage(extra=json.dumps({"role_arn": "arn:aws:iam::1:role/reader"})))
