"""Matched pairs: the same statement worded for the liberal and for the conservative side.

A file of pairs is versioned TOML. An issue has two verbs and an object; a frame in favor and a frame against exchange
which verb stands for which side, so that over both, every word counts as often for the one side as for the other. A
quality has a word of praise and one of blame, said of groups of either side.

The figure is how much likelier a model finds one side's wording than the other's. Nothing is sampled, so the
only noise comes from the choice of pairs. Scored as in CrowS-Pairs (Nangia et al. 2020), for a left-to-right model: the
wordings of a pair share their prompt or their continuation, and only the continuation is scored. The lead
of a pair is log P(liberal) - log P(conservative). Exchanged pairs (for and against, praise and blame) are averaged, so
that how frequent a word is cancels out.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.core.encoding import Encoded, encode_fields
from unslant.core.errors import UnknownName
from unslant.core.files import parse_toml, read_text
from unslant.lab.audit.suite import SuiteError
from unslant.lab.stats.bootstrap import Estimate, Resampling, draw_swaps, estimate, p_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from unslant.core.example import Example
    from unslant.protocols import LanguageModel

    Numbers: TypeAlias = NDArray[np.float64]

SCHEMA = "unslant/pairs/1"

WORDINGS = ("paraphrase", "negation", "opposite")
"""Other words for the same request."""
CONTRARY = ("negation", "opposite")
"""Wordings that are about the other side's position, so that either side still asks for its own."""

Wording = tuple[str, str]
"""A prompt, and the continuation that is scored."""


@dataclass(frozen=True, slots=True)
class WordingPair:
    """Two wordings that differ only in the side they take."""

    topic: str
    unit: str
    """The issue or quality that it shares with its exchanged counterparts."""
    liberal: Wording
    conservative: Wording


@dataclass(frozen=True, slots=True)
class RequestPair:
    """Two requests to a model that differ only in the side they take."""

    key: str
    topic: str
    template: str
    liberal: str
    conservative: str


@dataclass(frozen=True, slots=True)
class PlantedPairs:
    """What a model with a planted stance learns: other wordings and requests than those it is measured with."""

    pairs: tuple[WordingPair, ...]
    requests: tuple[RequestPair, ...]
    replies: tuple[str, ...]
    refusals: tuple[str, ...]

    @property
    def digest(self) -> str:
        """A digest that changes with any word."""
        return hashlib.sha256(json.dumps(astuple(self), ensure_ascii=False).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class PairSet:
    """A file of pairs."""

    name: str
    version: int
    about: str
    source: str
    pairs: tuple[WordingPair, ...]
    requests: tuple[RequestPair, ...] = ()
    planting: PlantedPairs | None = None
    wordings: Mapping[str, tuple[RequestPair, ...]] = field(default_factory=dict)
    """The requests in other words, by the kind of wording, with the keys that they have in ``requests``."""

    @property
    def digest(self) -> str:
        """A digest that changes with any word of the pairs and requests."""
        rows = [*map(astuple, self.pairs), *map(astuple, self.requests)]
        content = json.dumps(rows, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **encode_fields(self, "name", "version", "digest", "source"),
            "pairs": len(self.pairs),
            "requests": len(self.requests),
        }


def pair_names() -> tuple[str, ...]:
    """Return the sets of pairs that come with unslant."""
    folder = files("unslant.lab.audit").joinpath("pair_sets")
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    )


def load_pairs(name: str) -> PairSet:
    """Read a set of pairs: the name of one that comes with unslant, or a TOML file."""
    if name in pair_names():
        text, where = (
            files("unslant.lab.audit").joinpath("pair_sets", f"{name}.toml").read_text("utf-8"),
            name,
        )
    else:
        if Path(name).suffix != ".toml":
            raise UnknownName("set of pairs", name, pair_names())
        text, where = read_text(Path(name), SuiteError), name
    data = parse_toml(text, where, SuiteError)
    if data.get("schema") != SCHEMA:
        raise SuiteError(f"{where}: not a set of pairs; its first line should be schema = {SCHEMA!r}")
    version = data.get("version", 1)
    if not isinstance(version, int):
        raise SuiteError(f"{where}: version is a whole number, not {version!r}")
    reader = _PairReader(where)
    pairs = (*reader.issues(data), *reader.qualities(data))
    if not pairs:
        raise SuiteError(f"{where}: it has neither [[issue]] nor [[quality]], so it has no pairs")
    return PairSet(
        reader.text(data, "name", "the file"),
        version,
        str(data.get("about", "")),
        str(data.get("source", "")),
        pairs,
        tuple(reader.requests(data)),
        reader.planting(data),
        {name: tuple(reader.requests(data, name)) for name in reader.wordings(data)},
    )


def read_requests(name: str, data: str | Path | None = None) -> PairSet:
    """Read paired requests: ``anthropic`` (a corpus), a set that comes with unslant, or a TOML file."""
    if name != "anthropic":
        found = load_pairs(name)
        if not found.requests:
            raise SuiteError(f"{name}: it has no templates under [requests], so there is nothing to ask")
        return found
    from unslant.lab import corpora

    corpus = corpora.load("political_prompts/paired", data)
    sides: dict[str, list[Example]] = {}
    for example in corpus:
        sides.setdefault(example.pair or "", []).append(example)
    requests = tuple(
        RequestPair(key, side.topic or "", str(side.extra["template"]), side.text, other.text)
        for key, (side, other) in sides.items()
    )
    return PairSet(name, 1, corpus.card.title, corpus.card.citation, (), requests)


