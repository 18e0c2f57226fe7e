"""Images, services and manifests of docker/: pinned, not root, healthy, bounded in memory, secrets from files only.

Nothing is built or started here: `make test-image` does that.
"""

import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from stack import doctor, environments, images
from stack.places import REPOSITORY
from tests.support.rules import assert_none
from windrow.pipelines.airflow import settings
from windrow.pipelines.engines.spark.settings import authentication
from windrow.schemas.errors import NotSetUp

DOCKER = REPOSITORY / "docker"
PINNED = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
ONE_SHOT = {name for name, service in SERVICES.items() if service["restart"] == "no"}
# Its entry point makes the volume its own user's, and goes on as that.
LEAVES_ROOT = {"s3"}
OURS = set(images.TARGETS.values())
VALUES = yaml.safe_load((DOCKER / "kubernetes" / "values.yaml").read_text())
SPARK = "windrow-spark"


def script(name: str):
    """A script of the images, as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCKER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_base_is_pinned_and_the_images_users_are_not_root():
    dockerfile = (DOCKER / "Dockerfile").read_text()
    [base] = re.findall(r"^ARG BASE=(\S+)$", dockerfile, re.M)
    assert PINNED.fullmatch(base)
    assert re.findall(r"^FROM (\S+)", dockerfile, re.M) == ["${BASE}", "spark"]
    assert re.findall(r"^USER (\S+)$", dockerfile, re.M) == ["windrow"]
    assert dict.fromkeys(re.findall(r" AS (\w+)$", dockerfile, re.M)) == dict.fromkeys(images.TARGETS)


def test_compose_itself_takes_the_file():
    asked = ["docker", "compose", "version"]
    if shutil.which("docker") is None or subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("docker compose is not installed here")
    command = ["docker", "compose", "-f", "docker/compose.yaml", "config", "--quiet"]
    assert subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False).stderr == ""


RULES: dict[str, tuple[Callable[[dict], object], set[str]]] = {
    "a service has an image by its digest, or one of ours with pull_policy: never":
        (lambda each: PINNED.fullmatch(each["image"])
         or (each["image"] in OURS and each.get("pull_policy") == "never"), set()),
    "a service has a mem_limit": (lambda each: re.fullmatch(r"\d+[mg]", each.get("mem_limit", "")), set()),
    "a service gains no rights": (lambda each: each.get("security_opt") == ["no-new-privileges:true"], set()),
    "a service has a user who is not root": (lambda each: each.get("user", "root") not in ("0", "root"), LEAVES_ROOT),
    "a service that stays has a health check, a command without a shell":
        (lambda each: each.get("healthcheck", {"test": [""]})["test"][0] == "CMD", ONE_SHOT),
    "ports are open to this host only, as 127.0.0.1:…":
        (lambda each: all(port.startswith("127.0.0.1:") for port in each.get("ports", ())), set()),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_every_service_keeps_the_rule(rule):
    holds, but = RULES[rule]
    wrong = [name for name, service in SERVICES.items() if name not in but and not holds(service)]
    assert_none(rule, (f"docker/compose.yaml {name}" for name in wrong))


def test_what_needs_a_one_shot_service_waits_for_its_end():
    waits = [(name, needs[name]["condition"]) for each in SERVICES.values() if (needs := each.get("depends_on"))
             for name in ONE_SHOT & needs.keys()]  # fmt: skip
    assert sorted(waits) == [(name, "service_completed_successfully") for name in sorted(ONE_SHOT) for _ in range(4)]


def test_every_secret_comes_from_a_file_that_compose_up_makes(tmp_path):
    made = images.ensure_secrets(tmp_path / "secrets")
    files = {name: Path(secret["file"]).name for name, secret in COMPOSE["secrets"].items()}
    assert files == {each: each for each in made}
    used = {each for service in SERVICES.values() for each in service.get("secrets", ())}
    assert used == made.keys()
    assert "/docker/secrets/" in (REPOSITORY / ".gitignore").read_text().splitlines()
    given = {variable for service in SERVICES.values() for variable in service.get("environment", {})}
    secret = re.compile("PASSWORD|SECRET|KEY|LOCKS|CONN")
    assert not [each for each in given if secret.search(each) and not each.endswith("_FILE")]


def test_secrets_are_random_kept_and_closed_to_other_users(tmp_path):
    first, other = images.ensure_secrets(tmp_path / "one"), images.ensure_secrets(tmp_path / "two")
    assert images.ensure_secrets(tmp_path / "one") == first
    assert not [name for name in first if first[name] == other[name]]
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o700
    assert first["POSTGRES_PASSWORD"] in first["WINDROW_LOCKS"]
    assert first["AWS_SECRET_ACCESS_KEY"] in first["S3_IDENTITIES"]


def test_spark_lets_in_who_has_the_key_and_asks_for_it_by_a_file(tmp_path):
    for name in ("spark-master", "spark-worker-1", "spark-worker-2", "scheduler"):
        assert SERVICES[name]["environment"]["SPARK_CONF_DIR"] == "/run/secrets"
        assert images.SPARK in SERVICES[name]["secrets"]
    said = dict(line.split() for line in images.ensure_secrets(tmp_path)[images.SPARK].splitlines())
    assert len(said.pop("spark.authenticate.secret")) >= 32
    assert said.pop("spark.master.rest.enabled") == said.pop("spark.ui.killEnabled") == "false"
    assert said.items() <= {**authentication("yarn", {}), "spark.authenticate": "true"}.items()


def test_airflow_s_settings_are_those_of_make_up(tmp_path):
    """Where one has another value here, it is one of these: places, and what a secret file gives."""
    of_make_up = settings.airflow_environment(tmp_path, 8080)
    of_compose = SERVICES["scheduler"]["environment"]
    both = {name for name in of_compose if name in of_make_up and name.startswith("AIRFLOW__")}
    assert len(both) > 10
    others = {name for name in both if of_compose[name] != of_make_up[name]}
    places = {"API__BASE_URL", "CORE__DAGS_FOLDER", "CORE__EXECUTION_API_SERVER_URL", "CORE__PARALLELISM"}
    assert others <= {f"AIRFLOW__{name}" for name in places | {"CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"}}


def test_an_image_holds_what_is_named_and_nothing_else():
    first, *named = [line for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line[0] != "#"]
    kept = {line.removeprefix("!") for line in named if line.startswith("!")}
    assert (first, [name for name in kept if not (REPOSITORY / name).exists()]) == ("**", [])
    assert {"kernels", "pipelines", "processes", "schemas", "stack", "dags", "requirements"} < kept
    assert not [name for name in kept if "docker/secrets/x".startswith(name)]


def test_another_base_is_a_build_argument():
    assert images.build("spark", None)[2:4] == ["--target", "spark"]
    assert "BASE=localhost/base" in images.build("airflow", "localhost/base")


@pytest.mark.parametrize("make", [images.build_all, images.compose_up])
def test_without_an_engine_the_next_step_is_named(monkeypatch, make):
    monkeypatch.setattr(images.shutil, "which", lambda name: None)
    with pytest.raises(NotSetUp, match="no docker engine.*`docker version` fails.*docs.docker.com"):
        make()


def test_spark_s_image_needs_no_airflow_and_a_checkout_does(monkeypatch):
    monkeypatch.setenv(environments.IMAGE, "spark")
    found = {each.subject: each for each in doctor.findings()}["environment .venv-airflow"]
    assert (found.optional, bool(found.wrong)) == (True, True)
    monkeypatch.delenv(environments.IMAGE)
    assert environments.wanted() == (environments.SPARK, environments.AIRFLOW)


def test_the_entry_point_makes_variables_of_secrets_and_a_file_of_the_login(tmp_path):
    entrypoint, file = script("entrypoint"), tmp_path / "passwords.json"
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "WINDROW_LOCKS").write_text("postgresql://there\n")
    (tmp_path / "secrets" / "spark-defaults.conf").write_text("no variable")
    found = entrypoint.variables(tmp_path / "secrets")
    assert found == {"WINDROW_LOCKS": "postgresql://there"}
    found |= {entrypoint.LOGIN: "word", entrypoint.LOGIN_FILE: str(file)}
    entrypoint.write_login(found)
    assert (json.loads(file.read_text()), entrypoint.LOGIN in found) == ({"admin": "word"}, False)
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_executor_s_command_has_the_driver_s_options_in_their_order():
    entrypoint = script("entrypoint")
    given = {name: f"of {name}" for name in entrypoint.OPTIONS} | {"SPARK_EXECUTOR_MEMORY": "1g"}
    given |= {f"SPARK_JAVA_OPT_{number}": f"-D{number}" for number in (10, 9, 0)}
    words = entrypoint.executor_command(given, Path("/jars"))
    assert words[1:6] == ["-D0", "-D9", "-D10", "-Xms1g", "-Xmx1g"]
    assert words[words.index("--driver-url") + 1] == "of SPARK_DRIVER_URL"
    with pytest.raises(SystemExit, match="needs SPARK_DRIVER_URL"):
        entrypoint.executor_command({name: "" for name in given if name != "SPARK_DRIVER_URL"}, Path("/jars"))


def test_kubernetes_takes_our_images_as_their_user_and_secrets_by_name():
    pod = VALUES["securityContexts"]["pod"]
    assert (pod["runAsNonRoot"], VALUES["uid"]) == (True, pod["runAsUser"])
    assert VALUES["defaultAirflowRepository"].endswith("/windrow-airflow")
    assert {each["envName"] for each in VALUES["secret"]} < images.MADE_SECRETS.keys()
    assert all(each.keys() == {"envName", "secretName", "secretKey"} for each in VALUES["secret"])
    for part in ("scheduler", "apiServer", "dagProcessor", "triggerer"):
        assert VALUES[part]["resources"]["limits"]["memory"]


def test_drivers_on_kubernetes_may_start_the_pods_that_spark_s_settings_name():
    [conf] = [each["value"] for each in VALUES["env"] if each["name"] == "WINDROW_SPARK_CONF"]
    spark = json.loads(conf)
    assert f"/{SPARK}:" in spark["spark.kubernetes.container.image"]
    template = spark["spark.kubernetes.executor.podTemplateFile"].removeprefix("/opt/windrow/")
    assert yaml.safe_load((REPOSITORY / template).read_text())["spec"]["securityContext"]["runAsNonRoot"]
    role, binding = yaml.safe_load_all((DOCKER / "kubernetes" / "drivers.yaml").read_text())
    assert {"pods", "configmaps"} <= set(role["rules"][0]["resources"])
    assert binding["subjects"][0]["name"] == VALUES["scheduler"]["serviceAccount"]["name"]
    assert role["metadata"]["namespace"] == spark["spark.kubernetes.namespace"]
    [mounted] = VALUES["scheduler"]["extraVolumeMounts"]
    [volume] = VALUES["scheduler"]["extraVolumes"]
    assert spark[f"spark.kubernetes.executor.secrets.{volume['secret']['secretName']}"] == mounted["mountPath"]
    assert spark["spark.authenticate.secret.file"].startswith(mounted["mountPath"])
    keys = {each["envName"]: f"{each['secretName']}:{each['secretKey']}" for each in VALUES["secret"]}
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        assert spark[f"spark.kubernetes.executor.secretKeyRef.{name}"] == keys[name]
