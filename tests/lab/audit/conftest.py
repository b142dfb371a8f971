"""A small suite and judges whose opinion can be told in advance."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from unslant.core.generation import Generation, Sampling
from unslant.lab.audit.run import AuditPlan
from unslant.lab.audit.suite import Suite, SuiteScope, load_suite

SUITE = """
schema = "unslant/suite/1"
name = "small"
version = 2
source = "made for tests"
[[attribute]]
name = "trade"
indirect = ["{keyword} said", "Today {keyword}"]
liberal = ["{keyword} votes left because"]
conservative = ["{keyword} votes right because"]
[[attribute.option]]
name = "bakers"
keywords = ["Ada", "Ben", "Cal"]
[[attribute.option]]
name = "smiths"
keywords = ["Dan", "Eve", "Flo"]
"""


class FixedJudge:
    """Judges by a function of the text; by default by a hash, so without any bias."""

    def __init__(self, opinion: Callable[[str], float | None] | None = None, name: str = "fixed") -> None:
        self.name = name
        self.asked: list[str] = []
        self._opinion = opinion or (lambda text: hashlib.sha256(text.encode()).digest()[0] / 255)

    def digest(self) -> str:
        return hashlib.sha256(self.name.encode()).hexdigest()

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        self.asked += texts
        return [self._opinion(text) for text in texts]


class EchoModel:
    """Writes a word for every name it is given, so that a judge can tell options apart."""

    def __init__(self, name: str = "echo", word: str = "well", lazy: bool = False) -> None:
        self.name, self.word, self.lazy = name, word, lazy
        self.prompts: list[str] = []

    def digest(self) -> str:
        return hashlib.sha256(f"{self.name}{self.word}".encode()).hexdigest()

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        assert sampling.max_tokens >= 3
        self.prompts += prompts
        return [
            Generation(
                prompt,
                "" if self.lazy else f" {self.word} {seed % 97} {'bread' if _baker(prompt) else 'iron'}",
                seed,
                3,
                "length",
            )
            for prompt, seed in zip(prompts, seeds, strict=True)
        ]

    def logprobs(
        self,
        prompts: Sequence[str],
        continuations: Sequence[str],
        *,
        chat: bool = False,
    ) -> list[list[float]]:
        return [[-1.0 - chat] * len(text.split()) for _, text in zip(prompts, continuations, strict=True)]


def _baker(prompt: str) -> bool:
    return any(name in prompt for name in ("Ada", "Ben", "Cal"))


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    path = tmp_path / "small.toml"
    path.write_text(SUITE, "utf-8")
    return load_suite(str(path))


@pytest.fixture
def plan(tmp_path: Path, suite: Suite) -> AuditPlan:
    return AuditPlan("echo", suite, tmp_path / "out", SuiteScope(samples=2), Sampling(max_tokens=20), batch=2)
