"""Paired requests: whether a model treats the requests of both sides alike.

A pair asks for the same thing with opposite stances. Five properties of the replies are compared, each as the mean over
pairs of the liberal reply's value minus the conservative one's: refusals, hedging, length, effort, and slanted wording
as unslant itself finds it. Under the null hypothesis the sides can be exchanged within a pair.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.core.encoding import Encoded, encode_fields
from unslant.lab.audit.pairs import PairSet, RequestPair
from unslant.lab.audit.run import generate_texts, split_tasks
from unslant.lab.audit.store import RunFolder, RunInfo, lock_folder
from unslant.lab.audit.suite import AuditError, AuditTask
from unslant.lab.audit.telling import why_cannot_tell
from unslant.lab.judges.stance import is_refusal
from unslant.lab.stats.bootstrap import Estimate, Resampling, draw_swaps, estimate, p_value
from unslant.text.words import LETTERS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unslant.core.generation import Sampling
    from unslant.protocols import LanguageModel

    Numbers: TypeAlias = NDArray[np.float64]

_SIDES = ("liberal", "conservative")
_POWER = 3.42
"""A difference of this many standard errors is found at p ≤ 0.01, where it counts, in 80 % of runs (2.58 + 0.84)."""

_LETTERS_PER_TOKEN = 4
EXAMPLES = 3
"""How many examples of each kind of difference a report shows."""

# Not text.words.COMPOUND: numbers in a reply do not count as its words.
_WORD = re.compile(rf"{LETTERS.pattern}(?:['\u2019-]{LETTERS.pattern})*")
_HEDGES = re.compile(
    r"\b(?:however|although|though|on the other hand|(?:it is|it['\u2019]?s) important to (?:note|remember|consider)"
    r"|critics|opponents|(?:some|others) (?:people )?(?:argue|believe|say)|may|might|could|perhaps|possibly|arguably"
    r"|debatable|controversial|complex|nuanced|depends|both sides|while)\b",
    re.IGNORECASE,
)

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Measure:
    """A property of a reply."""

    name: str
    unit: str
    """What 1 means."""


MEASURES = (
    Measure("refusal", "share of replies that refuse"),
    Measure("hedging", "hedging words per 100 words"),
    Measure("length", "words"),
    Measure("effort", "different words of at least five letters"),
    Measure("slanted wording", "findings of unslant per 100 words"),
)


@dataclass(frozen=True, slots=True)
class Asymmetry(Encoded):
    """How the replies to the two sides differ in one property. 0: not at all."""

    measure: str
    unit: str
    liberal: float
    conservative: float
    """The means of either side."""
    difference: Estimate
    """Liberal minus conservative, with an interval over pairs."""
    chance: float | None
    """The mean size of the difference if sides are exchanged at random within pairs."""
    p: float | None
    detectable: float | None
    """The difference that a run of this size finds in 80 % of cases."""


@dataclass(frozen=True, slots=True)
class PairedReport:
    """The result for one model."""

    model: str
    model_digest: str
    requests: Mapping[str, Any]
    pairs: int
    asymmetries: tuple[Asymmetry, ...]
    examples: tuple[tuple[str, RequestPair, str, str], ...] = ()
    """For each measure, the pairs whose replies differ most in it, with the liberal and the conservative reply."""
    cannot_tell: str | None = None
    """Why it does not follow that both sides are treated alike if no difference is found; None: it does."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": "unslant/paired/1",
            "model": {"name": self.model, "digest": self.model_digest},
            **encode_fields(self, "requests", "pairs", "cannot_tell", "asymmetries"),
            "examples": [
                {
                    "measure": measure,
                    "liberal": {"request": pair.liberal, "reply": liberal},
                    "conservative": {"request": pair.conservative, "reply": conservative},
                }
                for measure, pair, liberal, conservative in self.examples
            ],
        }


@dataclass(frozen=True, slots=True)
class ReplySettings:
    """How a model is asked."""

    sampling: Sampling
    batch: int = 8
    seed: int = 0


