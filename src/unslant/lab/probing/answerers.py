"""Language models that answer questions.

A ``LogitAnswerer`` sees the logits of a local model and decodes under constraints. A ``TextAnswerer`` sees only the
text that an endpoint returns (or, at best, log-probabilities), so it checks every answer against the question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from zlib import crc32

from unslant.core.errors import ConfigError, ModelError
from unslant.core.generation import Sampling
from unslant.core.types import Span
from unslant.lab.lm import local_model
from unslant.lab.probing.constraints import (
    AnswerTrie,
    Constraint,
    DecodedAnswer,
    DecodingRequest,
    DocumentSpans,
    DocumentTokens,
)
from unslant.lab.probing.descriptions import ProbeAnswer, ProbeQuestion, dimension_answers, layout
from unslant.protocols import LanguageModel
from unslant.text.words import LETTERS

OnAnswers = Callable[[list[int], list[ProbeAnswer]], None]
"""Called with the indices of some questions and their answers as soon as these are known."""


class Answerer(Protocol):
    """Answers questions."""

    name: str

    @property
    def context_length(self) -> int | None:
        """The size of the context window in tokens; None if unknown."""
        ...

    def digest(self) -> str:
        """Return a string that identifies the model."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text, at least roughly."""
        ...

    def tokens_to_read(self, prompts: Sequence[str]) -> int:
        """Return how many tokens the model must process for these prompts."""
        ...

    def answer(
        self, questions: Sequence[ProbeQuestion], on_answers: OnAnswers | None = None
    ) -> list[ProbeAnswer]:
        """Return one answer per question, in order; ``on_answers`` receives each batch as it completes."""
        ...


def allowed_answers(question: ProbeQuestion) -> Mapping[str, str]:
    """Return the permitted answers to a closed question: from their meaning to their spelling."""
    if question.choices:
        return dict(question.choices)
    return {"yes": layout().yes, "no": layout().no} if question.task == "diagnosis" else dimension_answers()


def open_answerer(
    model: LanguageModel, *, chat: bool = False, line_ends: bool = True, early_end: bool = False
) -> Answerer:
    """Return the answerer for a language model: by logits if the model exposes them, by text otherwise."""
    if (local := local_model(model)) is not None:
        return LogitAnswerer(local, chat=chat, line_ends=line_ends, early_end=early_end)
    return TextAnswerer(model, chat=chat)


