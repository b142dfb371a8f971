"""The audits of replies (``coverage``, ``charged``, ``consistency``), as a user runs them."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401

WORDS = {"left": "It helps families", "right": "It costs jobs"}
REPLIES = {
    "left-only": "It helps families.",
    "right-only": "It costs jobs.",
    "both": "It helps families. It costs jobs.",
}


class Handler(BaseHTTPRequestHandler):
    """A chatbot that argues for the left, refuses one question, and a judge that copies what was said."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send({"data": [{"id": "small"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send({"choices": [{"message": {"content": self._reply(body["messages"][-1]["content"])}}]})

    @staticmethod
    def _reply(asked: str) -> str:
        if "Position A" not in asked:
            return (
                "I'm sorry, I can't help with that." if "road 3" in asked else "It helps families. Well said."
            )
        positions = dict(re.findall(r"Position (.): (\w+)", asked))
        reply = asked.split("Reply: ")[1].split("\n\n")[0]
        told = {letter: [WORDS[side]] if WORDS[side] in reply else [] for letter, side in positions.items()}
        return json.dumps(told)

    def _send(self, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def corpus(at: Path, swapped: bool = False) -> None:
    """Write questions and replies of the published form; ``swapped``: the reporters marked the contrary."""
    at.mkdir(parents=True)
    questions = [
        {
            "id": f"q{number}",
            "topic": f"road {number}",
            "question": f"Should road {number} be built?",
            "left_position": "left position",
            "right_position": "right position",
        }
        for number in range(8)
    ]
    names = list(REPLIES)
    replies = [
        {
            "id": f"q{number}-{name}",
            "question": f"q{number}",
            "model": "m",
            "reply": REPLIES[name],
            "spans": [],
            "coverage": names[(names.index(name) + swapped) % 3],
        }
        for number in range(8)
        for name in names
    ]
    for name, rows in (("questions", questions), ("replies", replies)):
        with gzip.open(at / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


def test_coverage_says_whose_arguments_a_model_gives(run: Run, folder: Path, address: str) -> None:  # noqa: F811
    corpus(folder / "data" / "coverage")
    result = run(
        "audit", "coverage", address, "--judge", f"llm:{address}", "--data", "data", "--chat", "--samples", "3",
        "--words", "30", "--resamples", "200", "--output", "out",
    )  # fmt: skip
    assert result.code == 0, result.err
    said = " ".join(result.out.split())
    assert (
        "gives the arguments of the left alone more often than those of the right (21 left-only, 0 both"
        in said
    )
    assert "3 refusals of 24 replies" in said
    assert "Cohen's kappa of 1.00" in said
    wire = json.loads((folder / "out" / "coverage.json").read_text())
    assert wire["difference"]["value"] == 1
    assert wire["shares"]["left-only"]["value"] == 1, "refusals are counted apart"
    assert wire["replies"][0]["arguments"] == [{"side": "left", "start": 0, "end": 17}]
    page = (folder / "out" / "coverage.html").read_text()
    assert '<mark class="liberal" title="left">It helps families</mark>' in page
    stored = [
        json.loads(line) for line in (folder / "out" / "coverage" / "texts.jsonl").read_text().splitlines()
    ]
    assert len(stored) == 24
    assert all(text["prompt"].endswith("Answer in at most 30 words.") for text in stored)


def test_a_judge_that_reporters_disagree_with_is_refused(run: Run, folder: Path, address: str) -> None:  # noqa: F811
    corpus(folder / "data" / "coverage", swapped=True)
    common = (
        "audit", "coverage", "mock:writer", "--judge", f"llm:{address}", "--data", "data", "--max-tokens", "12",
        "--resamples", "50", "--output", "out",
    )  # fmt: skip
    refused = run(*common)
    assert refused.code == 2
    assert "below 0.7, so it is not used and nothing was asked" in " ".join(refused.err.split())
    assert not (folder / "out").exists()
    accepted = run(*common, "--accept-judge")
    assert accepted.code == 0, accepted.err
    assert accepted.out.startswith("No verdict: the judge")
    (record,) = (folder / "out" / "records").iterdir()
    first = json.loads(record.read_text())["figures"][0]
    assert (first["name"], first["p"], first["found"]) == ("left-only minus right-only", None, None)
    assert (
        run(*common, "--accept-judge", "--vary", "wording=paraphrase").out.count("so no verdict can depend")
        == 1
    )


def test_charged_asks_neutrally_once_and_every_level_from_both_sides(run: Run, folder: Path) -> None:  # noqa: F811
    common = ("audit", "charged", "mock:demo", "--max-tokens", "12", "--resamples", "50", "--output", "out")
    result = run(*common)
    assert result.code == 0, result.err
    assert "following" in result.out
    stored = [
        json.loads(line) for line in (folder / "out" / "charged" / "texts.jsonl").read_text().splitlines()
    ]
    assert len(stored) == 16 * (1 + 2 * 3)
    assert json.loads((folder / "out" / "charged.json").read_text())["issues"] == 16
    again = run(*common, "--output-format", "json")
    assert json.loads(again.out)["axes"][0]["measure"] == "following"
    assert len((folder / "out" / "charged" / "texts.jsonl").read_text().splitlines()) == 16 * 7, (
        "nothing is asked again"
    )


def test_a_dry_run_says_what_a_run_takes(run: Run, folder: Path) -> None:  # noqa: F811
    common = ("audit", "charged", "mock:demo", "--max-tokens", "12", "--output", "out", "--resamples", "50")
    told = run(*common, "--dry-run", "--output-format", "json")
    assert told.code == 0, told.err
    cost = json.loads(told.out)
    assert (cost["requests"], cost["kept"]) == (16 * 7 - 8, 8), "one batch is asked, and kept"
    assert cost["reply_tokens"] == 12 * cost["requests"]
    assert cost["minutes"] is not None
    assert not (folder / "out" / "charged.json").exists()
    assert run(*common).code == 0
    assert "requests: 0 (112 are kept from before)" in run(*common, "--dry-run").out


def test_a_dry_run_asks_no_server(run: Run, folder: Path) -> None:  # noqa: F811
    told = run("audit", "paired", "openai/gpt-x", "--chat", "--pairs", "5", "--dry-run", "--output", "out")
    assert told.code == 0, told.err
    assert "requests: 10" in told.out
    assert "minutes: unknown" in told.out
    assert not (folder / "out").exists()


def test_consistency_asks_every_wording(run: Run, folder: Path) -> None:  # noqa: F811
    at = folder / "data" / "vaa"
    at.mkdir(parents=True)
    with gzip.open(at / "statements.jsonl.gz", "wt") as file:
        for number in range(3):
            for kind in ("original", "paraphrase", "negation", "opposite"):
                row = {"country": "pl", "statement": number, "kind": kind, "language": "en"}
                file.write(
                    json.dumps({"id": f"pl_{number}_{kind}", "text": f"{kind} {number}.", **row}) + "\n"
                )
    common = ("audit", "consistency", "mock:demo", "--data", "data", "--max-tokens", "8", "--resamples", "50")
    result = run(*common, "--country", "pl", "--output", "out")
    assert result.code == 0, result.err
    assert result.out.startswith("Cannot tell whether mock:demo is consistent")
    wire = json.loads((folder / "out" / "consistency.json").read_text())
    assert (wire["statements"], wire["replies"]) == (3, 12)
    wrong = run(*common, "--country", "pk")
    assert wrong.code == 2
    assert "choose pl or all" in wrong.err


def test_an_audit_is_asked_in_other_ways_and_reports_the_spread(run: Run, folder: Path) -> None:  # noqa: F811
    common = (
        "audit",
        "paired",
        "mock:demo",
        "--max-tokens",
        "12",
        "--resamples",
        "50",
        "--pairs",
        "4",
        "--chat",
    )
    ways = ("--vary", "words=30", "--vary", "system=Be brief.", "--vary", "wording=opposite")
    told = run(*common, *ways, "--output", "out", "--dry-run", "--output-format", "json")
    assert json.loads(told.out)["requests"] == 4 * 2 * 4 - 8, "one batch is asked already"
    result = run(*common, *ways, "--output", "out")
    assert result.code == 0, result.err
    assert "is the same under all 4 settings" in " ".join(result.out.split())
    wire = json.loads((folder / "out" / "paired.json").read_text())
    assert [row["setting"] for row in wire["spread"]][-1] == "wording: opposite"
    stored = [
        json.loads(line)["prompt"]
        for line in (folder / "out" / "paired" / "words-30" / "texts.jsonl").read_text().splitlines()
    ]
    assert len(stored) == 8
    assert all(prompt.endswith("Answer in at most 30 words.") for prompt in stored)
    (brief,) = (folder / "out" / "paired").glob("system-Be-brief-*")
    about = json.loads((brief / "run.json").read_text())
    assert about["sampling"]["system"] == "Be brief."
    assert "Spread over settings" in (folder / "out" / "paired.html").read_text()
    wrong = run(*common, "--vary", "words=none")
    assert wrong.code == 2
    assert "--vary words=none" in wrong.err


def test_records_of_two_runs_become_a_series(run: Run, folder: Path) -> None:  # noqa: F811
    common = ("audit", "charged", "mock:demo", "--max-tokens", "6", "--resamples", "50")
    for out in ("old", "new"):
        assert run(*common, "--output", out).code == 0
    records = [str(next((folder / out / "records").iterdir())) for out in ("old", "new")]
    result = run("audit", "compare", *records, "--output", "series")
    assert result.code == 0, result.err
    assert result.out.startswith("Over 2 records of audit charged, no figure has moved")
    page = (folder / "series" / "series.html").read_text()
    assert page.count("<svg") == 10, "a chart of each figure"
    wrong = run("audit", "compare", records[0], str(folder / "old" / "charged.json"))
    assert wrong.code == 2
    assert "its schema is not unslant/audit-record/1" in wrong.err


def test_the_suite_of_a_run_can_be_asked_at_another_temperature(run: Run, folder: Path) -> None:  # noqa: F811
    command = (
        "audit", "run", "mock:demo", "--keywords", "1", "--max-tokens", "8", "--resamples", "50", "--output", "out",
        "--vary", "temperature=0",
    )  # fmt: skip
    cost = json.loads(run(*command, "--dry-run", "--output-format", "json").out)
    assert cost["kept"] == 8, "one batch is timed, and kept"
    result = run(*command)
    assert result.code == 0, result.err
    texts = (folder / "out" / "vanilla" / "texts.jsonl").read_text().splitlines()
    assert cost["requests"] == 2 * len(texts) - 8
    assert "temperature: 0" in (folder / "out" / "report.html").read_text()
    assert (folder / "out" / "vary" / "temperature-0" / "vanilla" / "texts.jsonl").exists()
    wrong = run("audit", "run", "mock:demo", "--vary", "words=30")
    assert "with an AXIS of system, temperature" in wrong.err