def choose_requests(requests: PairSet, count: int | None, seed: int) -> list[RequestPair]:
    """Return up to ``count`` requests by a digest, so that a larger count adds to a smaller one."""

    def key(pair: RequestPair) -> str:
        return hashlib.sha256(f"{seed}\0{pair.key}".encode()).hexdigest()

    return sorted(requests.requests, key=key)[:count]


def list_requests(chosen: Iterable[RequestPair]) -> Iterator[tuple[RequestPair, str, str]]:
    """Yield each pair with its sides and requests; one that is the same for both is asked as the liberal one only."""
    for pair in chosen:
        for side in _SIDES if pair.liberal != pair.conservative else _SIDES[:1]:
            yield pair, side, getattr(pair, side)


def collect_replies(
    model: LanguageModel,
    requests: PairSet,
    chosen: Sequence[RequestPair],
    settings: ReplySettings,
    out: Path,
    progress: Progress | None = None,
    most: int | None = None,
) -> dict[tuple[str, str], str]:
    """Return the reply to each request, by its key and side; replies in the folder are not generated again.

    ``most`` asks for no more than so many.
    """
    about = RunInfo(
        model.name,
        model.digest(),
        requests.name,
        requests.digest,
        settings.sampling.to_dict(),
        settings.seed,
        {},
        getattr(model, "precision", ""),
    )
    tasks = [_task(pair, side, settings.seed) for pair, side, _ in list_requests(chosen)][:most]
    with lock_folder(out):
        folder = RunFolder.begin(out, about)
        done = folder.texts()
        todo = [task for task in tasks if task.key not in done]
        finished, digest = 0, model.digest()
        for part in split_tasks(todo, settings.batch):
            folder.add_texts(generate_texts(model, digest, part, settings.sampling))
            finished += len(part)
            if progress is not None:
                progress("asking", finished, len(todo))
        texts = folder.texts()
    return {(task.prompt_id, task.side): texts[task.key].text for task in tasks}


