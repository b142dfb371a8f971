"""A grid of wordings, numbers of examples and seeds over the texts of one task."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError
from unslant.lab.probing.descriptions import Description
from unslant.lab.probing.items import Item, Items
from unslant.lab.probing.prompts import Answer, Question, lead, prompt_text
from unslant.lab.probing.records import Record, Records
from unslant.lab.probing.sampling import Sampler
from unslant.lab.probing.voices import Voice
from unslant.neural.subwords import normalize_whitespace

__all__ = ["Estimate", "Grid", "Plan", "run"]

_BLOCK = 1_500
"""Prompts that are put together at a time, in the order in which they share most."""
_TRIAL = 12
"""Prompts on which the speed is measured."""


def _silent(done: int, total: int) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Grid:
    """What is asked: every wording with every number of examples and every seed."""

    descriptions: tuple[Description, ...]
    shots: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = (0,)
    decoding: str = "choice"
    temperature: float = 0.7
    top_k: int = 50
    name_dimension: bool = False

    @property
    def drawn(self) -> bool:
        """Whether answers are drawn, so that the seed matters even without examples."""
        return self.decoding != "choice" and self.temperature > 0

    def rounds(self, sampler: Sampler) -> list[tuple[int, int]]:
        """Return numbers of examples with their seeds; where nothing is drawn, one seed says it all."""
        found = []
        for shots in self.shots:
            fixed = not self.drawn and (shots == 0 or sampler.sampling == "nearest")
            found += [(shots, seed) for seed in (self.seeds[:1] if fixed else self.seeds)]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return what decides the answers, for the head of the file."""
        return {
            "descriptions": [one.id for one in self.descriptions],
            "wordings": [one.text for one in self.descriptions],
            "shots": list(self.shots),
            "seeds": list(self.seeds),
            "decoding": self.decoding,
            "temperature": self.temperature if self.drawn else None,
            "top_k": self.top_k if self.drawn else None,
            "name_dimension": self.name_dimension,
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will cost."""

    prompts: int
    """Still to be asked."""
    read: int
    """Tokens to be read, what is shared counted once; about."""
    plain: int
    """Tokens to be read if each prompt were read alone; about."""
    written: int
    """Tokens to be written at most; about."""
    seconds: float | None
    """By the speed on a few prompts; None where it was not measured."""


@dataclass(frozen=True, slots=True)
class _Job:
    description: Description
    shots: int
    seed: int
    item: Item
    examples: tuple[Item, ...]

    @property
    def key(self) -> tuple[str, int, int, str]:
        return self.description.id, self.shots, self.seed, self.item.id


@dataclass
class Plan:
    """Everything that a run asks, in blocks of prompts that share their beginnings."""

    grid: Grid
    items: Items
    sampler: Sampler
    voice: Voice
    _drawn: dict[tuple[int, int], list[tuple[Item, ...]]] = field(default_factory=dict, init=False)

    @property
    def total(self) -> int:
        """How many answers there will be."""
        rounds = len(self.grid.rounds(self.sampler))
        return rounds * len(self.grid.descriptions) * len(self.items.judged)

    def blocks(self) -> Iterator[list[_Job]]:
        """Yield the jobs, those that share a beginning together: examples by wording, else documents."""
        descriptions, items = self.grid.descriptions, self.items.judged
        for shots, seed in self.grid.rounds(self.sampler):
            examples = self._examples(shots, seed)
            if shots and self.sampler.per == "set" and self.sampler.sampling != "nearest":
                for one in descriptions:
                    yield [_Job(one, shots, seed, item, examples[at]) for at, item in enumerate(items)]
                continue
            step = max(1, _BLOCK // len(descriptions))
            for start in range(0, len(items), step):
                some = range(start, min(start + step, len(items)))
                yield [_Job(one, shots, seed, items[at], examples[at]) for at in some for one in descriptions]

    def _examples(self, shots: int, seed: int) -> list[tuple[Item, ...]]:
        if (shots, seed) not in self._drawn:
            self._drawn[shots, seed] = self.sampler.examples(self.items.judged, shots, seed)
        return self._drawn[shots, seed]

    def question(self, job: _Job) -> Question:
        """Return what a job asks."""
        description = job.description
        named = self.grid.name_dimension and description.takes_dimension
        return Question(
            description.task,
            prompt_text(job.item, job.examples, description, name_dimension=named),
            normalize_whitespace(job.item.text).text,
            lead(description),
            self.grid.decoding,
            self.grid.temperature,
            self.grid.top_k,
            "/".join(map(str, job.key)),
        )

    def check_room(self) -> None:
        """Raise where a text of ordinary length does not fit behind the examples, and say how many would."""
        room = self.voice.room
        if room is None:
            return
        items = self.items.judged
        median = sorted(range(len(items)), key=lambda at: len(items[at].text))[len(items) // 2]
        longest = max(self.grid.descriptions, key=lambda one: len(one.text))
        for shots, seed in self.grid.rounds(self.sampler):
            examples = self._examples(shots, seed)[median]
            fit = shots
            while fit >= 0 and not self.fits(_Job(longest, shots, seed, items[median], examples[:fit])):
                fit -= 1
            if fit < shots:
                raise ConfigError(
                    f"{self.voice.name}: the {room:,} tokens that this model can see hold {max(fit, 0)} of the "
                    f"{shots} examples and a text of ordinary length; ask for at most --shots {max(fit, 0)}"
                )

    def fits(self, job: _Job) -> bool:
        """Say whether the model can see the whole prompt and write the longest answer."""
        room = self.voice.room
        question = self.question(job)
        if room is None or 2 * len(question.prompt.encode()) + 16 < room:
            return True  # a token is at least a byte
        answer = 16 if question.decoding == "choice" else self.voice.length(question.document)
        return self.voice.length(question.prompt) + answer <= room

    def estimate(self, known: Sequence[tuple[str, int, int, str]] = ()) -> Estimate:
        """Return what is still to be done, by looking at a few blocks and asking a few prompts."""
        done = set(known)
        prompts = read = plain = written = 0
        looked: dict[int, tuple[float, float, float]] = {}
        trial: list[Question] = []
        for block in self.blocks():
            jobs = [job for job in block if job.key not in done]
            if not jobs:
                continue
            prompts += len(jobs)
            shots = jobs[0].shots
            if shots not in looked:
                questions = [self.question(job) for job in jobs]
                trial = trial or questions[:_TRIAL]
                texts = [one.prompt for one in questions]
                some = texts[:200]
                ratio = len(texts) / len(some)
                answers = (
                    0
                    if self.grid.decoding == "choice"
                    else sum(self.voice.length(one.document) for one in questions)
                )
                looked[shots] = (
                    self.voice.cost(texts) / len(texts),
                    ratio * sum(map(self.voice.length, some)) / len(texts),
                    answers / len(texts),
                )
            costs = looked[shots]
            read, plain, written = (
                round(total + len(jobs) * cost)
                for total, cost in zip((read, plain, written), costs, strict=True)
            )
        return Estimate(prompts, read, plain, written, self._seconds(trial, read, prompts))

    def _seconds(self, trial: Sequence[Question], read: int, prompts: int) -> float | None:
        """Return how long it takes if all goes on as with a few prompts; what they write is read, too."""
        reader: Any = getattr(self.voice, "reader", None)
        if reader is None or not trial:
            return None
        start, before = time.monotonic(), reader.tokens_read
        self.voice.ask(trial)
        tokens: int = reader.tokens_read - before
        wrote = max(0, tokens - self.voice.cost([one.prompt for one in trial])) / len(trial)
        return (read + prompts * wrote) * (time.monotonic() - start) / max(1, tokens)


def run(
    plan: Plan, path: Path, header: dict[str, Any], tell: Callable[[int, int], None] = _silent
) -> list[Record]:
    """Ask whatever the file does not answer yet, and return all answers in the order of the plan."""
    with Records(path, header) as records:
        total = plan.total
        wanted: list[tuple[str, int, int, str]] = []
        for block in plan.blocks():
            wanted += [job.key for job in block]
            jobs = [job for job in block if job.key not in records.known]
            fits = [plan.fits(job) for job in jobs]
            fitting = [job for job, fit in zip(jobs, fits, strict=True) if fit]
            too_long = [job for job, fit in zip(jobs, fits, strict=True) if not fit]
            records.add(_record(job, Answer("", judged=False)) for job in too_long)

            def hear(places: list[int], answers: list[Answer], fitting: list[_Job] = fitting) -> None:
                records.add(_record(fitting[at], answer) for at, answer in zip(places, answers, strict=True))
                tell(len(records.known), total)

            if fitting:
                plan.voice.ask([plan.question(job) for job in fitting], hear)
            tell(len(records.known), total)
        return [records.known[key] for key in wanted]


def _record(job: _Job, answer: Answer) -> Record:
    return Record(job.description.id, job.shots, job.seed, job.item.id, answer)
