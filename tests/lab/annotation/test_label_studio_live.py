"""The forms in a real Label Studio: import, annotate, export, read back.

Run with ``pytest -m label_studio``: it installs Label Studio from the package index into its own environment (or uses
the one that UNSLANT_LABEL_STUDIO names) and starts it on loopback with a throw-away database.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unslant.core.types import Span
from unslant.lab.annotation.human_evaluation import evaluate_answers
from unslant.lab.annotation.project import Batching, build_project, load_project
from unslant.lab.annotation.reading import read_annotations
from unslant.lab.annotation.results import (
    collect_judgements,
    completed_edits,
    example_rows,
    read_results,
    report_project,
)
from unslant.text.diff import edited_pairs

pytestmark = pytest.mark.label_studio

TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105 - of a server that lives for this test


class Server:
    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()[:500]!r}") from error

    def project(self, folder: Path) -> int:
        body = {"title": folder.name, "label_config": (folder / "config.xml").read_text("utf-8")}
        return int(self.call("POST", "/api/projects/", body)["id"])

    def tasks(self, project: int) -> list[dict[str, Any]]:
        listed = self.call("GET", f"/api/tasks?project={project}&page_size=100")["tasks"]
        return [self.call("GET", f"/api/tasks/{task['id']}/") for task in listed]

    def load(self, project: int, tasks: Path) -> None:
        self.call("POST", f"/api/projects/{project}/import", json.loads(tasks.read_text("utf-8")))

    def annotate(self, task: int, result: list[dict[str, Any]]) -> None:
        self.call("POST", f"/api/tasks/{task}/annotations/", {"result": result})

    def export(self, project: int, path: Path, form: str = "JSON") -> Path:
        path.write_text(
            json.dumps(self.call("GET", f"/api/projects/{project}/export?exportType={form}")), "utf-8"
        )
        return path


def _executable(folder: Path) -> Path:
    named = os.environ.get("UNSLANT_LABEL_STUDIO")
    if named:
        return Path(named)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", "label-studio"], check=True)
    return folder / "bin" / "label-studio"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("label-studio")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "LABEL_STUDIO_BASE_DATA_DIR": str(home),
        "COLLECT_ANALYTICS": "False",
        "LATEST_VERSION_CHECK": "False",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    command = [str(_executable(home / "environment")), "start", "-b", "--data-dir", str(home)]
    command += ["--internal-host", "127.0.0.1", "-p", str(port), "--username", "one@example.org"]
    command += ["--password", "only-for-this-test", "--user-token", TOKEN, "--enable-legacy-api-token"]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--init", "probe"], env=environment, cwd=home, stdout=log, stderr=log
        )
        try:
            server = Server(port)
            _wait(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(30)
            shutil.rmtree(home / "environment", ignore_errors=True)


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert process.poll() is None, "Label Studio ended before it answered"
        try:
            server.call("GET", "/api/projects/")
        except (OSError, AssertionError):
            time.sleep(1)
        else:
            return
    raise AssertionError("Label Studio did not answer in five minutes")


PAIRS = [
    ("p1", "The brilliant director 🎬 only won two prizes.", "The director 🎬 won two prizes and left."),
    ("p2", "Critics claimed that the plan failed.", "Critics said that the plan failed."),
    ("p3", "It rained.", "It rained."),
]


def _items(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def _pairs(folder: Path) -> Path:
    rows = [{"item": name, "source": source, "target": target} for name, source, target in PAIRS]
    return _items(folder / "pairs.jsonl", rows)


def test_edited_spans_come_back_exactly(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "edits"
    build_project("edits", _pairs(tmp_path), Batching(annotators=1)).write(folder)
    project = server.project(folder)
    server.load(project, folder / "tasks.json")
    for task in server.tasks(project):
        server.annotate(task["id"], task["predictions"][0]["result"])
    manifest = load_project(folder)
    done = read_results(manifest, [server.export(project, tmp_path / "export.json")])
    found = {item.item: completed_edits(item) for item in done}
    assert found == {name: edited_pairs(source, target) for name, source, target in PAIRS}
    assert report_project(manifest, done).annotated == 3
    short = read_annotations(server.export(project, tmp_path / "short.json", "JSON_MIN"))
    marked = {(item.item, item.text[item.span.start : item.span.end]) for item in short if item.span}
    assert ("p1", "brilliant") in marked
    assert ("p2", "said") in marked


def test_kinds_come_back_on_their_spans(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "kinds"
    build_project("kinds", _pairs(tmp_path), Batching(annotators=1)).write(folder)
    project = server.project(folder)
    server.load(project, folder / "tasks.json")
    for task in server.tasks(project):
        marked = task["predictions"][0]["result"]
        said = [
            {**region, "from_name": "kind", "type": "choices", "value": _chosen(region["value"])}
            for region in marked
        ]
        server.annotate(task["id"], [*marked, *said])
    manifest = load_project(folder)
    done = read_results(manifest, [server.export(project, tmp_path / "export.json")])
    rows = {row["id"]: row for row in example_rows(done, "here", "CC0-1.0")}
    brilliant, only = PAIRS[0][1].index("brilliant"), PAIRS[0][1].index("only")
    assert [(span["start"], span["end"], span["kind"]) for span in rows["p1"]["spans"]] == [
        (brilliant, brilliant + len("brilliant"), "framing")
    ]
    assert all(span["start"] != only for span in rows["p1"]["spans"])
    assert (rows["p1"]["label"], rows["p3"]["label"]) == (True, False)


def _chosen(value: dict[str, Any]) -> dict[str, Any]:
    kind = "framing" if value["text"] == "brilliant" else "not biased"
    return {"start": value["start"], "end": value["end"], "text": value["text"], "choices": [kind]}


def test_judgements_come_back_from_the_rewrites_point_of_view(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "rewrites"
    rows = [
        {
            "item": str(number),
            "system": system,
            "source": f"A shocking {number}.",
            "rewrite": f"{system} {number}.",
        }
        for number in range(4)
        for system in ("plain", "wordy")
    ]
    build_project("rewrites", _items(tmp_path / "rewrites.jsonl", rows), Batching(seed=5)).write(folder)
    project = server.project(folder)
    server.load(project, folder / "tasks.json")
    for task in server.tasks(project):
        # The annotator always finds the source more biased, wherever it stands.
        bias = "-2" if task["data"]["a"].startswith("A shocking") else "2"
        answers = {"meaning": "1", "fluency": "0", "bias": bias}
        server.annotate(
            task["id"],
            [
                {"from_name": name, "to_name": "a", "type": "choices", "value": {"choices": [value]}}
                for name, value in answers.items()
            ],
        )
    manifest = load_project(folder)
    answers = collect_judgements(
        manifest, read_results(manifest, [server.export(project, tmp_path / "export.json")])
    )
    assert len(answers) == 24
    assert {answer.value for answer in answers if answer.question == "bias"} == {-2}
    assert {
        mean.mean.value for mean in evaluate_answers(manifest, answers).means if mean.question == "bias"
    } == {-2.0}


def test_spans_are_code_points_in_the_real_export(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "emoji"
    build_project("edits", _pairs(tmp_path), Batching(annotators=1)).write(folder)
    project = server.project(folder)
    server.load(project, folder / "tasks.json")
    first = next(task for task in server.tasks(project) if task["data"]["item"] == "p1")
    server.annotate(first["id"], first["predictions"][0]["result"])
    annotations = read_annotations(server.export(project, tmp_path / "export.json"))
    start = PAIRS[0][1].index("only")
    assert Span(start, start + 4) in {
        annotation.span for annotation in annotations if annotation.task == "before"
    }
