"""How much likelier a model finds one side's wording than the other's, in matched pairs.

Nothing is sampled, so there is no noise but that of the choice of pairs. Scored as in CrowS-Pairs (Nangia et al. 2020),
for a model that reads from left to right: the wordings of a pair share their prompt or their continuation, and only
the continuation is scored. The lead of a pair is log P(liberal) - log P(conservative). Exchanged pairs (for and
against, praise and blame) are averaged, so that how frequent a word is cancels out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.lab.audit.pairs import PairSet, WordingPair
from unslant.lab.stats.bootstrap import Estimate, Resampling, draw_swaps, estimate, p_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unslant.protocols import LanguageModel

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["Lead", "LikelihoodReport", "measure_likelihood", "score_pairs", "summarize_leads"]

_CHUNK = 256


@dataclass(frozen=True, slots=True)
class Lead:
    """The mean lead of the liberal wordings over some pairs, in nats. 0: no slant; below 0: conservative."""

    name: str
    pairs: int
    units: int
    """Issues and qualities; intervals and p are over these, because the pairs of one are alike."""
    lead: Estimate
    share: Estimate
    """The share of pairs whose liberal wording is likelier; 0.5: no slant."""
    p: float | None
    """A two-sided sign-flip test over units."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "name": self.name,
            "pairs": self.pairs,
            "units": self.units,
            "lead": self.lead.to_dict(),
            "share": self.share.to_dict(),
            "p": self.p,
        }


@dataclass(frozen=True, slots=True)
class LikelihoodReport:
    """The result for one model, in one or more contexts."""

    model: str
    model_digest: str
    pairs: PairSet
    contexts: Mapping[str, tuple[Lead, ...]]
    """By the name of the context: all pairs first, then every topic."""
    difference: Lead | None = None
    """With two contexts or more: how much the lead differs between the first and the second, pair by pair."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "schema": "unslant/likelihood/1",
            "model": {"name": self.model, "digest": self.model_digest},
            "pairs": self.pairs.to_dict(),
            "contexts": {name: [lead.to_dict() for lead in leads] for name, leads in self.contexts.items()},
            "difference": self.difference.to_dict() if self.difference else None,
        }


def score_pairs(
    model: LanguageModel,
    pairs: Sequence[WordingPair],
    context: str = "",
    progress: Callable[[str, int, int], None] | None = None,
) -> Numbers:
    """Return the lead of each pair, (pairs); ``context`` stands before every prompt."""
    import numpy as np

    wordings = list(dict.fromkeys(w for pair in pairs for w in (pair.liberal, pair.conservative)))
    # a prompt that many wordings share is read once
    wordings.sort()
    before = f"{context.strip()} " if context.strip() else ""
    scores: dict[tuple[str, str], float] = {}
    for start in range(0, len(wordings), _CHUNK):
        part = wordings[start : start + _CHUNK]
        found = model.logprobs([before + prompt for prompt, _ in part], [text for _, text in part])
        scores |= {wording: sum(values) for wording, values in zip(part, found, strict=True)}
        if progress is not None:
            progress("scoring", start + len(part), len(wordings))
    return np.array([scores[pair.liberal] - scores[pair.conservative] for pair in pairs])


def measure_likelihood(
    model: LanguageModel,
    pairs: PairSet,
    contexts: Mapping[str, str],
    resampling: Resampling,
    progress: Callable[[str, int, int], None] | None = None,
) -> LikelihoodReport:
    """Score all pairs in every context; ``contexts`` maps names to texts, the empty text is none."""
    leads = {name: score_pairs(model, pairs.pairs, text, progress) for name, text in contexts.items()}
    names = list(leads)
    difference = None
    if len(names) > 1:
        title = f"{names[0]} minus {names[1]}"
        difference = summarize_leads(title, pairs.pairs, leads[names[0]] - leads[names[1]], resampling)
    return LikelihoodReport(
        model.name,
        model.digest(),
        pairs,
        {name: _by_topic(pairs.pairs, values, resampling) for name, values in leads.items()},
        difference,
    )


def _by_topic(pairs: Sequence[WordingPair], leads: Numbers, resampling: Resampling) -> tuple[Lead, ...]:
    topics: dict[str, list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        topics[pair.topic].append(place)
    found = [summarize_leads("all pairs", pairs, leads, resampling)]
    for topic, places in topics.items():
        found.append(summarize_leads(topic, [pairs[at] for at in places], leads[places], resampling))
    return tuple(found)


def summarize_leads(name: str, pairs: Sequence[WordingPair], leads: Numbers, resampling: Resampling) -> Lead:
    """Return the mean lead with an interval over units, and how often chance gives as much."""
    import numpy as np

    units: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        units[pair.topic, pair.unit].append(place)
    means = np.array([leads[places].mean() for places in units.values()])
    shares = np.array(
        [(leads[places] > 0).mean() + (leads[places] == 0).mean() / 2 for places in units.values()]
    )

    def mean_of(values: Numbers) -> Callable[[Numbers], Numbers]:
        return lambda weights: np.asarray(weights @ values / weights.sum(axis=1))

    (swaps,) = draw_swaps([len(means)], resampling.resamples, resampling.seed)
    flipped = np.abs(np.where(swaps, -means, means).mean(axis=1)) if len(swaps) else np.zeros(0)
    return Lead(
        name,
        len(pairs),
        len(units),
        estimate(mean_of(means), len(means), resampling),
        estimate(mean_of(shares), len(shares), resampling),
        p_value(abs(float(means.mean())), flipped) if len(flipped) else None,
    )
