"""Judges: how likely a text is conservative rather than liberal, as its wording goes.

``default`` is the judge that ships, a folder is one that ``unslant train judge`` wrote, ``hf:NAME`` any classifier of
the hub. A judge's opinion is about texts; what it says of one text is weak evidence, of many a distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from unslant.lab.audit.problems import JudgeError
from unslant.lab.audit.store import RunFolder, Text

__all__ = ["Judge", "judged", "open_judge"]

_STEP = 256


@runtime_checkable
class Judge(Protocol):
    """Says how likely each text is conservative."""

    @property
    def name(self) -> str:
        """As the user named it."""
        ...

    def digest(self) -> str:
        """Return what tells this judge from others."""
        ...

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return one probability per text, in order; None for a text that says nothing."""
        ...


def open_judge(name: str = "default") -> Judge:
    """Return a judge by its name."""
    if name.startswith("hf:"):
        from unslant.lab.audit.judge_hf import HuggingFaceJudge

        return HuggingFaceJudge(name.removeprefix("hf:"))
    from unslant.lab.audit.judge_linear import LinearJudge, judge_card

    if name == "default":
        return LinearJudge.load(Path(__file__).with_name("weights"), name)
    if "encoder" in judge_card(Path(name)):
        from unslant.lab.audit.judge_encoder import EncoderJudge

        return EncoderJudge.load(Path(name), name)
    return LinearJudge.load(Path(name), name)


def judged(
    folder: RunFolder,
    texts: Mapping[str, Text],
    judge: Judge,
    tell: Callable[[str, int, int], None] | None = None,
) -> dict[str, float | None]:
    """Return a judge's opinion of every text of a run; what it has said before is not asked again."""
    name = f"judged-{judge.digest()[:16]}"
    known = folder.numbers(name)
    todo = [text for key, text in texts.items() if key not in known]
    for start in range(0, len(todo), _STEP):
        part = todo[start : start + _STEP]
        values = checked(judge, [one.text for one in part])
        found = {one.key: value for one, value in zip(part, values, strict=True)}
        folder.add_numbers(name, found)
        known |= found
        if tell is not None:
            tell("judging", start + len(part), len(todo))
    return {key: known[key] for key in texts}


def checked(judge: Judge, texts: Sequence[str]) -> list[float | None]:
    """Ask a judge, and refuse what is not a probability."""
    values = judge.judge(texts)
    if len(values) != len(texts):
        raise JudgeError(f"the judge {judge.name!r} gave {len(values)} answers for {len(texts)} texts")
    for value in values:
        if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
            raise JudgeError(
                f"the judge {judge.name!r} gave {value} where a probability was expected; name another with --judge"
            )
    return values
