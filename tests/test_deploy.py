"""The examples for systemd and Kubernetes."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from unslant.cli.serve import serve
from unslant.server.settings import Limits

yaml = pytest.importorskip("yaml")

DEPLOY = Path(__file__).parents[1] / "deploy"


def options(arguments: list[str]) -> dict[str, Any]:
    """Parse the arguments of ``unslant serve`` as the command line does, without running it."""
    command, *rest = arguments
    assert command == "serve"
    context: click.Context = serve.make_context("serve", rest)
    return context.params


def service() -> dict[str, str]:
    lines = (DEPLOY / "unslant.service").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def deployment() -> Any:
    made = {part["kind"]: part for part in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())}
    assert sorted(made) == ["Deployment", "PodDisruptionBudget", "Service"]
    labels = made["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert made["Service"]["spec"]["selector"] == labels
    assert made["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    return made["Deployment"]["spec"]["template"]["spec"]


def test_systemd_accepts_the_service(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    text = (DEPLOY / "unslant.service").read_text()
    unit = tmp_path / "unslant.service"
    unit.write_text(text.replace("/opt/unslant/venv/bin/unslant", shutil.which("true") or "/bin/true"))
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.hosts
def test_kubernetes_accepts_the_manifests() -> None:
    """By the published schemas: ``pip install kubernetes-validate``."""
    command = Path(sys.executable).with_name("kubernetes-validate")
    done = subprocess.run(
        [command, "--strict", DEPLOY / "kubernetes.yaml"], capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert (done.returncode, said.count(" passed for resource ")) == (0, 3), said


def test_the_service_calls_the_server_with_options_that_it_has() -> None:
    found = service()
    _, *arguments = shlex.split(found["ExecStart"])
    given = options(arguments)
    assert (given["host"], given["log_format"], given["workers"]) == ("127.0.0.1", "json", 2)
    limits = Limits()
    assert int(found["TimeoutStopSec"]) > limits.drain_seconds + limits.grace_seconds


def test_a_pod_drains_before_it_is_killed() -> None:
    pod = deployment()
    (container,) = pod["containers"]
    given = options(container["args"])
    limits = dict(limit.split("=") for limit in given["limits"])
    assert set(limits) <= set(Limits.__dataclass_fields__)
    drain = float(limits["drain_seconds"])
    assert drain > container["readinessProbe"]["periodSeconds"]
    assert pod["terminationGracePeriodSeconds"] > drain + Limits().grace_seconds
    assert {container[f"{name}Probe"]["httpGet"]["path"] for name in ("readiness", "liveness")} == {
        "/readyz",
        "/healthz",
    }
    (port,) = container["ports"]
    assert given["port"] == port["containerPort"]
    assert container["env"][0]["name"] == "UNSLANT_TOKEN"