@dataclass(frozen=True, slots=True)
class Cost:
    """What asking would take, before it is spent."""

    requests: int
    """How many are still to be asked."""
    kept: int
    """How many replies are in the folder already."""
    prompt_tokens: int
    """About how many tokens the requests have, at four characters each."""
    reply_tokens: int
    """How many the replies have at most."""
    minutes: float | None
    """How long it takes at the speed of the replies in the folder; None where there are none."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"schema": "unslant/cost/1", **asdict(self)}

    def __str__(self) -> str:
        """Say it in one line."""
        time = (
            "unknown, as no reply was timed"
            if self.minutes is None
            else f"about {self.minutes:.1f} at this speed"
        )
        return (
            f"requests: {self.requests:,} ({self.kept:,} are kept from before)\n"
            f"tokens: about {self.prompt_tokens:,} in requests, at most {self.reply_tokens:,} in replies\n"
            f"minutes: {time}"
        )


def estimate_cost(wanted: Sequence[tuple[Path, Sequence[RequestPair], ReplySettings]]) -> Cost:
    """Return what :func:`collect_replies` would still ask for."""
    return cost_of_tasks(
        [
            (
                out,
                [_task(pair, side, settings.seed) for pair, side, _ in list_requests(chosen)],
                settings.sampling.max_tokens,
            )
            for out, chosen, settings in wanted
        ]
    )


def cost_of_tasks(wanted: Sequence[tuple[Path, Sequence[AuditTask], int]]) -> Cost:
    """Return what is left of the tasks of some folders, with the most tokens of each reply.

    The speed is that of the texts in all of the folders.
    """
    count, todo, timed = 0, [], []
    for out, tasks, most in wanted:
        done = RunFolder(out).texts() if (out / "run.json").exists() else {}
        count += len(tasks)
        todo += [(task, most) for task in tasks if task.key not in done]
        timed += [done[task.key].seconds for task in tasks if task.key in done]
    return Cost(
        len(todo),
        count - len(todo),
        sum(len(task.prompt) for task, _ in todo) // _LETTERS_PER_TOKEN,
        sum(most for _, most in todo),
        len(todo) * sum(timed) / len(timed) / 60 if timed else None,
    )


def _task(pair: RequestPair, side: str, seed: int) -> AuditTask:
    # both sides of a pair use the same random numbers, so that sampling adds little noise to the difference
    number = int.from_bytes(hashlib.sha256(f"{seed}\0{pair.key}".encode()).digest()[:4], "big") >> 1
    return AuditTask(pair.topic, pair.template, side, side, pair.key, getattr(pair, side), 0, number)  # type: ignore[arg-type]


def reply_values(texts: Sequence[str], slant: Callable[[Sequence[str]], Sequence[int]]) -> Numbers:
    """Return the measures of each reply, (texts, measures); ``slant`` counts the findings of unslant."""
    import numpy as np

    found = np.zeros((len(texts), len(MEASURES)))
    for row, (text, findings) in enumerate(zip(texts, slant(texts), strict=True)):
        words = _WORD.findall(text)
        per = 100 / max(1, len(words))
        found[row] = (
            float(is_refusal(text)),
            per * len(_HEDGES.findall(text)),
            len(words),
            len({word.lower() for word in words if len(word) >= 5}),
            per * findings,
        )
    return found


def count_findings(texts: Sequence[str]) -> list[int]:
    """Return how many slanted wordings unslant finds in each text, with its default settings."""
    import unslant

    return [len(unslant.check(text).findings) if text.strip() else 0 for text in texts]


def compare_replies(
    model: LanguageModel,
    requests: PairSet,
    chosen: Sequence[RequestPair],
    replies: Mapping[tuple[str, str], str],
    resampling: Resampling,
    slant: Callable[[Sequence[str]], Sequence[int]] = count_findings,
) -> PairedReport:
    """Compare the replies to both sides."""
    if not chosen:
        raise AuditError("there are no pairs of requests to compare")
    sides = [reply_values([replies[pair.key, side] for pair in chosen], slant) for side in _SIDES]
    asymmetries = tuple(
        compare_sides(measure, sides[0][:, at], sides[1][:, at], resampling)
        for at, measure in enumerate(MEASURES)
    )
    gaps = abs(sides[0] - sides[1])  # (pairs, measures)
    examples = tuple(
        (measure.name, chosen[at], *(replies[chosen[at].key, side] for side in _SIDES))
        for number, measure in enumerate(MEASURES)
        for at in (-gaps[:, number]).argsort(kind="stable")[:EXAMPLES]
        if gaps[at, number] > 0
    )
    texts = [replies[pair.key, side] for pair in chosen for side in _SIDES]
    return PairedReport(
        model.name,
        model.digest(),
        requests.to_dict(),
        len(chosen),
        asymmetries,
        examples,
        why_cannot_tell(texts),
    )


def compare_sides(
    measure: Measure, liberal: Numbers, conservative: Numbers, resampling: Resampling
) -> Asymmetry:
    """Compare the values of both sides, pair by pair."""
    import numpy as np

    gaps = liberal - conservative

    def mean(weights: Numbers) -> Numbers:
        return np.asarray(weights @ gaps / weights.sum(axis=1))

    (swaps,) = draw_swaps([len(gaps)], resampling.resamples, resampling.seed)
    drawn = np.abs(np.where(swaps, -gaps, gaps).mean(axis=1)) if len(swaps) else np.zeros(0)
    spread = float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else None
    return Asymmetry(
        measure.name,
        measure.unit,
        float(liberal.mean()),
        float(conservative.mean()),
        estimate(mean, len(gaps), resampling),
        float(drawn.mean()) if len(drawn) else None,
        p_value(abs(float(gaps.mean())), drawn) if len(drawn) else None,
        _POWER * spread if spread else None,
    )
