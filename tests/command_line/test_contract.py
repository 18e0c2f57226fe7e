"""`windrow contract`: YAML of the Open Data Contract Standard, valid by its schema, with what the definition says."""

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
import yaml

from windrow.pipelines.docs.data_contract import as_yaml, data_contract
from windrow.pipelines.location import at
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.promise import promise

SCHEMA = json.loads(files("open_data_contract_standard").joinpath("schema.json").read_text())
PROMISED = (
    promise(complete=0.995, within="1 h"),
    promise(final_moves_at_most=0.001, of="trips"),
    promise(fresh_within="2 h"),
    promise(rows_between=(100, 5_000), or_else="fail"),
)


@pytest.mark.parametrize("place", ["/lake", "s3://bucket/lake", "hdfs://head:8020/lake"])
def test_the_contract_of_every_query_is_valid_by_the_standards_schema(place):
    for name, query in registry.queries().items():
        made = data_contract(QueryTables.of(query), at(place) / name)
        jsonschema.Draft201909Validator(SCHEMA).validate(made)
        assert yaml.safe_load(as_yaml(made)) == json.loads(json.dumps(made))


def test_it_has_columns_with_units_and_keys_and_what_is_promised(tmp_path):
    query = replace(registry.query("bikes_demand"), promises=PROMISED)
    made = data_contract(QueryTables.of(query), tmp_path)
    jsonschema.Draft201909Validator(SCHEMA).validate(made)
    [table] = made["schema"]
    columns = {each["name"]: each for each in table["properties"]}
    assert [name for name in columns if columns[name].get("primaryKey")] == [*query.window_identity, "revision"]
    assert columns["trips"]["logicalType"] == "integer" and columns["emitted_date"]["partitioned"]
    [rows] = [each for each in table["quality"] if each.get("metric") == "rowCount"]
    assert (rows["mustBeBetween"], rows["severity"]) == ([100, 5_000], "error")
    agreed = {each["property"]: each["value"] for each in made["slaProperties"]}
    assert agreed == {"completeness": 0.995, "finalMoves": 0.001, "freshness": 7_200}
    other = data_contract(QueryTables.of(replace(query, promises=PROMISED[:3])), tmp_path)
    assert other["version"] != made["version"]


def test_the_command_prints_it_or_writes_a_file(windrow, tmp_path):
    printed, file = windrow("contract", "bikes_demand"), tmp_path / "demand.yaml"
    assert yaml.safe_load(printed.out)["name"] == "bikes_demand"
    assert json.loads(windrow("contract", "bikes_demand", "--json").out) == yaml.safe_load(printed.out)
    assert windrow("contract", "bikes_demand", "--into", str(file)).code == 0
    assert file.read_text() == printed.out
    ended = windrow("contract", "bikes_demand", "--into", str(tmp_path / "nowhere" / "demand.yaml"))
    assert ended.code == 2 and "nowhere" in ended.error
    ended = windrow("contract", "bikes_demand", "--into", str(tmp_path))
    assert ended.code == 2 and "is a folder" in ended.error