class LogitAnswerer:
    """Decodes answers from the logits of a causal transformers model; constrained answers are always well formed.

    An answer ends with the model's end-of-sequence token or, with ``line_ends``, at the end of the line, because
    few-shot examples end that way. ``early_end`` permits an incomplete dimension name, as in the publication.
    """

    def __init__(
        self, model: Any, *, chat: bool = False, line_ends: bool = True, early_end: bool = False
    ) -> None:
        from unslant.lab.probing.generator import PackedGenerator

        self.name: str = model.name
        self._model = model
        self._tokenizer = model.tokenizer
        self._chat, self._early_end = chat, early_end
        ends = set(model.ends)
        for line in ("\n", "\n\n") if line_ends else ():
            tokens = self._encode(line)
            if len(tokens) == 1 and self._tokenizer.decode(tokens) == line:
                ends.add(tokens[0])
        self.generator = PackedGenerator(model.model, sorted(ends))
        self._tries: dict[tuple[str, ...], AnswerTrie[str]] = {}

    @property
    def context_length(self) -> int | None:
        """The size of the context window in tokens; None if the configuration does not say."""
        length = getattr(self._model.model.config, "max_position_embeddings", None)
        return int(length) if length else None

    def digest(self) -> str:
        """Return a digest of the weights."""
        return str(self._model.digest())

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a prompt."""
        return len(self._model.encode(text, chat=self._chat))

    def tokens_to_read(self, prompts: Sequence[str]) -> int:
        """Return how many tokens the model must process; shared prefixes count once if prompts are packed."""
        return self.generator.tokens_to_read(
            [self._model.encode(prompt, chat=self._chat) for prompt in prompts]
        )

    def answer(
        self, questions: Sequence[ProbeQuestion], on_answers: OnAnswers | None = None
    ) -> list[ProbeAnswer]:
        """Return one answer per question, in order."""
        requests = [self._request(question) for question in questions]

        def report(indices: list[int], completions: list[DecodedAnswer]) -> None:
            if on_answers is not None:
                pairs = zip(indices, completions, strict=True)
                on_answers(
                    indices,
                    [self._answer(questions[at], *requests[at], completion) for at, completion in pairs],
                )

        completions = self.generator.generate([request for request, _ in requests], report)
        return [
            self._answer(question, *request, completion)
            for question, request, completion in zip(questions, requests, completions, strict=True)
        ]

    def _request(self, question: ProbeQuestion) -> tuple[DecodingRequest, list[tuple[int, int]]]:
        tokens = self._model.encode(question.prompt, chat=self._chat)
        if question.decoding == "choice":
            return DecodingRequest(tokens, self._trie(question)), []
        document, offsets = self._encode_document(question)
        constraint: Constraint | None = None
        if question.decoding == "span":
            blank = {at for at, (low, high) in enumerate(offsets) if not question.document[low:high].strip()}
            constraint = DocumentSpans(document, blank)
        elif question.decoding == "constrained":
            constraint = DocumentTokens(document)
        request = DecodingRequest(
            tokens,
            constraint,
            # an extraction or a rephrasing is at most as long as its source
            max_tokens=max(1, len(document)),
            temperature=question.temperature,
            top_k=question.top_k,
            seed=question.seed,
        )
        return request, offsets

    def _answer(
        self,
        question: ProbeQuestion,
        request: DecodingRequest,
        offsets: Sequence[tuple[int, int]],
        completion: DecodedAnswer,
    ) -> ProbeAnswer:
        if question.decoding == "choice":
            trie = self._trie(question)
            answer = trie.answer(completion.state)
            if question.task == "diagnosis":
                yes = completion.probability if answer == "yes" else 1 - completion.probability
                return ProbeAnswer(str(answer), yes)
            return ProbeAnswer(answer or "", completion.probability)
        if question.decoding == "span":
            assert isinstance(request.constraint, DocumentSpans)  # noqa: S101 - made above
            if not completion.tokens:  # no token of the document can start a span
                return ProbeAnswer("", valid=False)
            first, last = request.constraint.locate(completion.state, len(completion.tokens))
            start, end = offsets[first][0], offsets[last - 1][1]
            words = question.document[start:end]
            start += len(words) - len(words.lstrip())
            found = Span(start, start + len(words.strip()))
            return ProbeAnswer(words.strip(), completion.probability, found)
        text = str(self._tokenizer.decode(completion.tokens, skip_special_tokens=True))
        return ProbeAnswer(text.strip().partition("\n")[0].strip())

    def _trie(self, question: ProbeQuestion) -> AnswerTrie[str]:
        anchor = "" if self._chat else question.prompt[-12:]
        first = "" if self._chat else question.answer_prefix
        key = (question.task, anchor, first)
        if key not in self._tries:
            answers = {
                name: self._continuation(anchor, first + spelling)
                for name, spelling in allowed_answers(question).items()
            }
            self._tries[key] = AnswerTrie(answers, early_end=self._early_end and question.task != "diagnosis")
        return self._tries[key]

    def _continuation(self, anchor: str, text: str) -> list[int]:
        before, whole = self._encode(anchor), self._encode(anchor + text)
        if anchor and whole[: len(before)] == before and len(whole) > len(before):
            return whole[len(before) :]
        return self._encode(text)

    def _encode(self, text: str) -> list[int]:
        return [int(token) for token in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def _encode_document(self, question: ProbeQuestion) -> tuple[list[int], list[tuple[int, int]]]:
        if question.decoding == "span" and not self._tokenizer.is_fast:
            raise ModelError(
                f"{self.name}: this tokenizer does not report token offsets; use a --decoding other than span"
            )
        options = {"return_offsets_mapping": True} if question.decoding == "span" else {}
        encoding = self._tokenizer(question.document, add_special_tokens=False, **options)
        offsets = [(int(start), int(end)) for start, end in encoding.get("offset_mapping", ())]
        return list(encoding["input_ids"]), offsets


_BATCH = 16
_STOP = ("\n",)
_FIRST_WORD = re.compile(rf"({LETTERS.pattern})(?:[.,;:!]|$)")
_QUOTES = "\"'`“”\u2018\u2019«»"


class TextAnswerer:
    """Checks the text that a model returns against the question.

    Fixed answers are compared by probability if the model gives one. An answer that is not permitted, or that is not a
    span of the document, is invalid.
    """

    context_length = None

    def __init__(self, model: LanguageModel, *, chat: bool = False) -> None:
        self.name = model.name
        self._model = model
        self._chat = chat
        self._can_score = not chat

    def digest(self) -> str:
        """Return a string that identifies the model."""
        return self._model.digest()

    def count_tokens(self, text: str) -> int:
        """Return the number of words of a text, because its tokens are unknown."""
        return len(text.split())

    def tokens_to_read(self, prompts: Sequence[str]) -> int:
        """Return the number of words sent."""
        return sum(map(self.count_tokens, prompts))

    def answer(
        self, questions: Sequence[ProbeQuestion], on_answers: OnAnswers | None = None
    ) -> list[ProbeAnswer]:
        """Return one answer per question, in order."""
        answers: list[ProbeAnswer] = [ProbeAnswer("", valid=False)] * len(questions)
        for decoding in ("choice", "span", "unconstrained", "constrained"):
            indices = [at for at, question in enumerate(questions) if question.decoding == decoding]
            for start in range(0, len(indices), _BATCH):
                batch = indices[start : start + _BATCH]
                batch_answers = self._answer_batch([questions[at] for at in batch], decoding)
                for at, answer in zip(batch, batch_answers, strict=True):
                    answers[at] = answer
                if on_answers is not None:
                    on_answers(batch, batch_answers)
        return answers

    def _answer_batch(self, questions: Sequence[ProbeQuestion], decoding: str) -> list[ProbeAnswer]:
        if decoding == "constrained":
            raise ConfigError(
                f"{self.name}: this model cannot be constrained to a document's tokens; use --decoding span"
            )
        if decoding == "choice" and self._can_score:
            try:
                return [self._score(question) for question in questions]
            except ModelError:
                self._can_score = False  # it may still answer in words
        texts = self._generate(questions)
        return [_validate(question, text) for question, text in zip(questions, texts, strict=True)]

    def _generate(self, questions: Sequence[ProbeQuestion]) -> list[str]:
        generations = []
        for question in questions:
            choice = question.decoding == "choice"
            sampling = Sampling(
                max_tokens=8 if choice else max(8, 2 * self.count_tokens(question.document)),
                temperature=0.0 if choice else question.temperature,
                top_k=0 if choice else question.top_k,
                stop=() if self._chat else _STOP,
                chat=self._chat,
            )
            generations += self._model.generate(
                [question.prompt], [crc32(question.seed.encode()) >> 1], sampling
            )
        return [generation.text for generation in generations]

    def _score(self, question: ProbeQuestion) -> ProbeAnswer:
        spellings = allowed_answers(question)
        texts = [question.answer_prefix + spelling for spelling in spellings.values()]
        rows = self._model.logprobs([question.prompt] * len(texts), texts)
        totals = [sum(row) for row in rows]
        highest = max(totals)
        powers = [math.exp(total - highest) for total in totals]
        probabilities = dict(zip(spellings, (power / sum(powers) for power in powers), strict=True))
        answer = max(probabilities, key=probabilities.__getitem__)
        wanted = "yes" if question.task == "diagnosis" else answer
        return ProbeAnswer(answer, probabilities[wanted])


def _validate(question: ProbeQuestion, text: str) -> ProbeAnswer:
    """Return the answer that a text gives; it is invalid if it does not fit the question."""
    line = text.strip().partition("\n")[0].strip()
    if question.decoding == "unconstrained":
        return ProbeAnswer(line, valid=bool(line))
    plain = line.strip(_QUOTES + " .").casefold()
    if question.decoding == "choice":
        names = {spelling.casefold(): name for name, spelling in allowed_answers(question).items()}
        if question.task == "diagnosis" and (word := _FIRST_WORD.match(line)):
            plain = word[1].casefold()
        return ProbeAnswer(names[plain]) if plain in names else ProbeAnswer(line, valid=False)
    quoted = line if line in question.document else line.strip(_QUOTES)
    start = question.document.find(quoted) if quoted else -1
    if start < 0:
        return ProbeAnswer(line, valid=False)
    return ProbeAnswer(quoted, None, Span(start, start + len(quoted)))
