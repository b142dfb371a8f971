"""Judges, measures and compares the texts of runs, and builds the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from unslant.lab.audit.bias import Bias, BiasComparison, compare, measure
from unslant.lab.audit.design import JudgedText
from unslant.lab.audit.fluency import Fluency, fluency
from unslant.lab.audit.power import PlantedPool, Power, log_odds, measure_power, pool_values, read_pool
from unslant.lab.audit.sections import silent_verdict
from unslant.lab.audit.store import AuditText, RunFolder, RunInfo
from unslant.lab.audit.suite import AuditError, Suite, SuiteScope
from unslant.lab.audit.telling import why_cannot_tell
from unslant.lab.judges.judge import Judge, judge_texts
from unslant.lab.judges.reference import read_reference
from unslant.lab.stats.bootstrap import Resampling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unslant.protocols import LanguageModel

SCHEMA = "unslant/audit/1"
POWER_DOSES = (0.25, 0.5, 1.0)
"""The shares of the reference slant for which a report gives its power."""
SIGNIFICANCE = 0.05
"""Up to this p, a slant counts as found."""
_LEAST_POWER = 0.5
"""If fewer runs of its size would find the whole reference slant, a run that finds none says nothing."""
_STEP = 32
_JUDGED_TOGETHER = 256
_FEWEST_OPTIONS = 2
"""A slant is a difference between options."""


class NothingToJudge(AuditError):
    """No text of a run can be judged."""

    def __init__(self, model: str, why: str) -> None:
        self.model, self.why = model, why
        super().__init__(silent_verdict(model, why))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of a report without figures."""
        return {"schema": SCHEMA, "model": self.model, "cannot_tell": self.why, "variants": []}


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """How the texts of an audit are judged and measured."""

    judge: Judge
    resampling: Resampling = field(default_factory=Resampling)
    scored_texts: int = 0
    """The number of texts per variant whose perplexity the model itself computes."""
    progress: Callable[[str, int, int], None] | None = None
    planted: RunFolder | None = None
    """The run of a planted model, for the power of this audit."""


@dataclass(frozen=True, slots=True)
class VariantReport:
    """The results of one variant of a model."""

    name: str
    about: RunInfo
    texts: Mapping[str, AuditText]
    values: Mapping[str, float | None]
    """The judge's probabilities by key."""
    bias: Bias
    fluency: Fluency
    against: BiasComparison | None = None
    """The comparison with the first variant."""
    log_odds: Bias | None = None
    """The bias on the scale of log odds, which spreads out probabilities near 0 and 1."""

    @property
    def unjudged(self) -> int:
        """The number of texts that the judge could not judge."""
        return sum(value is None for value in self.values.values())

    @property
    def cannot_tell(self) -> str | None:
        """Why no conclusion follows from the texts, such as that they are empty or all the same; None if one may."""
        return why_cannot_tell([text.text for text in self.texts.values()])

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "run": self.about.to_dict(),
            "texts": len(self.texts),
            "unjudged": self.unjudged,
            "cannot_tell": self.cannot_tell,
            "bias": self.bias.to_dict(),
            "fluency": self.fluency.to_dict(),
            "against_first": self.against.to_dict() if self.against else None,
            "log_odds": _scale_dict(self.log_odds) if self.log_odds else None,
        }


@dataclass(frozen=True, slots=True)
class Reference:
    """The slant that the power of an audit is about, with the judge's probabilities for texts that have it."""

    kind: Literal["planted", "outlets"]
    """The texts of a planted model, or passages of outlets of the left and of the right."""
    pool: PlantedPool
    words: int | None = None
    """The length of the passages in words; None for the texts of a planted model."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"kind": self.kind, "source": self.pool.source, "words": self.words}


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The results of an audit."""

    suite: Suite
    judge: str
    judge_digest: str
    variants: tuple[VariantReport, ...]
    judge_card: Mapping[str, Any] = field(default_factory=dict)
    """What the judge was trained on and how accurate it is, if its card says so."""
    power: tuple[Power, ...] = ()
    """How often a run of this size finds a known slant; empty where none is known for this judge."""
    reference: Reference | None = None
    """The slant that ``power`` is about."""

    @property
    def cannot_tell(self) -> str | None:
        """Why nothing follows where no slant was found: the texts tell nothing, or a run of this size finds little."""
        first, p = self.variants[0], self.variants[0].bias.indirect.p
        if p is not None and p <= SIGNIFICANCE:
            return None
        whole = next((power for power in self.power if power.dose == 1.0), None)
        if first.cannot_tell is None and p is not None and whole is not None and whole.found < _LEAST_POWER:
            return (
                f"a run of this size ({whole.texts:,} texts per option) would miss most slanted models; take more "
                "--samples"
            )
        return first.cannot_tell

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": SCHEMA,
            "suite": self.suite.to_dict(),
            "judge": {"name": self.judge, "digest": self.judge_digest, "card": dict(self.judge_card)},
            "cannot_tell": self.cannot_tell,
            "reference": self.reference.to_dict() if self.reference else None,
            "power": [power.to_dict() for power in self.power],
            "variants": [variant.to_dict() for variant in self.variants],
        }


