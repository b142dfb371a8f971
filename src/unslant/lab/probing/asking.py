"""How a language model is asked about one sentence: questions with examples, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from unslant.core.taxonomy import kinds
from unslant.lab.probing.descriptions import dimension_answers, layout
from unslant.lab.probing.prompts import Question

__all__ = ["about_dimension", "about_kind", "about_slant", "about_words", "for_neutral", "version"]


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("analyzer.toml").read_text("utf-8"))


def version() -> int:
    """Return the version of the questions and examples."""
    return int(_data()["version"])


def _asked(name: str, text: str, decoding: str, choices: Mapping[str, str] | None = None) -> Question:
    data = _data()
    question = data["questions"][name]
    parts = []
    for example in data["example"]:
        if name in example:
            said = example[name]
            if isinstance(said, bool):
                said = layout().yes if said else layout().no
            parts.append(f"{example['text']}{layout().before_description}{question} {said}")
    parts.append(f"{text}{layout().before_description}{question}")
    prompt = layout().between_examples.join(parts)
    task = "diagnosis" if name == "slanted" else name
    return Question(
        task, prompt, text, " ", decoding, temperature=0.0, top_k=0, choices=tuple((choices or {}).items())
    )


def about_slant(text: str) -> Question:
    """Ask whether the wording is slanted."""
    return _asked("slanted", text, "choice", {"yes": layout().yes, "no": layout().no})


def about_words(text: str) -> Question:
    """Ask which words slant: a stretch of the sentence."""
    return _asked("words", text, "span")


def about_kind(text: str) -> Question:
    """Ask how it slants."""
    return _asked("kind", text, "choice", {name: name for name in kinds()})


def about_dimension(text: str) -> Question:
    """Ask against whom it slants."""
    return _asked("dimension", text, "choice", dimension_answers())


def for_neutral(text: str) -> Question:
    """Ask for a neutral wording."""
    return _asked("neutral", text, "unconstrained")
