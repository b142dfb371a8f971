"""Runs over a grid of wordings, shots and seeds; answers go to an append-only file, so that a run can be resumed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from unslant.core.errors import ConfigError
from unslant.core.files import make_folder, read_bytes, write_text
from unslant.core.types import Span
from unslant.lab.probing.descriptions import (
    Description,
    ProbeAnswer,
    ProbeQuestion,
    answer_prefix,
    build_prompt,
)
from unslant.neural.subwords import normalize_whitespace

if TYPE_CHECKING:
    from unslant.lab.probing.answerers import Answerer
    from unslant.lab.probing.items import ExampleSampler, ProbeItem, ProbeItems

SCHEMA = "unslant/probe/1"
_BLOCK = 1_500
"""Prompts per block; within a block, prompts share prefixes."""
_TRIAL = 12
"""Prompts used to measure the speed."""


Key: TypeAlias = tuple[str, int, int, str]
"""Wording, shots, seed and text of an answer."""


@dataclass(frozen=True)
class ProbeGrid:
    """Every wording with every number of shots and every seed."""

    descriptions: tuple[Description, ...]
    shots: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = (0,)
    decoding: str = "choice"
    temperature: float = 0.7
    top_k: int = 50
    name_dimension: bool = False

    @property
    def sampled(self) -> bool:
        """Whether answers are sampled, so that the seed matters even without examples."""
        return self.decoding != "choice" and self.temperature > 0

    def rounds(self, sampler: ExampleSampler) -> list[tuple[int, int]]:
        """Return pairs of shots and seed; a deterministic setting needs only one seed."""
        found = []
        for shots in self.shots:
            fixed = not self.sampled and (shots == 0 or sampler.sampling == "nearest")
            found += [(shots, seed) for seed in (self.seeds[:1] if fixed else self.seeds)]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return what determines the answers, for the header of the file."""
        return {
            "descriptions": [description.id for description in self.descriptions],
            "wordings": [description.text for description in self.descriptions],
            "shots": list(self.shots),
            "seeds": list(self.seeds),
            "decoding": self.decoding,
            "temperature": self.temperature if self.sampled else None,
            "top_k": self.top_k if self.sampled else None,
            "name_dimension": self.name_dimension,
        }


@dataclass(frozen=True, slots=True)
class RunCost:
    """The estimated cost of a run."""

    prompts: int
    """Prompts without an answer yet."""
    read: int
    """Tokens to process, with shared prefixes counted once."""
    plain: int
    """Tokens to process if every prompt were processed alone."""
    generated: int
    """Tokens to generate at most."""
    seconds: float | None
    """Extrapolated from a few prompts; None if not measured."""


@dataclass(frozen=True, slots=True)
class _PromptJob:
    description: Description
    shots: int
    seed: int
    item: ProbeItem
    examples: tuple[ProbeItem, ...]

    @property
    def key(self) -> Key:
        return self.description.id, self.shots, self.seed, self.item.id