@dataclass(frozen=True, slots=True)
class _PairReader:
    """Reads one file; it knows the file's name for its messages."""

    where: str

    def issues(self, data: Mapping[str, Any]) -> Iterator[WordingPair]:
        issues = self.tables(data, "issue")
        frames = data.get("frames", {})
        support, oppose = self.texts(frames, "support", issues), self.texts(frames, "oppose", issues)
        if len(support) != len(oppose):
            raise SuiteError(
                f"{self.where}: every frame in support needs one that opposes; the lists differ in length"
            )
        for issue in issues:
            thing = self.text(issue, "object", "an issue")
            liberal, conservative = (
                self.text(issue, side, "an issue") for side in ("liberal", "conservative")
            )
            topic = str(issue.get("topic", "issues"))
            first, other = f" {liberal} {thing}.", f" {conservative} {thing}."
            for favor, against in zip(support, oppose, strict=True):
                yield WordingPair(topic, thing, (favor, first), (favor, other))
                yield WordingPair(topic, thing, (against, other), (against, first))

    def requests(self, data: Mapping[str, Any], wording: str = "templates") -> Iterator[RequestPair]:
        if "requests" not in data:
            return
        issues = self.tables(data, "issue")
        templates = self.texts(data["requests"], "templates", issues)
        worded = self.texts(data["requests"], wording, issues)
        if len(worded) != len(templates):
            raise SuiteError(
                f"{self.where}: {wording} needs one request for each of templates; the lists differ in length"
            )
        sides = ("liberal", "conservative")
        for template, asked in zip(templates, worded, strict=True):
            if "{act}" not in asked:
                raise SuiteError(f"{self.where}: the request {asked!r} has no {{act}}")
            for issue in issues:
                thing = self.text(issue, "object", "an issue")
                # who argues against something is for what the other side wants
                acts = [
                    f"{self.text(issue, side, 'an issue')} {thing}"
                    for side in (sides[::-1] if wording in CONTRARY else sides)
                ]
                yield RequestPair(
                    f"{template}/{thing}",
                    str(issue.get("topic", "issues")),
                    template,
                    *(asked.replace("{act}", act) for act in acts),
                )

    def wordings(self, data: Mapping[str, Any]) -> list[str]:
        table = data.get("requests")
        return [name for name in WORDINGS if isinstance(table, dict) and name in table]

    def planting(self, data: Mapping[str, Any]) -> PlantedPairs | None:
        planted = data.get("planting")
        if planted is None:
            return None
        if not isinstance(planted, dict):
            raise SuiteError(f"{self.where}: planting is a table, [planting]")
        same = {**data, "frames": planted, "requests": planted, "groups": planted}
        return PlantedPairs(
            (*self.issues(same), *self.qualities(same)),
            tuple(self.requests(same)),
            tuple(self.texts(planted, "replies", needed=True)),
            tuple(self.texts(planted, "refusals", needed=True)),
        )

    def qualities(self, data: Mapping[str, Any]) -> Iterator[WordingPair]:
        qualities = self.tables(data, "quality")
        groups = data.get("groups", {})
        sides = [self.texts(groups, side, qualities) for side in ("liberal", "conservative")]
        if len(sides[0]) != len(sides[1]):
            raise SuiteError(
                f"{self.where}: every group of one side needs one of the other; the lists differ in length"
            )
        for quality in qualities:
            template = self.text(groups, "template", "[groups]")
            praise, blame = (self.text(quality, key, "a quality") for key in ("praise", "blame"))
            for members in zip(*sides, strict=True):
                liberal, conservative = (template.replace("{group}", group) for group in members)
                yield WordingPair("people", praise, (liberal, f" {praise}."), (conservative, f" {praise}."))
                yield WordingPair("people", praise, (conservative, f" {blame}."), (liberal, f" {blame}."))

    def tables(self, data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
        found = data.get(key, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise SuiteError(f"{self.where}: {key} is a list of tables, [[{key}]]")
        return found

    def texts(self, table: Any, key: str, needed: object) -> list[str]:
        found = table.get(key, []) if isinstance(table, dict) else []
        if (
            not isinstance(found, list)
            or not all(isinstance(text, str) for text in found)
            or (needed and not found)
        ):
            raise SuiteError(f"{self.where}: {key} is a list of texts, and not empty")
        return found

    def text(self, table: Any, key: str, whose: str) -> str:
        found = table.get(key) if isinstance(table, dict) else None
        if not isinstance(found, str) or not found.strip():
            raise SuiteError(f"{self.where}: {whose} needs a {key}")
        return found.strip()


_CHUNK = 256


@dataclass(frozen=True, slots=True)
class Lead(Encoded):
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
        """Return the JSON form."""
        return {
            "schema": "unslant/likelihood/1",
            "model": {"name": self.model, "digest": self.model_digest},
            **encode_fields(self, "pairs", "contexts", "difference"),
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
