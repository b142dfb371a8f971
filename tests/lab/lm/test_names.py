"""The names of language models: each form refers to one thing, and what cannot be reached is told at once."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from unslant.core.errors import ModelError
from unslant.lab.lm import is_endpoint, open_model
from unslant.lab.lm.names import parse_name
from unslant.spec import destination


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OLLAMA_HOST", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("mock:demo", "mock", "mock:demo"),
        ("http://127.0.0.1:8000/v1", "endpoint", "http://127.0.0.1:8000/v1"),
        ("openai/gpt-4o-mini", "endpoint", "https://api.openai.com/v1?model=gpt-4o-mini"),
        ("anthropic/claude", "endpoint", "https://api.anthropic.com/v1?model=claude"),
        ("ollama/llama3.2:1b", "endpoint", "http://127.0.0.1:11434/v1?model=llama3.2:1b"),
        ("hf:gpt2", "hub", "gpt2"),
        ("hf:openai/whisper", "hub", "openai/whisper"),
        ("HuggingFaceTB/SmolLM2-135M", "hub", "HuggingFaceTB/SmolLM2-135M"),
        ("gguf:models/a.bin", "gguf", "models/a.bin"),
        ("models/a.gguf", "gguf", "models/a.gguf"),
    ],
)
def test_each_form_refers_to_one_thing(name: str, kind: str, target: str) -> None:
    found = parse_name(name)
    assert (found.kind, found.target) == (kind, target)
    assert is_endpoint(name) == (kind == "endpoint")


def test_a_folder_goes_before_a_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ollama" / "mine").mkdir(parents=True)
    assert parse_name("ollama/mine").kind == "folder"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai/gpt-4o-mini", "set OPENAI_API_KEY"),
        ("anthropic/claude", "set ANTHROPIC_API_KEY"),
        ("openai:gpt-4o-mini", "write openai/gpt-4o-mini"),
        ("ollama:llama3.2", "write ollama/llama3.2"),
        ("gguf:nowhere.gguf", "no such GGUF file"),
        ("gguf:", "a name must follow"),
        ("/no/such/folder", "no such folder"),
        ("./models/missing", "no such folder"),
        ("a/b/c", "no such folder"),
        ("", "no such folder"),
    ],
)
def test_what_cannot_be_opened_says_what_to_write(name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        open_model(name)


def test_a_service_that_does_not_run_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9/v1 does not answer; start it with: ollama serve"):
        open_model("ollama/llama3.2")
    assert waits == []


@pytest.mark.torch
def test_a_hub_that_does_not_answer_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with pytest.raises(ModelError, match=r"not in the cache of Hugging Face.*write openai/NAME"):
        open_model("nobody/nothing-here")
    assert waits == []
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with socket.create_server(("127.0.0.1", 0)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.getsockname()[1]}")
        with pytest.raises(ModelError, match="HF_HUB_OFFLINE is set"):
            open_model("nobody/nothing-here").digest()


def test_text_for_a_service_is_announced_as_sent_to_it() -> None:
    assert destination("openai/gpt-4o-mini") == "https://api.openai.com"
    assert destination("llm:anthropic/claude") == "https://api.anthropic.com"
    assert destination("llm:hf:gpt2") is None
    assert destination("model") is None