@dataclass
class ProbePlan:
    """All prompts of a run, in blocks that share prefixes."""

    grid: ProbeGrid
    items: ProbeItems
    sampler: ExampleSampler
    answerer: Answerer
    _sampled: dict[tuple[int, int], list[tuple[ProbeItem, ...]]] = field(default_factory=dict, init=False)

    @property
    def total(self) -> int:
        """The number of answers of the complete run."""
        rounds = len(self.grid.rounds(self.sampler))
        return rounds * len(self.grid.descriptions) * len(self.items.evaluated)

    def blocks(self) -> Iterator[list[_PromptJob]]:
        """Yield blocks of jobs that share a prefix: the same examples if possible, otherwise the same texts."""
        descriptions, items = self.grid.descriptions, self.items.evaluated
        for shots, seed in self.grid.rounds(self.sampler):
            examples = self._examples(shots, seed)

            def job(description: Description, at: int, given: Any = (shots, seed, examples)) -> _PromptJob:
                return _PromptJob(description, given[0], given[1], items[at], given[2][at])

            if shots and self.sampler.per == "set" and self.sampler.sampling != "nearest":
                for description in descriptions:
                    yield [job(description, at) for at in range(len(items))]
                continue
            step = max(1, _BLOCK // len(descriptions))
            for start in range(0, len(items), step):
                block = range(start, min(start + step, len(items)))
                yield [job(description, at) for at in block for description in descriptions]

    def _examples(self, shots: int, seed: int) -> list[tuple[ProbeItem, ...]]:
        if (shots, seed) not in self._sampled:
            self._sampled[shots, seed] = self.sampler.examples(self.items.evaluated, shots, seed)
        return self._sampled[shots, seed]

    def question(self, job: _PromptJob) -> ProbeQuestion:
        """Return the question of a job."""
        description = job.description
        name_dimension = self.grid.name_dimension and description.takes_dimension
        return ProbeQuestion(
            description.task,
            build_prompt(job.item, job.examples, description, name_dimension=name_dimension),
            normalize_whitespace(job.item.text).text,
            answer_prefix(description),
            self.grid.decoding,
            self.grid.temperature,
            self.grid.top_k,
            "/".join(map(str, job.key)),
        )

    def check_context_length(self) -> None:
        """Raise if a text of median length does not fit after the examples, and say how many would fit."""
        limit = self.answerer.context_length
        if limit is None:
            return
        items = self.items.evaluated
        median = sorted(range(len(items)), key=lambda at: len(items[at].text))[len(items) // 2]
        longest = max(self.grid.descriptions, key=lambda description: len(description.text))
        for shots, seed in self.grid.rounds(self.sampler):
            examples = self._examples(shots, seed)[median]
            fit = shots
            while fit >= 0 and not self.fits(_PromptJob(longest, shots, seed, items[median], examples[:fit])):
                fit -= 1
            if fit < shots:
                raise ConfigError(
                    f"{self.answerer.name}: a context window of {limit:,} tokens holds a text of median length and "
                    f"{max(fit, 0)} of the {shots} examples; use --shots {max(fit, 0)} or fewer"
                )

    def fits(self, job: _PromptJob) -> bool:
        """Return whether the prompt and the longest answer fit into the context window."""
        limit = self.answerer.context_length
        question = self.question(job)
        if limit is None or 2 * len(question.prompt.encode()) + 16 < limit:
            return True  # a token is at least a byte
        answer = 16 if question.decoding == "choice" else self.answerer.count_tokens(question.document)
        return self.answerer.count_tokens(question.prompt) + answer <= limit

    def estimate(self, known: Sequence[Key] = ()) -> RunCost:
        """Return the cost of the unanswered prompts, estimated from a few blocks and a trial run."""
        done = set(known)
        prompts, read, plain, generated = 0, 0, 0, 0
        per_prompt: dict[int, tuple[float, float, float]] = {}
        trial: list[ProbeQuestion] = []
        for block in self.blocks():
            jobs = [job for job in block if job.key not in done]
            if not jobs:
                continue
            prompts += len(jobs)
            if jobs[0].shots not in per_prompt:
                questions = [self.question(job) for job in jobs]
                trial = trial or questions[:_TRIAL]
                per_prompt[jobs[0].shots] = self._costs(questions)
            costs = per_prompt[jobs[0].shots]
            read, plain, generated = (
                round(total + len(jobs) * cost)
                for total, cost in zip((read, plain, generated), costs, strict=True)
            )
        return RunCost(prompts, read, plain, generated, self._seconds(trial, read, prompts))

    def _costs(self, questions: Sequence[ProbeQuestion]) -> tuple[float, float, float]:
        """Return the tokens to read, to read prompt by prompt and to write of one question, on average."""
        count, texts = self.answerer.count_tokens, [question.prompt for question in questions]
        writes = 0 if self.grid.decoding == "choice" else sum(count(each.document) for each in questions)
        sample = texts[:200]
        plain = len(texts) / len(sample) * sum(map(count, sample)) / len(texts)
        return self.answerer.tokens_to_read(texts) / len(texts), plain, writes / len(texts)

    def _seconds(self, trial: Sequence[ProbeQuestion], read: int, prompts: int) -> float | None:
        """Return the time for all prompts, extrapolated from a trial; generated tokens are processed, too."""
        generator: Any = getattr(self.answerer, "generator", None)
        if generator is None or not trial:
            return None
        start, before = time.monotonic(), generator.tokens_read
        self.answerer.answer(trial)
        tokens: int = generator.tokens_read - before
        prompt_tokens = self.answerer.tokens_to_read([question.prompt for question in trial])
        generated = max(0, tokens - prompt_tokens) / len(trial)
        return (read + prompts * generated) * (time.monotonic() - start) / max(1, tokens)


def run(
    plan: ProbePlan, path: Path, header: dict[str, Any], progress: Callable[[int, int], None] | None = None
) -> list[AnswerRecord]:
    """Ask the questions that the file does not answer yet; return all answers in the order of the plan."""
    with AnswerFile(path, header) as records:
        total = plan.total
        wanted: list[Key] = []
        for block in plan.blocks():
            wanted += [job.key for job in block]
            jobs = [job for job in block if job.key not in records.known]
            fits = {job.key: plan.fits(job) for job in jobs}
            fitting = [job for job in jobs if fits[job.key]]
            records.add(_record(job, ProbeAnswer("", valid=False)) for job in jobs if not fits[job.key])

            def report(
                indices: list[int], answers: list[ProbeAnswer], fitting: list[_PromptJob] = fitting
            ) -> None:
                records.add(_record(fitting[at], answer) for at, answer in zip(indices, answers, strict=True))
                if progress is not None:
                    progress(len(records.known), total)

            if fitting:
                plan.answerer.answer([plan.question(job) for job in fitting], report)
            if progress is not None:
                progress(len(records.known), total)
        return [records.known[key] for key in wanted]


def _record(job: _PromptJob, answer: ProbeAnswer) -> AnswerRecord:
    return AnswerRecord(job.description.id, job.shots, job.seed, job.item.id, answer)


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer with the key of its question."""

    description: str
    shots: int
    seed: int
    item: str
    answer: ProbeAnswer

    @property
    def key(self) -> Key:
        """Identifies the question; a run asks each question once."""
        return self.description, self.shots, self.seed, self.item

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, one line of the file."""
        answer = self.answer
        return {
            "description": self.description,
            "shots": self.shots,
            "seed": self.seed,
            "item": self.item,
            "answer": answer.text,
            "probability": None if answer.probability is None else round(answer.probability, 6),
            "span": [answer.span.start, answer.span.end] if answer.span else None,
            "valid": answer.valid,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a line of the file."""
        span = data["span"]
        answer = ProbeAnswer(
            data["answer"], data["probability"], Span(*span) if span else None, data["valid"]
        )
        return cls(data["description"], data["shots"], data["seed"], data["item"], answer)


_MAX_BYTES = 4 << 30
"""The largest file of answers."""


class AnswerFile:
    """The file of a run. Reopening it resumes the run; an incomplete last line is dropped."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self._path = path
        self.known: dict[Key, AnswerRecord] = {}
        head = {"schema": SCHEMA, **header}
        if path.exists() and path.stat().st_size:
            self._resume(head)
        else:
            make_folder(path.parent, ConfigError)
            write_text(path, json.dumps(head, ensure_ascii=False) + "\n", ConfigError)
        self._file = path.open("a", encoding="utf-8")

    def _resume(self, head: Mapping[str, Any]) -> None:
        content = read_bytes(self._path, ConfigError, max_bytes=_MAX_BYTES)
        whole = content[: content.rfind(b"\n") + 1]
        try:
            found = json.loads(whole.splitlines()[0]) if whole else {}
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise ConfigError(f"{self._path}: was not written by 'unslant probe'; use another --output")
        if different := next((name for name in head if found.get(name) != head[name]), None):
            raise ConfigError(
                f"{self._path}: holds a run with a different {different}; use another --output or delete the file"
            )
        self.known = {read_record.key: read_record for read_record in read_records(self._path)}
        if len(whole) < len(content):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))

    def add(self, records: Iterable[AnswerRecord]) -> None:
        """Append answers and flush them to disk."""
        for record in records:
            self.known[record.key] = record
            self._file.write(json.dumps(record.to_dict(), ensure_ascii=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def read_records(path: Path) -> Iterator[AnswerRecord]:
    """Yield the answers of a file, skipping the header and an incomplete last line."""
    content = read_bytes(path, ConfigError, max_bytes=_MAX_BYTES)
    whole = content[: content.rfind(b"\n") + 1]
    for number, line in enumerate(whole.splitlines()[1:], 2):
        try:
            yield AnswerRecord.from_dict(json.loads(line))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ConfigError(
                f"{path}: line {number} is not an answer; delete the file to start over"
            ) from None
