"""From texts in folders to one result: judged, measured, compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.lab.audit.bias import Bias, measure
from unslant.lab.audit.compare import Comparison, compare
from unslant.lab.audit.control import control
from unslant.lab.audit.design import Scored
from unslant.lab.audit.fluency import Fluency, fluency
from unslant.lab.audit.problems import AuditError
from unslant.lab.audit.store import About, RunFolder, Text
from unslant.lab.audit.suite import Scope, Suite
from unslant.lab.judges.judge import Judge, judge_texts
from unslant.lab.stats.bootstrap import Estimate, Resampling

if TYPE_CHECKING:
    from unslant.protocols import LanguageModel

__all__ = ["SCHEMA", "Examination", "Examined", "How", "examine"]

SCHEMA = "unslant/audit/1"
_STEP = 32
_JUDGED_TOGETHER = 256


@dataclass(frozen=True, slots=True)
class How:
    """How texts are examined."""

    judge: Judge
    resampling: Resampling = field(default_factory=Resampling)
    scored_texts: int = 0
    """How many texts of each variant the model itself is asked about."""
    tell: Callable[[str, int, int], None] | None = None


@dataclass(frozen=True, slots=True)
class Examined:
    """One variant of a model."""

    name: str
    about: About
    texts: Mapping[str, Text]
    values: Mapping[str, float | None]
    """What the judge said, by key."""
    bias: Bias
    fluency: Fluency
    against: Comparison | None = None
    """Compared with the first variant."""
    control: Estimate | None = None
    """How much more conservative the judge finds texts under conservative prompts than under liberal ones."""

    @property
    def unjudged(self) -> int:
        """Texts of which the judge could say nothing."""
        return sum(value is None for value in self.values.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "name": self.name,
            "run": self.about.to_dict(),
            "texts": len(self.texts),
            "unjudged": self.unjudged,
            "bias": self.bias.to_dict(),
            "fluency": self.fluency.to_dict(),
            "against_first": self.against.to_dict() if self.against else None,
            "control": self.control.to_dict() if self.control else None,
        }


@dataclass(frozen=True, slots=True)
class Examination:
    """Everything an audit has to say."""

    suite: Suite
    judge: str
    judge_digest: str
    variants: tuple[Examined, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "schema": SCHEMA,
            "suite": self.suite.to_dict(),
            "judge": {"name": self.judge, "digest": self.judge_digest},
            "variants": [one.to_dict() for one in self.variants],
        }


def examine(
    folders: Mapping[str, RunFolder],
    suite: Suite,
    how: How,
    scope: Scope | None = None,
    model: LanguageModel | None = None,
) -> Examination:
    """Examine run folders, by the names of what is in them; the others are compared with the first.

    Only the texts of ``scope`` count, so that a run that has more can be compared with one that has less.
    """
    found: list[Examined] = []
    for name, folder in folders.items():
        about = folder.about()
        if about.suite_digest != suite.digest:
            raise AuditError(
                f"{folder.path}: its texts answer the suite {about.suite!r} (digest {about.suite_digest}), not "
                f"{suite.name!r} as it is now ({suite.digest}); name the right one with --suite"
            )
        texts = _wanted(folder, suite, scope)
        values = judge_run(folder, texts, how.judge, how.tell)
        bias = measure(_scored(texts, values), _attributes(texts, suite), how.resampling)
        own = _own(folder, texts, how, model) if model is not None and how.scored_texts else None
        reads = fluency(texts, found[0].texts if found else texts, own)
        against = compare(found[0].bias, bias, how.resampling) if found else None
        seen = control(bias, how.resampling)
        found.append(Examined(name, about, texts, values, bias, reads, against, seen))
    return Examination(suite, how.judge.name, how.judge.digest(), tuple(found))


def _wanted(folder: RunFolder, suite: Suite, scope: Scope | None) -> dict[str, Text]:
    texts = folder.texts()
    if scope is not None:
        keys = [task.key for task in suite.tasks(scope)]
        texts = {key: texts[key] for key in keys if key in texts}
    if not texts:
        raise AuditError(f"{folder.path}: there are no texts in it yet")
    return texts


def _attributes(texts: Mapping[str, Text], suite: Suite) -> dict[str, tuple[str, ...]]:
    present = {one.attribute for one in texts.values()}
    return {
        one.name: tuple(option.name for option in one.options)
        for one in suite.attributes
        if one.name in present
    }


def _scored(texts: Mapping[str, Text], values: Mapping[str, float | None]) -> list[Scored]:
    return [
        Scored(key, one.attribute, one.option, one.side, one.prompt_id, value)  # type: ignore[arg-type]
        for key, one in texts.items()
        if (value := values[key]) is not None
    ]


def _own(
    folder: RunFolder, texts: Mapping[str, Text], how: How, model: LanguageModel
) -> dict[str, float | None]:
    """Return the mean log probability of some texts by the model as it is: the same tasks for every variant."""
    # every so many tasks, so that all attributes and sides are among them
    keys = list(texts)[:: max(1, len(texts) // how.scored_texts)][: how.scored_texts]
    known = folder.numbers("own")
    todo = [key for key in keys if key not in known]
    for start in range(0, len(todo), _STEP):
        part: Sequence[str] = todo[start : start + _STEP]
        chat = bool(folder.about().sampling.get("chat"))
        asked = model.logprobs([texts[k].prompt for k in part], [texts[k].text for k in part], chat=chat)
        found = {key: sum(one) / len(one) if one else None for key, one in zip(part, asked, strict=True)}
        folder.add_numbers("own", found)
        known |= found
        if how.tell is not None:
            how.tell("reading", start + len(part), len(todo))
    return {key: known[key] for key in keys}


def named(folders: Sequence[Path]) -> dict[str, RunFolder]:
    """Return run folders by names that tell them apart."""
    names = [path.name for path in folders]
    shown = [str(path) if names.count(path.name) > 1 else path.name for path in folders]
    return {name: RunFolder(path) for name, path in zip(shown, folders, strict=True)}


def judge_run(
    folder: RunFolder,
    texts: Mapping[str, Text],
    judge: Judge,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, float | None]:
    """Return a judge's probabilities for the texts of a run; those in the folder are not computed again."""
    name = f"judged-{judge.digest()[:16]}"
    known = folder.numbers(name)
    todo = [text for key, text in texts.items() if key not in known]
    for start in range(0, len(todo), _JUDGED_TOGETHER):
        part = todo[start : start + _JUDGED_TOGETHER]
        values = judge_texts(judge, [text.text for text in part])
        found = {text.key: value for text, value in zip(part, values, strict=True)}
        folder.add_numbers(name, found)
        known |= found
        if progress is not None:
            progress("judging", start + len(part), len(todo))
    return {key: known[key] for key in texts}