def examine(
    folders: Mapping[str, RunFolder],
    suite: Suite,
    settings: AuditSettings,
    scope: SuiteScope | None = None,
    model: LanguageModel | None = None,
) -> AuditReport:
    """Judge and measure run folders, given by name; the others are compared with the first.

    Only the texts of ``scope`` count, so that runs of different sizes can be compared.
    """
    found: list[VariantReport] = []
    for name, folder in folders.items():
        about = folder.about()
        if about.suite_digest != suite.digest:
            raise AuditError(
                f"{folder.path}: its texts answer the suite {about.suite!r} (digest {about.suite_digest}), not "
                f"{suite.name!r} as it is now ({suite.digest}); name the right one with --suite"
            )
        texts = _select_texts(folder, suite, scope)
        values = judge_run(folder, texts, settings.judge, settings.progress)
        if all(value is None for value in values.values()):
            why = why_cannot_tell([text.text for text in texts.values()])
            raise NothingToJudge(about.model, why or "the judge can read none of its texts")
        bias = measure(judged_texts(texts, values), _attributes(texts, suite), settings.resampling)
        own = (
            _score_texts(folder, texts, settings, model)
            if model is not None and settings.scored_texts
            else None
        )
        reads = fluency(texts, found[0].texts if found else texts, own)
        against = compare(found[0].bias, bias, settings.resampling) if found else None
        logits = measure(
            judged_texts(texts, values, logits=True), _attributes(texts, suite), settings.resampling
        )
        found.append(VariantReport(name, about, texts, values, bias, reads, against, logits))
    card = dict(getattr(settings.judge, "card", {}))
    reference, power = _power(found[0], settings)
    return AuditReport(
        suite, settings.judge.name, settings.judge.digest(), tuple(found), card, power, reference
    )


def _scale_dict(bias: Bias) -> dict[str, Any]:
    return {"indirect": bias.indirect.to_dict(), "direct": bias.direct.to_dict() if bias.direct else None}


def _power(first: VariantReport, settings: AuditSettings) -> tuple[Reference | None, tuple[Power, ...]]:
    """Return how often a run of this size would find a known slant, at several doses, and which slant that is."""
    reference = _reference(first, settings)
    if reference is None:
        return None, ()
    options = {attribute.name: len(attribute.options) for attribute in first.bias.attributes}
    sizes = [option.texts for attribute in first.bias.attributes for option in attribute.options]
    texts = round(sum(sizes) / len(sizes))
    if texts < 1 or min(options.values()) < _FEWEST_OPTIONS:
        return None, ()
    return reference, tuple(
        measure_power(reference.pool, options, texts, dose, seed=settings.resampling.seed)
        for dose in POWER_DOSES
    )


def _reference(first: VariantReport, settings: AuditSettings) -> Reference | None:
    """Return the slant of a planted model, or else the one that the judge brings along."""
    if settings.planted is not None:
        left, right = (judge_texts(settings.judge, texts) for texts in read_pool(settings.planted))
        return Reference("planted", pool_values(left, right, str(settings.planted.path)))
    known = read_reference(settings.judge)
    if known is None:
        return None
    words = median(len(text.text.split()) for text in first.texts.values())
    length, sides = known.nearest(words)
    return Reference("outlets", pool_values(sides.left, sides.right, known.source), length)


def _select_texts(folder: RunFolder, suite: Suite, scope: SuiteScope | None) -> dict[str, AuditText]:
    texts = folder.texts()
    if scope is not None:
        keys = [task.key for task in suite.tasks(scope)]
        texts = {key: texts[key] for key in keys if key in texts}
    if not texts:
        raise AuditError(f"{folder.path}: has no texts yet; run 'unslant audit run' first")
    return texts


def _attributes(texts: Mapping[str, AuditText], suite: Suite) -> dict[str, tuple[str, ...]]:
    present = {text.attribute for text in texts.values()}
    return {
        attribute.name: tuple(option.name for option in attribute.options)
        for attribute in suite.attributes
        if attribute.name in present
    }


def judged_texts(
    texts: Mapping[str, AuditText], values: Mapping[str, float | None], *, logits: bool = False
) -> list[JudgedText]:
    """Return the texts that have a value, as probabilities or as log odds."""
    judged = {key: value for key in texts if (value := values[key]) is not None}
    numbers = log_odds(_array(judged.values())) if logits else list(judged.values())
    return [
        JudgedText(key, text.attribute, text.option, text.side, text.prompt_id, float(value))  # type: ignore[arg-type]
        for (key, value) in zip(judged, numbers, strict=True)
        for text in [texts[key]]
    ]


def _array(values: Iterable[float]) -> NDArray[np.float64]:
    import numpy as np

    return np.array(list(values), dtype=np.float64)


def _score_texts(
    folder: RunFolder, texts: Mapping[str, AuditText], settings: AuditSettings, model: LanguageModel
) -> dict[str, float | None]:
    """Return the mean log probability of the same tasks for every variant, under the model without debiasing."""
    # evenly spaced tasks, so that all attributes and sides are among them
    keys = list(texts)[:: max(1, len(texts) // settings.scored_texts)][: settings.scored_texts]
    known = folder.numbers("own")
    todo = [key for key in keys if key not in known]
    for start in range(0, len(todo), _STEP):
        part: Sequence[str] = todo[start : start + _STEP]
        chat = bool(folder.about().sampling.get("chat"))
        results = model.logprobs([texts[k].prompt for k in part], [texts[k].text for k in part], chat=chat)
        found = {
            key: sum(values) / len(values) if values else None
            for key, values in zip(part, results, strict=True)
        }
        folder.add_numbers("own", found)
        known |= found
        if settings.progress is not None:
            settings.progress("scoring", start + len(part), len(todo))
    return {key: known[key] for key in keys}


def open_runs(folders: Sequence[Path]) -> dict[str, RunFolder]:
    """Return run folders by unique names."""
    names = [path.name for path in folders]
    shown = [str(path) if names.count(path.name) > 1 else path.name for path in folders]
    return {name: RunFolder(path) for name, path in zip(shown, folders, strict=True)}


def judge_run(
    folder: RunFolder,
    texts: Mapping[str, AuditText],
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
