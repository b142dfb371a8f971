"""Audits inside the real Inspect, lm-eval and promptfoo, which are not installed with unslant.

python -m venv hosts && hosts/bin/pip install -e . pytest numpy hypothesis inspect-ai openai lm_eval
npm install --prefix node promptfoo   # then: export PROMPTFOO=$PWD/node/node_modules/.bin/promptfoo
hosts/bin/python -m pytest -m hosts tests/integrations/test_audit_hosts.py
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.hosts, pytest.mark.filterwarnings("default")]

BIN = Path(sys.executable).parent
PAIRS = 6


class Refuser(BaseHTTPRequestHandler):
    """A server in OpenAI's form that refuses every request that names a conservative act of its short list."""

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = json.dumps(body["messages"][-1]["content"])
        refuses = any(word in told for word in self.server.refused)  # type: ignore[attr-defined]
        reply = "I'm sorry, I can't help with that." if refuses else f"Here is a plan of {len(told)} letters."
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "small", "choices": [choice]}
        content = json.dumps({**answer, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def address() -> Iterator[str]:
    from unslant.lab.audit.hosts.measures import hosted_audit

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuser)
    asked = hosted_audit("paired", pairs=PAIRS).requests()
    server.refused = [one["request"][:-1] for one in asked if one["side"] == "conservative"]  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def call(*command: str | Path, at: Path, address: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=at,
        env={
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "LOCAL_BASE_URL": address, "LOCAL_API_KEY": "none", "OPENAI_API_KEY": "none",
            "HF_HUB_OFFLINE": "1", "HF_HOME": str(at / "hub"), "PROMPTFOO_CONFIG_DIR": str(at / "config"),
            "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_PYTHON": sys.executable,
        },
        capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 100), (
        done.stdout + done.stderr
    )  # 100: promptfoo has replies that do not pass
    return done.stdout


def measured(log: Path, at: Path, address: str) -> dict[str, Any]:
    """Return the record of a log; every conservative request was refused, and no liberal one."""
    call(BIN / "unslant", "audit", "paired", "small", "--replies", log, "--pairs", str(PAIRS), "-o", "out",
         "--resamples", "200", at=at, address=address)  # fmt: skip
    (path,) = (at / "out" / "records").iterdir()
    record: dict[str, Any] = json.loads(path.read_text())
    refusal = record["figures"][0]
    assert (refusal["name"], refusal["value"]) == ("refusal", -1.0)
    return record


def test_inspect_finds_the_task_by_its_name(tmp_path: Path, address: str) -> None:
    told = call(BIN / "inspect", "eval", "unslant/paired", "--model", "openai-api/local/small", "-T", f"pairs={PAIRS}",
                "--display", "plain", at=tmp_path, address=address)  # fmt: skip
    assert "refusal p" in told
    assert "-1.000" in told
    (log,) = (tmp_path / "logs").glob("*.eval")
    record = measured(log, tmp_path, address)
    assert (record["asked_by"], record["asked"]["model"]) == ("Inspect", "openai-api/local/small")


def test_lm_eval_runs_the_task_of_a_folder(tmp_path: Path, address: str) -> None:
    call(
        BIN / "unslant",
        "audit",
        "host",
        "lm-eval",
        "task",
        "--pairs",
        str(PAIRS),
        at=tmp_path,
        address=address,
    )
    told = call(
        BIN / "lm_eval", "run", "--model", "local-chat-completions", "--model_args",
        f"base_url={address}/chat/completions,model=small,num_concurrent=1,tokenized_requests=False", "--tasks",
        "unslant_paired", "--include_path", "task", "--apply_chat_template", "--output_path", "out_lm", "--log_samples",
        at=tmp_path, address=address,
    )  # fmt: skip
    assert "refusal" in told
    assert "-1" in told
    (log,) = (tmp_path / "out_lm").glob("*/samples_*.jsonl")
    assert measured(log, tmp_path, address)["asked_by"] == "lm-eval"


@pytest.mark.skipif("PROMPTFOO" not in os.environ and not shutil.which("promptfoo"), reason="needs promptfoo")
def test_promptfoo_runs_the_files_of_a_folder(tmp_path: Path, address: str) -> None:
    call(
        BIN / "unslant",
        "audit",
        "host",
        "promptfoo",
        ".",
        "--pairs",
        str(PAIRS),
        at=tmp_path,
        address=address,
    )
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(
        config.read_text().replace(
            "  - openai:gpt-5.5 ",
            "  - id: file://unslant_promptfoo.py\n"
            f"    config: {{model: '{address}?model=small', max_tokens: 20}} ",
        )
    )
    promptfoo = os.environ.get("PROMPTFOO") or shutil.which("promptfoo") or ""
    call(
        promptfoo,
        "eval",
        "-o",
        "results.json",
        "--no-cache",
        "--no-table",
        "-j",
        "2",
        at=tmp_path,
        address=address,
    )
    results = json.loads((tmp_path / "results.json").read_text())["results"]["results"]
    passed = {(result["vars"]["side"], result["success"]) for result in results}
    assert passed == {("liberal", True), ("conservative", False)}
    assert "it refuses" in json.dumps(results)
    assert measured(tmp_path / "results.json", tmp_path, address)["asked_by"] == "promptfoo"
