"""Nothing is sent without a word, and nothing that is shown is obeyed."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import pytest

from unslant.cli.main import _run
from unslant.config import Settings, show
from unslant.registry import Plugin
from unslant.report.printable import clean_lines
from unslant.report.wire import readable
from unslant.spec import Spec, destination

from .conftest import Run

ESCAPE = "\x1b]0;owned\x07\x1b[31m"


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("rules", None),
        ("model", None),
        ("llm:gpt2", None),
        ("hf:org/name", None),
        ("mock:http", None),
        ("llm:http://127.0.0.1:8080/v1?model=x", "http://127.0.0.1:8080"),
        ("llm:HTTPS://user:secret@example.org/v1", "https://example.org"),
        ("http://example.org/v1", "http://example.org"),
        ("llm:http://[::1]:8080/v1", "http://[::1]:8080"),
        ("llm:http://[::1", None),
        ("llm:http://", None),
        ("llm:http://a b/v1", None),
        ("llm:http://a:99999/v1", None),
    ],
)
def test_where_a_name_sends_text(name: str, address: str | None) -> None:
    assert destination(name) == address


def test_a_spec_names_every_server_once() -> None:
    spec = Spec(analyzers=("rules", "llm:http://a/v1", "llm:http://a/v2"), rewriter="llm:http://b/v1")
    assert spec.destinations() == ("http://a",)
    assert spec.destinations(rewriter=True) == ("http://a", "http://b")


@pytest.mark.parametrize(
    "arguments",
    [("check", "--analyzer"), ("fix", "--tier", "rules", "--rewriter")],
)
def test_the_server_is_named_before_anything_is_sent(
    run: Run, folder: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # nobody answers, and the command tries several times
    (folder / "a.txt").write_text("A plan.\n")
    first, *_ = run(*arguments, "llm:http://127.0.0.1:1/v1?model=x", "a.txt").err.splitlines()
    assert first == "unslant: the text is sent to http://127.0.0.1:1"


@pytest.mark.parametrize("address", ["http://[::1", "http://", "http://a b/v1"])
def test_an_address_that_is_none_is_not_said_to_get_the_text(run: Run, folder: Path, address: str) -> None:
    (folder / "a.txt").write_text("A plan.\n")
    result = run("check", "--analyzer", f"llm:{address}", "a.txt")
    assert result.code == 2
    assert "is sent to" not in result.err
    assert f"{address}: not a web address" in result.err


def test_fixes_in_json_say_where_the_text_went(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text("The chairman spoke.\n")
    (fixed,) = json.loads(run("fix", "--tier", "rules", "--output-format", "json", "a.txt").out)["fixes"]
    assert fixed["sent_to"] == []


def test_escape_sequences_in_texts_names_and_rule_files_are_shown(run: Run, folder: Path) -> None:
    (folder / f"{ESCAPE}.txt").write_text(f"The {ESCAPE}chairman slammed the plan.\n")
    rule = {
        "id": "framing/odd",
        "title": f"odd {ESCAPE}",
        "kind": "framing",
        "why": f"Why {ESCAPE}.",
        "source": f"us {ESCAPE}",
        "terms": ["plan"],
    }
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in rule.items())
    (folder / "own.toml").write_text(f"version = 1\n[[rule]]\n{lines}\n")
    (folder / "unslant.toml").write_text('rule-files = ["own.toml"]\nanalyzers = ["rules"]\n')
    for arguments in (
        *(
            ("check", "--output-format", form, ".")
            for form in ("text", "json", "jsonl", "sarif", "github", "html")
        ),
        ("check", "--verbose", "."),
        ("fix", "."),
        ("fix", "--output-format", "json", "."),
        ("rules", "framing/odd"),
        ("rules", "framing/odd", "--output-format", "json"),
        ("explain", "framing/odd"),
        ("explain", ESCAPE),
        ("check", f"{ESCAPE}.md"),
        ("models", ESCAPE),
        ("check", f"--{ESCAPE}"),
    ):
        result = run(*arguments)
        assert result.code in (0, 1, 2), (arguments, result.err)
        assert not {"\x1b", "\x07", "\x9b"} & {*result.out, *result.err}, arguments


def test_json_for_people_has_no_control_characters_and_no_nan() -> None:
    value = {"a": "é \x9b \u202e \ud800 \x1b", "b": [math.nan, math.inf, 1.5], "c": (1, None)}
    text = readable(value)
    assert "é" in text
    assert text.replace("é", "").isascii()
    assert "\x1b" not in text
    assert json.loads(text) == {"a": value["a"], "b": [None, None, 1.5], "c": [1, None]}
    assert clean_lines("one\ntwo\x1b[0m") == "one\ntwo\u241b[0m"


def test_a_forged_cache_entry_is_not_believed(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text("The chairman slammed the plan. " + "Plain words fill the page. " * 4_000)
    first = run("check", "--tier", "rules", "--output-format", "jsonl", "a.txt")
    (entry,) = [path for path in (folder.parent / "cache").rglob("*.json") if path.is_file()]
    report = json.loads(entry.read_bytes().partition(b"\n")[2])
    for forged in (
        {**report, "findings": [3]},
        {**report, "findings": [{**report["findings"][0], "why": 3}]},
        {**report, "findings": [{**report["findings"][0], "text": "other"}]},
        {**report, "findings": [{**report["findings"][0], "span": {"start": "0", "end": 3}}]},
        {**report, "sentences": [{"span": {"start": 9, "end": 3}, "probability": None, "verdict": None}]},
        {**report, "notes": [{"message": None, "span": None}]},
        {**report, "provenance": []},
    ):
        body = json.dumps(forged).encode()
        entry.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        again = run("check", "--tier", "rules", "--output-format", "jsonl", "a.txt")
        assert (again.code, again.out) == (first.code, first.out)


def test_plugins_are_named_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "plugins" not in show(Settings())
    found = {"analyzer": (Plugin("slow", "package.module:Slow", "package 1.2"),)}
    monkeypatch.setattr("unslant.registry.plugins", lambda kind: found.get(kind, ()))
    assert "#   analyzer 'slow': package.module:Slow, from package 1.2" in show(Settings()).splitlines()


@pytest.mark.parametrize("stream", ["--output"])
def test_a_full_disk_is_a_sentence(folder: Path, capsys: pytest.CaptureFixture[str], stream: str) -> None:
    (folder / "a.txt").write_text("The chairman slammed the plan.\n")
    assert _run(["check", "--tier", "rules", "a.txt", stream, "/dev/full"]) == 2
    assert "the disk is full" in capsys.readouterr().err
